// SPDX-License-Identifier: BSD-3-Clause
// Alltoall over a hierarchy: blocks for the same node travel in one message. For small blocks, of which
// latency is all that counts.
//
//   2 nodes of 2      rank 0 leaves        a0 a1 | a2 a3      for node 0 | for node 1
//                     rank 1 leaves        b0 b1 | b2 b3
//                     0 sends to 2                 a2 a3 b2 b3
//                     0 gets from 2                c0 c1 d0 d1
//                     rank 1 takes         a1 b1 | c1 d1
//
// What a node leaves and what arrives there has an area for each node, within it the blocks by source and
// then by destination, so that representatives send and receive in place. They do it pair by pair, whatever
// tiers messages join: nothing in a message is for anybody else. Graham et al. (2011).
#include <algorithm>

#include "algorithm/catalog.hpp"
#include "algorithm/tiers.hpp"

namespace weft::alltoall {

namespace {

// One island's areas.
class Areas {
 public:
  Areas(const Islands& islands, Bytes block)
      : islands_(islands.all()), block_(block), own_(static_cast<int>(islands.own().size())) {}

  // Where the area of an island begins, and, behind the last, where that ends.
  Bytes begin(int island) const { return block_ * own_ * islands_.begin(island); }

  // Blocks from this island's rank at `source` that begin with that for the rank at `destination` of another.
  Range leaving(Range all, int island, int source, int destination, int count) const {
    const int size = islands_.size(island);
    return all.part(begin(island) + block_ * (source * size + destination), block_ * count);
  }
  Range arriving(Range all, int island, int source, int destination) const {
    return all.part(begin(island) + block_ * (source * own_ + destination), block_);
  }

 private:
  const Parts& islands_;
  Bytes block_;
  int own_;
};

void leave(Builder& b, const Islands& islands, const Areas& areas, Range leaving) {
  for (int number = 0; number < islands.count(); ++number) {
    const std::vector<Rank> island = islands.all().ranks(number);
    for (std::size_t at = 0, next = 0; at < island.size(); at = next) {
      for (next = at + 1; next < island.size() && island[next].value == island[next - 1].value + 1;) ++next;
      const int count = static_cast<int>(next - at);
      b.copy(b.blocks(b.contribution(), island[at].value, island[at].value + count),
             areas.leaving(leaving, number, islands.place(), static_cast<int>(at), count));
    }
  }
}

void exchange_between_islands(Builder& b, const Islands& islands, const Areas& areas, Range leaving,
                              Range arriving) {
  Subgroup all{.members = islands.column(0), .call = b.call(), .contribution = leaving, .output = arriving};
  all.call.rank_count = islands.count();
  all.block_begin = [&](int island) { return areas.begin(island); };
  build_in(b, std::move(all), pairwise, {});
}

void take(Builder& b, const Islands& islands, const Areas& areas, Range arriving) {
  for (int number = 0; number < islands.count(); ++number)
    for (int at = 0; at < islands.all().size(number); ++at) {
      const int from = islands.all().rank(number, at).value;
      b.copy(areas.arriving(arriving, number, at, islands.place()), b.blocks(b.output(), from, from + 1));
    }
}

void build_hierarchical(Builder& b, const Parameters& parameters) {
  const Tiers tiers(b, parameters);
  if (tiers.is_one_node_group()) return exchange.build(b, parameters);
  if (tiers.in_memory() == 0) return pairwise.build(b, parameters);
  const Islands& islands = tiers.islands();
  const Areas areas(islands, b.bytes());
  const NodeMemory memory = tiers.memory(b, Tiers::Down::kOneStep, Bytes(0));
  const auto sizes = [&](int island) { return b.output().size * islands.all().size(island); };
  const Range leaving = tiers.room(b, memory, sizes);
  const bool by_messages = islands.count() > 1;
  const Range arriving = by_messages ? tiers.room(b, memory, sizes) : leaving;

  leave(b, islands, areas, leaving);
  arrive_up(b, tiers, memory, leaving, by_messages ? For::kRepresentative : For::kAll);
  if (by_messages && islands.represents()) exchange_between_islands(b, islands, areas, leaving, arriving);
  if (by_messages) release_island(tiers, memory, arriving);
  take(b, islands, areas, arriving);
}

Cost hierarchical_cost(const Call& call, const Parameters& parameters) {
  const Hierarchy hierarchy = hierarchy_of(call, parameters);
  const Parts& islands = hierarchy.parts(hierarchy.memory_tiers());
  if (islands.count() == 1) return {};
  std::int64_t most = 0;
  for (int island = 0; island < islands.count(); ++island) {
    const std::int64_t size = islands.size(island);
    most = std::max(most, size * (call.rank_count - size));
  }
  return {.rounds = 1, .messages = islands.count() - 1, .sent = call.bytes * most};
}

}  // namespace

extern constinit const Algorithm hierarchical{
    .collective = Collective::kAlltoall,
    .name = "hierarchical",
    .summary = "blocks for the same node travel together",
    .formula = "2 l + 4 n m c + L + 2o + n_0 (n - n_0) m G",
    .source = "Graham et al. 2011; Thakur, Rabenseifner, Gropp 2005, section 4.3",
    .follows_hierarchy = true,
    .build = build_hierarchical,
    .cost = hierarchical_cost,
};

}  // namespace weft::alltoall
