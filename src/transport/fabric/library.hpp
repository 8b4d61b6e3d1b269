// SPDX-License-Identifier: BSD-3-Clause
// libfabric, opened at run time, so that no program depends on it. What else it has comes with its objects.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <rdma/fabric.h>
#include <string>

#include "base/result.hpp"

namespace weft::fabric {

struct Library {
  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_version) version = nullptr;
  decltype(&fi_strerror) strerror = nullptr;
  decltype(&fi_tostr) tostr = nullptr;

  // What an error code means. libfabric's functions return codes as negative numbers.
  std::string text(long code) const { return strerror(static_cast<int>(code < 0 ? -code : code)); }
};

// The interface that is asked for: old enough for every libfabric that has all of these providers.
inline constexpr std::uint32_t kInterface = FI_VERSION(1, 9);

// Some providers (psm) set handlers of their own for signals of crashes as soon as they are looked at. They
// are the program's: what there was is put back at the end of the scope.
class KeepSignalHandlers {
 public:
  KeepSignalHandlers();
  ~KeepSignalHandlers();
  KeepSignalHandlers(const KeepSignalHandlers&) = delete;

 private:
  static constexpr std::array kSignals = {SIGHUP,  SIGINT, SIGQUIT, SIGILL,  SIGTRAP,
                                          SIGABRT, SIGBUS, SIGFPE,  SIGSEGV, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Opened once, and never closed.
Result<const Library*> library();
// "1.17.0", as the file that was opened calls itself.
std::string version_of(const Library& library);

}  // namespace weft::fabric
