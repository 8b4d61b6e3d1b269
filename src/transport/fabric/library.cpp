// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fabric/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/library_functions.hpp"

namespace weft::fabric {
namespace {

constexpr const char* kFile = "libfabric.so.1";

Result<Library> open_library() {
  const KeepSignalHandlers handlers;
  void* const file = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr)
    return Error{fmt::format(
        "{} is not on this machine: install libfabric (Debian: apt-get install libfabric1)", kFile)};
  Library found;
  LibraryFunctions functions(file);
  functions.find(found.getinfo, "fi_getinfo");
  functions.find(found.freeinfo, "fi_freeinfo");
  functions.find(found.dupinfo, "fi_dupinfo");
  functions.find(found.fabric, "fi_fabric");
  functions.find(found.version, "fi_version");
  functions.find(found.strerror, "fi_strerror");
  functions.find(found.tostr, "fi_tostr");
  if (functions.missing() != nullptr)
    return Error{fmt::format("{} has no {}: it is no libfabric", kFile, functions.missing())};
  if (FI_VERSION_LT(found.version(), kInterface))
    return Error{fmt::format("{} is too old: libfabric 1.9 or newer is needed", kFile)};
  return found;
}

}  // namespace

KeepSignalHandlers::KeepSignalHandlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &before_[i]);
}
KeepSignalHandlers::~KeepSignalHandlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

Result<const Library*> library() {
  static const Result<Library> one = open_library();
  if (!one) return Error{one.error()};
  return &*one;
}

// fi_version() has no third number.
std::string version_of(const Library& library) {
  const int unused = 0;
  return library.tostr(&unused, FI_TYPE_VERSION);
}

}  // namespace weft::fabric
