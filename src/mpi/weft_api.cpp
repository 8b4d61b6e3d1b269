// SPDX-License-Identifier: BSD-3-Clause
// The part of weft.h that only the front door can answer.
#include <cstring>

#include "mpi/front_door.hpp"
#include "mpi/node_memory.hpp"
#include "weft/weft.h"

extern "C" __attribute__((visibility("default"))) int weft_counter(const char* function, uint64_t* executed,
                                                                   uint64_t* left_to_host) {
  if (function == nullptr || executed == nullptr || left_to_host == nullptr) return WEFT_ERROR_ARGUMENT;
  for (const weft::CallCounter& counter : weft::mpi::counters()) {
    if (std::strcmp(counter.function, function) != 0) continue;
    *executed = counter.weft.load();
    *left_to_host = 0;
    for (const auto& count : counter.host) *left_to_host += count.load();
    return WEFT_SUCCESS;
  }
  return WEFT_ERROR_UNKNOWN_FUNCTION;
}

extern "C" __attribute__((visibility("default"))) int weft_shared_memory(uint64_t* bytes) {
  if (bytes == nullptr) return WEFT_ERROR_ARGUMENT;
  *bytes = static_cast<uint64_t>(weft::mpi::shared_memory_taken().value);
  return WEFT_SUCCESS;
}
