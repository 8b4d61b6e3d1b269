// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/engine.hpp"

#include <utility>

#include "mpi/host/host.hpp"

namespace weft::mpi {

void leave_with_errands() {
  Engine& e = engine();
  Errands errands = std::exchange(e.errands, {});
  e.lock.unlock();
  for (MPI_Datatype& type : errands.types_to_free) host::free_type(&type);
  for (MPI_Op& op : errands.ops_to_free) host::free_op(&op);
  for (const auto& [comm, code] : errands.errors) PMPI_Comm_call_errhandler(comm, code);
}

}  // namespace weft::mpi
