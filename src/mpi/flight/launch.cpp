// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/launch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "mpi/arguments/host_work.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/delayed_free.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/letters.hpp"
#include "mpi/flight/persistent_request.hpp"
#include "mpi/flight/request.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/flight/with_agent.hpp"
#include "observe/times.hpp"
#include "schedule/describe.hpp"

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

void push(FlightQueue& queue, Flight& flight) {
  flight.next_queued = nullptr;
  (queue.first == nullptr ? queue.first : queue.last->next_queued) = &flight;
  queue.last = &flight;
}

void pop(FlightQueue& queue) { queue.first = queue.first->next_queued; }

FlightQueue& queue_of(const Flight& flight) {
  return flight.has_request() ? flight.traffic->queued : flight.traffic->queued_blocking;
}

// The communicator whose error handler is called: MPI_COMM_WORLD where the operation's own has been freed.
MPI_Comm handle_of(const Members& members) {
  return members.freed.load(std::memory_order_acquire) ? MPI_COMM_WORLD : members.handle;
}

// Has the error handler called; if that is MPI_ERRORS_RETURN, the call that completes the request returns the
// code as well (decision 5).
[[gnu::noinline]] void report_later(Flight& flight) {
  const Members& members = flight.traffic->members;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(handle_of(members), &handler);
  flight.error_of_request = handler == MPI_ERRORS_RETURN ? flight.error : MPI_SUCCESS;
  PMPI_Errhandler_free(&handler);
  raise_later(members, flight.error);
}

void count_end() {
  const unsigned so_far = ended_operations.load(std::memory_order_relaxed);
  ended_operations.store(so_far + 1, std::memory_order_release);
}

// Ends an operation: its channel and its place in the node's memory are free for the next one, its request is
// complete, and whoever waits for it sees that.
void end(Flight& flight) {
  Traffic& traffic = *flight.traffic;
  count_end();
  if (flight.goes_with_agent) leave_agent(flight);
  const bool leaves_messages = flight.error != MPI_SUCCESS && flight.operation.pending().has_messages();
  // Not asked of the bool at the end: compilers read a kept one wider than they wrote it, and the processor
  // then waits for all that was written before, lines of other cores among it.
  const Phase last = leaves_messages ? Phase::kAbandoned : Phase::kOver;
  if (!leaves_messages) flight.give_back_memory();  // they may still arrive there
  if (flight.needs_node) flight.port->consume(flight.turn.operation);
  if (flight.takes_channel()) traffic.on_channel[flight.channel] = nullptr;
  if (flight.error != MPI_SUCCESS) traffic.had_errors = true;
  if (flight.has_request() && flight.error != MPI_SUCCESS) report_later(flight);
  if (delayed_handles.load(std::memory_order_relaxed) > 0) collect_unused_handles();
  if (flight.is_persistent()) complete_persistent_request(flight);
  else if (flight.has_request()) complete_request(flight);
  flight.phase.store(last, std::memory_order_release);
}

int error_of(const Flight& flight, Progress progress) {
  if (flight.operation.pending().mismatches()) return MPI_ERR_TRUNCATE;
  const int of_messages = flight.takes_wire ? error_with_agent(flight) : flight.operation.pending().error();
  return of_messages == MPI_SUCCESS && progress == Progress::kFailed ? MPI_ERR_INTERN : of_messages;
}

// The host's error says what was noticed, and not why.
[[gnu::cold]] void explain_error(const Flight& flight) {
  static bool has_said = false;
  int kind = MPI_SUCCESS;
  PMPI_Error_class(flight.error, &kind);
  if (kind != MPI_ERR_TRUNCATE || engine().settings.shared.check || std::exchange(has_said, true)) return;
  announce(fmt::format(
      "the {} fails with MPI_ERR_TRUNCATE: another rank is in a different call, or its blocks have "
      "other lengths. `weft run --check` (WEFT_CHECK=1) names both calls",
      describe(flight.operation.schedule().call)));
}

// Ends an operation whose tasks are over: copies a staged result to the caller's buffer, and reports errors.
void deliver(Flight& flight, Progress progress) {
  flight.error = error_of(flight, progress);
  if (flight.error != MPI_SUCCESS) explain_error(flight);
  if (flight.error != MPI_SUCCESS && flight.asks_by_message()) tell_failure(flight);
  if (flight.host_work != nullptr && flight.error == MPI_SUCCESS) flight.error = flight.host_work->deliver();
  end(flight);
}

// An operation is in the list of flights from its start, if it does not end there, until its end.
[[gnu::noinline]] void join_flights(Flight& flight, Phase phase) {
  flight.phase.store(phase, std::memory_order_relaxed);
  flight.looks = 0;
  enter(engine().flights, flight, &Flight::place);
  ++flight.traffic->in_flight;
  engine().with_agent += flight.goes_with_agent;
  change_unfinished(+1);
}

void leave_flights(Flight& flight) {
  leave(engine().flights, flight, &Flight::place);
  --flight.traffic->in_flight;
  engine().with_agent -= flight.goes_with_agent;
  change_unfinished(-1);
}

bool may_take_off(const Flight& flight) {
  const Traffic& traffic = *flight.traffic;
  if (flight.takes_channel() && traffic.on_channel[flight.channel] != nullptr) return false;
  return !flight.needs_node || flight.port->may_start(flight.turn);
}

// The communicator's area for blocking calls, or that for non-blocking ones; a persistent operation has its
// own.
node::Port& port_of(const Flight& flight) {
  return flight.has_request() ? *flight.traffic->nonblocking_port : *flight.traffic->blocking_port;
}

// Starts an operation for which there is room, and does all of it that need not wait.
Progress take_off(Flight& flight) {
  Traffic& traffic = *flight.traffic;
  if (flight.takes_channel()) traffic.on_channel[flight.channel] = &flight;
  flight.take_memory();
  if (flight.needs_node)
    flight.binding.shared = flight.operation.pending().attach(flight.port->area(), flight.turn);
  if (flight.goes_with_agent) [[unlikely]]
    return start_with_agent(flight);
  return flight.operation.start(flight.traffic->transport_for(flight.is_persistent()));
}

// A blocking call within a node is usually over in less time than it takes to join those under way.
[[gnu::noinline]] Progress look_for_a_while(Flight& flight) {
  Progress progress = Progress::kPending;
  for (int looks = 0; looks < looks_before_slow() && progress == Progress::kPending; ++looks)
    progress = flight.operation.progress(flight.traffic->transport);
  return progress;
}

void start_now(Flight& flight) {
  const Progress progress = take_off(flight);
  if (progress == Progress::kPending) {
    flight.phase.store(Phase::kUnderWay, std::memory_order_relaxed);
    enter(engine().running, flight, &Flight::running_place);
    return;
  }
  leave_flights(flight);
  deliver(flight, progress);
}

// Queued operations start in order, each when there is room for it.
void start_queued(FlightQueue& queue) {
  while (Flight* flight = queue.first) {
    if (!may_take_off(*flight)) return;
    pop(queue);
    start_now(*flight);
  }
}

void start_queued(Traffic& traffic) {
  start_queued(traffic.queued_blocking);
  start_queued(traffic.queued);
}

// A persistent operation that is started again while other ranks still read what it sent last time.
bool waits_by_itself(const Flight& flight) {
  return flight.is_persistent() && flight.phase.load(std::memory_order_relaxed) == Phase::kQueued;
}

// Room in shared memory comes when other ranks have consumed: nobody tells, so it is looked for. The list is
// walked backwards by position, since those that end at once leave it.
void start_all_queued() {
  Engine& e = engine();
  for (std::size_t i = e.flights.size(); i-- > 0 && e.flights.size() > e.running.size();) {
    if (i >= e.flights.size()) continue;
    Flight& flight = *e.flights[i];
    if (!flight.is_persistent()) start_queued(*flight.traffic);
    else if (waits_by_itself(flight) && may_take_off(flight)) start_now(flight);
  }
}

// The channel that the next operation takes. Blocking calls, one at a time, share the last one.
std::uint32_t next_channel(const Flight& flight) {
  if (!flight.has_request()) return kBlockingChannel;
  Traffic& traffic = *flight.traffic;
  return std::exchange(traffic.next_channel, (traffic.next_channel + 1) % kBlockingChannel);
}

void take_channel(Flight& flight) {
  flight.channel = next_channel(flight);
  if (flight.takes_wire) [[unlikely]]
    flight.operation.pending().take_host_channel(flight.channel);
  else flight.binding.channel = flight.channel;
}

[[gnu::noinline]] void join_queue(Flight& flight) {
  join_flights(flight, Phase::kQueued);
  if (!flight.is_persistent()) push(queue_of(flight), flight);
}

Moved move_flights() {
  const Timed timed(Activity::kRest);
  Engine& e = engine();
  bool drives_host = false;
  for (const auto move : e.also_moved) move();
  if (e.with_agent > 0) drive_agent();
  const std::size_t queued = e.flights.size() - e.running.size();
  if (queued > 0) start_all_queued();
  bool is_further = e.flights.size() - e.running.size() != queued;
  // Flights come and go inside: the list is walked backwards by position and its length is looked at again.
  for (std::size_t i = e.running.size(); i-- > 0;) {
    if (i >= e.running.size()) continue;
    Flight& flight = *e.running[i];
    Traffic& traffic = *flight.traffic;
    const bool is_with_agent = flight.goes_with_agent;  // whose thread may be changing it
    const std::size_t tasks_left = is_with_agent ? 0 : flight.operation.tasks_left();
    const Progress progress =
        is_with_agent ? progress_with_agent(flight)
                      : flight.operation.progress(flight.traffic->transport_for(flight.is_persistent()));
    if (progress == Progress::kPending) {
      if (is_with_agent) continue;
      is_further |= flight.operation.tasks_left() != tasks_left;
      drives_host |= flight.operation.pending().has_messages();
      continue;
    }
    is_further = true;
    leave(e.running, flight, &Flight::running_place);
    leave_flights(flight);
    deliver(flight, progress);
    start_queued(traffic);
  }
  if (e.with_agent > 0) return Moved::kWire;
  if (is_further) return Moved::kFurther;
  return drives_host ? Moved::kByHost : Moved::kInMemory;
}

}  // namespace

void raise_later(const Members& members, int error) {
  engine().deferred.errors.emplace_back(handle_of(members), error);
}

// The call's number in the order of calls, by which ranks find out that they are in different ones.
std::uint64_t number_of_call(Flight& flight) {
  const std::uint64_t signature = flight.operation.pending().signature();
  return flight.tells_call ? port_of(flight).tell_call(signature)
                           : flight.traffic->record(!flight.has_request()).add(signature);
}

// Nearly all calls go this way, and most end in it: it is one function, without what is rarely needed.
[[gnu::flatten]] void launch(Flight& flight) {
  const bool is_persistent = flight.is_persistent();
  if (flight.needs_node) {
    flight.port = is_persistent ? flight.persistence.berth.get() : &port_of(flight);
    flight.turn = flight.port->next_turn(flight.operation.pending().steps().usage());
  }
  if (engine().has_wire) [[unlikely]]
    choose_agent(flight);
  if (flight.takes_channel()) take_channel(flight);
  flight.call = is_persistent ? 0 : number_of_call(flight);  // persistent ones have no order
  const bool others_wait = !is_persistent && queue_of(flight).first != nullptr;
  if (others_wait || !may_take_off(flight)) return join_queue(flight);
  Progress progress = take_off(flight);
  const bool may_look = !flight.has_request() && !flight.takes_channel() && !flight.goes_with_agent;
  if (progress == Progress::kPending && may_look) progress = look_for_a_while(flight);
  if (progress != Progress::kPending) return deliver(flight, progress);
  join_flights(flight, Phase::kUnderWay);
  enter(engine().running, flight, &Flight::running_place);
  if (flight.has_request() && !host_calls_always.load(std::memory_order_relaxed)) be_called_always();
}

void fail_operation(Flight& flight, int error) {
  leave(engine().running, flight, &Flight::running_place);
  leave_flights(flight);
  flight.error = error;
  explain_error(flight);
  end(flight);
}

void fail_mismatched_operations() {
  Engine& e = engine();
  for (std::size_t i = e.running.size(); i-- > 0;) {
    if (i >= e.running.size()) continue;
    Flight& flight = *e.running[i];
    if (flight.call == 0 || !flight.tells_call) continue;
    const std::uint64_t signature = flight.operation.pending().signature();
    if (port_of(flight).find_other_call(flight.call, signature) >= 0)
      fail_operation(flight, MPI_ERR_TRUNCATE);
  }
}

// Operations under way fail before those that are queued: a member remembers only so many that it has
// finished out of order (Port::consume).
void fail_operations(Traffic& traffic, int error) {
  Engine& e = engine();
  const auto fail = [error](Flight& flight) {
    leave_flights(flight);
    flight.error = error;
    end(flight);
  };
  for (std::size_t i = e.running.size(); i-- > 0;) {
    Flight& flight = *e.running[i];
    if (flight.traffic != &traffic) continue;
    leave(e.running, flight, &Flight::running_place);
    fail(flight);
  }
  for (FlightQueue* queue : {&traffic.queued_blocking, &traffic.queued})
    while (Flight* flight = queue->first) {
      pop(*queue);
      fail(*flight);
    }
  for (std::size_t i = e.flights.size(); i-- > 0;)
    if (i < e.flights.size() && e.flights[i]->traffic == &traffic && waits_by_itself(*e.flights[i]))
      fail(*e.flights[i]);
}

// Flights are not freed, and their berths and messages stay: another process or the host may still write
// there.
void abandon_operations() {
  const InEngine inside;
  for (Flight* flight : engine().flights) {
    flight->error = MPI_ERR_OTHER;
    flight->phase.store(Phase::kAbandoned, std::memory_order_release);
  }
  engine().flights.clear();
  engine().with_agent = 0;
  engine().running.clear();
  unfinished_operations.store(0, std::memory_order_release);
}

Moved progress() {
  if (unfinished_operations.load(std::memory_order_relaxed) == 0 || !engine().lock.try_lock())
    return Moved::kNothing;
  const Moved moved = move_flights();
  leave_engine();
  return moved;
}

}  // namespace weft::mpi
