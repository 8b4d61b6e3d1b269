// SPDX-License-Identifier: BSD-3-Clause
// What the host itself does under PMPI_ names that are Weft's as well, because handles whose life it has to
// know are also started and freed by tools and Fortran libraries, which use those.
#pragma once

#include <mpi.h>

#include "mpi/front_door.hpp"

namespace weft::mpi::host {

template <class... Arguments>
auto* next(int (*)(Arguments...), const char* name) {
  return reinterpret_cast<int (*)(Arguments...)>(next_symbol(name));
}

inline int start(MPI_Request* request) {
  static auto* const call = next(PMPI_Start, "PMPI_Start");
  return call(request);
}
inline int start_all(int count, MPI_Request* requests) {
  static auto* const call = next(PMPI_Startall, "PMPI_Startall");
  return call(count, requests);
}
inline int cancel(MPI_Request* request) {
  static auto* const call = next(PMPI_Cancel, "PMPI_Cancel");
  return call(request);
}
inline int free_request(MPI_Request* request) {
  static auto* const call = next(PMPI_Request_free, "PMPI_Request_free");
  return call(request);
}
inline int free_type(MPI_Datatype* type) {
  static auto* const call = next(PMPI_Type_free, "PMPI_Type_free");
  return call(type);
}
inline int free_op(MPI_Op* op) {
  static auto* const call = next(PMPI_Op_free, "PMPI_Op_free");
  return call(op);
}

}  // namespace weft::mpi::host
