// SPDX-License-Identifier: BSD-3-Clause
// EvenParts: so many places cut into parts of neighbours; where it does not come out even, the first parts
// have one place more.
#pragma once

#include <algorithm>

namespace weft {

class EvenParts {
 public:
  EvenParts(int places, int parts) : size_(places / parts), longer_(places % parts) {}

  // Where a part begins, counted from 0; behind the last part, the number of places.
  int begin(int part) const { return part * size_ + std::min(part, longer_); }
  int part_of(int place) const {
    const int in_longer = longer_ * (size_ + 1);
    return place < in_longer ? place / (size_ + 1) : longer_ + (place - in_longer) / size_;
  }

 private:
  int size_, longer_;
};

}  // namespace weft
