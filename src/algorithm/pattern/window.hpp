// SPDX-License-Identifier: BSD-3-Clause
// Window: messages that nothing but their number orders. At a time they go to at most `window` ranks and come
// from as many; a window of 1 issues them one after another, as LibNBC does against congestion.
//
//   8 ranks, window 2      rank 0 sends to 1 2 | 3 4 | 5 6 | 7         nearest first, lest all send to one;
//                          and receives from 7 6 | 5 4 | 3 2 | 1       the bars are joins
//
// No deadlock: both ends of a message are in the window of the distance between them, and each window waits
// for messages of lower ones only. That holds for windows that are empty on some ranks, too.
#pragma once

#include <vector>

#include "algorithm/pattern/letters.hpp"

namespace weft {

// Sends and receives all of them. Between two ranks the n-th that one sends, in its list, is the n-th that
// the other receives; letters to oneself are copied. Nothing is done for blocks without bytes.
void exchange_letters(Builder& b, const std::vector<Letter>& outgoing, const std::vector<Letter>& incoming,
                      int window);

// How many windows there are at most.
constexpr int window_count(int rank_count, int window) { return (rank_count - 2) / window + 1; }

}  // namespace weft
