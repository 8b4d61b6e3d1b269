// SPDX-License-Identifier: BSD-3-Clause
// NodeParts: how a long message crosses a node: it is cut into parts, one for each leader, and every part
// into fragments that go through the node's memory one after the other. All leaders work at the same time,
// each on its part, and the memory in use stays in the caches.
//
//   n = 3, all lead, one fragment    rank 0's cell   | result 0  | v0 part 1 | v0 part 2 |   v: what others
//                                    rank 1's cell   | v1 part 0 | result 1  | v1 part 2 |      combine
//                                    rank 2's cell   | v2 part 0 | v2 part 1 | result 2  |
//
//   leave 0   | combine 0, leave 1   | take 0, combine 1, leave 2   | take 1, combine 2 …       | exchange
//
// Two sets of cells in turn: what an exchange says is that a fragment's result is there, that the next one's
// values are, and that the result before it has been taken.
//
// The bracket is the same for every element and whatever the size; but of two values that commute either may
// stand first.
#pragma once

#include <algorithm>

#include "algorithm/pattern/bracket.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/node_memory.hpp"
#include "algorithm/pattern/ring.hpp"

namespace weft {

// Leaders of parts: the rank at place (first + i) mod n leads part i.
struct PartLeaders {
  int count;
  int first = 0;

  // The part that the rank at this place leads; it leads none if that is not less than `count`.
  int part_of(int place, int rank_count) const { return (place - first + rank_count) % rank_count; }
  int leader(int part, int rank_count) const { return (first + part) % rank_count; }
};

// The size of the last part: where parts do not come out even it is one of the largest.
inline Bytes largest_part(const Call& call, int leaders) {
  const Range whole{kOutput, Bytes(0), call.bytes};
  return even_part(whole, call.element_bytes, leaders - 1, leaders).size;
}

// Fragments are whole elements, and there is room for one from each leader.
inline int most_leaders(const Call& call, Bytes fragment) {
  return static_cast<int>(std::clamp<std::int64_t>(fragment / call.element_bytes, 1, call.rank_count));
}

// The fragments of a part, the largest one's: those of all leaders together have at most `fragment` bytes.
inline Fragments fragments_of_part(const Call& call, Bytes fragment, int leaders) {
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
        cut_(fragments_of_part(b.call(), parameters.fragment, leaders.count)),
        bracket_(bracket_of(b.call(), parameters)),
        has_values_(values == Values::kCombined),
        memory_(b, 2 * b.rank_count(), cell_bytes()) {
    if (has_values_ && leads()) aside_ = bracket_.room(b, cut_.largest());
  }

  const Fragments& fragments() const { return cut_; }
  bool leads() const { return own_ < leaders_.count; }
  int own() const { return own_; }  // part
  // Whether the result may go where the own value is.
  bool may_combine_in_place() const { return is_last() || (is_pair(b_.call()) && b_.call().commutative); }

  // A part of `whole`, a range as long as the message. Some parts are one element shorter, and perhaps
  // without a last fragment.
  Range part(Range whole, int part) const {
    return even_part(whole, b_.call().element_bytes, part, leaders_.count);
  }
  Range own_part(Range whole) const { return part(whole, own_); }
  // Where fragment `f` of the own part's result lies in memory.
  Range result(int f) const { return leads() ? result_of(f, own_) : Range{}; }
  // Where it goes in the output.
  Range own_output(int f) const { return leads() ? cut_.of(own_part(b_.output()), f) : Range{}; }

  // The own values of the parts that others lead, for them.
  void leave(int f) {
    for (int p = 0; p < leaders_.count; ++p)
      if (p != own_) b_.copy(cut_.of(part(b_.contribution(), p), f), place_of(f, b_.self(), p));
  }
  void exchange() { memory_.exchange(); }
  // What everybody has left of the own part, and the own value, which is `into` only where it may be.
  void combine(int f, Range into) {
    if (!leads()) return;
    const auto value = [&](int rank) {
      return rank == b_.self() ? cut_.of(own_part(b_.contribution()), f) : place_of(f, rank, own_);
    };
    if (into == value(b_.self()) && !is_last()) {
      b_.reduce(value(1), into);
      return;
    }
    bracket_.evaluate(
        b_, into, aside_, [&](int rank, Range at) { b_.copy(value(rank), at); }, value);
  }
  // Part `p` of the result, for the others.
  void publish(int f, int p, Range from) {
    if (!memory_.is_alone()) b_.copy(from, result_of(f, p));
  }
  // The result into the output; of the own part it is at `own`.
  void take(int f, Range own) {
    for (int p = 0; p < leaders_.count; ++p)
      b_.copy(p == own_ ? own : result_of(f, p), cut_.of(part(b_.output(), p), f));
  }

 private:
  bool is_last() const { return b_.self() + 1 == b_.rank_count(); }
  Bytes cell_bytes() const { return cut_.largest() * (has_values_ ? leaders_.count : 1); }
  // Where a rank's cell holds fragment `f` of part `p`: the rank's value, or the result if it leads the part.
  Range place_of(int f, int rank, int p) const {
    const Bytes size = cut_.of(part({kOutput, Bytes(0), b_.bytes()}, p), f).size;
    return memory_.cell(f % 2 * b_.rank_count() + rank, cell_bytes())
        .part(cut_.largest() * (has_values_ ? p : 0), size);
  }
  Range result_of(int f, int p) const { return place_of(f, leaders_.leader(p, b_.rank_count()), p); }

  Builder& b_;
  PartLeaders leaders_;
  int own_;
  Fragments cut_;
  Bracket bracket_;
  bool has_values_;
  NodeMemory memory_;
  Range aside_;
};

// A reduction among ranks that all share memory. `takes_result`: whether this rank wants it in its output.
inline void reduce_by_parts(Builder& b, const Parameters& parameters, bool takes_result) {
  const PartLeaders leaders{most_leaders(b.call(), parameters.fragment)};
  NodeParts node(b, parameters, leaders, NodeParts::Values::kCombined);
  const int count = node.fragments().count();
  const bool others_take = !takes_result || b.call().collective == Collective::kAllreduce;
  // Stores into memory that others have read wait for its lines; a long copy there does not.
  const bool in_output = takes_result && (!b.in_place() || node.may_combine_in_place());
  const auto result = [&](int f) { return in_output ? node.own_output(f) : node.result(f); };
  for (int f = 0; f <= count; ++f) {
    if (f < count) node.leave(f);
    node.exchange();
    if (f > 0 && takes_result) node.take(f - 1, result(f - 1));
    if (f == count) break;
    node.combine(f, result(f));
    if (in_output && others_take && node.leads()) node.publish(f, node.own(), result(f));
  }
}

// Whether that has one structure for all shorter messages: every value of a part is combined straight into
// its result, so that the own one, which comes from this rank's buffer, says how long it is.
inline bool parts_scale(const Call&, const Parameters& parameters) {
  return parameters.bracketing == Bracketing::kFold;
}

// How many bytes the busiest leader combines.
inline Bytes bytes_reduced_by_parts(const Call& call, const Parameters& parameters) {
  return largest_part(call, most_leaders(call, parameters.fragment)) * (call.rank_count - 1);
}

}  // namespace weft
