// SPDX-License-Identifier: BSD-3-Clause
// Columns: how a long message travels between nodes whose ranks share memory. Every node has the same number
// of leaders, each for its part of the message, and the leaders of the same part are a column: they do for
// their part what the call asks for, by messages, while the others do it for theirs.
//
//   2 nodes of 4      node 0    0    1    2    3
//                     node 1    4    5    6    7
//                     part      0    1    2    3         part 2 travels between 2 and 6
//
// A part goes through its node's memory in slices; so many slices as are worth a message travel together, a
// batch, and while one batch travels, the node is busy with the next.
//
//   the node      combine batch 0 │ combine batch 1 │ combine 2, take 0 │ combine 3, take 1 │ …
//   a column                        0 travels         1 travels           2 travels
//
// Bayatpour, Chakraborty, Subramoni, Lu, Panda (2017): data partitioning, multiple leaders.
#pragma once

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/node_parts.hpp"

namespace weft {

// The slices of a part in runs of equal length; the last may be shorter.
class Batches {
 public:
  // Each batch has scratch of its own, and a schedule has only so many buffers.
  static constexpr int kMost = 32;
  // Batches of about `bytes` bytes, but so few that message tags can tell all messages of a pair apart on a
  // ring of the nodes.
  Batches(const Fragments& slices, Bytes bytes, int nodes);

  int slices() const { return slices_; }
  int slices_each() const { return each_; }
  int count() const { return (slices_ + each_ - 1) / each_; }
  int first(int batch) const { return batch * each_; }
  int end(int batch) const { return std::min(first(batch) + each_, slices_); }
  Bytes largest() const { return largest_; }
  bool begins_at(int slice) const { return slice % each_ == 0; }
  bool ends_at(int slice) const { return (slice + 1) % each_ == 0 || slice + 1 == slices_; }
  int of(int slice) const { return slice / each_; }

 private:
  int slices_, each_;
  Bytes largest_;
};

// The algorithm by which the ranks of a column do their call with a batch of their part.
using Across = const Algorithm& (*)(const Call& column, Aim aim);

class Columns {
 public:
  Columns(const Call& call, Rank self, const Parameters& parameters);

  int nodes() const { return static_cast<int>(nodes_.size()); }
  const std::vector<std::vector<Rank>>& all_nodes() const { return nodes_; }
  const std::vector<Rank>& node() const { return nodes_[own_node_]; }  // who shares memory with this rank
  bool has_root() const { return own_node_ == root_node_; }            // this node; rooted collectives
  // Who leads which part on this node: the root leads part 0, if it is here.
  PartLeaders leaders() const { return {leaders_, first_of(own_node_)}; }

  // The ranks of this node as a group that does a collective of the same kind.
  Subgroup node_group(Range contribution, Range output) const;
  // The ranks of this rank's column do their call with a batch of their part, in place; nothing if it is
  // empty.
  void travel(Builder& b, Range batch, Across across) const;
  Cost cost_of_travel(Bytes batch, Across across) const;

  Batches batches() const;

 private:
  int place_in(std::size_t node, Rank rank) const;
  int first_of(std::size_t node) const;  // the place of the leader of part 0
  Call call_of_column(Bytes batch) const;

  Call call_;
  Parameters parameters_;
  std::vector<std::vector<Rank>> nodes_;
  std::size_t own_node_, root_node_;
  int leaders_ = 1;
  std::vector<Rank> column_;  // if this rank leads a part
};

// Reduce and allreduce: up in the nodes, across by columns, and down again where somebody wants the result.
void reduce_by_columns(Builder& b, const Parameters& parameters, Across across);

// What the busiest leader pays for all batches, and the busiest node for combining, if the collective does.
Cost columns_cost(const Call& call, const Parameters& parameters, Across across);

}  // namespace weft
