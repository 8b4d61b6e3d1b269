// SPDX-License-Identifier: BSD-3-Clause
// FarEnd: this rank's end of a window, for members on other nodes. Their writes and orders are carried out by
// whoever drives the wire, mostly the agent, while this rank computes: as by an adapter with remote direct
// memory access. Only what none of Weft's kernels can combine waits until the rank is inside MPI, as the
// host has to do it.
//
// Everything is called under the agent's lock.
#pragma once

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/plain_memory.hpp"
#include "mpi/window/orders.hpp"
#include "transport/transport.hpp"
#include "transport/wire/exposed.hpp"
#include "transport/wire/outbox.hpp"

namespace weft::mpi::window {

struct Window;
class FarTransfer;

class FarEnd final : public wire::Exposed {
 public:
  FarEnd(Window& window, std::uint64_t number);
  ~FarEnd();
  FarEnd(const FarEnd&) = delete;

  // So many epochs that this rank accesses the member has opened, at least.
  void has_opened(int rank, std::uint64_t count);
  // Sends a word to a member.
  void tell(int rank, Saying what, std::uint64_t count);
  Progress send(int rank, Saying what, std::uint64_t number, const std::byte* from, Bytes size,
                wire::Outbox& outbox);
  Bytes longest() const;
  bool reaches(int rank) const;

  // The number for an order whose answer goes there; `left` is less by each byte that has come.
  std::uint64_t expect_answer(std::byte* into, std::int64_t bytes, std::int64_t& left);
  void forget_answer(std::uint64_t number);

  // Those of this rank's updates of a member's memory that have to be sent one after the other, whoever sends
  // them, in the order of its calls (MPI-4.0, section 12.7.2).
  std::deque<FarTransfer*>& unsent(int rank) { return unsent_[static_cast<std::size_t>(rank)]; }

  // What has waited for the host. Inside MPI. All of it, or as much as waits for nobody else.
  void carry_out_what_waits(bool may_wait = true);
  bool has_any_waiting() const { return is_any_waiting_.load(std::memory_order_acquire); }

  std::byte* place(const wire::MessageAddress& address, Bytes size) override;
  void arrived(const wire::MessageAddress& address, Bytes size) override;
  bool needs(int process) const override;

 private:
  struct Answer {
    std::byte* into = nullptr;
    std::int64_t bytes = 0;
    std::int64_t* left = nullptr;
  };
  struct Sent {
    PlainMemory memory;
    wire::Outbox outbox{0};
    int under_way = 0;
  };
  struct Waiting {
    int rank;
    PlainMemory memory;
  };

  void take_in_order(int rank, const wire::MessageAddress& address, Bytes size, PlainMemory memory);
  void take(int rank, const wire::MessageAddress& address, Bytes size, PlainMemory memory);
  void take_order(int rank, PlainMemory memory);
  bool needs_host(const OrderHead& head) const;
  enum class By : std::uint8_t { kAgent, kHost, kHostAtOnce };
  bool carry_out(int rank, const Order& order, By by);  // whether it was, or never will be
  void update(const Order& order, bool by_host);
  std::byte* gather(const Order& order, PlainMemory& memory);
  void answer(int rank, const Order& order, PlainMemory memory);
  void forget_what_is_sent();

  // What is numbered, from and to one member.
  struct Early {
    wire::MessageAddress address;
    Bytes size;
    PlainMemory memory;
  };
  struct Stream {
    std::uint32_t sent = 0, taken = 0;
    std::map<std::uint32_t, Early> early;
    PlainMemory order;  // the one that is coming
  };
  Stream& stream(int rank) { return streams_[static_cast<std::size_t>(rank)]; }
  wire::MessageAddress numbered(int rank, Saying what, std::uint64_t operation);

  Window& window_;
  std::uint64_t number_;
  std::unordered_map<int, int> rank_of_process_;
  std::vector<Stream> streams_;  // by rank
  std::unordered_map<std::uint64_t, Answer> answers_;
  std::uint64_t last_answer_ = 0;
  std::vector<std::deque<FarTransfer*>> unsent_;  // by rank
  std::list<Sent> sent_;
  std::deque<Waiting> waiting_;
  std::atomic<bool> is_any_waiting_{false};
  std::int32_t dead_updater_ =
      0;  // as updated_by has it, the mate that held it for too long: nobody waits for it again
};

}  // namespace weft::mpi::window
