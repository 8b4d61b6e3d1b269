// SPDX-License-Identifier: BSD-3-Clause
// What this process has loaded, by the loader's own list: to ask dlopen() for a library that is not there
// makes it look through every folder.
#pragma once

#include <cstddef>
#include <link.h>
#include <string>
#include <vector>

namespace weft {

// The paths of the shared libraries, in the order in which they were loaded.
inline std::vector<std::string> loaded_libraries() {
  std::vector<std::string> all;
  const auto add = [](dl_phdr_info* library, std::size_t, void* list) {
    if (library->dlpi_name[0] != '\0')
      static_cast<std::vector<std::string>*>(list)->push_back(library->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(add, &all);
  return all;
}

// How many have been loaded so far: as long as it is the same, none has been added.
inline unsigned long long count_of_loads() {
  unsigned long long count = 0;
  const auto look = [](dl_phdr_info* info, std::size_t, void* into) {
    *static_cast<unsigned long long*>(into) = info->dlpi_adds;
    return 1;
  };
  ::dl_iterate_phdr(look, &count);
  return count;
}

}  // namespace weft
