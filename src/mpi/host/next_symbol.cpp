// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host/next_symbol.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>
#include <string>

#include "base/loaded_libraries.hpp"
#include "base/log.hpp"

namespace weft::mpi {
namespace {

bool is_of_this_library(void* symbol) {
  Dl_info its{}, own{};
  ::dladdr(symbol, &its);
  ::dladdr(reinterpret_cast<void*>(&next_symbol), &own);
  return its.dli_fbase == own.dli_fbase;
}

// Python and programs with plug-ins load libraries for themselves alone (RTLD_LOCAL), Fortran's of the host
// among them: these are not behind Weft in the order that RTLD_NEXT follows.
void* symbol_of_any_library(const char* name) {
  for (const std::string& library : loaded_libraries()) {
    void* const handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* const symbol = ::dlsym(handle, name);
    ::dlclose(handle);
    if (symbol != nullptr && !is_of_this_library(symbol)) return symbol;
  }
  return nullptr;
}

}  // namespace

void* next_symbol(const char* name) {
  void* symbol = ::dlsym(RTLD_NEXT, name);
  if (symbol == nullptr) symbol = symbol_of_any_library(name);
  if (symbol != nullptr) return symbol;
  announce(fmt::format("no library has {} but Weft: the program was built for another MPI", name));
  PMPI_Abort(MPI_COMM_WORLD, 1);
  return nullptr;
}

}  // namespace weft::mpi
