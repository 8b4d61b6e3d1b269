// SPDX-License-Identifier: BSD-3-Clause
// The way of one collective call through the front door: communicator, shape, plan, flight.
#include "base/log.hpp"
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/host.hpp"
#include "mpi/launch.hpp"
#include "mpi/overlap.hpp"
#include "mpi/request.hpp"
#include "mpi/shape.hpp"
#include "observe/times.hpp"

namespace weft::mpi {

RecentCall::RecentCall(const Arguments& a, Plan* made, const Combine& how, Distance not_this)
    : plan(made),
      combine(how),
      sendcount(a.sendcount),
      recvcount(a.recvcount),
      sendtype(a.sendtype),
      recvtype(a.recvtype),
      op(a.op),
      root(a.root),
      buffers(buffers_of(a)),
      refused(not_this) {}

namespace {

struct Manner {
  Form form;
  Room room;
};

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
  if (shape.own_block.in_use()) flight.own_block = shape.own_block;
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
Plan& plan_of(Communicator& communicator, const PlanKey& key, Room room) {
  const Timed timed(Part::kPlanning);
  Planning& planning = communicator.planning_by(room);
  const auto make = [&] {
    communicator.recent = {};
    return std::make_unique<Plan>(key, Rank(communicator.rank), *communicator.settings, planning.placement);
  };
  return planning.plans.find_or_make(key, make);
}

Flight* counted(CallCounter& counter, Communicator& communicator, Flight& flight) {
  flight.communicator = &communicator;
  flight.form = Form::kBlocking;
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
  return !shape.input.staged && !shape.output.staged && !shape.own_block.in_use() &&
         shape.has_predefined_types && reduces_by_kernel && !has_parcels(shape.key.call.collective);
}

// The host refuses this rank's call because of where its buffers lie, and reports that. Weft runs it all the
// same, so that the other ranks get their results; nobody here waits for it. A persistent call has no request
// that could be started.
[[gnu::cold]] void take_part_for_others(const Arguments& arguments, Communicator& communicator,
                                        const Shape& shape, Form form) {
  if (form == Form::kPersistent) {
    ++communicator.persistent_made;
    return;
  }
  Flight& flight = plan_of(communicator, shape.key, Room::kLarge).idle_flight();
  flight.communicator = &communicator;
  flight.form = Form::kBlocking;
  if (bind(flight, arguments, shape) != MPI_SUCCESS) return;
  if (form == Form::kNonblocking && attach_request(flight) != MPI_SUCCESS) return;
  MPI_Request request = flight.request;
  launch(flight);
  if (form == Form::kNonblocking) host::free_request(&request);
}

std::nullptr_t leave_to_host(CallCounter& counter, Reason why) {
  counter.count_host(why);
  return nullptr;
}

// Null if the call is the host's. The caller holds the engine's lock, for what follows as well.
Communicator* communicator_of(CallCounter& counter, const Arguments& arguments) {
  Communicator* communicator = find_communicator(arguments.comm);
  if (communicator != nullptr) return communicator;
  return leave_to_host(counter,
                       is_inter(arguments.comm) ? Reason::kIntercommunicator : Reason::kUnseenCommunicator);
}

// The flight, ready to be launched; null if the call is the host's.
Flight* prepare_new(CallCounter& counter, const Arguments& arguments, Communicator& communicator,
                    Manner manner, RecentCall* recent) {
  if (!communicator.settings->enabled) return leave_to_host(counter, Reason::kSwitchedOff);
  static Shape& shape = *new Shape;  // under the lock; its memory is used again
  shape.is_apart =
      refuses_overlap(arguments, communicator.rank, communicator.size, manner.form == Form::kPersistent);
  if (const std::optional<Reason> why = take_shape(arguments, communicator, shape))
    return leave_to_host(counter, *why);
  if (shape.is_apart) {
    take_part_for_others(arguments, communicator, shape, manner.form);
    return leave_to_host(counter, Reason::kArgument);
  }
  Plan& plan = plan_of(communicator, shape.key, manner.room);
  Flight& flight = plan.idle_flight();
  flight.communicator = &communicator;
  // The host reports what cannot be bound, such as a datatype that cannot be packed.
  if (bind(flight, arguments, shape) != MPI_SUCCESS) return leave_to_host(counter, Reason::kArgument);
  if (recent != nullptr && is_told_by_arguments(flight, shape))
    *recent = RecentCall(arguments, &plan, flight.binding.combine,
                         refused_distance(arguments, communicator.rank, communicator.size, true));
  return counted(counter, communicator, flight);
}

Flight* prepare(CallCounter& counter, const Arguments& arguments, Form form) {
  Communicator* communicator = communicator_of(counter, arguments);
  if (communicator == nullptr) return nullptr;
  RecentCall& recent = communicator->recent[static_cast<std::size_t>(arguments.collective)];
  if (recent.matches(arguments)) return prepare_again(counter, arguments, *communicator, recent);
  return prepare_new(counter, arguments, *communicator, {form, Room::kLarge}, &recent);
}

// An operation whose arguments the host reports as wrong takes no number, as it takes none in the host.
Flight* prepare_persistent(CallCounter& counter, const Arguments& arguments) {
  Communicator* communicator = communicator_of(counter, arguments);
  if (communicator == nullptr) return nullptr;
  const int number = communicator->persistent_made;
  if (number >= communicator->most_persistent) return leave_to_host(counter, Reason::kManyPersistent);
  const Room room = communicator->room_of(number);
  Flight* flight = prepare_new(counter, arguments, *communicator, {Form::kPersistent, room}, nullptr);
  if (flight == nullptr) return nullptr;
  ++communicator->persistent_made;
  flight->binding.channel = static_cast<Channel>(number);
  if (flight->needs_node)
    flight->room = communicator->node->room(number, flight->operation.pending().steps());
  return flight;
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

// With WEFT_CHECK=1: tells the call to the next rank. A blocking call waits until it has been compared with
// that of the rank before.
void check(const CallCounter& counter, const Arguments& arguments, bool is_blocking) {
  const auto checker_of = [&]() -> CallChecks* {
    const InEngine inside;
    Communicator* communicator = find_communicator(arguments.comm);
    if (communicator == nullptr || !communicator->checker) return nullptr;
    communicator->checker->tell(counter.function, arguments);
    return communicator->checker.get();
  };
  CallChecks* checker = checker_of();
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
    flight = prepare(counter, arguments, Form::kBlocking);
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
  Flight* flight = prepare(counter, arguments, Form::kNonblocking);
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
  Flight* flight = prepare_persistent(counter, arguments);
  if (flight == nullptr) return false;
  if (flight->needs_node && flight->room == nullptr) {
    announce(std::string(counter.function) + ": the machine has no shared memory left for it");
    raise_later(*flight->communicator, *code = MPI_ERR_NO_MEM);
    return true;
  }
  *code = attach_persistent_request(*flight);
  if (*code == MPI_SUCCESS) *request = flight->request;
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
