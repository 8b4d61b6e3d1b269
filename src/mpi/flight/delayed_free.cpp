// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/delayed_free.hpp"

#include <algorithm>
#include <mutex>

#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/host_work.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/persistent_request.hpp"
#include "mpi/host/host.hpp"

namespace weft::mpi {
namespace {

// Datatypes and operators are the same C type in some hosts, hence the two names.
bool uses_type(const Flight& flight, MPI_Datatype type) {
  return flight.host_work != nullptr && flight.host_work->uses_type(type);
}
bool uses_op(const Flight& flight, MPI_Op op) {
  return flight.host_work != nullptr && flight.host_work->uses_op(op);
}

template <class Handle>
bool in_use(Handle handle, bool (*uses)(const Flight&, Handle)) {
  const auto& flights = engine().flights;
  const auto& persistent = engine().persistent;
  return std::any_of(flights.begin(), flights.end(),
                     [&](const Flight* flight) { return uses(*flight, handle); }) ||
         std::any_of(persistent.begin(), persistent.end(),
                     [&](const auto& request) { return uses(*request.second, handle); });
}

struct Waiting {
  YieldingLock lock;  // held for a push or a look, never while MPI is called
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Op> ops;
};

Waiting& waiting() {
  static Waiting& handles = *new Waiting;
  return handles;
}

template <class Handle, class Free>
int free_or_delay(Handle* handle, Handle null, std::vector<Handle>& delayed,
                  bool (*uses)(const Flight&, Handle), const Free& free) {
  const bool nothing_can_use_it =
      handle == nullptr || *handle == null || (unfinished_operations.load() == 0 && !any_persistent());
  if (nothing_can_use_it) return free(handle);
  if (engine().lock.try_lock()) {
    const bool used = in_use(*handle, uses);
    leave_engine();
    if (!used) return free(handle);
  }
  const std::lock_guard lock(waiting().lock);
  delayed.push_back(*handle);
  *handle = null;
  delayed_handles.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

template <class Handle>
void move_unused(std::vector<Handle>& delayed, std::vector<Handle>& unused,
                 bool (*uses)(const Flight&, Handle)) {
  const auto used = std::partition(delayed.begin(), delayed.end(), [&](Handle h) { return in_use(h, uses); });
  unused.insert(unused.end(), used, delayed.end());
  delayed.erase(used, delayed.end());
}

}  // namespace

void collect_unused_handles() {
  Waiting& handles = waiting();
  const std::lock_guard lock(handles.lock);
  std::vector<MPI_Datatype>& types = engine().deferred.types_to_free;
  move_unused(handles.types, types, uses_type);
  std::for_each(types.begin(), types.end(), forget_type);
  move_unused(handles.ops, engine().deferred.ops_to_free, uses_op);
  delayed_handles.store(static_cast<int>(handles.types.size() + handles.ops.size()),
                        std::memory_order_relaxed);
}

int free_type(MPI_Datatype* type) {
  // An operation under way may ask for the facts once more, at its end.
  const bool is_surely_unused = unfinished_operations.load() == 0;
  if (type != nullptr && is_surely_unused && engine().lock.try_lock()) {
    forget_type(*type);
    leave_engine();
  }
  return free_or_delay(type, MPI_DATATYPE_NULL, waiting().types, uses_type, host::free_type);
}

int free_op(MPI_Op* op) { return free_or_delay(op, MPI_OP_NULL, waiting().ops, uses_op, host::free_op); }

}  // namespace weft::mpi
