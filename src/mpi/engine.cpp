// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine.hpp"

#include <algorithm>
#include <array>

#include "mpi/communicator.hpp"
#include "mpi/delayed_free.hpp"
#include "mpi/front_door.hpp"
#include "mpi/host.hpp"
#include "mpi/request.hpp"
#include "observe/times.hpp"

namespace weft::mpi {
namespace {

// Lists whose members know their place, so that leaving costs the same in a crowd.
void enter(std::vector<Flight*>& list, Flight& flight, std::size_t Flight::*place) {
  flight.*place = list.size();
  list.push_back(&flight);
}

void leave(std::vector<Flight*>& list, Flight& flight, std::size_t Flight::*place) {
  list.back()->*place = flight.*place;
  list[flight.*place] = list.back();
  list.pop_back();
}

// For error handlers.
MPI_Comm handle_of(const Communicator& communicator) {
  return communicator.freed.load(std::memory_order_acquire) ? MPI_COMM_WORLD : communicator.handle;
}

// Whoever asked for codes instead of a handler gets one from the call that completes the request.
[[gnu::noinline]] void report_later(Flight& flight) {
  const Communicator& communicator = *flight.communicator;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(handle_of(communicator), &handler);
  flight.error_of_request = handler == MPI_ERRORS_RETURN ? flight.error : MPI_SUCCESS;
  PMPI_Errhandler_free(&handler);
  raise_later(communicator, flight.error);
}

void count_end() {
  const unsigned so_far = ended_operations.load(std::memory_order_relaxed);
  ended_operations.store(so_far + 1, std::memory_order_release);
}

// The room that the operation took is free for the next, and whoever waits may know.
void land(Flight& flight) {
  Communicator& communicator = *flight.communicator;
  count_end();
  flight.give_back_memory();
  if (flight.needs_node) flight.port->consume(flight.turn.operation);
  if (flight.needs_slot) communicator.in_slot[flight.slot] = nullptr;
  const bool leaves_messages = flight.error != MPI_SUCCESS && flight.operation.pending().has_messages();
  if (flight.error != MPI_SUCCESS) communicator.had_errors = true;
  if (flight.has_request && flight.error != MPI_SUCCESS) report_later(flight);
  if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
  if (flight.has_request) complete_request(flight);
  flight.phase.store(leaves_messages ? Phase::kAbandoned : Phase::kOver, std::memory_order_release);
}

int error_of(const Flight& flight, Progress progress) {
  if (flight.operation.pending().mismatches()) return MPI_ERR_TRUNCATE;
  const int of_messages = flight.operation.pending().error();
  return of_messages == MPI_SUCCESS && progress == Progress::kFailed ? MPI_ERR_INTERN : of_messages;
}

// The result is where the caller wants it.
void settle(Flight& flight, Progress progress) {
  flight.error = error_of(flight, progress);
  if (flight.holds_handles && flight.error == MPI_SUCCESS) {
    flight.error = flight.reduction.error;
    if (flight.error == MPI_SUCCESS) flight.error = flight.output.deliver();
  }
  land(flight);
}

// From the start that others may have to wait for, to the end.
[[gnu::noinline]] void join_flights(Flight& flight, Phase phase) {
  flight.phase.store(phase, std::memory_order_relaxed);
  enter(engine().flights, flight, &Flight::place);
  ++flight.communicator->in_flight;
  change_unfinished(+1);
}

void leave_flights(Flight& flight) {
  leave(engine().flights, flight, &Flight::place);
  --flight.communicator->in_flight;
  change_unfinished(-1);
}

bool may_take_off(const Flight& flight) {
  const Communicator& communicator = *flight.communicator;
  if (flight.needs_slot && communicator.in_slot[flight.slot] != nullptr) return false;
  return !flight.needs_node ||
         flight.port->may_start(flight.turn.operation, flight.operation.pending().steps().use_sets());
}

// What can be done without waiting is done now.
Progress take_off(Flight& flight) {
  Communicator& communicator = *flight.communicator;
  if (flight.needs_slot) {
    communicator.in_slot[flight.slot] = &flight;
    flight.binding.channel = static_cast<Channel>(communicator.id) << kSlotBits | flight.slot;
  }
  if (flight.needs_node)
    flight.binding.shared = flight.operation.pending().attach(flight.port->area(), flight.turn);
  return flight.operation.start(communicator.transport);
}

// A blocking call within a node is usually over in less time than it takes to join those under way.
[[gnu::noinline]] Progress look_for_a_while(Flight& flight) {
  Progress progress = Progress::kPending;
  for (int looks = 0; looks < most_spins && progress == Progress::kPending; ++looks)
    progress = flight.operation.progress(flight.communicator->transport);
  return progress;
}

// Queued operations start in order, each when there is room for it.
void start_queued(FlightQueue& queue) {
  while (Flight* flight = queue.first) {
    if (!may_take_off(*flight)) return;
    queue.pop();
    const Progress progress = take_off(*flight);
    if (progress == Progress::kPending) {
      flight->phase.store(Phase::kUnderWay, std::memory_order_relaxed);
      enter(engine().running, *flight, &Flight::running_place);
      continue;
    }
    leave_flights(*flight);
    settle(*flight, progress);
  }
}

void start_queued(Communicator& communicator) {
  start_queued(communicator.queued_blocking);
  start_queued(communicator.queued);
}

// Room in shared memory comes when other ranks have consumed: nobody tells, so it is looked for.
void start_all_queued() {
  Engine& e = engine();
  for (std::size_t i = 0; i < e.flights.size() && e.flights.size() > e.running.size(); ++i)
    start_queued(*e.flights[i]->communicator);
}

// Of the message tags.
std::uint32_t next_slot(const Flight& flight) {
  if (!flight.has_request) return kBlockingSlot;
  Communicator& communicator = *flight.communicator;
  return std::exchange(communicator.next_slot, (communicator.next_slot + 1) % kBlockingSlot);
}

[[gnu::noinline]] void join_queue(Flight& flight) {
  join_flights(flight, Phase::kQueued);
  flight.communicator->queue_of(flight).push(flight);
}

void move_flights() {
  const Timed timed(Part::kRest);
  Engine& e = engine();
  if (e.settings.shared.check) progress_checks();
  if (e.flights.size() > e.running.size()) start_all_queued();
  // Flights come and go inside: the list is walked backwards by position and its length is looked at again.
  for (std::size_t i = e.running.size(); i-- > 0;) {
    if (i >= e.running.size()) continue;
    Flight& flight = *e.running[i];
    Communicator& communicator = *flight.communicator;
    const Progress progress = flight.operation.progress(communicator.transport);
    if (progress == Progress::kPending) continue;
    leave(e.running, flight, &Flight::running_place);
    leave_flights(flight);
    settle(flight, progress);
    start_queued(communicator);
  }
}

}  // namespace

void raise_later(const Communicator& communicator, int error) {
  engine().errands.errors.emplace_back(handle_of(communicator), error);
}

// Nearly all calls go this way, and most end in it: it is one function, without what is rarely needed.
[[gnu::flatten]] void launch(Flight& flight) {
  Communicator& communicator = *flight.communicator;
  if (flight.needs_node) {
    flight.port = &communicator.node->port(!flight.has_request);
    flight.turn = flight.port->next_turn(flight.operation.pending().steps().most_on_one_line());
  }
  if (flight.needs_slot) flight.slot = next_slot(flight);
  if (communicator.queue_of(flight).first != nullptr || !may_take_off(flight)) return join_queue(flight);
  Progress progress = take_off(flight);
  const bool may_look = !flight.has_request && !flight.needs_slot;
  if (progress == Progress::kPending && may_look) progress = look_for_a_while(flight);
  if (progress != Progress::kPending) return settle(flight, progress);
  join_flights(flight, Phase::kUnderWay);
  enter(engine().running, flight, &Flight::running_place);
}

// Those under way before those queued: shared memory remembers only so many that ended out of order.
void fail_operations(Communicator& communicator, int error) {
  Engine& e = engine();
  const auto fail = [error](Flight& flight) {
    leave_flights(flight);
    flight.error = error;
    land(flight);
  };
  for (std::size_t i = e.running.size(); i-- > 0;) {
    Flight& flight = *e.running[i];
    if (flight.communicator != &communicator) continue;
    leave(e.running, flight, &Flight::running_place);
    fail(flight);
  }
  for (FlightQueue* queue : {&communicator.queued_blocking, &communicator.queued})
    while (Flight* flight = queue->first) {
      queue->pop();
      fail(*flight);
    }
}

// Their rooms, flights and messages stay as they are: somebody may still write there.
void abandon_operations() {
  const InEngine inside;
  for (Flight* flight : engine().flights) {
    flight->error = MPI_ERR_OTHER;
    flight->phase.store(Phase::kAbandoned, std::memory_order_release);
  }
  engine().flights.clear();
  engine().running.clear();
  unfinished_operations.store(0, std::memory_order_release);
}

bool progress() {
  if (unfinished_operations.load(std::memory_order_relaxed) == 0 || !engine().lock.try_lock()) return false;
  move_flights();
  leave_engine();
  return true;
}

void leave_with_errands() {
  Engine& e = engine();
  Errands errands = std::exchange(e.errands, {});
  e.lock.unlock();
  for (MPI_Datatype& type : errands.types_to_free) host::free_type(&type);
  for (MPI_Op& op : errands.ops_to_free) host::free_op(&op);
  for (const auto& [comm, code] : errands.errors) PMPI_Comm_call_errhandler(comm, code);
}

namespace {

// Until a list is complete nothing is known of its members; of those that are no request, nothing ever is.
void begin_statuses(int count, const MPI_Request* requests, MPI_Status* statuses) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status empty;
  PMPI_Wait(&none, &empty);
  std::fill_n(statuses, count, empty);
  for (int i = 0; i < count; ++i)
    statuses[i].MPI_ERROR = requests[i] == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_ERR_PENDING;
}

}  // namespace

// Not by MPI_Testall: that of MPICH 4.0 takes the requests of its own file access for failed.
int finish_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  constexpr int kAtOnce = 64;
  if (count <= 0 || requests == nullptr) return PMPI_Waitall(count, requests, statuses);
  const bool are_wanted = statuses != MPI_STATUSES_IGNORE;
  if (are_wanted) begin_statuses(count, requests, statuses);
  int code = MPI_SUCCESS;
  for (int begin = 0; begin < count && code == MPI_SUCCESS; begin += kAtOnce) {
    wait_until([&] {
      std::array<int, kAtOnce> which;
      std::array<MPI_Status, kAtOnce> some;
      int done = 0;
      code =
          PMPI_Testsome(std::min(kAtOnce, count - begin), requests + begin, &done, which.data(), some.data());
      for (int i = 0; are_wanted && i < done; ++i) {
        if (code == MPI_SUCCESS) some[i].MPI_ERROR = MPI_SUCCESS;
        statuses[begin + which[i]] = some[i];
      }
      return code != MPI_SUCCESS || done == MPI_UNDEFINED;  // the latter: none is active any more
    });
  }
  for (int i = 0; are_wanted && code == MPI_SUCCESS && i < count; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  return code;
}

int finish(MPI_Request* request, MPI_Status* status) {
  int code = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    code = PMPI_Test(request, &done, status);
    return done != 0 || code != MPI_SUCCESS;
  });
  return code;
}

}  // namespace weft::mpi
