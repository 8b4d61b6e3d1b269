// SPDX-License-Identifier: BSD-3-Clause
// Forwarder: what stands between nodes that are virtual hosts of one machine. Each message that leaves its
// node, and each request for a long one and its answer, takes so much time of a core, one after the other:
//
//   rank 0     ─ o ─┐                        ┌─ o ─ rank 2
//   rank 1     ─ o ─┼─ forward ─┬─ forward ──┴─ o ─ rank 3          all on the same cores
//
// The first one after a while wakes it, which takes time as well.
//
// It goes before ranks, as the kernel and a process with real-time priority do: it takes an idle core, else
// in turn that of a rank, which loses the time. It begins with a message when its first byte leaves; the last
// one is on its way when it has left, and when the forwarder is through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "executor/simulator/event_queue.hpp"

namespace weft::simulator {

class Forwarder {
 public:
  struct Message {
    Event arrives;  // with the earliest time at which it can
    Time latency;   // from the forwarder on
    Time work;
  };

  // A message on its way to the forwarder has a number, by which an event names it.
  std::uint32_t add(const Message& message) {
    if (unused_.empty()) {
      messages_.push_back(message);
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    messages_[number] = message;
    return number;
  }
  // It has come: whether it is its turn at once.
  bool come(std::uint32_t number) {
    line_.push_back(number);
    return line_.size() == 1;
  }
  const Message& first() const { return messages_[line_.front()]; }
  bool is_idle() const { return line_.empty(); }
  Message take_first() {
    const std::uint32_t number = line_.front();
    line_.pop_front();
    unused_.push_back(number);
    return messages_[number];
  }
  std::size_t bytes() const { return messages_.capacity() * sizeof(Message) + unused_.capacity() * 4; }

 private:
  std::vector<Message> messages_;  // by number
  std::vector<std::uint32_t> unused_;
  std::deque<std::uint32_t> line_;  // the first is being forwarded
};

}  // namespace weft::simulator
