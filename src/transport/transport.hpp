// SPDX-License-Identifier: BSD-3-Clause
// Transport: what the host executor asks of whoever moves bytes between ranks.
//
// Messages of one operation between two ranks are told apart by their ordinal, those of different operations
// by the channel (which operation of which communicator). Both ends name the same (channel, ordinal).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "schedule/schedule.hpp"

namespace weft {

using Channel =
    std::uint64_t;  // made by whoever numbers operations; the transport only compares or encodes it

enum class Progress : std::uint8_t {
  kDone,
  kPending,
  kFailed,
  kNotLast,  // done, and the errand that belongs to it is somebody else's
};

// `Pending` holds the started and unfinished tasks of one operation. It is made once per operation, with room
// for all that its schedule can start, and allocates nothing afterwards.
template <class T>
concept Transport = requires(T transport, typename T::Pending& pending, TaskId task, const Task& what,
                             Channel channel, const void* from, void* into, std::span<TaskId> done) {
  requires std::constructible_from<typename T::Pending, const Schedule&>;
  { pending.restart() } -> std::same_as<void>;  // before an operation; none of its messages is pending then
  // Starts a message; kDone if it is complete already, else `task` will come out of poll().
  { transport.send(pending, task, channel, what, from) } -> std::same_as<Progress>;
  { transport.recv(pending, task, channel, what, into) } -> std::same_as<Progress>;
  // Writes the tasks that completed to `done` and returns how many; negative after a failure.
  { transport.poll(pending, done) } -> std::same_as<int>;
};

// A transport that also writes into windows of others, who take no part in it.
template <class T>
concept WindowTransport = Transport<T> &&
    requires(T transport, typename T::Pending& pending, TaskId task, const Task& what, Channel channel,
             const void* from, std::byte* memory, Bytes size) {
  // Until it is closed others may write there, once messages of this rank have told them so. Who only writes
  // opens one of no bytes.
  { transport.open(pending, channel, memory, size) } -> std::same_as<void>;
  { transport.close(pending) } -> std::same_as<void>;
  // To target_offset of the window of the peer, where it is before any later message to that peer. As send().
  { transport.write(pending, task, channel, what, from) } -> std::same_as<Progress>;
};

// A transport whose ranks share memory also runs the node-level tasks.
template <class T>
concept NodeTransport = Transport<T> &&
    requires(T transport, typename T::Pending& pending, TaskId task, const Task& what, Channel channel,
             BufferId buffer, Range range, const std::byte* from, std::byte* into) {
  { transport.node_level(pending, task, channel, what) } -> std::same_as<Progress>;
  // Exposed memory: at the start its owner tells the others where it is; they copy from and to it. False if
  // that failed.
  { transport.expose(pending, channel, buffer, into) } -> std::same_as<void>;
  { transport.pull(pending, channel, range, into) } -> std::same_as<bool>;
  { transport.push(pending, channel, from, range) } -> std::same_as<bool>;
};

// A NodeTransport that can also take a node-level task when nothing else is under way: take_step() begins it,
// look() says whether it is done by now.
template <class T>
concept StepTransport = NodeTransport<T> && requires(T transport, typename T::Pending& pending, TaskId task) {
  { transport.take_step(pending, task) } -> std::same_as<Progress>;
  { transport.look(pending) } -> std::same_as<Progress>;
};

}  // namespace weft
