// SPDX-License-Identifier: BSD-3-Clause
// Allgatherv as an allgather of blocks of different sizes. Where this rank wants them lying otherwise than
// side by side in rank order, they are gathered beside the output and copied there: its own affair.
#include "algorithm/catalog.hpp"
#include "algorithm/pattern/uneven_blocks.hpp"

namespace weft::allgatherv {

namespace {

bool is_dense(const std::vector<Parcel>& blocks) {
  Bytes end;
  for (const Parcel& block : blocks) {
    if (block.size > Bytes(0) && block.offset != end) return false;
    end += block.size;
  }
  return true;
}

template <const Algorithm& kEven>
void build_uneven(Builder& b, const Parameters& parameters) {
  const std::vector<Parcel>& blocks = b.parcels().incoming;
  const std::vector<Bytes> begins = block_begins(blocks);
  const Parcel& own = b.parcels().outgoing[static_cast<std::size_t>(b.self())];
  const bool in_output = is_dense(blocks);
  const Range gathered = in_output ? b.output().part(Bytes(0), begins.back()) : b.scratch(begins.back());
  build_with_blocks(b, kEven, parameters, blocks, b.contribution().part(own.offset, own.size), gathered);
  if (in_output) return;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    b.copy(gathered.part(begins[rank], blocks[rank].size),
           b.output().part(blocks[rank].offset, blocks[rank].size));
}

// An upper bound: no message is longer than all blocks together.
template <const Algorithm& kEven>
Cost uneven_cost(const Call& call, const Parameters& parameters) {
  Cost cost = kEven.cost(call, parameters);
  cost.sent = call.bytes * cost.messages;
  return cost;
}

// An upper bound: a rank sends at most all blocks but one.
Cost ring_cost(const Call& call, const Parameters& parameters) {
  Cost cost = allgather::ring.cost(call, parameters);
  cost.sent = call.bytes;
  return cost;
}

Cost fragments_cost(const Call&, const Parameters&) { return {}; }

}  // namespace

extern constinit const Algorithm ring{
    .collective = Collective::kAllgatherv,
    .name = "ring",
    .summary = "every block goes around once, from neighbour to neighbour",
    .formula = "(n-1) (L + 2o) + m G",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn 2007, section 4.2",
    .build = build_uneven<allgather::ring>,
    .cost = ring_cost,
};

extern constinit const Algorithm bruck{
    .collective = Collective::kAllgatherv,
    .name = "bruck",
    .summary = "hand on the first blocks that came, to k^i ranks before",
    .formula = "ceil(log_k n) (L + 2o) + m G",
    .source = "Bruck et al. 1997, section 4",
    .has_radix = true,
    .build = build_uneven<allgather::bruck>,
    .cost = uneven_cost<allgather::bruck>,
};

extern constinit const Algorithm recursive_doubling{
    .collective = Collective::kAllgatherv,
    .name = "recursive_doubling",
    .summary = "pairs exchange all they have, at distance 1, 2, 4, …; extra ranks through proxies",
    .formula = "(floor(log_2 n) + 2 [n != 2^i]) (L + 2o) + (1 + [n != 2^i]) m G",
    .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
    .build = build_uneven<allgather::recursive_doubling>,
    .cost = uneven_cost<allgather::recursive_doubling>,
};

extern constinit const Algorithm fragments{
    .collective = Collective::kAllgatherv,
    .name = "fragments",
    .summary = "within a node, long: fragment by fragment, everybody takes what everybody left",
    .formula = "l m/f + m c",
    .source = "Open MPI xhc: fragments through memory that stays in the caches",
    .within_node = true,
    .has_fragments = true,
    .scales = always,
    .build = build_uneven<allgather::fragments>,
    .cost = fragments_cost,
};

}  // namespace weft::allgatherv
