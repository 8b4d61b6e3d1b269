// SPDX-License-Identifier: BSD-3-Clause
// The way of one collective call through the front door: communicator, shape, plan, flight.
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/request.hpp"
#include "mpi/shape.hpp"
#include "observe/times.hpp"

namespace weft::mpi {

RecentCall::RecentCall(const Arguments& a, Plan* made, const Combine& how)
    : plan(made),
      combine(how),
      sendcount(a.sendcount),
      recvcount(a.recvcount),
      sendtype(a.sendtype),
      recvtype(a.recvtype),
      op(a.op),
      root(a.root),
      buffers(buffers_of(a)) {}

namespace {

void bind_to_caller(Flight& flight, const Arguments& a, const Combine& combine) {
  if (flight.holds_handles) flight.forget_handles();
  flight.binding.input = a.sendbuf;
  flight.binding.output = a.recvbuf;
  flight.binding.combine = combine;
}

std::byte* bind(Staging& staging, const Side& side, bool only_copies) {
  staging.reset();
  if (!side.staged) return side.address();
  staging.prepare(side, only_copies);
  return staging.view() != nullptr ? side.address() : staging.data();
}

// Binds the schedule's buffers to the caller's memory, or to copies of it; an MPI error code.
int bind(Flight& flight, const Arguments& a, const Shape& shape) {
  flight.holds_handles = true;
  flight.binding.input = bind(flight.input, shape.input, flight.only_copies_input);
  flight.binding.output = bind(flight.output, shape.output, flight.only_copies_output);
  flight.binding.input_view = flight.input.view();
  flight.binding.output_view = flight.output.view();
  flight.binding.combine = {};
  flight.reduction = {};
  if (is_reduction(a.collective)) {
    flight.reduction = {.op = a.op,
                        .type = a.sendtype,
                        .extent = shape.key.call.element_bytes,
                        .lower = facts_of(a.sendtype).lower};
    flight.binding.combine = combine_of(flight.reduction);
  }
  return flight.fill();
}

// The call's plan, which is made if it is the first of its shape.
Plan& plan_of(Communicator& communicator, const PlanKey& key) {
  const Timed timed(Part::kPlanning);
  const auto make = [&] {
    communicator.recent = {};
    return std::make_unique<Plan>(key, Rank(communicator.rank), *communicator.settings,
                                  communicator.placement);
  };
  return communicator.plans.find_or_make(key, make);
}

Flight* counted(CallCounter& counter, Communicator& communicator, Flight& flight) {
  flight.communicator = &communicator;
  flight.has_request = false;
  counter.count_weft();
  return &flight;
}

Flight* prepare_again(CallCounter& counter, const Arguments& arguments, Communicator& communicator,
                      const RecentCall& recent) {
  const Timed timed(Part::kPlanning);
  Flight& flight = recent.plan->idle_flight();
  bind_to_caller(flight, arguments, recent.combine);
  return counted(counter, communicator, flight);
}

bool is_told_by_arguments(const Flight& flight, const Shape& shape) {
  const bool reduces_by_kernel = flight.binding.combine.apply == nullptr;
  return !shape.input.staged && !shape.output.staged && shape.has_predefined_types && reduces_by_kernel &&
         !has_parcels(shape.key.call.collective);
}

// The flight, ready to be launched; null if the call is the host's. The caller holds the engine's lock.
Flight* prepare(CallCounter& counter, const Arguments& arguments) {
  Communicator* communicator = find_communicator(arguments.comm);
  if (communicator == nullptr) {
    counter.count_host(is_inter(arguments.comm) ? Reason::kIntercommunicator : Reason::kUnseenCommunicator);
    return nullptr;
  }
  RecentCall& recent = communicator->recent[static_cast<std::size_t>(arguments.collective)];
  if (recent.matches(arguments)) return prepare_again(counter, arguments, *communicator, recent);
  if (!communicator->settings->enabled) {
    counter.count_host(Reason::kSwitchedOff);
    return nullptr;
  }
  static Shape& shape = *new Shape;  // under the lock; its memory is used again
  if (const std::optional<Reason> why = take_shape(arguments, *communicator, shape)) {
    counter.count_host(*why);
    return nullptr;
  }
  Plan& plan = plan_of(*communicator, shape.key);
  Flight& flight = plan.idle_flight();
  flight.communicator = communicator;
  if (bind(flight, arguments, shape) != MPI_SUCCESS) {
    counter.count_host(Reason::kArgument);  // a datatype that cannot be packed, say: the host reports it
    return nullptr;
  }
  if (is_told_by_arguments(flight, shape)) recent = RecentCall(arguments, &plan, flight.binding.combine);
  return counted(counter, *communicator, flight);
}

// False if no call of any communicator may be Weft's at the moment.
bool may_take(CallCounter& counter, MPI_Comm comm) {
  if (!engine().active.load(std::memory_order_acquire)) {
    counter.count_host(Reason::kSwitchedOff);
    return false;
  }
  if (comm != MPI_COMM_NULL) return true;
  counter.count_host(Reason::kArgument);
  return false;
}

bool can_return(CallCounter& counter, const MPI_Request* request) {
  if (request == nullptr) counter.count_host(Reason::kArgument);
  return request != nullptr;
}

int reported(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

// With WEFT_CHECK=1. A blocking call waits until its neighbour's is known to be the same.
void check(const CallCounter& counter, const Arguments& arguments, bool is_blocking) {
  const auto checker_of = [&]() -> Checker* {
    const InEngine inside;
    Communicator* communicator = find_communicator(arguments.comm);
    if (communicator == nullptr || !communicator->checker) return nullptr;
    communicator->checker->tell(counter.function, arguments);
    return communicator->checker.get();
  };
  Checker* checker = checker_of();
  if (checker == nullptr || !is_blocking) return;
  wait_until([checker] {
    const InEngine inside;
    checker->progress();
    return checker->is_done();
  });
}

}  // namespace

bool run(CallCounter& counter, const Arguments& arguments, int* code) {
  if (!may_take(counter, arguments.comm)) return false;
  if (engine().settings.shared.check) check(counter, arguments, true);
  Flight* flight = nullptr;
  {
    const InEngine inside;
    const Timed timed(Part::kRest);
    flight = prepare(counter, arguments);
    if (flight == nullptr) return false;
    launch(*flight);
  }
  wait_until([flight] { return flight->has_ended(); });
  *code = reported(arguments.comm, flight->error);
  return true;
}

bool start(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code) {
  if (!may_take(counter, arguments.comm) || !can_return(counter, request)) return false;
  if (engine().settings.shared.check) check(counter, arguments, false);
  const InEngine inside;
  const Timed timed(Part::kRest);
  Flight* flight = prepare(counter, arguments);
  if (flight == nullptr) return false;
  *code = attach_request(*flight);
  if (*code != MPI_SUCCESS) return true;
  *request = flight->request;
  launch(*flight);
  return true;
}

bool make_persistent(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code) {
  if (!may_take(counter, arguments.comm) || !can_return(counter, request)) return false;
  if (engine().settings.shared.check) check(counter, arguments, false);
  const InEngine inside;
  Flight* flight = prepare(counter, arguments);
  if (flight == nullptr) return false;
  *code = attach_lasting_request(*flight);
  if (*code != MPI_SUCCESS) return true;
  *request = flight->request;
  if (Checker* checker = flight->communicator->checker.get()) checker->remember(*flight);
  return true;
}

int meet(MPI_Comm comm) {
  static CallCounter& counter = *new CallCounter("a constructor of communicators");  // not in the statistics
  int code = MPI_SUCCESS;
  if (engine().hooked || run(counter, {.collective = Collective::kBarrier, .comm = comm}, &code)) return code;
  if (!must_drive(comm)) return code;
  MPI_Request barrier = MPI_REQUEST_NULL;  // the host's
  code = PMPI_Ibarrier(comm, &barrier);
  return code != MPI_SUCCESS ? code : finish(&barrier, MPI_STATUS_IGNORE);
}

int meet_across(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag) {
  if (engine().hooked || comm == MPI_COMM_NULL) return MPI_SUCCESS;
  int code = meet(comm), rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (code == MPI_SUCCESS && rank == leader && must_drive(peers)) {
    MPI_Request meeting = MPI_REQUEST_NULL, telling = MPI_REQUEST_NULL;
    code = PMPI_Irecv(nullptr, 0, MPI_BYTE, remote_leader, tag, peers, &meeting);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Isend(nullptr, 0, MPI_BYTE, remote_leader, tag, peers, &telling);
    for (MPI_Request* half : {&telling, &meeting})
      if (code == MPI_SUCCESS) code = finish(half, MPI_STATUS_IGNORE);
  }
  return code == MPI_SUCCESS ? meet(comm) : code;
}

bool must_drive(MPI_Comm comm) {
  const bool is_driven = engine().active.load(std::memory_order_acquire) && !engine().hooked;
  return is_driven && comm != MPI_COMM_NULL && is_within_world(comm);
}

bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

}  // namespace weft::mpi
