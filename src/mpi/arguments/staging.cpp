// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/staging.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "mpi/arguments/accelerator.hpp"
#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/mirror.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/host.hpp"
#include "observe/times.hpp"
#include "transport/counted_bytes.hpp"

namespace weft::mpi {
namespace {

// Elements of one datatype in the caller's memory, that are packed or unpacked. The errors of packing must
// not reach a handler of the program, hence the communicator.
class TypedElements {
 public:
  TypedElements(std::byte* address, MPI_Datatype type, bool in_accelerator = false)
      : address_(address), type_(type), in_accelerator_(in_accelerator) {
    const TypeFacts& facts = facts_in_use(type);
    extent_ = facts.extent;
    size_ = facts.size;
    lower_ = facts.lower;
    packs_to_itself_ = facts.packs_to_itself && address != nullptr;
    if (address == nullptr) code_ = leave_bottom();
    else layout_ = facts.layout;
  }
  ~TypedElements() {
    if (shifted_ != MPI_DATATYPE_NULL) host::free_type(&shifted_);
  }
  TypedElements(const TypedElements&) = delete;

  int code() const { return code_; }
  std::int64_t size() const { return size_; }

  // `at`, `count`: elements. MPI_Pack counts by ints: no more than fit.
  int pack(MPI_Count at, int count, std::byte* into) {
    if (!in_accelerator_) return pack_here(address_, at, count, into);
    std::byte* const there = address_ + at * extent_;
    if (packs_to_itself_)
      return copy_by_driver(there + lower_, {{{there + lower_, into, Bytes(count * size_)}}});
    const std::vector<std::byte> anything(static_cast<std::size_t>(count * size_));
    Mirror mirror(there, type_, count, extent_);
    int code = mirror.take([&](std::byte* image) { return unpack_here(anything.data(), image, 0, count); });
    if (code == MPI_SUCCESS) code = mirror.fetch();
    return code == MPI_SUCCESS ? pack_here(mirror.address(), 0, count, into) : code;
  }
  int unpack(const std::byte* from, MPI_Count at, int count) {
    if (!in_accelerator_) return unpack_here(from, address_, at, count);
    std::byte* const there = address_ + at * extent_;
    if (packs_to_itself_)
      return copy_by_driver(there + lower_, {{{from, there + lower_, Bytes(count * size_)}}});
    Mirror mirror(there, type_, count, extent_);
    const int code = mirror.take([&](std::byte* image) { return unpack_here(from, image, 0, count); });
    return code == MPI_SUCCESS ? mirror.store() : code;
  }

 private:
  int pack_here(std::byte* address, MPI_Count at, int count, std::byte* into) {
    if (layout_.is_known()) {
      mpi::pack(layout_, extent_, address + at * extent_, count, 0, count * size_, into);
      return MPI_SUCCESS;
    }
    if (is_beyond_packing()) return move_to_self(address + at * extent_, count, into, true);
    int position = 0;
    return PMPI_Pack(address + at * extent_, count, type_, into, static_cast<int>(count * size_), &position,
                     engine().transport_comm);
  }
  int unpack_here(const std::byte* from, std::byte* address, MPI_Count at, int count) {
    if (layout_.is_known()) {
      mpi::unpack(layout_, extent_, from, count, 0, count * size_, address + at * extent_);
      return MPI_SUCCESS;
    }
    if (is_beyond_packing())
      return move_to_self(address + at * extent_, count, const_cast<std::byte*>(from), false);
    int position = 0;
    return PMPI_Unpack(from, static_cast<int>(count * size_), &position, address + at * extent_, count, type_,
                       engine().transport_comm);
  }

  // MPICH's MPI_Pack refuses a null address, which MPI_BOTTOM is: shift the type instead.
  int leave_bottom() {
    constexpr MPI_Aint kShift = 4096;
    const int one = 1;
    const MPI_Aint back = -kShift;
    MPI_Datatype moved = MPI_DATATYPE_NULL;
    int code = PMPI_Type_create_hindexed(1, &one, &back, type_, &moved);
    if (code == MPI_SUCCESS)
      code = PMPI_Type_create_resized(moved, 0, static_cast<MPI_Aint>(extent_), &shifted_);
    if (code == MPI_SUCCESS) code = PMPI_Type_commit(&shifted_);
    if (moved != MPI_DATATYPE_NULL) host::free_type(&moved);
    type_ = shifted_;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM's addresses are numbers
    address_ = reinterpret_cast<std::byte*>(kShift);
    return code;
  }

  bool is_beyond_packing() const { return size_ > std::numeric_limits<int>::max(); }

  // An element that is larger than an int counts is packed by a message to this rank, whose other end takes
  // what comes as packed. No schedule sends to its own rank, so that nothing else meets it.
  int move_to_self(std::byte* elements, int count, std::byte* packed_form, bool packs) {
    const MPI_Comm comm = engine().transport_comm;
    const int self = engine().world_rank;
    const CountedBytes packed(Bytes(size_ * count), MPI_PACKED);
    if (packs)
      return PMPI_Sendrecv(elements, count, type_, self, 0, packed_form, packed.count(), packed.type(), self,
                           0, comm, MPI_STATUS_IGNORE);
    return PMPI_Sendrecv(packed_form, packed.count(), packed.type(), self, 0, elements, count, type_, self, 0,
                         comm, MPI_STATUS_IGNORE);
  }

  std::byte* address_;
  MPI_Datatype type_;
  bool in_accelerator_, packs_to_itself_ = false;
  MPI_Datatype shifted_ = MPI_DATATYPE_NULL;
  MPI_Count extent_ = 0, size_ = 0, lower_ = 0;
  Layout layout_;
  int code_ = MPI_SUCCESS;
};

// Goes through elements in steps, each of at most so many bytes when packed, or of one element.
template <class Step>
int in_steps(MPI_Count count, std::int64_t element_bytes, std::int64_t most_bytes, Step step) {
  const std::int64_t most = std::max<std::int64_t>(1, most_bytes / element_bytes);
  int code = MPI_SUCCESS;
  for (MPI_Count done = 0; done < count && code == MPI_SUCCESS; done += most)
    code = step(done, static_cast<int>(std::min<MPI_Count>(most, count - done)));
  return code;
}

constexpr std::int64_t kMostPacked = 1 << 30;
constexpr std::int64_t kMostSpread = 1 << 16;
// Memory that another core has just used is read as fast in runs of this length as in one go (measured).
constexpr Bytes kLongRun{1024};

// Elements that go from one memory into another with the same gaps between them, which stay as they are.
int move_spread(TypedElements& from, TypedElements& into, MPI_Count count, PlainMemory& piece) {
  piece.get(static_cast<std::size_t>(std::max<std::int64_t>(kMostSpread, from.size())));
  return in_steps(count, from.size(), kMostSpread, [&](MPI_Count at, int now) {
    const int code = from.pack(at, now, piece.data());
    return code != MPI_SUCCESS ? code : into.unpack(piece.data(), at, now);
  });
}

// The address that an element has to be said to be at, so that its first byte is at `data`.
std::byte* before_gap(std::byte* data, MPI_Datatype type) { return data - facts_in_use(type).lower; }

}  // namespace

void Staging::prepare(const Side& side, bool only_copies) {
  if (side.number != 0 && side.number == side_.number) return prepare_again(side.buffer);
  side_ = side;
  views_ = only_copies && !side.copied && !side.spread && see();
  if (!views_) copy_.get(static_cast<std::size_t>(side.size().value));
}

void Staging::prepare_again(void* buffer) {
  const auto moved = static_cast<std::byte*>(buffer) - static_cast<std::byte*>(side_.buffer);
  side_.buffer = buffer;
  side_.staged = true;
  if (views_)
    for (BlockView& block : seen_) block.address += moved;
  else copy_.get(static_cast<std::size_t>(side_.size().value));
}

bool Staging::see() {
  seen_.clear();
  view_.in_long_runs = true;
  for (const Block& block : side_.blocks) {
    if (block.size == Bytes(0)) continue;
    const TypeFacts& facts = facts_of(block.type);
    std::byte* const address = static_cast<std::byte*>(side_.buffer) + block.at;
    Layout layout = facts.layout;
    if (facts.packs_to_itself) layout = {.block = facts.size, .blocks = 1};
    if (!layout.is_known() || address == nullptr) return false;
    const Bytes run = facts.packs_to_itself ? block.size : Bytes(layout.block);
    if (run < kLongRun) view_.in_long_runs = false;
    seen_.push_back({address, block.count, facts.extent, block.offset, block.size, layout});
  }
  return true;
}

template <class Move>
void Staging::for_views(Bytes at, Bytes size, Move move) const {
  const auto behind = [](Bytes place, const BlockView& block) { return place < block.offset; };
  auto block = std::upper_bound(seen_.begin(), seen_.end(), at, behind) - 1;
  for (const Bytes end = at + size; at < end; ++block) {
    const Bytes now = std::min(block->offset + block->size, end) - at;
    move(*block, at - block->offset, now);
    at += now;
  }
}

void Staging::pack(const void* staging, Bytes at, Bytes size, std::byte* into) {
  static_cast<const Staging*>(staging)->for_views(
      at, size, [&](const BlockView& block, Bytes from, Bytes now) {
        mpi::pack(block.layout, block.extent, block.address, block.count, from.value, now.value, into);
        into += now.value;
      });
}
void Staging::unpack(const void* staging, Bytes at, Bytes size, const std::byte* from) {
  static_cast<const Staging*>(staging)->for_views(
      at, size, [&](const BlockView& block, Bytes into, Bytes now) {
        mpi::unpack(block.layout, block.extent, from, block.count, into.value, now.value, block.address);
        from += now.value;
      });
}

int Staging::move(BlockRange range, bool into_copy) {
  if (range.begin == range.end) return MPI_SUCCESS;
  const Timed timed(Activity::kCopies);
  int code = MPI_SUCCESS;
  for (std::size_t b = range.begin; b < range.end && code == MPI_SUCCESS; ++b)
    if (side_.blocks[b].size > Bytes(0)) code = move(side_.blocks[b], into_copy);
  return code;
}

int Staging::move(const Block& block, bool into_copy) {
  std::byte* copy = copy_.data() + block.offset.value;
  TypedElements users(static_cast<std::byte*>(side_.buffer) + block.at, block.type, side_.in_accelerator);
  if (users.code() != MPI_SUCCESS) return users.code();
  if (side_.spread) {
    TypedElements ours(before_gap(copy, block.type), block.type);
    return into_copy ? move_spread(users, ours, block.count, piece_)
                     : move_spread(ours, users, block.count, piece_);
  }
  return in_steps(block.count, users.size(), kMostPacked, [&](MPI_Count at, int now) {
    std::byte* packed = copy + at * users.size();
    return into_copy ? users.pack(at, now, packed) : users.unpack(packed, at, now);
  });
}

bool Staging::uses(MPI_Datatype type) const {
  return side_.staged && std::any_of(side_.blocks.begin(), side_.blocks.end(),
                                     [type](const Block& block) { return block.type == type; });
}

void Staging::give_back_memory() {
  copy_.give_back();
  piece_.give_back();
}

}  // namespace weft::mpi
