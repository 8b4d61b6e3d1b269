// SPDX-License-Identifier: BSD-3-Clause
// The global sums of one solve, in their order: one solve records them, and others, which then wait for
// nobody, read them in the place of their reductions.
//
// Same sums, same arithmetic: such a solve goes the same way on every rank and ends with the same answer, bit
// for bit. Only what the reductions cost is missing.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

namespace pcg {

class Sums {
 public:
  void record(const double* values, int count) { values_.insert(values_.end(), values, values + count); }

  void start_over() { position_ = 0; }

  void replay(double* values, int count) {
    assert(position_ + count <= values_.size());
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(position_), count, values);
    position_ += count;
  }

 private:
  std::vector<double> values_;
  std::size_t position_ = 0;
};

}  // namespace pcg
