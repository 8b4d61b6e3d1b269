// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine.hpp"

#include <algorithm>
#include <mutex>

#include "mpi/communicator.hpp"
#include "mpi/front_door.hpp"

namespace weft::mpi {
namespace {

// Datatypes and operators are the same C type in some hosts, hence the two names.
bool uses_type(const Flight& flight, MPI_Datatype type) {
  return flight.reduction.type == type || flight.input.type == type || flight.output.type == type;
}
bool uses_op(const Flight& flight, MPI_Op op) { return flight.reduction.op == op; }

template <class Handle>
bool in_use(Handle handle, bool (*uses)(const Flight&, Handle)) {
  const auto& flights = engine().flights;
  return std::any_of(flights.begin(), flights.end(), [&](const Flight* flight) { return uses(*flight, handle); });
}

// A handle to free now, or, if an operation in flight uses it, after the last such operation.
template <class Handle>
int free_or_delay(Handle* handle, Handle null, std::vector<Handle>& delayed, bool (*uses)(const Flight&, Handle),
                  int (*free)(Handle*)) {
  Engine& e = engine();
  if (handle != nullptr && unfinished_operations.load(std::memory_order_acquire) > 0) {
    const std::lock_guard lock(e.lock);
    if (in_use(*handle, uses)) {
      delayed.push_back(*handle);
      *handle = null;
      return MPI_SUCCESS;
    }
  }
  return free(handle);
}

template <class Handle>
void free_delayed(std::vector<Handle>& delayed, bool (*uses)(const Flight&, Handle), int (*free)(Handle*)) {
  std::erase_if(delayed, [&](Handle handle) {
    if (in_use(handle, uses)) return false;
    free(&handle);
    return true;
  });
}

// The result is where the caller wants it, the slot is free for the next, and whoever waits may know.
void land(Flight& flight, Progress progress) {
  Communicator& communicator = *flight.communicator;
  if (progress == Progress::kFailed) flight.error = communicator.transport.error();
  if (flight.output.used() && flight.error == MPI_SUCCESS) flight.output.unpack(flight.operation.schedule().call.bytes);
  std::erase(engine().flights, &flight);
  if (communicator.id >= 0) communicator.in_slot[flight.slot] = nullptr;
  --communicator.in_flight;
  flight.running = false;
  flight.finished.store(true, std::memory_order_release);
  unfinished_operations.fetch_sub(1, std::memory_order_release);
  free_delayed(engine().types_to_free, uses_type, PMPI_Type_free);
  free_delayed(engine().ops_to_free, uses_op, PMPI_Op_free);
  if (flight.has_request) PMPI_Grequest_complete(flight.request);
}

void take_off(Flight& flight) {
  Communicator& communicator = *flight.communicator;
  if (communicator.id >= 0) {
    communicator.in_slot[flight.slot] = &flight;
    flight.binding.channel = static_cast<Channel>(communicator.id) << kSlotBits | flight.slot;
  }
  const Progress progress = flight.operation.start(communicator.transport, flight.binding);
  if (progress != Progress::kPending) land(flight, progress);
}

// Queued operations of one communicator start in order, each when its slot is free.
void start_queued(Communicator& communicator) {
  while (Flight* flight = communicator.first_queued) {
    if (communicator.in_slot[flight->slot] != nullptr) return;
    communicator.first_queued = flight->next_queued;
    take_off(*flight);
  }
}

}  // namespace

Engine& engine() {
  static Engine the_engine;
  return the_engine;
}

void launch(Flight& flight) {
  Communicator& communicator = *flight.communicator;
  engine().flights.push_back(&flight);
  ++communicator.in_flight;
  flight.running = true;
  flight.error = MPI_SUCCESS;
  flight.finished.store(false, std::memory_order_relaxed);
  flight.next_queued = nullptr;
  unfinished_operations.fetch_add(1, std::memory_order_relaxed);
  if (communicator.id < 0) return take_off(flight);
  flight.slot = kBlockingSlot;
  if (flight.has_request) {
    flight.slot = communicator.next_slot;
    communicator.next_slot = (communicator.next_slot + 1) % kBlockingSlot;
  }
  const bool must_queue = flight.has_request && communicator.first_queued != nullptr;
  if (!must_queue && communicator.in_slot[flight.slot] == nullptr) return take_off(flight);
  (communicator.first_queued == nullptr ? communicator.first_queued : communicator.last_queued->next_queued) = &flight;
  communicator.last_queued = &flight;
}

bool progress() {
  Engine& e = engine();
  if (unfinished_operations.load(std::memory_order_relaxed) == 0 || !e.lock.try_lock()) return false;
  // Flights come and go inside: the list is walked backwards by position and its length is looked at again.
  for (std::size_t i = e.flights.size(); i-- > 0;) {
    if (i >= e.flights.size()) continue;
    Flight& flight = *e.flights[i];
    Communicator& communicator = *flight.communicator;
    if (communicator.id >= 0 && communicator.in_slot[flight.slot] != &flight) continue;  // queued
    const Progress progress = flight.operation.progress(communicator.transport);
    if (progress == Progress::kPending) continue;
    land(flight, progress);
    start_queued(communicator);
  }
  e.lock.unlock();
  return true;
}

bool must_drive_now() {
  const Engine& e = engine();
  return e.active.load(std::memory_order_relaxed) && !e.hooked &&
         (e.threaded || unfinished_operations.load(std::memory_order_relaxed) > 0);
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

int free_type(MPI_Datatype* type) {
  return free_or_delay(type, MPI_DATATYPE_NULL, engine().types_to_free, uses_type, PMPI_Type_free);
}

int free_op(MPI_Op* op) {
  return free_or_delay(op, MPI_OP_NULL, engine().ops_to_free, uses_op, PMPI_Op_free);
}

}  // namespace weft::mpi
