// SPDX-License-Identifier: BSD-3-Clause
// Byte runs: where data of any type lie, as another process has to know it.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/window/data.hpp"

namespace weft::mpi::window {

struct ByteRun {
  std::int64_t at = 0;  // bytes, from where the data's first element is
  std::int64_t bytes = 0;
};

// In the order of the data's packed form; neighbours are joined.
std::vector<ByteRun> runs_of(const Data& data);
// The same for whole elements of the predefined type that the data consist of, with the padding of each.
std::vector<ByteRun> runs_of_elements(const Data& data, const TypeFacts& of_basic);

}  // namespace weft::mpi::window
