// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/engine.hpp"

#include <utility>

#include "mpi/host/host.hpp"

namespace weft::mpi {

void leave_and_do_deferred() {
  Engine& e = engine();
  Deferred deferred = std::exchange(e.deferred, {});
  e.lock.unlock();
  for (MPI_Datatype& type : deferred.types_to_free) host::free_type(&type);
  for (MPI_Op& op : deferred.ops_to_free) host::free_op(&op);
  for (const auto& [comm, code] : deferred.errors) PMPI_Comm_call_errhandler(comm, code);
}

}  // namespace weft::mpi
