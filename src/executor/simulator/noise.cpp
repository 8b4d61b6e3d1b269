// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/noise.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/mixed.hpp"

namespace weft::simulator {

Noise Noise::regular(Time period, Time duration, std::uint64_t seed) {
  return traced({{Time(0), duration}}, period, seed);
}

Noise Noise::traced(std::vector<Interruption> trace, Time length, std::uint64_t seed) {
  Noise noise;
  noise.trace_ = std::move(trace);
  noise.length_ = length;
  noise.seed_ = seed;
  for (const Interruption& one : noise.trace_) {
    noise.lost_before_.push_back(noise.lost_);
    noise.lost_ += one.duration;
  }
  assert(noise.lost_ < length && "noise leaves some time");
  return noise;
}

Time Noise::phase_of(int rank) const {
  const std::uint64_t drawn = mixed(mixed(seed_, 0x6e6f697365), static_cast<std::uint64_t>(rank));
  return Time(static_cast<std::int64_t>(drawn >> 1) % length_.value);
}

// Time on the rank's own clock, on which the trace begins at a multiple of its length. What is left of time
// after the interruptions is the work's.
Time Noise::end_of(int rank, Time begin, Time work) const {
  if (!exists() || work == Time(0)) return begin + work;
  const Time phase = phase_of(rank);
  const Time at = begin + phase;
  const std::int64_t turns = at / length_;
  const Time in_turn = at - length_ * turns;
  // The work that the processor has had time for since the beginning of the turn.
  auto next = std::upper_bound(trace_.begin(), trace_.end(), in_turn,
                               [](Time time, const Interruption& one) { return time < one.begin; });
  Time done = in_turn;
  if (next != trace_.begin()) {
    const auto last = std::prev(next);
    const auto number = static_cast<std::size_t>(last - trace_.begin());
    done = in_turn - lost_before_[number] - std::min(last->duration, in_turn - last->begin);
  }
  // The work is over when the processor has had time for `work` more than it had done at `begin`.
  const Time per_turn = length_ - lost_;
  Time wanted = done + work;
  const std::int64_t more = (wanted.value - 1) / per_turn.value;
  wanted -= per_turn * more;
  const auto is_after = [&](const Interruption& one) {
    const auto number = static_cast<std::size_t>(&one - trace_.data());
    return one.begin - lost_before_[number] >= wanted;
  };
  const auto stop = std::partition_point(trace_.begin(), trace_.end(),
                                         [&](const Interruption& one) { return !is_after(one); });
  Time lost;
  if (stop != trace_.begin()) {
    const auto last = std::prev(stop);
    lost = lost_before_[static_cast<std::size_t>(last - trace_.begin())] + last->duration;
  }
  return length_ * (turns + more) + wanted + lost - phase;
}

}  // namespace weft::simulator
