// SPDX-License-Identifier: BSD-3-Clause
// Halo: the exchange of faces with the neighbours on a grid of ranks, row by row as MPI numbers them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "executor/simulator/script.hpp"

namespace weft::simulator {

class Halo {
 public:
  // Errors name what cannot be. `bytes`: of a face, per dimension.
  static Result<Halo> make(std::vector<int> dims, std::vector<std::int64_t> bytes, bool periodic);

  int rank_count() const { return rank_count_; }
  Part part_of(int rank) const;

 private:
  std::vector<int> dims_;
  std::vector<std::int64_t> bytes_;
  bool periodic_ = false;
  int rank_count_ = 1;
};

}  // namespace weft::simulator
