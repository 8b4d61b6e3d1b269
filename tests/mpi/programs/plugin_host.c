// SPDX-License-Identifier: BSD-3-Clause
// Loads plugin.F90, as Python does. Argument: the library.
#include <dlfcn.h>

#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(library != NULL, "%s", dlerror());
  void (*plugin)(int*);
  *(void**)&plugin = dlsym(library, "plugin");
  int good = 0;
  plugin(&good);
  CHECK(good == 1, "%d", good);
  return end("plugin");
}
