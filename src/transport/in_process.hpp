// SPDX-License-Identifier: BSD-3-Clause
// In-process transport: the ranks are threads of one process, or take turns in one thread. For tests: it
// needs no launcher, and it can disturb, so that schedules meet orders of events that are rare in life.
//
//   Network     what all ranks share: a mailbox per rank, the groups' memory
//   InProcess   one rank's end of it
//
// A message is matched in its receiver's mailbox by (channel, source, ordinal). A send copies its bytes and
// is done at once, or leaves them in place until they are fetched (rendezvous): a seeded choice. A delivery
// happens when its time has come, at a poll of the receiver; until then neither buffer has been touched.
//
// Threads: an InProcess and its Pendings belong to one thread at a time; the Network is shared by all. A
// channel names one operation: no two that are in flight on any ranks may share one.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

namespace weft {

struct Disturbance {
  std::uint64_t seed = 0;
  int rendezvous_percent = 0;  // of the sends
  int longest_delay = 0;       // of a delivery, in polls of the receiver; each draws its own
};

class Network {
 public:
  explicit Network(int rank_count, Disturbance disturbance = {});

  int rank_count() const { return static_cast<int>(mailboxes_.size()); }
  const Disturbance& disturbance() const { return disturbance_; }

  // How much has happened so far. If it does not grow for longest_delay + 1 polls of every rank, nothing will
  // ever happen again.
  std::uint64_t events() const { return events_.load(std::memory_order_relaxed); }

  // Why operations failed or do not end: the first failure, and who waits for whom. "" if all is well.
  std::string trouble() const;

 private:
  friend class InProcess;

  // Completions of one operation; other ranks' threads add to it.
  struct Outbox {
    std::mutex mutex;
    std::vector<TaskId> completed;
    bool failed = false;
  };
  struct Address {
    Channel channel;
    std::int32_t source;
    std::uint32_t ordinal;
    auto operator<=>(const Address&) const = default;
  };
  struct Message {
    const std::byte* from;              // the sender's buffer, or `copy`
    std::unique_ptr<std::byte[]> copy;  // null: rendezvous
    Bytes size;
    Outbox* sender;  // null: it has been told already
    TaskId task;
  };
  struct Opening {
    std::byte* into;
    Bytes size;
    Outbox* receiver;  // null: it will be told by the caller
    TaskId task;
  };
  struct Delivery {
    Message message;
    Opening opening;
    int polls_left;
  };
  struct Mailbox {
    explicit Mailbox(std::uint64_t seed) : random(seed) {}
    mutable std::mutex mutex;
    Random random;
    std::map<Address, Message> messages;
    std::map<Address, Opening> openings;
    std::vector<Delivery> deliveries;
  };

  struct GroupKey {
    Channel channel;
    std::vector<Rank> members;
    std::size_t occurrence;  // among groups of the same members in one schedule
    auto operator<=>(const GroupKey&) const = default;
  };
  struct Waiter {
    Outbox* outbox;
    TaskId task;
    std::vector<Rank> missing;  // whom it waits for; of a fan_out that the last arriver opens: nobody
  };
  // One node-level task of a group, as far as its members have come.
  struct Meeting {
    int started = 0;
    bool last_opened = false;  // a fan_out that the last arriver opens
    std::vector<Rank> came;
    std::vector<Waiter> waiters;
  };

  using ExposedKey = std::pair<GroupKey, std::size_t>;  // the group's n-th exposed buffer

  static void tell(Outbox* outbox, TaskId task, bool failed);
  static GroupKey key_of(Channel channel, const Schedule& schedule, std::uint32_t group);
  bool deliver(const Message& message, const Opening& opening);

  Disturbance disturbance_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  // per rank
  std::atomic<std::uint64_t> events_{0};

  mutable std::mutex node_mutex_;
  std::map<GroupKey, std::vector<std::unique_ptr<std::byte[]>>> memory_;  // per shared buffer of the group
  std::map<std::pair<GroupKey, std::size_t>, Meeting> meetings_;
  std::map<ExposedKey, std::byte*> exposed_;
  std::string failure_;  // the first
};

class InProcess {
 public:
  class Pending {
   public:
    explicit Pending(const Schedule& schedule) : outbox_(std::make_unique<Network::Outbox>()) {
      outbox_->completed.reserve(schedule.tasks.size());
    }
    void restart() {}

   private:
    friend class InProcess;
    std::unique_ptr<Network::Outbox> outbox_;
  };

  InProcess(Network& network, Rank self) : network_(&network), self_(self) {}

  // Says who is in the groups of a schedule, before its operation starts. Returns the addresses of its shared
  // buffers, the same for all members, for Binding::shared.
  std::vector<std::byte*> attach(Channel channel, const Schedule& schedule);

  Progress send(Pending& pending, TaskId task, Channel channel, const Task& what, const void* from);
  Progress recv(Pending& pending, TaskId task, Channel channel, const Task& what, void* into);
  Progress node_level(Pending& pending, TaskId task, Channel channel, const Task& what);
  int poll(Pending& pending, std::span<TaskId> done);
  void expose(Pending& pending, Channel channel, BufferId buffer, std::byte* address);
  bool pull(Pending& pending, Channel channel, Range from, std::byte* into);
  bool push(Pending& pending, Channel channel, const std::byte* from, Range into);

 private:
  Progress step(Pending& pending, Network::Meeting& meeting, TaskId task, const Schedule& schedule);
  Progress step_by_last(Pending& pending, Network::Meeting& meeting, TaskId task, const Task& what, bool all);
  Network::ExposedKey exposed_key(Channel channel, BufferId buffer) const;
  std::byte* exposed_address(Channel channel, Range range) const;

  Network* network_;
  Rank self_;
  std::map<Channel, const Schedule*> attached_;
};

static_assert(NodeTransport<InProcess>);

}  // namespace weft
