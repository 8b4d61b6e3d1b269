// SPDX-License-Identifier: BSD-3-Clause
// What the host itself does under PMPI_ names that are Weft's as well: tools and Fortran libraries begin and
// end by these, and start and free handles whose life Weft has to know.
#pragma once

#include <atomic>
#include <mpi.h>

#include "mpi/host/next_symbol.hpp"

namespace weft::mpi::host {

template <class... Arguments>
class Behind {
 public:
  constexpr Behind(int (*)(Arguments...), const char* name) : name_(name) {}
  int operator()(Arguments... arguments) const {
    if (call_.load() == nullptr) call_ = reinterpret_cast<int (*)(Arguments...)>(next_symbol(name_));
    return call_.load()(arguments...);
  }

 private:
  const char* name_;
  mutable std::atomic<int (*)(Arguments...)> call_{nullptr};
};

inline constinit Behind start{PMPI_Start, "PMPI_Start"};
inline constinit Behind start_all{PMPI_Startall, "PMPI_Startall"};
inline constinit Behind cancel{PMPI_Cancel, "PMPI_Cancel"};
inline constinit Behind free_request{PMPI_Request_free, "PMPI_Request_free"};
inline constinit Behind free_type{PMPI_Type_free, "PMPI_Type_free"};
inline constinit Behind free_op{PMPI_Op_free, "PMPI_Op_free"};
inline constinit Behind init{PMPI_Init, "PMPI_Init"};
inline constinit Behind init_thread{PMPI_Init_thread, "PMPI_Init_thread"};
inline constinit Behind finalize{PMPI_Finalize, "PMPI_Finalize"};

}  // namespace weft::mpi::host
