// SPDX-License-Identifier: BSD-3-Clause
// Collectives with parcels within a node: everybody leaves what it has for others in its cells, says that it
// has, and takes what is for it as soon as those have come who bring something.
//
//   rank 1's line         | for 0 | for 2 | …  # |        what is short lies in the line, beside its arrival
//   rank 1's small room   | for 0   | for 2   | …
//   rank 1's large room   | for 0            | for 2            | …
//
// Both ends of a pair know how much goes from one to the other, and nobody else does. So every pair chooses
// for itself: its share of the line if all that goes from one to the other fits there, of the small room, of
// the large one, or messages. Where a rank has one block for all it needs no shares; where one rank alone has
// blocks, the room is shared by those that it has for the others. If there are only two ranks, both know
// everything, so that they may copy long blocks from buffer to buffer instead.
#include <algorithm>

#include "algorithm/catalog.hpp"
#include "algorithm/pattern/node_memory.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft {

namespace {

class PairCells {
 public:
  // `largest`: of what goes from one rank to another, as far as the room allows it.
  PairCells(Builder& b, Bytes largest)
      : one_for_all_(has_one_for_all(b.call().collective)),
        one_leaves_(scatters(b.call().collective)),
        shares_(one_for_all_ ? 1 : b.rank_count() - 1),
        node_(b, Bytes(0)) {
    const std::int64_t owners = one_leaves_ ? 1 : b.rank_count();
    const auto share_of = [](Bytes all, std::int64_t shares) { return all / shares / kWord * kWord; };
    const auto in_room = [&](Bytes share) {
      return Cells{node_.another_room(share * shares_ * owners), share};
    };
    in_line_ = {node_.lines(), share_of(kDeliveredLineBytes, shares_)};
    if (largest == Bytes(0)) return;
    in_small_room_ = in_room(share_of(kSmallRoom * b.rank_count(), owners * shares_));
    if (largest > in_small_room_.share) in_large_room_ = in_room(whole_lines(largest));
  }

  bool is_one_for_all() const { return one_for_all_; }
  bool fits(Bytes size) const {
    return size <= std::max({in_line_.share, in_small_room_.share, in_large_room_.share});
  }
  // Where one rank leaves what it has for another.
  Range cell(int from, int to, Bytes size) const {
    const int share = one_for_all_ ? 0 : to < from ? to : to - 1;
    if (size <= in_line_.share) return in_line_.all.part(kLineStride * from + in_line_.share * share, size);
    const Cells& cells = size <= in_small_room_.share ? in_small_room_ : in_large_room_;
    return cells.all.part(cells.share * ((one_leaves_ ? 0 : from * shares_) + share), size);
  }
  Range lines() const { return node_.lines(); }
  TaskId deliver(Builder& b) const {
    const TaskId step = node_.deliver();
    for (const Cells* cells : {&in_small_room_, &in_large_room_}) b.cover(step, cells->all);
    return step;
  }

 private:
  static constexpr Bytes kWord{8};
  struct Cells {
    Range all;
    Bytes share;  // of a pair
  };

  bool one_for_all_, one_leaves_;
  int shares_;  // of each rank that leaves something
  NodeMemory node_;
  Cells in_line_, in_small_room_, in_large_room_;
};

// One direction of this rank's letters, by the way that they go.
class Sorted {
 public:
  Sorted(const Builder& b, const PairCells& cells, const std::vector<Letter>& letters)
      : by_pair_(static_cast<std::size_t>(b.rank_count())) {
    for (const Letter& letter : letters) {
      Bytes& all = of(letter.peer).all;
      all = cells.is_one_for_all() ? letter.block.size : all + letter.block.size;
    }
    for (const Letter& letter : letters) {
      const bool is_own = letter.peer == b.self();
      (is_own || !cells.fits(of(letter.peer).all) ? by_message : by_cell).push_back(letter);
    }
  }

  // Where in the cell of its pair the next letter to or from this peer lies.
  Range place(const PairCells& cells, const Letter& letter, int from, int to) {
    Pair& pair = of(letter.peer);
    const Bytes at = cells.is_one_for_all() ? Bytes(0) : pair.placed;
    pair.placed += letter.block.size;
    return cells.cell(from, to, pair.all).part(at, letter.block.size);
  }

  std::vector<Letter> by_cell, by_message;  // those to oneself are among the latter

 private:
  struct Pair {
    Bytes all, placed;
  };
  Pair& of(int peer) { return by_pair_[static_cast<std::size_t>(peer)]; }

  std::vector<Pair> by_pair_;
};

// The blocks that two ranks copy from buffer to buffer: those to the other one, and those from it.
class LongBlocks {
 public:
  // Takes blocks of at least `from` bytes out of the letters, of each direction as many as a rank can expose.
  LongBlocks(const Builder& b, Bytes from, std::vector<Letter>& outgoing, std::vector<Letter>& incoming) {
    if (b.rank_count() != 2 || from == Bytes(0)) return;
    outgoing_ = taken_out_of(outgoing, b.self(), from);
    incoming_ = taken_out_of(incoming, b.self(), from);
  }
  bool exist() const { return !outgoing_.empty() || !incoming_.empty(); }

  void expose(Builder& b) {
    group_ = b.group_of(b.members());
    for (int owner = 0; owner < 2; ++owner)
      for (const Letter& letter : owner == b.self() ? outgoing_ : incoming_)
        exposed_.push_back(b.exposed(group_, owner, letter.block.size, letter.block));
  }
  void cover(Builder& b, TaskId step) const {
    for (const Range& range : exposed_) b.cover(step, range);
  }
  // Nobody goes on before the other one has its blocks.
  void take(Builder& b, Range lines) const {
    const std::size_t first = b.self() == 0 ? outgoing_.size() : 0;
    for (std::size_t i = 0; i < incoming_.size(); ++i) b.copy(exposed_[first + i], incoming_[i].block);
    cover(b, b.exchange(lines, group_));
  }

 private:
  static std::vector<Letter> taken_out_of(std::vector<Letter>& letters, int self, Bytes from) {
    std::vector<Letter> taken, left;
    for (const Letter& letter : letters) {
      const bool is_long = letter.peer != self && letter.block.size >= from && taken.size() < kMostExposed;
      (is_long ? taken : left).push_back(letter);
    }
    letters = std::move(left);
    return taken;
  }

  std::vector<Letter> outgoing_, incoming_;
  GroupId group_;
  std::vector<Range> exposed_;  // those of rank 0, then those of rank 1
};

void build_delivery(Builder& b, const Parameters& parameters) {
  if (b.rank_count() == 1) return alltoallv::linear.build(b, parameters);  // there is nobody to share with
  const PairCells cells(b, parameters.fragment);
  Sorted outgoing(b, cells, letters_in(b.parcels().outgoing, b.contribution()));
  Sorted incoming(b, cells, letters_in(b.parcels().incoming, b.output()));
  for (const Letter& letter : outgoing.by_cell) {
    b.copy(letter.block, outgoing.place(cells, letter, b.self(), letter.peer));
    if (cells.is_one_for_all()) break;
  }
  if (overwrites_outgoing(b)) copy_away(b, outgoing.by_message);
  LongBlocks long_blocks(b, parameters.single_copy_from, outgoing.by_message, incoming.by_message);
  if (long_blocks.exist()) long_blocks.expose(b);
  long_blocks.cover(b, cells.deliver(b));
  for (const Letter& letter : incoming.by_cell)
    b.copy(incoming.place(cells, letter, letter.peer, b.self()), letter.block);
  if (long_blocks.exist()) long_blocks.take(b, cells.lines());
  exchange_letters(b, outgoing.by_message, incoming.by_message, parameters.window);
}

// An upper bound: as if every pair sent messages.
Cost delivery_cost(const Call& call, const Parameters& parameters) {
  return alltoallv::linear.cost(call, parameters);
}

constexpr Algorithm delivery_card(Collective collective) {
  return {
      .collective = collective,
      .name = "delivery",
      .summary = "within a node: everybody takes its blocks from where those left them who bring some",
      .formula = "l + 2 n m c, and as linear for pairs with more than f",
      .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
      .has_window = true,
      .within_node = true,
      .may_send = true,
      .has_fragments = true,
      .build = build_delivery,
      .cost = delivery_cost,
  };
}

}  // namespace

constinit const Algorithm allgatherv::delivery = delivery_card(Collective::kAllgatherv);
constinit const Algorithm gatherv::delivery = delivery_card(Collective::kGatherv);
constinit const Algorithm scatterv::delivery = delivery_card(Collective::kScatterv);
constinit const Algorithm alltoallv::delivery = delivery_card(Collective::kAlltoallv);
constinit const Algorithm alltoallw::delivery = delivery_card(Collective::kAlltoallw);
constinit const Algorithm neighbor_allgather::delivery = delivery_card(Collective::kNeighborAllgather);
constinit const Algorithm neighbor_allgatherv::delivery = delivery_card(Collective::kNeighborAllgatherv);
constinit const Algorithm neighbor_alltoall::delivery = delivery_card(Collective::kNeighborAlltoall);
constinit const Algorithm neighbor_alltoallv::delivery = delivery_card(Collective::kNeighborAlltoallv);
constinit const Algorithm neighbor_alltoallw::delivery = delivery_card(Collective::kNeighborAlltoallw);

}  // namespace weft
