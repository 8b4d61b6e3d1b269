// SPDX-License-Identifier: BSD-3-Clause
// Adapter: the software adapter. It executes the task lists of all ranks of a call in one thread, in one of
// the orders that their rules allow: a seed draws who starts when, which message comes next, and who notices.
//
// What an adapter of hardware cannot do it refuses as well, where it is asked to have the same limits.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "device/list_operation.hpp"

namespace weft::device {

// ConnectX-2 calculates on scalars; work queues have the length that they were made with.
struct AdapterLimits {
  bool scalar_operands = false;
  std::uint32_t longest_list = std::numeric_limits<std::uint32_t>::max();   // in tasks
  std::uint32_t deepest_queue = std::numeric_limits<std::uint32_t>::max();  // in tasks of one list
};

// "" or the first limit that a list exceeds, with rank and task.
std::string beyond(const AdapterLimits& limits, const TaskList& list);

// What carries the messages: nothing moves until both ends are there and their turn comes. A write is there
// when its turn comes, or, at the latest, when that of a later message to the same rank does.
class Fabric {
 public:
  struct Pending {
    explicit Pending(const Schedule& schedule) { completed.reserve(message_count(schedule)); }
    void restart() { completed.clear(); }
    std::vector<TaskId> completed;
    bool failed = false;
  };

  // Messages and writes.
  std::size_t deliverable() const { return deliverable_.size() + writes_.size(); }
  void deliver(std::size_t which);

 private:
  friend class FabricEnd;
  using Address = std::tuple<Channel, int, int, std::uint32_t>;  // operation, from, to, ordinal
  using Link = std::tuple<Channel, int, int>;                    // operation, from, to
  struct Half {
    Pending* pending;
    TaskId task;
    std::byte* bytes;  // of a send or write: only read
    Bytes size;
    std::uint64_t number = 0;  // of a send or write: it stays behind earlier writes to the same rank
  };
  struct Message {
    Half send, recv;
    Link link;
  };
  struct Write {
    Half source;
    std::byte* into;
    Link link;
  };
  struct Window {
    std::byte* memory;
    Bytes size;
    Pending* owner;
  };
  Progress meet(const Address& address, Half half, bool is_send);
  void place(const Write& write);

  std::map<Address, Half> sends_, recvs_;  // whose other end is not there
  std::vector<Message> deliverable_;
  std::vector<Write> writes_;  // that are not there yet
  std::map<std::pair<Channel, int>, Window> windows_;
  std::uint64_t begun_ = 0;
};

// One rank's end of it.
class FabricEnd {
 public:
  using Pending = Fabric::Pending;

  FabricEnd(Fabric& fabric, Rank self) : fabric_(&fabric), self_(self) {}
  Progress send(Pending& pending, TaskId task, Channel channel, const Task& what, const void* from);
  Progress recv(Pending& pending, TaskId task, Channel channel, const Task& what, void* into);
  int poll(Pending& pending, std::span<TaskId> done);
  void open(Pending& pending, Channel channel, std::byte* memory, Bytes size);
  void close(Pending& pending);
  Progress write(Pending& pending, TaskId task, Channel channel, const Task& what, const void* from);

 private:
  Fabric* fabric_;
  Rank self_;
};
static_assert(WindowTransport<FabricEnd>);

class Adapter {
 public:
  // lists[r] is rank r's; they outlive the adapter. Fails where one is beyond the limits.
  static Result<std::unique_ptr<Adapter>> make(std::span<const TaskList> lists,
                                               const AdapterLimits& limits = {});

  // bindings[r] is rank r's. "" or what went wrong: a failure, or who is stuck in which list.
  std::string run(std::span<const Binding> bindings, std::uint64_t seed);

 private:
  explicit Adapter(std::span<const TaskList> lists);
  std::string stuck() const;

  Fabric fabric_;
  std::vector<FabricEnd> ends_;
  std::vector<std::unique_ptr<ListOperation<FabricEnd>>> operations_;
};

}  // namespace weft::device
