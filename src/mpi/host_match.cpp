// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host_match.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include "base/log.hpp"

namespace weft::mpi {
namespace {

// What this library was built for, and how the MPI that it runs on describes itself.
#if defined(OMPI_MAJOR_VERSION)
constexpr std::string_view kBuiltFor = "Open MPI v";
constexpr int kBuiltForMajor = OMPI_MAJOR_VERSION;
std::string description_of_host() { return version_of_host(); }
#elif defined(MPICH_NUMVERSION)
constexpr std::string_view kBuiltFor = "MPICH Version:";
constexpr int kBuiltForMajor = MPICH_NUMVERSION / 10000000;
std::string description_of_host() { return version_of_host(); }
#else
// The standard ABI, which is the same under every MPI that offers it.
constexpr std::string_view kBuiltFor = "standard ABI ";
constexpr int kBuiltForMajor = MPI_ABI_VERSION;

template <class Function>
void* library_of(Function* function) {
  Dl_info found{};
  ::dladdr(reinterpret_cast<void*>(function), &found);
  return found.dli_fbase;
}

// In a program of another MPI, what that one lacks is found in the library that this one needs.
std::string description_of_host() {
  int major = -1, minor = -1;
  if (library_of(PMPI_Abi_get_version) == library_of(PMPI_Init)) PMPI_Abi_get_version(&major, &minor);
  if (major < 0) return version_of_host();
  return std::string(kBuiltFor) + std::to_string(major) + "." + std::to_string(minor) + " of " +
         version_of_host();
}
#endif

}  // namespace

std::string version_of_host() {
  char version[8192] = {};  // the longest that any MPI says: this may be another one
  int length = 0;
  PMPI_Get_library_version(version, &length);
  return {version, static_cast<std::size_t>(length)};
}

Match compare_with_host() {
  const std::string text = description_of_host();
  const std::size_t name = text.find(kBuiltFor);
  const std::string major = std::to_string(kBuiltForMajor) + ".";
  const bool same_mpi = name != std::string::npos;
  if (same_mpi) {
    const std::size_t number = text.find_first_not_of(" \t", name + kBuiltFor.size());
    if (number != std::string::npos && text.compare(number, major.size(), major) == 0)
      return Match::kThisHost;
  }
  announce("this libweft.so was built for \"" + std::string(kBuiltFor) + " " + major +
           "x\", the program runs on \"" + text.substr(0, text.find('\n')) +
           "\": use the libweft.so of that MPI, or `weft run`, which finds it");
  return same_mpi ? Match::kOtherVersion : Match::kOtherMpi;
}

}  // namespace weft::mpi
