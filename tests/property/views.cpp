// SPDX-License-Identifier: BSD-3-Clause
// A buffer that a schedule only copies may lie in memory in any way: a view packs it, and the result is the
// same.
#include <deque>
#include <gtest/gtest.h>

#include "support/case.hpp"

namespace weft::tests {
namespace {

// What a buffer holds, each byte by itself between two that are nobody's.
class Spread {
 public:
  // `in_long_runs`: what a view says of itself is for speed alone.
  Spread(const std::byte* packed, std::size_t size, bool in_long_runs)
      : memory_(3 * size, kNobodys),
        view_{.pack = pack, .unpack = unpack, .context = this, .in_long_runs = in_long_runs} {
    for (std::size_t at = 0; at < size; ++at) memory_[3 * at + 1] = packed[at];
  }
  Spread(const Spread&) = delete;

  const std::byte* memory() const { return memory_.data(); }
  const PackedView* view() const { return &view_; }
  // Whether nothing was written between the bytes.
  bool bring_back(std::byte* packed) const {
    for (std::size_t at = 0; 3 * at < memory_.size(); ++at) {
      if (memory_[3 * at] != kNobodys || memory_[3 * at + 2] != kNobodys) return false;
      packed[at] = memory_[3 * at + 1];
    }
    return true;
  }

 private:
  static constexpr std::byte kNobodys{0xa5};
  static std::size_t place(Bytes at) { return 3 * static_cast<std::size_t>(at.value) + 1; }
  static void pack(const void* spread, Bytes at, Bytes size, std::byte* into) {
    for (Bytes done; done < size; done += Bytes(1))
      *into++ = static_cast<const Spread*>(spread)->memory_[place(at + done)];
  }
  static void unpack(const void* spread, Bytes at, Bytes size, const std::byte* from) {
    for (Bytes done; done < size; done += Bytes(1))
      static_cast<const Spread*>(spread)->memory_[place(at + done)] = *from++;
  }

  mutable std::vector<std::byte> memory_;
  const PackedView view_;
};

struct Seen {
  int inputs = 0, outputs = 0, both = 0;
};

// "" or what is wrong.
std::string run_with_views(Case& one, bool in_long_runs, Seen& seen) {
  std::deque<Spread> inputs, outputs;
  std::vector<Job> jobs = one.jobs(5);
  std::vector<const Spread*> output_of(jobs.size());
  for (std::size_t r = 0; r < jobs.size(); ++r) {
    Binding& binding = jobs[r].binding;
    const Schedule& schedule = one.schedules[r];
    const auto size_of = [&](BufferId id) {
      return static_cast<std::size_t>(schedule.buffers[id.value].size.value);
    };
    if (only_copies(schedule, kInput)) {
      inputs.emplace_back(static_cast<const std::byte*>(binding.input), size_of(kInput), in_long_runs);
      binding.input = inputs.back().memory();
      binding.input_view = inputs.back().view();
      ++seen.inputs;
    }
    if (only_copies(schedule, kOutput)) {
      output_of[r] = &outputs.emplace_back(static_cast<const std::byte*>(binding.output), size_of(kOutput),
                                           in_long_runs);
      binding.output_view = output_of[r]->view();
      ++seen.outputs;
      if (binding.input_view != nullptr) ++seen.both;
    }
  }
  Network network(static_cast<int>(jobs.size()));
  if (std::string trouble = Runner(network, jobs).take_turns(7); !trouble.empty()) return trouble;
  for (std::size_t r = 0; r < jobs.size(); ++r)
    if (output_of[r] != nullptr && !output_of[r]->bring_back(one.outputs[r].data()))
      return "rank " + std::to_string(r) + "'s gaps were written";
  return one.check();
}

TEST(Views, give_the_plain_result_whatever_the_memory_looks_like) {
  Seen seen;
  for (const Algorithm& algorithm : catalog()) {
    if (has_parcels(algorithm.collective) || algorithm.follows_hierarchy) continue;
    for (const int ranks : {1, 2, 3, 5})
      for (const int bytes : {0, 16, 160, 9008}) {  // with a view on both ends, copies go piece by piece
        const Call call{.collective = algorithm.collective,
                        .rank_count = ranks,
                        .root = Rank(is_rooted(algorithm.collective) ? ranks - 1 : 0),
                        .bytes = Bytes(algorithm.collective == Collective::kBarrier ? 0 : bytes),
                        .element_bytes = Bytes(is_reduction(algorithm.collective) ? 16 : 1)};
        if (!algorithm.eligible(call)) continue;
        for (const InPlace in_place : {InPlace::kNobody, InPlace::kSome})
          for (const bool in_long_runs : {false, true}) {
            Case one(algorithm, call, Parameters{.fragment = Bytes(5000)}, in_place, 11);
            ASSERT_EQ(run_with_views(one, in_long_runs, seen), "") << one.name();
          }
      }
  }
  EXPECT_GT(seen.inputs, 0);
  EXPECT_GT(seen.outputs, 0);
  EXPECT_GT(seen.both, 0);
}

}  // namespace
}  // namespace weft::tests
