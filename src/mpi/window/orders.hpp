// SPDX-License-Identifier: BSD-3-Clause
// Orders: what a rank asks of a member's agent on another node, as it travels: a head, the runs of the
// target's memory that it is about, and the data for them, or nothing where they are to be read.
//
// What a frame is stands in its address: `ordinal` says which of these, `operation` a number that belongs to
// it. Writes, orders and the word that an epoch is closed are numbered in `part`, by sender and receiver: a
// carrier may bring a short one before a long one that was sent earlier (libfabric's FI_ORDER_SAS is about
// what is matched, not about what is complete), and they count in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <span>
#include <vector>

#include "base/plain_memory.hpp"
#include "base/types.hpp"
#include "executor/processor/kernels.hpp"
#include "mpi/window/byte_runs.hpp"

namespace weft::mpi::window {

enum class Saying : std::uint32_t {
  kOpened,  // so many exposure epochs are open, or were, for the receiver
  kClosed,  // so many access epochs of the sender are over
  kWrite,   // the payload belongs at this place, in bytes, of the receiver's part of the window
  kOrder,   // an order is the payload
  kAnswer,  // the payload answers the order with this number; `part` counts frames of the greatest length
};

enum class Does : std::uint32_t { kScatter, kGather, kUpdate, kFetch, kCompareAndSwap };

// Numbers of predefined operators and types, the same in all processes; none for what is not predefined.
std::optional<std::uint32_t> number_of_operator(MPI_Op op);
MPI_Op operator_numbered(std::uint32_t number);
std::optional<std::uint32_t> number_of_type(MPI_Datatype type);
MPI_Datatype type_numbered(std::uint32_t number);
std::uint32_t number_of_types();

struct OrderHead {
  Does does{};
  std::uint32_t op = 0, type = 0;  // numbers
  std::uint32_t element_bytes = 1;
  std::uint64_t answer = 0;  // the number for it; 0: nobody waits for one
  std::uint64_t runs = 0;
};

// One that has come, or is to go: everything is where its memory is.
class Order {
 public:
  explicit Order(const std::byte* at) : at_(at) {}
  const OrderHead& head() const { return *reinterpret_cast<const OrderHead*>(at_); }
  std::span<const ByteRun> runs() const {
    return {reinterpret_cast<const ByteRun*>(at_ + sizeof(OrderHead)), head().runs};
  }
  const std::byte* data() const { return at_ + sizeof(OrderHead) + runs().size_bytes(); }
  // How much of the target's memory it is about.
  std::int64_t bytes() const;
  // Whether a message of that length holds an order that can be carried out, whose runs lie in memory of that
  // size.
  bool is_sound(std::int64_t length, std::int64_t size_of_memory) const;

 private:
  const std::byte* at_;
};

// An order on its way, of those that one access is divided into.
struct Envelope {
  PlainMemory memory;
  Bytes size;
  std::int64_t from = 0, bytes = 0;  // which part of the access's data it is about
};
// As many as it takes, none longer than `longest`. `data`: for the runs, one after another; null: there are
// none. `behind`: bytes that follow them, in the only envelope.
std::vector<Envelope> envelopes_of(const OrderHead& head, std::span<const ByteRun> runs,
                                   const std::byte* data, Bytes longest,
                                   std::span<const std::byte> behind = {});

}  // namespace weft::mpi::window
