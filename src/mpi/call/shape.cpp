// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/shape.hpp"

#include <algorithm>
#include <limits>

#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/given.hpp"
#include "mpi/arguments/reduction.hpp"
#include "mpi/call/accelerated.hpp"
#include "mpi/call/partners.hpp"

namespace weft::mpi {
namespace {

using Refusal = std::optional<Reason>;

// A null address is MPI_BOTTOM too, which only a derived type can use.
bool is_valid_address(const void* address, MPI_Count count, const TypeFacts& facts) {
  return address != nullptr || count == 0 || facts.size == 0 || facts.kind == TypeKind::kDerived;
}

// What `count` elements take. More than any machine has is not tried, so that sums of sizes stay in range.
std::optional<Bytes> bytes_of(MPI_Count count, MPI_Count each) {
  constexpr MPI_Count kMost = MPI_Count{1} << 40;
  if (each > 0 && count > kMost / each) return std::nullopt;
  return Bytes(count * each);
}

void take_type(const TypeFacts& facts, TypeHandles& handles) {
  if (facts.kind != TypeKind::kDerived) return;
  handles.predefined = false;
  handles.stay_known = handles.stay_known && facts.is_kept;
}

// Adds one of the blocks that were given to the side.
Refusal add_block(Side& side, const Given& given, int which, TypeHandles& handles) {
  if (given.lacks_a_list()) return Reason::kArgument;
  const MPI_Count count = given.count_of(which);
  const MPI_Datatype type = given.type_of(which);
  // On MPICH some ranks of a w form may say MPI_DATATYPE_NULL where they have no elements.
  const bool is_nothing = given.types != nullptr && count == 0 && type == MPI_DATATYPE_NULL;
  if (is_nothing) {
    side.blocks.push_back({});
    return std::nullopt;
  }
  if (count < 0 || type == MPI_DATATYPE_NULL) return Reason::kArgument;
  const TypeFacts& facts = facts_of(type);
  if (!facts.usable) return Reason::kArgument;
  const std::optional<Bytes> size = bytes_of(count, facts.size);
  if (!size) return Reason::kTooLarge;
  Block block{.at = 0, .count = count, .type = type, .size = *size, .offset = {}};
  if (block.size > Bytes(0)) {
    block.at = given.place_of(which, facts);
    if (!is_valid_address(static_cast<const std::byte*>(given.buffer) + block.at, count, facts))
      return Reason::kArgument;
    side.staged = side.staged || !facts.packs_to_itself;
  }
  take_type(facts, handles);
  side.blocks.push_back(block);
  return std::nullopt;
}

// Says at which offset the schedule sees each block. Called when the side has all of them.
void lay_out(Side& side) {
  bool any = false;
  for (const Block& block : side.blocks) {
    if (block.size == Bytes(0)) continue;
    side.lowest = any ? std::min(side.lowest, block.at) : block.at;
    any = true;
  }
  Bytes end;
  for (Block& block : side.blocks) {
    if (side.staged) block.offset = end;
    else if (block.size > Bytes(0)) block.offset = Bytes(block.at - side.lowest);
    end += block.size;
  }
  if (side.staged) side.lowest = 0;
}

void clear(Side& side, const void* buffer, bool in_accelerator, bool is_apart) {
  side.buffer = const_cast<void*>(buffer);  // inputs are never written
  side.blocks.clear();
  side.in_accelerator = in_accelerator;
  side.staged = side.copied = in_accelerator || is_apart;
  side.spread = false;
  side.number = 0;
  side.lowest = 0;
  side.full_before = side.full_after = {};
}

// Whether the call is in place: MPI_IN_PLACE stands for one of its buffers, where the standard allows that.
Refusal find_in_place(const Arguments& a, bool is_root, bool& in_place) {
  const bool is_allowed = !is_neighborly(a.collective) && (!is_rooted(a.collective) || is_root);
  const void* may_be = scatters(a.collective) ? a.recvbuf : a.sendbuf;
  const void* may_not_be = scatters(a.collective) ? a.sendbuf : a.recvbuf;
  in_place = is_allowed && may_be == MPI_IN_PLACE;
  const bool gathers_elsewhere = is_rooted(a.collective) && !is_root;  // whose other buffer means nothing
  if (!is_allowed && may_be == MPI_IN_PLACE) return Reason::kArgument;
  if (!gathers_elsewhere && may_not_be == MPI_IN_PLACE) return Reason::kArgument;
  return std::nullopt;
}

// With MPI_IN_PLACE a rank's contribution lies where its result will; but for a scatter's root, which keeps
// its block where it is.
bool contributes_from_output(const Shape& shape) {
  return shape.key.in_place && !scatters(shape.key.call.collective);
}

void list_parcels(const Partners& partners, Shape& shape, int self) {
  auto& [outgoing, incoming] = shape.key.parcels;
  for (auto* list : {&outgoing, &incoming}) list->clear();
  for (auto* list : {&shape.sent_blocks, &shape.received_blocks}) list->clear();
  for (const Neighbor& to : partners.to) {
    const Block& block = outgoing_block(shape, self, outgoing.size());
    outgoing.push_back({Rank(to.rank), block.offset, block.size});
    shape.sent_blocks.push_back(partners.one_block_for_all ? 0 : to.block);
  }
  for (const Neighbor& from : partners.from) {
    const Block& block = shape.output.blocks[incoming.size()];
    incoming.push_back({Rank(from.rank), block.offset, block.size});
    shape.received_blocks.push_back(from.block);
  }
}

// Whether this rank sends to itself as many bytes as it expects from itself.
bool agrees_with_itself(const Partners& partners, const Shape& shape, int self) {
  if (shape.key.in_place) return true;
  std::size_t in = 0;
  for (std::size_t out = 0; out < partners.to.size(); ++out) {
    if (partners.to[out].rank != self) continue;
    while (in < partners.from.size() && partners.from[in].rank != self) ++in;
    const Block& block = shape.input.blocks[partners.one_block_for_all ? 0 : out];
    if (in == partners.from.size() || shape.output.blocks[in].size != block.size) return false;
    ++in;
  }
  return true;
}

Bytes bytes_of_call(const Shape& shape) {
  const Collective collective = shape.key.call.collective;
  const std::vector<Block>& some = shape.output.blocks.empty() ? shape.input.blocks : shape.output.blocks;
  if (!has_parcels(collective)) return some.empty() ? Bytes(0) : some.front().size;
  Bytes sum;
  if (knows_all_blocks(collective))
    for (const Block& block : shape.output.blocks) sum += block.size;
  return sum;
}

// Takes the block that this rank sends to itself out of the call: the host copies it (own_block.hpp).
[[gnu::cold]] Refusal take_own_block(const Arguments& a, const Block& sent, const Block& received,
                                     OwnBlock& own) {
  constexpr MPI_Count kMost = std::numeric_limits<int>::max();
  if (sent.count > kMost || received.count > kMost) return Reason::kArgument;
  const auto type_of = [](const Block& block) { return block.count > 0 ? block.type : MPI_BYTE; };
  own = {.from = static_cast<const std::byte*>(a.sendbuf) + sent.at,
         .sent = sent.count,
         .sendtype = type_of(sent),
         .into = static_cast<std::byte*>(a.recvbuf) + received.at,
         .received = received.count,
         .recvtype = type_of(received),
         .is_exchanged = moves_to_all(a.collective)};
  return std::nullopt;
}

// The rank says two lengths for its blocks. To the other ranks it sends the length that they expect, from the
// beginning of each block.
[[gnu::cold]] Refusal cut_blocks(Side& input, Bytes length) {
  if (length == Bytes(0)) return Reason::kArgument;
  Bytes end;
  input.staged = input.copied = true;
  input.lowest = 0;
  for (Block& block : input.blocks) {
    block.offset = end;
    end += length;
  }
  const Block& last = input.blocks.back();
  input.blocks.push_back({.type = last.type, .size = {}, .offset = std::max(end, last.offset + last.size)});
  input.full_before = input.all();
  return std::nullopt;
}

// The rank sends itself another length than it expects from itself. The rest of the call goes on as with
// MPI_IN_PLACE, or without that block.
[[gnu::cold]] Refusal leave_out_own_block(const Arguments& a, Communicator& communicator,
                                          const Partners& partners, Shape& shape) {
  if (is_neighborly(a.collective)) return Reason::kArgument;
  const auto self = static_cast<std::size_t>(communicator.rank);
  const bool is_exchanged = moves_to_all(a.collective);
  Block& sent = shape.input.blocks[scatters(a.collective) || is_exchanged ? self : 0];
  Block& received = shape.output.blocks[scatters(a.collective) ? 0 : self];
  OwnBlock own;
  if (const Refusal wrong = take_own_block(a, sent, received, own)) return wrong;
  Refusal wrong;
  if (a.collective == Collective::kAlltoall) {
    sent = received;  // where the host has copied it
    sent.at += static_cast<std::byte*>(a.recvbuf) - static_cast<const std::byte*>(a.sendbuf);
    wrong = cut_blocks(shape.input, received.size);
  } else if (is_exchanged) {
    sent.size = received.size = Bytes(0);
    lay_out(shape.input);
    lay_out(shape.output);
    list_parcels(partners, shape, communicator.rank);
  } else {
    Arguments rest = a;
    if (scatters(a.collective)) rest.recvbuf = MPI_IN_PLACE;
    else rest.sendbuf = MPI_IN_PLACE;
    wrong = take_shape(rest, communicator, shape);
  }
  if (!shape.is_apart) shape.own_block = own;
  return wrong;
}

Refusal take_blocks(const Arguments& a, Communicator& communicator, Shape& shape) {
  const int self = communicator.rank;
  if (is_neighborly(a.collective) && communicator.neighbors() == nullptr) return Reason::kArgument;
  if (const Refusal wrong = find_in_place(a, self == a.root, shape.key.in_place)) return wrong;
  const Partners& partners = partners_of(a, communicator, shape.key.in_place);
  const bool in_output = contributes_from_output(shape);
  const std::size_t outgoing = in_output ? 0 : partners.one_block_for_all ? 1 : partners.to.size();
  const Given to = sent(a), from = received(a);
  for (std::size_t i = 0; i < outgoing; ++i) {
    const int which = partners.one_block_for_all ? 0 : partners.to[i].block;
    if (const Refusal wrong = add_block(shape.input, to, which, shape.type_handles)) return wrong;
  }
  if (a.lists != nullptr) {
    shape.sent_entries = entries_of(partners.to, outgoing);
    shape.received_entries = entries_of(partners.from, partners.from.size());
  }
  for (const Neighbor& neighbor : partners.from)
    if (const Refusal wrong = add_block(shape.output, from, neighbor.block, shape.type_handles)) return wrong;
  lay_out(shape.input);
  lay_out(shape.output);
  shape.input.full_before = shape.input.all();
  shape.output.full_after = shape.output.all();
  const auto own = static_cast<std::size_t>(self);
  if (in_output)
    shape.output.full_before = moves_to_all(a.collective) ? shape.output.all() : BlockRange{own, own + 1};
  shape.key.call.bytes = bytes_of_call(shape);
  if (has_parcels(a.collective)) list_parcels(partners, shape, self);
  return agrees_with_itself(partners, shape, self) ? std::nullopt
                                                   : leave_out_own_block(a, communicator, partners, shape);
}

Refusal take_bcast(const Arguments& a, const Communicator& communicator, Shape& shape) {
  if (a.recvbuf == MPI_IN_PLACE) return Reason::kArgument;
  if (const Refusal wrong = add_block(shape.output, received(a), 0, shape.type_handles)) return wrong;
  lay_out(shape.output);
  shape.key.call.bytes = shape.output.blocks.front().size;
  const bool is_root = communicator.rank == a.root;
  (is_root ? shape.output.full_before : shape.output.full_after) = shape.output.all();
  return std::nullopt;
}

// What a reduction combines.
struct Vector {
  MPI_Count count = 0;  // elements that a rank contributes
  MPI_Count own = 0;    // elements that a rank gets
};

// How many elements a rank contributes and gets. The parts of a reduce_scatter become its parcels.
Refusal measure(const Arguments& a, const Communicator& communicator, const TypeFacts& facts, Vector& vector,
                Shape& shape) {
  const auto self = static_cast<std::size_t>(communicator.rank);
  if (a.collective != Collective::kReduceScatter) {
    const bool by_blocks = a.collective == Collective::kReduceScatterBlock;
    if (a.sendcount < 0) return Reason::kArgument;
    if (!bytes_of(a.sendcount, facts.extent)) return Reason::kTooLarge;
    vector = {by_blocks ? a.sendcount * communicator.size : a.sendcount, a.sendcount};
    return std::nullopt;
  }
  if (a.lists->recvcounts.are_missing()) return Reason::kArgument;
  Parcels& parcels = shape.key.parcels;
  shape.sent_blocks.clear();
  for (int rank = 0; rank < communicator.size; ++rank) {
    const MPI_Count count = a.lists->recvcounts[rank];
    if (count < 0) return Reason::kArgument;
    const std::optional<Bytes> size = bytes_of(count, facts.extent);
    if (!size) return Reason::kTooLarge;
    parcels.outgoing.push_back({Rank(rank), Bytes(vector.count * facts.extent), *size});
    shape.sent_blocks.push_back(rank);
    vector.count += count;
  }
  vector.own = a.lists->recvcounts[communicator.rank];
  parcels.incoming.push_back({Rank(communicator.rank), Bytes(0), parcels.outgoing[self].size});
  return std::nullopt;
}

// Operators take elements as they lie, so that gaps have to lie as the datatype says; but what is behind the
// caller's last element is not the caller's, and gaps of the result are not to be written.
void stage_gaps(Side& side, std::initializer_list<MPI_Count> counts, const Arguments& a, MPI_Count extent) {
  side.staged = side.spread = true;
  MPI_Count at = 0;
  for (const MPI_Count count : counts) {
    if (count > 0)
      side.blocks.push_back({.at = at, .count = count, .type = a.sendtype, .size = Bytes(count * extent)});
    at += count * extent;
  }
  lay_out(side);
}

Refusal take_reduction(const Arguments& a, const Communicator& communicator, Shape& shape) {
  if (a.sendtype == MPI_DATATYPE_NULL || a.op == MPI_OP_NULL) return Reason::kArgument;
  const TypeFacts& facts = facts_of(a.sendtype);
  if (!facts.usable) return Reason::kArgument;
  const bool predefined = is_predefined(a.op);
  const Applies applies = applies_to(a.op, facts);
  if (applies == Applies::kNever) return Reason::kOperator;
  if (facts.extent <= 0 || (facts.has_gaps && facts.overlaps)) return Reason::kDatatype;
  Vector vector;
  if (const Refusal wrong = measure(a, communicator, facts, vector, shape)) return wrong;

  const bool has_output = a.collective != Collective::kReduce || communicator.rank == a.root;
  const bool has_result = has_output && (a.collective != Collective::kExscan || communicator.rank > 0);
  // The same buffer twice is taken as MPI_IN_PLACE, as some programs write it.
  shape.key.in_place = has_output && (a.sendbuf == MPI_IN_PLACE || a.sendbuf == a.recvbuf);
  const bool in_place = shape.key.in_place;
  if (!has_output && a.sendbuf == MPI_IN_PLACE) return Reason::kArgument;
  if (!in_place && !is_valid_address(a.sendbuf, vector.count, facts)) return Reason::kArgument;
  if ((has_result || in_place) &&
      (a.recvbuf == MPI_IN_PLACE || !is_valid_address(a.recvbuf, vector.own, facts)))
    return Reason::kArgument;

  int commutes = 1;
  if (!predefined) PMPI_Op_commutative(a.op, &commutes);
  take_type(facts, shape.type_handles);
  Call& call = shape.key.call;
  call.commutative = commutes != 0;
  call.user_defined = !predefined || applies == Applies::kByHost;
  call.element_bytes = Bytes(facts.extent);
  const bool by_blocks = a.collective == Collective::kReduceScatterBlock;
  call.bytes = Bytes((by_blocks ? vector.own : vector.count) * facts.extent);
  shape.received_entries = shape.key.parcels.outgoing.size();
  if (!facts.has_gaps && !shape.input.copied && !shape.output.copied) return std::nullopt;

  if (!in_place) {
    stage_gaps(shape.input, {vector.count}, a, facts.extent);
    shape.input.full_before = shape.input.all();
  }
  stage_gaps(shape.output, {vector.own, in_place ? vector.count - vector.own : 0}, a, facts.extent);
  if (in_place) shape.output.full_before = shape.output.all();
  if (has_result) shape.output.full_after = {0, vector.own > 0 ? 1u : 0u};
  return std::nullopt;
}

}  // namespace

const Block& outgoing_block(const Shape& shape, int self, std::size_t parcel) {
  const bool is_one_for_all = shape.input.blocks.size() == 1;
  if (!contributes_from_output(shape)) return shape.input.blocks[is_one_for_all ? 0 : parcel];
  const auto own = static_cast<std::size_t>(self);
  return shape.output.blocks[moves_to_all(shape.key.call.collective) ? parcel : own];
}

std::optional<Reason> take_shape(const Arguments& a, Communicator& communicator, Shape& shape) {
  PlanKey& key = shape.key;
  key.call = {.collective = a.collective, .rank_count = communicator.size};
  key.in_place = false;
  shape.sent_entries = shape.received_entries = 0;
  key.parcels.outgoing.clear();
  key.parcels.incoming.clear();
  shape.type_handles = {};
  if (shape.own_block.in_use()) shape.own_block = {};
  if (is_rooted(a.collective)) {
    if (a.root < 0 || a.root >= communicator.size) return Reason::kArgument;
    key.call.root = Rank(a.root);
  }
  const auto [input_is_there, output_is_there] = sides_in_accelerator(a, communicator);
  clear(shape.input, a.sendbuf, input_is_there, shape.is_apart);
  clear(shape.output, a.recvbuf, output_is_there, shape.is_apart);
  if (a.collective == Collective::kBarrier) return std::nullopt;
  const Refusal wrong = a.collective == Collective::kBcast ? take_bcast(a, communicator, shape)
                        : is_reduction(a.collective)       ? take_reduction(a, communicator, shape)
                                                           : take_blocks(a, communicator, shape);
  if (shape.is_apart) shape.output.full_after = {};
  return wrong ? wrong : why_for_accelerators(communicator, key.call.bytes, a.lists != nullptr);
}

}  // namespace weft::mpi
