// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/collective.hpp"

#include <utility>

#include "base/log.hpp"
#include "mpi/arguments/accelerator.hpp"
#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/host_work.hpp"
#include "mpi/arguments/overlap.hpp"
#include "mpi/call/shape.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/launch.hpp"
#include "mpi/flight/persistent_request.hpp"
#include "mpi/flight/plan.hpp"
#include "mpi/flight/plans.hpp"
#include "mpi/flight/request.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/host/group.hpp"
#include "mpi/host/host.hpp"
#include "observe/timers.hpp"
#include "observe/times.hpp"

namespace weft::mpi {

namespace {

struct Manner {
  Form form;
  MemoryUse memory_use;
};

std::byte* bind(Staging& staging, const Side& side, bool only_copies) {
  staging.reset();
  if (!side.staged) return side.address();
  staging.prepare(side, only_copies);
  return staging.view() != nullptr ? side.address() : staging.data();
}

// What the host needs to apply the operator stands in the operation's own work, as long as that is under way.
Combine combine_by(HostWork& work, const Arguments& a, Bytes element) {
  work.reduction = {.op = a.op, .type = a.sendtype, .extent = element, .lower = facts_of(a.sendtype).lower};
  return combine_of(work.reduction);
}

void bind_sides(Flight& flight, const Side& input, const Side& output) {
  HostWork& work = flight.take_host_work();
  flight.binding.input = bind(work.input, input, flight.only_copies_input);
  flight.binding.output = bind(work.output, output, flight.only_copies_output);
  flight.binding.input_view = work.input.view();
  flight.binding.output_view = work.output.view();
}

// Binds the schedule's buffers to the caller's memory, or to copies of it; an MPI error code.
int bind(Flight& flight, const Arguments& a, const Shape& shape) {
  bind_sides(flight, shape.input, shape.output);
  HostWork& work = *flight.host_work;
  work.own_block = shape.own_block;
  const bool reduces = is_reduction(a.collective);
  flight.binding.combine = reduces ? combine_by(work, a, shape.key.call.element_bytes) : Combine{};
  return flight.fill();
}

// The call's plan, which is made if it is the first of its shape.
Plan& plan_of(Communicator& communicator, const PlanKey& key, MemoryUse memory_use) {
  const Timed timed(Activity::kPlanning);
  return communicator.plans().find_or_make(key, memory_use);
}

Flight* counted(CallCounter& counter, Communicator& communicator, Flight& flight) {
  flight.traffic = communicator.traffic.get();
  flight.form = Form::kBlocking;
  counter.count_weft();
  return &flight;
}

std::nullptr_t leave_to_host(CallCounter& counter, Reason why) {
  counter.count_host(why);
  return nullptr;
}

Flight* prepare_again(CallCounter& counter, const Arguments& arguments, Communicator& communicator,
                      RecentCall& recent) {
  const Timed timed(Activity::kPlanning);
  Flight& flight = recent.plan().idle_flight(recent.bytes(), recent.parcels(), recent.number_of_parcels());
  if (recent.is_staged()) {
    bind_sides(flight, recent.input_side(arguments), recent.output_side(arguments));
    flight.binding.combine = {};
    if (flight.fill() != MPI_SUCCESS) return leave_to_host(counter, Reason::kArgument);
  } else {
    recent.bind(flight.binding, arguments);
    if (recent.reduces_by_host())
      flight.binding.combine =
          combine_by(flight.take_host_work(), arguments, recent.plan().schedule.call.element_bytes);
    else flight.forget_host_work();
  }
  counter.count_recent();
  return counted(counter, communicator, flight);
}

bool is_told_by_arguments(const Arguments& a, const Shape& shape) {
  const bool is_staged = shape.input.staged || shape.output.staged;
  if (is_reduction(a.collective) && (is_staged || !is_predefined(a.op))) return false;
  return shape.type_handles.stay_known && !shape.own_block.in_use();
}

void remember(RecentCall& recent, const Arguments& a, const Communicator& communicator, const Shape& shape,
              Plan& plan, const Combine& combine) {
  const TakenCall call{.plan = plan,
                       .bytes = shape.key.call.bytes,
                       .parcels = shape.key.parcels,
                       .combine = combine,
                       .input = shape.input,
                       .output = shape.output,
                       .has_derived_types = !shape.type_handles.predefined,
                       .sent_entries = shape.sent_entries,
                       .received_entries = shape.received_entries,
                       .sent_blocks = shape.sent_blocks,
                       .received_blocks = shape.received_blocks};
  recent.remember(a, call, refused_distance(a, communicator.rank, communicator.size, true));
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
  Plan& plan = plan_of(communicator, shape.key, MemoryUse::kAll);
  Flight& flight = plan.idle_flight(shape.key.call.bytes, shape.key.parcels);
  flight.traffic = communicator.traffic.get();
  flight.form = Form::kBlocking;
  if (bind(flight, arguments, shape) != MPI_SUCCESS) return;
  if (form == Form::kNonblocking && attach_request(flight) != MPI_SUCCESS) return;
  MPI_Request request = flight.request;
  launch(flight);
  if (form == Form::kNonblocking) host::free_request(&request);
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
                    Manner manner, RecentCalls* recent) {
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
  Plan& plan = plan_of(communicator, shape.key, manner.memory_use);
  Flight& flight = plan.idle_flight(shape.key.call.bytes, shape.key.parcels);
  flight.traffic = communicator.traffic.get();
  // The host reports what cannot be bound, such as a datatype that cannot be packed.
  if (bind(flight, arguments, shape) != MPI_SUCCESS) return leave_to_host(counter, Reason::kArgument);
  if (recent != nullptr && communicator.accelerators == AcceleratorUse::kNone &&
      is_told_by_arguments(arguments, shape))
    remember(recent->place_for(arguments), arguments, communicator, shape, plan, flight.binding.combine);
  return counted(counter, communicator, flight);
}

Flight* prepare(CallCounter& counter, const Arguments& arguments, Form form) {
  Communicator* communicator = communicator_of(counter, arguments);
  if (communicator == nullptr) return nullptr;
  RecentCalls& recent = communicator->plans().recent(arguments.collective);
  if (RecentCall* const same = recent.find(arguments, communicator->rank, communicator->size))
    return prepare_again(counter, arguments, *communicator, *same);
  return prepare_new(counter, arguments, *communicator, {form, MemoryUse::kAll}, &recent);
}

// An operation whose arguments the host reports as wrong takes no number, as it takes none in the host.
Flight* prepare_persistent(CallCounter& counter, const Arguments& arguments) {
  Communicator* communicator = communicator_of(counter, arguments);
  if (communicator == nullptr) return nullptr;
  const int number = communicator->persistent_made;
  if (number >= communicator->most_persistent) return leave_to_host(counter, Reason::kManyPersistent);
  const MemoryUse memory_use = communicator->memory_use_of(number);
  Flight* flight = prepare_new(counter, arguments, *communicator, {Form::kPersistent, memory_use}, nullptr);
  if (flight == nullptr) return nullptr;
  ++communicator->persistent_made;
  flight->persistence.number = number;
  flight->binding.channel = static_cast<Channel>(number);
  if (flight->needs_node)
    flight->persistence.berth =
        communicator->node->berth(number, flight->operation.pending().steps(), flight->operation.schedule());
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
  CallTimer timer(counter);
  if (engine().settings.shared.check) check(counter, arguments, true);
  Flight* flight = nullptr;
  {
    const InEngine inside;
    const Timed timed(Activity::kRest);
    flight = prepare(counter, arguments, Form::kBlocking);
    if (flight == nullptr) return false;
    launch(*flight);
  }
  timer.begin_to_wait();
  wait_until([flight] { return flight->has_ended(); });
  timer.end(true);
  *code = reported(arguments.comm, flight->error);
  return true;
}

bool start(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code) {
  if (!may_take(counter, arguments.comm) || !can_return(counter, request)) return false;
  CallTimer timer(counter);
  if (engine().settings.shared.check) check(counter, arguments, false);
  const InEngine inside;
  const Timed timed(Activity::kRest);
  Flight* flight = prepare(counter, arguments, Form::kNonblocking);
  if (flight == nullptr) return false;
  *code = attach_request(*flight);
  if (*code != MPI_SUCCESS) return true;
  *request = flight->request;
  launch(*flight);
  timer.end(false);
  return true;
}

bool make_persistent(CallCounter& counter, const Arguments& arguments, MPI_Request* request, int* code) {
  if (!may_take(counter, arguments.comm) || !can_return(counter, request)) return false;
  if (engine().settings.shared.check) check(counter, arguments, false);
  const InEngine inside;
  Flight* flight = prepare_persistent(counter, arguments);
  if (flight == nullptr) return false;
  if (flight->needs_node && flight->persistence.berth == nullptr) {
    announce(std::string(counter.function) + ": the machine has no shared memory left for it");
    raise_later(flight->traffic->members, *code = MPI_ERR_NO_MEM);
    return true;
  }
  *code = attach_persistent_request(*flight);
  if (*code == MPI_SUCCESS) *request = flight->request;
  return true;
}

}  // namespace weft::mpi
