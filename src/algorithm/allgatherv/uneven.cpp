// SPDX-License-Identifier: BSD-3-Clause
// Allgatherv as an allgather of blocks of different sizes. Where this rank wants them lying otherwise than
// side by side in rank order, they are gathered beside the output and copied there: its own affair.
#include "algorithm/builders.hpp"
#include "algorithm/pattern/uneven_blocks.hpp"

namespace weft::allgatherv {

namespace {

using Build = void (*)(Builder&, const Parameters&);

bool is_dense(const std::vector<Parcel>& blocks) {
  Bytes end;
  for (const Parcel& block : blocks) {
    if (block.size > Bytes(0) && block.offset != end) return false;
    end += block.size;
  }
  return true;
}

void gather(Builder& b, const Parameters& parameters, Build allgather) {
  const std::vector<Parcel>& blocks = b.parcels().incoming;
  const std::vector<Bytes> begins = block_begins(blocks);
  const Parcel& own = b.parcels().outgoing[static_cast<std::size_t>(b.self())];
  const bool in_output = is_dense(blocks);
  const Range gathered = in_output ? b.output().part(Bytes(0), begins.back()) : b.scratch(begins.back());
  {
    const Range contribution = b.contribution().part(own.offset, own.size);
    const Builder::Frame frame(b, as_uneven(b, Collective::kAllgather, blocks, contribution, gathered));
    allgather(b, parameters);
  }
  if (in_output) return;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    if (blocks[rank].size > Bytes(0))
      b.copy(gathered.part(begins[rank], blocks[rank].size),
             b.output().part(blocks[rank].offset, blocks[rank].size));
}

// No message is longer than all blocks.
Cost bounded(const Call& call, Cost even) {
  even.sent = call.bytes * even.messages;
  return even;
}

}  // namespace

void ring(Builder& b, const Parameters& parameters) { gather(b, parameters, allgather::ring); }
void recursive_doubling(Builder& b, const Parameters& parameters) {
  gather(b, parameters, allgather::recursive_doubling);
}
void bruck(Builder& b, const Parameters& parameters) { gather(b, parameters, allgather::bruck); }

// At most all blocks but one.
Cost ring_cost(const Call& call, const Parameters& parameters) {
  Cost cost = allgather::ring_cost(call, parameters);
  cost.sent = call.bytes;
  return cost;
}
Cost recursive_doubling_cost(const Call& call, const Parameters& parameters) {
  return bounded(call, allgather::recursive_doubling_cost(call, parameters));
}
Cost bruck_cost(const Call& call, const Parameters& parameters) {
  return bounded(call, allgather::bruck_cost(call, parameters));
}

}  // namespace weft::allgatherv
