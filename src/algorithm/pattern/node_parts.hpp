// SPDX-License-Identifier: BSD-3-Clause
// Long messages within a node: the message is cut into parts, one for each leader, and every part into slices
// that go through the node's memory one after the other. All leaders work at the same time, each on its part,
// and the memory in use stays in the caches.
//
//   n = 3, all lead, one slice     rank 0's piece   |    | v0 part 1 | v0 part 2 |     what others combine
//                                  rank 1's piece   | v1 part 0 |    | v1 part 2 |
//                                  rank 2's piece   | v2 part 0 | v2 part 1 |    |
//                                  result           | part 0    | part 1    | part 2    |   by their leaders
//
//   leave 0   | combine 0, leave 1   | take 0, combine 1, leave 2   | take 1, combine 2 …       | exchange
//
// Two sets of pieces in turn: what an exchange says is that a slice's result is there, that the next slice's
// values are, and that the result before it has been taken.
//
// The bracket is the same for every element and whatever the size.
#pragma once

#include <algorithm>
#include <optional>

#include "algorithm/pattern/bracket.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_buffer.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft {

// Leaders of parts: the rank at place (first + i) mod n leads part i.
struct PartLeaders {
  int count;
  int first = 0;

  // The part that the rank at this place leads; it leads none if that is not less than `count`.
  int part_of(int place, int rank_count) const { return (place - first + rank_count) % rank_count; }
};

// The size of the last part: where parts do not come out even it is one of the largest.
inline Bytes largest_part(const Call& call, int leaders) {
  const Range whole{kOutput, Bytes(0), call.bytes};
  return even_part(whole, call.element_bytes, leaders - 1, leaders).size;
}

// Slices are whole elements, and a fragment has room for one from each leader.
inline int most_leaders(const Call& call, Bytes fragment) {
  return static_cast<int>(std::clamp<std::int64_t>(fragment / call.element_bytes, 1, call.rank_count));
}

// The slices of a part, the largest one's: all leaders' together are at most a fragment.
inline Fragments slices_of_part(const Call& call, Bytes fragment, int leaders) {
  return {largest_part(call, leaders), fragment / leaders, call.element_bytes};
}

class NodeParts {
 public:
  // Values are left only where ranks combine them.
  enum class Values { kNone, kCombined };
  NodeParts(Builder& b, const Parameters& parameters, PartLeaders leaders, Values values)
      : b_(b),
        leaders_(leaders),
        own_(leaders.part_of(b.self(), b.rank_count())),
        cut_(slices_of_part(b.call(), parameters.fragment, leaders.count)),
        bracket_(bracket_of(b.call(), parameters)),
        pieces_(values == Values::kCombined ? b.rank_count() + 1 : 1) {
    if (b.rank_count() > 1) memory_.emplace(b, 2 * pieces_, cut_.largest() * leaders.count);
    if (values == Values::kCombined && leads()) aside_ = bracket_.room(b, cut_.largest());
  }

  int slices() const { return cut_.count(); }
  bool leads() const { return own_ < leaders_.count; }
  int own() const { return own_; }  // part

  // A part of `whole`, a range as long as the message. Some parts are one element shorter, and perhaps
  // without a last slice.
  Range part(Range whole, int part) const {
    return even_part(whole, b_.call().element_bytes, part, leaders_.count);
  }
  Range own_part(Range whole) const { return part(whole, own_); }
  Range slice(Range part, int s) const { return slices(part, s, s + 1); }
  Range slices(Range part, int first, int end) const {
    const Bytes begin = std::min(cut_.offset(first), part.size);
    return part.part(begin, std::min(cut_.offset(end), part.size) - begin);
  }
  // Where slice `s` of the own part's result lies in memory.
  Range result(int s) const { return leads() ? of_piece(s, 0, own_) : Range{}; }

  // The own values of the parts that others lead, for them.
  void leave(int s) {
    for (int p = 0; p < leaders_.count; ++p)
      if (p != own_) b_.copy(slice(part(b_.contribution(), p), s), of_piece(s, 1 + b_.self(), p));
  }
  void exchange() {
    if (memory_) memory_->exchange(b_);
  }
  // What everybody has left of the own part, and the own value.
  void combine(int s, Range into) {
    if (!leads()) return;
    const auto value = [&](int place) {
      return place == b_.self() ? slice(own_part(b_.contribution()), s) : of_piece(s, 1 + place, own_);
    };
    bracket_.evaluate(
        b_, into, aside_, [&](int place, Range at) { b_.copy(value(place), at); }, value);
  }
  // Part `p` of the result, for the others.
  void publish(int s, int p, Range from) {
    if (memory_) b_.copy(from, of_piece(s, 0, p));
  }
  // The result into the output; of the own part it is at `own`.
  void take(int s, Range own) {
    for (int p = 0; p < leaders_.count; ++p)
      b_.copy(p == own_ ? own : of_piece(s, 0, p), slice(part(b_.output(), p), s));
  }

 private:
  Range message() const { return {kOutput, Bytes(0), b_.bytes()}; }
  // The first of a set is for results, the others for values.
  Range of_piece(int s, int piece, int p) const {
    return memory_->piece(s % 2 * pieces_ + piece, cut_.largest() * leaders_.count)
        .part(cut_.largest() * p, slice(part(message(), p), s).size);
  }

  Builder& b_;
  PartLeaders leaders_;
  int own_;
  Fragments cut_;
  Bracket bracket_;
  int pieces_;  // of a set
  std::optional<NodeBuffer> memory_;
  Range aside_;
};

// A reduction among ranks that all share memory. `takes_result`: whether this rank wants it in its output.
inline void reduce_by_parts(Builder& b, const Parameters& parameters, bool takes_result) {
  const PartLeaders leaders{most_leaders(b.call(), parameters.fragment)};
  NodeParts node(b, parameters, leaders, NodeParts::Values::kCombined);
  for (int s = 0; s <= node.slices(); ++s) {
    if (s < node.slices()) node.leave(s);
    node.exchange();
    if (s > 0 && takes_result) node.take(s - 1, node.result(s - 1));
    if (s < node.slices()) node.combine(s, node.result(s));
  }
}

// How many bytes the busiest leader combines.
inline Bytes bytes_reduced_by_parts(const Call& call, const Parameters& parameters) {
  return largest_part(call, most_leaders(call, parameters.fragment)) * (call.rank_count - 1);
}

}  // namespace weft
