// SPDX-License-Identifier: BSD-3-Clause
// Case: one collective call of all ranks with real data: its buffers, its schedules, and what must come out,
// computed in the plainest way.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "algorithm/catalog.hpp"
#include "base/random.hpp"
#include "executor/verifier/verify.hpp"
#include "support/operators.hpp"
#include "support/run_ranks.hpp"

namespace weft::tests {

using Data = std::vector<std::byte>;

enum class InPlace { kNobody, kEverybody, kSome };

inline Data random_data(Random& random, Bytes size) {
  Data data(static_cast<std::size_t>(size.value));
  for (std::byte& byte : data) byte = static_cast<std::byte>(random.below(256));
  return data;
}

// Elements of the operator; affine maps stay below their prime.
inline Data random_elements(Random& random, Bytes size, bool commutative) {
  if (commutative) return random_data(random, size);
  Data data(static_cast<std::size_t>(size.value));
  for (std::size_t at = 0; at < data.size(); at += sizeof(AffineMap)) {
    const AffineMap map{random.below(AffineMap::kPrime), random.below(AffineMap::kPrime)};
    std::memcpy(data.data() + at, &map, sizeof map);
  }
  return data;
}

class Case {
 public:
  Case(const Algorithm& algorithm, const Call& call, const Parameters& parameters, InPlace in_place,
       std::uint64_t seed)
      : algorithm_(algorithm), call_(call), parameters_(parameters), in_place_(in_place), seed_(seed) {
    Random random(seed);
    const auto n = static_cast<std::size_t>(call.rank_count);
    for (std::size_t r = 0; r < n; ++r) {
      const Rank rank(static_cast<int>(r));
      const bool here = in_place == InPlace::kEverybody || (in_place == InPlace::kSome && random.chance(50));
      schedules.push_back(build(algorithm, call, parameters, rank, here));
      contributions_.push_back(is_reduction(call.collective)
                                   ? random_elements(random, call.bytes, call.commutative)
                                   : random_data(random, contribution_bytes()));
    }
    for (std::size_t r = 0; r < n; ++r) {
      const Rank rank(static_cast<int>(r));
      outputs.push_back(random_data(random, output_bytes(call, rank)));
      if (Builder(call, rank, schedules[r].in_place).contribution().buffer == kOutput) place_in_output(r);
      inputs_.push_back(contributions_[r]);
    }
  }

  std::vector<Job> jobs(Channel channel) {
    std::vector<Job> jobs;
    for (std::size_t r = 0; r < schedules.size(); ++r)
      jobs.push_back({&schedules[r],
                      {.input = inputs_[r].data(),
                       .output = outputs[r].data(),
                       .combine = combine_of(call_.commutative),
                       .channel = channel,
                       .shared = {}}});
    return jobs;
  }

  // "" or the first rank and byte that is wrong.
  std::string check() const {
    const std::vector<Data> wanted = expected();
    for (std::size_t r = 0; r < schedules.size(); ++r) {
      if (inputs_[r] != contributions_[r]) return "rank " + std::to_string(r) + "'s input was written";
      for (std::size_t at = 0; at < wanted[r].size(); ++at)
        if (outputs[r][at] != wanted[r][at])
          return "rank " + std::to_string(r) + "'s output is wrong from byte " + std::to_string(at);
    }
    return "";
  }

  // What a reader needs to run it again.
  std::string name() const {
    constexpr const char* kInPlaceNames[] = {"nobody", "everybody", "some"};
    return std::string(name_of(call_.collective)) + " " + std::string(algorithm_.name) +
           " radix=" + std::to_string(parameters_.radix) + " ranks=" + std::to_string(call_.rank_count) +
           " root=" + std::to_string(call_.root.value) + " bytes=" + std::to_string(call_.bytes.value) +
           " element=" + std::to_string(call_.element_bytes.value) +
           " commutative=" + (call_.commutative ? "yes" : "no") +
           " in_place=" + kInPlaceNames[static_cast<int>(in_place_)] + " seed=" + std::to_string(seed_);
  }

  std::vector<Schedule> schedules;
  std::vector<Data> outputs;

 private:
  Bytes contribution_bytes() const {
    switch (call_.collective) {
      case Collective::kBarrier: return Bytes(0);
      case Collective::kAlltoall: return call_.bytes * call_.rank_count;
      default: return call_.bytes;
    }
  }

  // MPI_IN_PLACE, and the one buffer of bcast; whose content counts on the root only.
  void place_in_output(std::size_t r) {
    if (call_.collective == Collective::kBcast && static_cast<int>(r) != call_.root.value) return;
    const std::size_t at = call_.collective == Collective::kAllgather ? r * contributions_[r].size() : 0;
    std::copy(contributions_[r].begin(), contributions_[r].end(),
              outputs[r].begin() + static_cast<std::ptrdiff_t>(at));
  }

  std::vector<Data> expected() const {
    const std::size_t n = contributions_.size();
    const auto bytes = static_cast<std::size_t>(call_.bytes.value);
    std::vector<Data> wanted(n);
    Data all;  // reductions: the left fold in rank order; allgather: all blocks
    for (std::size_t r = 0; r < n; ++r) {
      if (call_.collective == Collective::kAllgather)
        all.insert(all.end(), contributions_[r].begin(), contributions_[r].end());
      if (!is_reduction(call_.collective)) continue;
      Data sum = contributions_[r];
      if (r != 0) combine_of(call_.commutative)(all.data(), sum.data(), call_.bytes);
      all = sum;
    }
    for (std::size_t r = 0; r < n; ++r) {
      switch (call_.collective) {
        case Collective::kBarrier: break;
        case Collective::kBcast:
          wanted[r] = contributions_[static_cast<std::size_t>(call_.root.value)];
          break;
        case Collective::kReduce:
          if (static_cast<int>(r) == call_.root.value) wanted[r] = all;
          break;
        case Collective::kAllreduce:
        case Collective::kAllgather: wanted[r] = all; break;
        case Collective::kAlltoall:
          for (const Data& from : contributions_)
            wanted[r].insert(wanted[r].end(), from.begin() + static_cast<std::ptrdiff_t>(r * bytes),
                             from.begin() + static_cast<std::ptrdiff_t>((r + 1) * bytes));
      }
    }
    return wanted;
  }

  const Algorithm& algorithm_;
  Call call_;
  Parameters parameters_;
  InPlace in_place_;
  std::uint64_t seed_;
  std::vector<Data> contributions_;
  std::vector<Data> inputs_;
};

// "" or how many findings the verifier has, and the first.
inline std::string findings_of(const Case& c) {
  const Report report = verify(c.schedules);
  if (report.proved()) return "";
  const Finding& first = report.findings.front();
  return std::to_string(report.findings.size()) + " findings, first " + std::string(rule_name(first.rule)) +
         " at rank " + std::to_string(first.rank.value) + ": " + first.message;
}

// WEFT_TEST_SEED=… shifts every random choice of a run; a failure prints the seed that its case had.
inline std::uint64_t base_seed() {
  const char* text = std::getenv("WEFT_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

}  // namespace weft::tests
