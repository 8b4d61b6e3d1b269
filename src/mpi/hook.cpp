// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/hook.hpp"

#include <dlfcn.h>

#include "mpi/deaths.hpp"
#include "mpi/engine.hpp"
#include "mpi/progress.hpp"

namespace weft::mpi {
namespace {

// Open MPI 4 and 5: callbacks of opal_progress, which every blocking call spins on.
using OpalProgress = void (*)();
using OpalCallback = int (*)();
using OpalRegister = int (*)(OpalCallback);

OpalRegister opal_function(const char* name) {
  return reinterpret_cast<OpalRegister>(::dlsym(RTLD_DEFAULT, name));
}

// The host spins on this. After a while without an end in sight the core goes to whoever has to act first;
// but not when Weft itself is waiting, and the host is only passing through here: that wait has its own
// backoff.
int on_host_progress() {
  thread_local Backoff backoff;
  const int before = unfinished_operations.load(std::memory_order_relaxed);
  if (!progress()) {
    if (before == 0) backoff = Backoff();
    return 0;
  }
  const int finished = before - unfinished_operations.load(std::memory_order_relaxed);
  if (finished != 0) {
    backoff = Backoff();
  } else {
    if (!host_yields) backoff.pause();
    if (host_yields || backoff.yields()) look_for_deaths_now_and_then();
  }
  return finished > 0 ? finished : 0;
}

}  // namespace

void drive_host() {
  look_for_deaths_now_and_then();
  static const auto opal_progress = reinterpret_cast<OpalProgress>(::dlsym(RTLD_DEFAULT, "opal_progress"));
  if (opal_progress != nullptr) return opal_progress();
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, engine().transport_comm, &found, MPI_STATUS_IGNORE);
}

bool hook_into_host() {
  const OpalRegister add = opal_function("opal_progress_register");
  if (const auto* yields = static_cast<const bool*>(::dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle")))
    host_yields = *yields;
  return add != nullptr && add(on_host_progress) == 0;
}

void unhook_from_host() {
  if (const OpalRegister remove = opal_function("opal_progress_unregister")) remove(on_host_progress);
}

}  // namespace weft::mpi
