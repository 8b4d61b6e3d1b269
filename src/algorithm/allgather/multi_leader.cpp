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

class Around {
 public:
  Around(Builder& b, Islands nodes)
      : b_(b),
        nodes_(std::move(nodes)),
        ring_{nodes_.number(), nodes_.count()},
        cells_(nodes_.all().largest()) {}

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
  // The node whose blocks are here when a step begins.
  int source(int step) const { return ring_.back(step); }

  NodeMemory memory_for(Bytes fragment) {
    const Builder::Frame frame(b_, nodes_.group(b_.call(), Collective::kAllgather, {}, {}));
    return {b_, 2 * cells_, fragment};
  }
  Range block(Rank rank) const { return b_.output().part(b_.bytes() * rank.value, b_.bytes()); }
  Range block(int node, int place) const { return block(nodes_.all().rank(node, place)); }
  // The rank that carries blocks of place `place`: it sends and receives them, and leaves them in its node's
  // memory.
  int carrier(int node, int place) const {
    return nodes_.all().rank(node, place % nodes_.all().size(node)).value;
  }
  bool carries(int place) const { return carrier(nodes_.number(), place) == b_.self(); }

  void pass_on(int step) {
    const int now = source(step);
    const int next = source(step + 1);
    for (int place = 0; place < nodes_.all().size(now); ++place)
      if (carries(place)) b_.send(carrier(ring_.right(), place), block(now, place));
    for (int place = 0; place < nodes_.all().size(next); ++place)
      if (carries(place)) b_.recv(carrier(ring_.left(), place), block(next, place));
  }

  void share(int node, const Fragments& cut, int f, const NodeMemory& memory, int first_cell) {
    const auto cell = [&](int place) { return memory.cell(first_cell + place, cut.size(f)); };
    const auto fragment = [&](int place) { return cut.of(block(node, place), f); };
    const int blocks = nodes_.all().size(node);
    for (int place = 0; place < blocks; ++place)
      if (carries(place)) b_.copy(fragment(place), cell(place));
    memory.exchange();
    for (int place = 0; place < blocks; ++place)
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
  const Islands islands = nodes_of(call, parameters, Rank(0));
  const Parts& nodes = islands.all();
  const Ring ring{0, nodes.count()};
  Cost cost{.rounds = ring.rank_count - 1};
  for (int own = 0; own < ring.rank_count; ++own) {
    int carried = 0;  // blocks that the busiest rank carries: of all nodes but its right one
    for (int step = 0; step + 1 < ring.rank_count; ++step) {
      const int of_node = nodes.size(Ring{own, ring.rank_count}.back(step));
      const int carriers = nodes.size(own);
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
