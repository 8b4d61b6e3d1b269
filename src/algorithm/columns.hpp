// SPDX-License-Identifier: BSD-3-Clause
// Columns: a way for long messages to cross all tiers between nodes at once. Every node has the same number
// of leaders, each for its part of the message, and the leaders of the same part are a column: they do for
// their part what the call asks for, by messages, while the others do it for theirs.
//
//   2 nodes of 4      node 0    0    1    2    3
//                     node 1    4    5    6    7
//                     part      0    1    2    3         part 2 travels between 2 and 6
//
// A part goes through its node's memory in fragments; so many of them as are worth a message are sent
// together, and while these travel, the node is busy with the next.
//
//   the node      combine 0 1 │ combine 2 3 │ combine 4 5, take 0 1 │ combine 6 7, take 2 3 │ …
//   a column                    0 1 travel    2 3 travel              4 5 travel
//
// Bayatpour, Chakraborty, Subramoni, Lu, Panda (2017): data partitioning, multiple leaders.
#pragma once

#include "algorithm/islands.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft {

// The algorithm by which the ranks of a column do their call with what is sent at a time of their part.
using Across = const Algorithm& (*)(const Call& column, Aim aim);

class Columns {
 public:
  Columns(const Call& call, Rank self, const Parameters& parameters);

  const Islands& nodes() const { return nodes_; }
  // Who leads which part on this rank's node: the root leads part 0, if it is here.
  PartLeaders leaders() const { return {leaders_, nodes_.representative()}; }

  // What is sent of a part at a time: the fragments first(number) to before first(number + 1) of those that
  // go through a node's memory. Few enough for message tags to tell all of a pair apart on a ring of the
  // nodes.
  const Fragments& sent() const { return sent_; }
  int first(int number) const { return std::min(number * together_, fragments_.count()); }
  int number_of(int fragment) const { return fragment / together_; }

  // The ranks of this rank's column do their call with these bytes of their part, in place; nothing if there
  // are none.
  void cross(Builder& b, Range sent, Across across) const;
  Cost cost_of_crossing(Bytes sent, Across across) const;

 private:
  Call call_of_column(Bytes sent) const;

  Call call_;
  Parameters parameters_;
  Islands nodes_;
  int leaders_;
  Fragments fragments_;
  int together_;
  Fragments sent_;
};

// Reduce and allreduce: up in the nodes, across by columns, and down again where somebody wants the result.
void reduce_by_columns(Builder& b, const Parameters& parameters, Across across);

// What the busiest leader pays for all that it sends, and the busiest node for combining, if the collective
// does.
Cost cost_by_columns(const Call& call, const Parameters& parameters, Across across);

// Both, for a card.
template <Across kAcross>
void reduce_by_columns(Builder& b, const Parameters& parameters) {
  reduce_by_columns(b, parameters, kAcross);
}
template <Across kAcross>
Cost cost_by_columns(const Call& call, const Parameters& parameters) {
  return cost_by_columns(call, parameters, kAcross);
}

}  // namespace weft
