// SPDX-License-Identifier: BSD-3-Clause
// Allgather of long blocks over nodes: the blocks of a node's ranks go around the nodes side by side, and
// while one node's blocks are on their way, those that came before go through the node's memory to everybody.
//
//   nodes a b c and d e     to d e     a by a ► d,  b by b ► e,  c by c ► d: what place 2 would carry there,
//                           to a b c   d by d ► a,  e by e ► b   place 0 does
//
// Kandalla, Subramoni, Santhanaraman, Koop, Panda (2009): multi-leader allgather; here all ranks lead.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/fragments.hpp"
#include "algorithm/pattern/ring.hpp"
#include "algorithm/tiers.hpp"

namespace weft::allgather {

namespace {

using Ranks = std::vector<Rank>;

int size_of(const Ranks& node) { return static_cast<int>(node.size()); }

// The rank that carries blocks of place `place`: it sends and receives them, and leaves them in its node's
// memory.
Rank carrier(const Ranks& node, int place) { return node[static_cast<std::size_t>(place % size_of(node))]; }

class Around {
 public:
  Around(Builder& b, Islands nodes)
      : b_(b),
        nodes_(std::move(nodes)),
        ring_{static_cast<int>(nodes_.number()), nodes_.count()},
        cells_(largest_of(nodes_.all())) {}

  void run(Bytes fragment) {
    b_.copy(b_.contribution(), block(Rank(b_.self())));
    const Fragments cut(b_.bytes(), fragment, Bytes(1));
    const NodeMemory memory = memory_for(cut.largest());
    for (int step = 0; step < ring_.rank_count; ++step) {
      if (step + 1 < ring_.rank_count) pass_on(step);
      for (int f = 0; f < cut.count() && !nodes_.is_alone(); ++f)
        share(source(step), cut, f, memory, (step * cut.count() + f) % 2 * cells_);
    }
  }

 private:
  const Ranks& node(int number) const { return nodes_.all()[static_cast<std::size_t>(number)]; }
  // Whose blocks are here when a step begins.
  const Ranks& source(int step) const { return node(ring_.back(step)); }

  NodeMemory memory_for(Bytes fragment) {
    const Builder::Frame frame(b_, nodes_.group(b_.call(), Collective::kAllgather, {}, {}));
    return {b_, 2 * cells_, fragment};
  }
  Range block(Rank rank) const { return b_.output().part(b_.bytes() * rank.value, b_.bytes()); }
  bool carries(int place) const { return carrier(nodes_.own(), place) == Rank(b_.self()); }

  void pass_on(int step) {
    const Ranks& now = source(step);
    const Ranks& next = source(step + 1);
    for (int place = 0; place < size_of(now); ++place)
      if (carries(place))
        b_.send(carrier(node(ring_.right()), place).value, block(now[static_cast<std::size_t>(place)]));
    for (int place = 0; place < size_of(next); ++place)
      if (carries(place))
        b_.recv(carrier(node(ring_.left()), place).value, block(next[static_cast<std::size_t>(place)]));
  }

  void share(const Ranks& blocks, const Fragments& cut, int f, const NodeMemory& memory, int first_cell) {
    const auto cell = [&](int place) { return memory.cell(first_cell + place, cut.size(f)); };
    const auto fragment = [&](int place) {
      return cut.of(block(blocks[static_cast<std::size_t>(place)]), f);
    };
    for (int place = 0; place < size_of(blocks); ++place)
      if (carries(place)) b_.copy(fragment(place), cell(place));
    memory.exchange();
    for (int place = 0; place < size_of(blocks); ++place)
      if (!carries(place)) b_.copy(cell(place), fragment(place));
  }

  Builder& b_;
  Islands nodes_;
  Ring ring_;
  int cells_;  // in a set of the node's memory: for the blocks of any node
};

void build_multi_leader(Builder& b, const Parameters& parameters) {
  Around(b, nodes_of(b.call(), parameters, Rank(b.self()))).run(parameters.fragment);
}

Cost multi_leader_cost(const Call& call, const Parameters& parameters) {
  const std::vector<Ranks> nodes = nodes_of(call, parameters, Rank(0)).all();
  const Ring ring{0, static_cast<int>(nodes.size())};
  Cost cost{.rounds = ring.rank_count - 1};
  for (int own = 0; own < ring.rank_count; ++own) {
    int carried = 0;  // blocks that the busiest rank carries: of all nodes but its right one
    for (int step = 0; step + 1 < ring.rank_count; ++step) {
      const int of_node = size_of(nodes[static_cast<std::size_t>(Ring{own, ring.rank_count}.back(step))]);
      const int carriers = size_of(nodes[static_cast<std::size_t>(own)]);
      carried += (of_node + carriers - 1) / carriers;
    }
    cost.messages = std::max(cost.messages, carried);
  }
  cost.sent = call.bytes * cost.messages;
  return cost;
}

}  // namespace

extern constinit const Algorithm multi_leader{
    .collective = Collective::kAllgather,
    .name = "multi_leader",
    .summary =
        "over nodes, long: the blocks of a node go around the nodes side by side, and everybody takes them",
    .formula = "(N-1) (L + 2o + m G) + l N m/f + n m c",
    .source = "Kandalla et al. 2009, multi-leader allgather",
    .has_fragments = true,
    .follows_hierarchy = true,
    .build = build_multi_leader,
    .cost = multi_leader_cost,
};

}  // namespace weft::allgather
