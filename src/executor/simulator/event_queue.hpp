// SPDX-License-Identifier: BSD-3-Clause
// EventQueue: what is to happen, by time; of what happens at one time, what was put in first comes out first.
//
// Nothing is put in before the time of what came out last, so that a radix heap will do: an event lies in the
// bucket of the highest bit in which its time differs from that time, and moves to lower ones as time goes
// on. Everything is read and written in order. Ahuja, Mehlhorn, Orlin, Tarjan (1990).
//
// Cost: amortised O(log of the longest time ahead) per event.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/simulator/time.hpp"

namespace weft::simulator {

enum class EventKind : std::uint8_t {
  kResume,     // a rank's program goes on
  kLeaves,     // a processor gives a message to an adapter that it does not have for itself
  kMessage,    // a message is there, but for the receiver's adapter
  kDelivered,  // and has passed that; or the request for a long one is there
  kAnswer,     // a long message may be sent
  kLong,       // a long message is there, as kDelivered
  kWrite,      // what another rank (the event's instance) writes is there, but for the adapter
  kWritten,    // and has passed that
  kSent,       // and has left its buffer
  kArrives,    // a rank comes to a step of a group
  kOpens,      // and a step is over for a rank
  kForward,    // a message (the event's task is its number) has come to the forwarder
  kForwarded,  // and goes on from there
  kReleased,   // what a task waits for is over, or has begun, on another processor of its rank
  kGivesBack   // a thread (the event's task says which) may have nothing more to do on its core
};

struct Event {
  Time at;
  std::uint32_t rank = 0;
  std::uint32_t task = 0;
  std::uint32_t instance = 0;  // of the operation, counted by each rank
  std::uint16_t slot = 0;      // which operation of the program
  EventKind kind = EventKind::kResume;
};

class EventQueue {
 public:
  bool empty() const { return size_ == 0; }

  void push(const Event& event) {
    assert(event.at >= now_);
    buckets_[bucket_of(event.at)].push_back(event);
    most_ = std::max(most_, ++size_);
  }

  Event pop() {
    assert(!empty());
    if (next_ == buckets_[0].size()) refill();
    --size_;
    return buckets_[0][next_++];
  }
  // What will come out so many places later, if that is known already.
  const Event* ahead(std::size_t places) const {
    return next_ + places < buckets_[0].size() ? &buckets_[0][next_ + places] : nullptr;
  }

  std::size_t most_bytes() const { return most_ * sizeof(Event); }

 private:
  std::size_t bucket_of(Time at) const {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(at.value ^ now_.value)));
  }

  void refill() {
    buckets_[0].clear();
    next_ = 0;
    std::size_t lowest = 1;
    while (buckets_[lowest].empty()) ++lowest;
    std::vector<Event>& from = buckets_[lowest];
    now_ = std::min_element(from.begin(), from.end(), [](const Event& a, const Event& b) {
             return a.at < b.at;
           })->at;
    for (const Event& event : from) buckets_[bucket_of(event.at)].push_back(event);
    // Its memory is used again, unless it was needed once in a while only.
    if (from.capacity() > kKept) std::vector<Event>().swap(from);
    else from.clear();
  }

  static constexpr std::size_t kKept = std::size_t{1} << 20;

  std::array<std::vector<Event>, 65> buckets_;
  std::size_t next_ = 0, size_ = 0, most_ = 0;
  Time now_{0};
};

}  // namespace weft::simulator
