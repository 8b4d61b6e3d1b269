// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/host_match.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <string_view>

#include "base/log.hpp"

namespace weft::mpi {
namespace {

// What this library was built for, in the words of description_of_host.
#if defined(OMPI_MAJOR_VERSION)
constexpr std::string_view kBuiltFor = "Open MPI v";
constexpr int kBuiltForMajor = OMPI_MAJOR_VERSION;
#elif defined(MPICH_NUMVERSION)
constexpr std::string_view kBuiltFor = "MPICH Version:";
constexpr int kBuiltForMajor = MPICH_NUMVERSION / 10000000;
#else  // the standard ABI, which is the same under every MPI that offers it
constexpr std::string_view kBuiltFor = "standard ABI ";
constexpr int kBuiltForMajor = MPI_ABI_VERSION;
#endif

// Where the file that defines this function of the host is loaded.
const void* home_of(void* function) {
  Dl_info found{};
  return ::dladdr(function, &found) != 0 ? found.dli_fbase : nullptr;
}

// The major version of the standard ABI; -1 if the program runs on the MPI's own ABI. That function may also
// come from another MPI's library, loaded because this one needs it, and then says nothing about this host.
int abi_version_of_host() {
  int major = -1, minor = -1;
  void* const ask = ::dlsym(RTLD_DEFAULT, "PMPI_Abi_get_version");
  if (ask != nullptr && home_of(ask) == home_of(::dlsym(RTLD_DEFAULT, "PMPI_Initialized")))
    reinterpret_cast<int (*)(int*, int*)>(ask)(&major, &minor);
  return major;
}

// MPICH 5 gives the same MPI_Get_library_version for its own ABI and for the standard one, so the latter is
// said first.
std::string description_of_host() {
  const int major = abi_version_of_host();
  return (major < 0 ? "" : "standard ABI " + std::to_string(major) + ".x, ") + version_of_host();
}

bool is_served(const std::string& description) {
  return description.starts_with("Open MPI v") || description.starts_with("MPICH Version:") ||
         description.starts_with("standard ABI ");
}

}  // namespace

std::string version_of_host() {
  char version[8192] = {};  // the longest that any MPI says: this may be another one
  int length = 0;
  PMPI_Get_library_version(version, &length);
  return {version, static_cast<std::size_t>(length)};
}

Match compare_with_host() {
  const std::string text = description_of_host();
  const std::string major = std::to_string(kBuiltForMajor) + ".";
  const bool same_mpi = text.starts_with(kBuiltFor);
  if (same_mpi) {
    const std::size_t number = text.find_first_not_of(" \t", kBuiltFor.size());
    if (number != std::string::npos && text.compare(number, major.size(), major) == 0)
      return Match::kThisHost;
  }
  announce("this libweft.so was built for \"" + std::string(kBuiltFor) + " " + major +
           "x\", the program runs on \"" + text.substr(0, text.find('\n')) + "\": " +
           (is_served(text) ? "use the libweft.so of that MPI, or `weft run`, which finds it"
                            : "Weft is under Open MPI and MPICH only; run the program on one of these"));
  return same_mpi ? Match::kOtherVersion : Match::kOtherMpi;
}

}  // namespace weft::mpi
