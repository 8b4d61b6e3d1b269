// SPDX-License-Identifier: BSD-3-Clause
// TaskList: one rank's part of a call as an adapter with CORE-Direct executes it: queues of sends, waits and
// calculations that run with no processor taking part.
//
//   barrier of 4, rank 0      QP 1     QP 2             Every peer has a pair of queues of its own (QP), so
//                             send     wait QP 1        that an arrival says whom it comes from.
//                                      send
//                                      wait QP 2
//
// A list holds no addresses: tasks name queues and buffers by their places. Operator and element type come
// with the start (Binding::combine). What is printed, proved (transform/raise.hpp) and run
// (device/list_operation.hpp) is this one object. docs/task_lists.md draws both forms.
//
// Invariants
//  1. Tasks of one queue begin in the order of the array. Only waits and what is disabled hold a queue up:
//     that something stands behind another does not mean that the other has ended.
//  2. Completions are counted in the order of posting: a wait for n means the first n.
//  3. A list begins when all tasks of the one before have begun, of waits: have passed. Counts go on.
//  4. calc computes target = source (+) target, as TaskKind::kReduce does; on a peer's queue the result goes
//     to that peer.
//  5. A write has ended, as waits count it, when its source is free. It is at the peer before any later
//     message of its queue, and nothing else says that it is there; two writes come in any order.
//
// Sources: Graham et al., SC 2011 (queue views); Kandalla et al., IPDPS 2012, section IV (calc, loop-back).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

enum class ListTaskKind : std::uint8_t {
  kPostRecv,    // in the receive queue: a peer's message -> target
  kSend,        // source -> the queue's peer; on the loop-back: target = source
  kCalc,        // target = source (+) target, to the peer as well where the queue has one
  kWrite,       // source -> target, a window of the queue's peer, who takes no part in it
  kWait,        // holds its queue until `count` completions are in the completion queue `other`
  kEnableSend,  // the first `count` sends, calcs and writes of the queue `other` may begin
  kEnableRecv,  // the first `count` receives of the queue `other` may be matched
};

// Where the waits stand.
enum class QueueForm : std::uint8_t {
  kWaitsInSendQueues,  // before the send that they hold up
  kManagementQueue,    // all in one chain, which enables the sends of the other queues
};

enum class QueueKind : std::uint8_t { kPeer, kLoopBack, kManagement };

struct ListQueue {
  QueueKind kind = QueueKind::kPeer;
  Rank peer{};

  bool operator==(const ListQueue&) const = default;
};

// Every queue has two completion queues. What is sent over the loop-back is complete when it has arrived.
constexpr std::uint32_t arrivals_of(std::uint32_t queue) { return 2 * queue; }
constexpr std::uint32_t sends_of(std::uint32_t queue) { return 2 * queue + 1; }
constexpr std::uint32_t queue_of(std::uint32_t completions) { return completions / 2; }
constexpr bool are_sends(std::uint32_t completions) { return completions % 2 == 1; }

struct ListTask {
  ListTaskKind kind = ListTaskKind::kWait;
  BufferId source{};      // send, calc, write
  BufferId target{};      // post_recv, calc, write; send over the loop-back
  bool disabled = false;  // post_recv, send, calc, write: held, with all behind it, until enabled
  std::uint32_t queue = 0;
  std::uint32_t other = 0;  // wait: a completion queue; enable: a queue
  std::uint32_t count = 0;  // wait, enable: cumulative; messages: their ordinal
  Bytes source_offset{};
  Bytes target_offset{};
  Bytes size{};

  constexpr Range source_range() const { return {source, source_offset, size}; }
  constexpr Range target_range() const { return {target, target_offset, size}; }
  bool operator==(const ListTask&) const = default;
};
static_assert(sizeof(ListTask) == 40, "as long as a Task");

constexpr bool is_sent(ListTaskKind kind) {
  return kind == ListTaskKind::kSend || kind == ListTaskKind::kCalc || kind == ListTaskKind::kWrite;
}
constexpr bool is_enable(ListTaskKind kind) { return kind >= ListTaskKind::kEnableSend; }

struct TaskList {
  Call call;
  Rank self;
  bool in_place = false;
  Parcels parcels;
  std::string algorithm;

  std::vector<Buffer> buffers;  // the schedule's; then, if there are any, one with all mailboxes
  std::uint32_t mailbox_count = 0;
  Bytes mailbox_bytes;

  QueueForm form = QueueForm::kWaitsInSendQueues;
  std::vector<ListQueue> queues;
  std::vector<ListTask> tasks;
  std::vector<std::uint32_t> ends;  // of the lists that the tasks are cut into: one behind the last task

  std::uint32_t begin_of(std::size_t list) const { return list == 0 ? 0 : ends[list - 1]; }
};

// "post_recv", "send", "calc", "write", "wait", "enable_send", "enable_recv".
std::string_view name_of(ListTaskKind kind);
// "waits-in-send-queues", "management-queue".
std::string_view name_of(QueueForm form);
// "QP 3", "loop-back", "MQ".
std::string name_of(const ListQueue& queue);
// "send input[0+8]", "wait QP 1", "wait 2 sends of QP 1", "calc scratch.0[0+8] (+) output[0+8]",
// "write input[0+8] -> window.1[0+8]", …
std::string describe(const TaskList& list, const ListTask& task);

// The message that a task is to a transport: a send, of a write with its target, or a recv; else a join.
Task message_of(const TaskList& list, const ListTask& task);
// All that is the schedule's about the list, without tasks.
Schedule identity_of(const TaskList& list);

// What a list asks of an adapter.
struct ListCounts {
  std::uint32_t tasks = 0, lists = 0, connections = 0, calcs = 0, loop_backs = 0, waits = 0;
  std::uint32_t writes = 0;
  std::uint32_t longest_list = 0, deepest_queue = 0;  // of one list: tasks, and those in one of its queues
  std::uint32_t mailboxes = 0;
  Bytes mailbox_bytes;
};
ListCounts counts_of(const TaskList& list);

}  // namespace weft
