// SPDX-License-Identifier: BSD-3-Clause
// Collectives with parcels within a node: everybody leaves what it has for others in its cells, says that it
// has, and takes what is for it as soon as those have come who bring something.
//
//   rank 1's line         | for 0 | for 2 | …  # |        what is short lies in the line, beside its arrival
//   rank 1's small room   | for 0   | for 2   | …
//   its middle room       | for 0       | for 2       | …
//   its large room        | for 0                | for 2                | …
//
// Both ends of a pair know how much goes from one to the other, and nobody else does. So every pair chooses
// for itself: its share of the line if all that goes from one to the other fits there, of one of the rooms,
// or turns. Where a rank has one block for all it needs no shares; where one rank alone has blocks, the rooms
// are shared by those that it has for the others.
//
// In turns: both halves of the share in the large room hold a fragment, and in each round the next one is
// left where the last but one has been taken.
//
//   round       0                 1                       2
//   leave       0 -> left half    1 -> right half         2 -> left half
//   take                          0                       1
//   step        deliver           deliver: 0 is taken     deliver: 1 is taken
//
// Everybody has as many rounds as its longest pair needs, and waits in each for those who still exchange
// something with it. What would need very many rounds goes by messages, and where the kernel copies faster
// whatever exceeds a share does; if there are only two ranks, both know everything, so that they may copy
// long blocks from buffer to buffer instead.
#include <algorithm>
#include <cassert>

#include "algorithm/catalog.hpp"
#include "algorithm/pattern/node_memory.hpp"
#include "algorithm/pattern/window.hpp"

namespace weft {

namespace {

// The room of all, in shares: of each rank that leaves something, or of the one that does.
struct Shares {
  explicit Shares(const Call& call)
      : owners(scatters(call.collective) ? 1 : call.rank_count), each(shares_of_rank(call)) {}

  std::int64_t owners, each;
};

// Through a pair's share of the line, of the small room, of the middle, of the large one; where there is no
// such room, its limit is that of the one before. From buffer to buffer only between two ranks (see
// LongBlocks).
Ways ways_of(const Call& call, const Parameters& parameters) {
  constexpr Bytes kWord{8};
  const Shares shares(call);
  const bool has_turns = parameters.pair_fragment > Bytes(0);
  const Bytes line = kDeliveredLineBytes / shares.each / kWord * kWord;
  const Bytes reached_from = is_pair(call) ? parameters.single_copy_from : Bytes(0);
  if (parameters.fragment == Bytes(0) && !has_turns)
    return {.at_once = {line, line, line, line}, .reached_from = reached_from};
  const auto share_of = [&](Bytes room) {
    return room * call.rank_count / (shares.owners * shares.each) / kWord * kWord;
  };
  const Bytes small = share_of(kSmallRoom), middle = share_of(kMiddleRoom);
  Bytes large = parameters.fragment > middle ? whole_lines(parameters.fragment) : middle;
  if (has_turns) large = whole_lines(large);
  return {.at_once = {line, small, middle, large},
          .fragment = parameters.pair_fragment,
          .reached_from = reached_from};
}

// Whether shorter blocks than these may go the same way, where everybody knows these.
bool go_alike(const Call& call, const Parameters& parameters) {
  const Bytes longest = call.bytes / call.rank_count;
  const Ways ways = ways_of(call, parameters);
  return ways.fits(longest) || ways.is_reached(longest);
}

// Where it lies meanwhile.
class PairCells {
 public:
  PairCells(Builder& b, const Parameters& parameters)
      : ways_(ways_of(b.call(), parameters)),
        one_for_all_(has_one_for_all(b.call().collective)),
        shares_(b.call()),
        node_(b, Bytes(0)) {
    const auto in_room = [&](Bytes share) {
      const Bytes left = share * shares_.each, of_owner = shares_.owners == 1 ? left : cell_stride(left);
      return Cells{node_.another_room(of_owner * shares_.owners), of_owner, share};
    };
    const auto [line, small, middle, large] = ways_.at_once;
    in_line_ = {node_.lines(), kLineStride, line};
    if (small > line) in_small_room_ = in_room(small);
    if (middle > small) in_middle_room_ = in_room(middle);
    if (large > middle || ways_.fragment > Bytes(0))
      in_large_room_ = in_room(std::max(large, ways_.fragment * 2));
  }

  const Ways& ways() const { return ways_; }
  bool is_one_for_all() const { return one_for_all_; }
  // Where one rank leaves what it has for another.
  Range cell(int from, int to, Bytes size) const {
    if (size <= in_line_.share) return in_line_.of(from, share_of_pair(from, to), Bytes(0), size);
    const Cells& cells = size <= in_small_room_.share    ? in_small_room_
                         : size <= in_middle_room_.share ? in_middle_room_
                                                         : in_large_room_;
    return cells.of(owner(from), share_of_pair(from, to), Bytes(0), size);
  }
  // What of a fragment, which one rank leaves for another, lies in its half from `at` on.
  Range cell_in_turn(int from, int to, int turn, Bytes at, Bytes size) const {
    return in_large_room_.of(owner(from), share_of_pair(from, to), ways_.fragment * (turn % 2) + at, size);
  }
  Range lines() const { return node_.lines(); }
  TaskId deliver(Builder& b, int round) const {
    const Bytes moved = round == 0 ? Bytes(0) : std::max(ways_.fragment * round, ways_.at_once.back());
    const TaskId step = node_.deliver(moved);
    for (const Cells* cells : {&in_small_room_, &in_middle_room_, &in_large_room_}) b.cover(step, cells->all);
    return step;
  }

 private:
  struct Cells {
    Range all;
    Bytes of_owner, share;  // from owner to owner; of a pair

    Range of(int owner, int number, Bytes at, Bytes size) const {
      return all.part(of_owner * owner + share * number + at, size);
    }
  };
  int share_of_pair(int from, int to) const { return one_for_all_ ? 0 : to < from ? to : to - 1; }
  int owner(int from) const { return shares_.owners == 1 ? 0 : from; }

  Ways ways_;
  bool one_for_all_;
  Shares shares_;
  NodeMemory node_;
  Cells in_line_, in_small_room_, in_middle_room_, in_large_room_;
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
      const Bytes all = of(letter.peer).all;
      const int its_turns = is_own ? 0 : cells.ways().turns(all);
      turns_ = std::max(turns_, its_turns);
      (its_turns > 0 ? in_turns : is_own || !cells.ways().fits(all) ? by_message : by_cell).push_back(letter);
    }
  }
  int turns() const { return turns_; }

  // Where in the cell of its pair the next letter to or from this peer lies.
  Range place(const PairCells& cells, const Letter& letter, int from, int to) {
    Pair& pair = of(letter.peer);
    const Bytes at = cells.is_one_for_all() ? Bytes(0) : pair.placed;
    pair.placed += letter.block.size;
    return cells.cell(from, to, pair.all).part(at, letter.block.size);
  }

  // Calls visit(letter, piece, at) for the pieces of letters that belong to this fragment of their pairs, and
  // lie there from `at` on.
  template <class Visit>
  void for_pieces(const PairCells& cells, int turn, Visit visit) {
    const Bytes begin = cells.ways().fragment * turn, end = begin + cells.ways().fragment;
    for (const Letter& letter : in_turns) of(letter.peer).placed = Bytes(0);
    for (const Letter& letter : in_turns) {
      Pair& pair = of(letter.peer);
      const Bytes from = cells.is_one_for_all() ? Bytes(0) : pair.placed, to = from + letter.block.size;
      pair.placed = to;
      const Bytes first = std::max(from, begin), last = std::min(to, end);
      if (first < last) visit(letter, letter.block.part(first - from, last - first), first - begin);
    }
  }

  std::vector<Letter> by_cell, in_turns, by_message;  // those to oneself are among the last

 private:
  struct Pair {
    Bytes all, placed;
  };
  Pair& of(int peer) { return by_pair_[static_cast<std::size_t>(peer)]; }

  std::vector<Pair> by_pair_;
  int turns_ = 0;
};

void leave_fragment(Builder& b, const PairCells& cells, Sorted& outgoing, int turn) {
  bool is_left = false;
  outgoing.for_pieces(cells, turn, [&](const Letter& letter, Range piece, Bytes at) {
    if (!is_left || !cells.is_one_for_all())
      b.copy(piece, cells.cell_in_turn(b.self(), letter.peer, turn, at, piece.size));
    is_left = true;
  });
}
void take_fragment(Builder& b, const PairCells& cells, Sorted& incoming, int turn) {
  incoming.for_pieces(cells, turn, [&](const Letter& letter, Range piece, Bytes at) {
    b.copy(cells.cell_in_turn(letter.peer, b.self(), turn, at, piece.size), piece);
  });
}

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
  const PairCells cells(b, parameters);
  Sorted outgoing(b, cells, letters_in(b.parcels().outgoing, b.contribution()));
  Sorted incoming(b, cells, letters_in(b.parcels().incoming, b.output()));
  for (const Letter& letter : outgoing.by_cell) {
    b.copy(letter.block, outgoing.place(cells, letter, b.self(), letter.peer));
    if (cells.is_one_for_all()) break;
  }
  if (overwrites_outgoing(b)) {
    copy_away(b, outgoing.in_turns);
    copy_away(b, outgoing.by_message);
  }
  leave_fragment(b, cells, outgoing, 0);
  LongBlocks long_blocks(b, parameters.single_copy_from, outgoing.by_message, incoming.by_message);
  if (long_blocks.exist()) long_blocks.expose(b);
  long_blocks.cover(b, cells.deliver(b, 0));
  for (const Letter& letter : incoming.by_cell)
    b.copy(incoming.place(cells, letter, letter.peer, b.self()), letter.block);
  const int rounds = std::max(outgoing.turns(), incoming.turns());
  assert(rounds <= kMostTurns);
  for (int round = 1; round < rounds; ++round) {
    leave_fragment(b, cells, outgoing, round);
    take_fragment(b, cells, incoming, round - 1);
    cells.deliver(b, round);
  }
  if (rounds > 0) take_fragment(b, cells, incoming, rounds - 1);
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
      .formula = "l + 2 n m c; (m/f) l, or as linear, for pairs with more than f",
      .source = "MPICH release_gather and Open MPI xhc: values in the lines of their flags",
      .has_window = true,
      .within_node = true,
      .may_send = true,
      .has_fragments = true,
      .scales = knows_all_blocks(collective) ? go_alike : never,
      .ways = ways_of,
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
