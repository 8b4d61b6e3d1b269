// SPDX-License-Identifier: BSD-3-Clause
// The functions of a shared library that is opened, or found to be loaded, at run time, so that no program
// depends on it.
#pragma once

#include <dlfcn.h>

namespace weft {

class LibraryFunctions {
 public:
  // `library`: as dlopen() returns it, and open for as long as its functions are used.
  explicit LibraryFunctions(void* library) : library_(library) {}

  // Whether it has that function; null if not.
  template <class Function>
  bool find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (function == nullptr) missing_ = name;
    return function != nullptr;
  }
  // The last one that was not found; null: all were.
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

}  // namespace weft
