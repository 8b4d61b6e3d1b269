// SPDX-License-Identifier: BSD-3-Clause
// Layout: which ranks of a program carry out an operation together: all of them, or, as after MPI_Comm_split,
// each block of neighbours by itself, each column across such blocks, or the first one of each block alone.
//
//   8 ranks, size 4     blocks    0 1 2 3 | 4 5 6 7
//                       columns   0 4 | 1 5 | 2 6 | 3 7
//                       leaders   0 4
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "executor/simulator/script.hpp"

namespace weft::simulator {

class Layout {
 public:
  // "all", "blocks", "columns", "leaders"; `size` is that of a block. Errors name what does not fit.
  static Result<Layout> make(std::string_view kind, int size, int ranks);

  int rank_count() const { return ranks_; }      // of the program
  int member_count() const { return members_; }  // of each operation
  // The part of a rank of the program in the operation that it is in, from those of the members; that of a
  // rank that is in none has no tasks.
  Part part_of(int rank, const std::function<Part(int member)>& part) const;

 private:
  enum class Kind : std::uint8_t { kAll, kBlocks, kColumns, kLeaders };
  std::optional<int> member_of(int rank) const;
  int rank_of(int member, int beside) const;

  Kind kind_ = Kind::kAll;
  int size_ = 1, ranks_ = 1, members_ = 1;
};

}  // namespace weft::simulator
