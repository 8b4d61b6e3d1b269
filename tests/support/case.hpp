// SPDX-License-Identifier: BSD-3-Clause
// Case: one collective call of all ranks with real data: its buffers, its schedules, and what must come out,
// computed in the plainest way.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "algorithm/build.hpp"
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
      add(build_example(algorithm, call, parameters, rank, here), random);
    }
  }

  // A call of a v-, w- or neighbour form; `parcels` are those of each rank.
  Case(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
       const std::vector<Parcels>& parcels, std::uint64_t seed)
      : algorithm_(algorithm),
        call_(call),
        parameters_(parameters),
        in_place_(InPlace::kNobody),
        seed_(seed) {
    Random random(seed);
    for (std::size_t r = 0; r < parcels.size(); ++r)
      add(build(algorithm, call, parameters, Rank(static_cast<int>(r)), false, parcels[r]), random);
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
  void add(Schedule schedule, Random& random) {
    const Range own = Builder(call_, schedule.self, schedule.in_place, schedule.parcels).contribution();
    contributions_.push_back(is_reduction(call_.collective)
                                 ? random_elements(random, own.size, call_.commutative)
                                 : random_data(random, own.size));
    inputs_.push_back(contributions_.back());
    outputs.push_back(random_data(random, output_bytes(participant_of(schedule))));
    // MPI_IN_PLACE, and the one buffer of bcast; whose content counts on the root only.
    if (own.buffer == kOutput && (call_.collective != Collective::kBcast || schedule.self == call_.root))
      put(contributions_.back(), outputs.back(), own.offset);
    wanted_.push_back(outputs.back());
    schedules.push_back(std::move(schedule));
  }

  static void put(const Data& from, Data& into, Bytes at) {
    std::copy(from.begin(), from.end(), into.begin() + static_cast<std::ptrdiff_t>(at.value));
  }
  static Data part(const Data& data, Bytes at, Bytes size) {
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at.value);
    return {begin, begin + static_cast<std::ptrdiff_t>(size.value)};
  }

  // The left folds of the ranks up to each, in their order.
  std::vector<Data> sums() const {
    std::vector<Data> sums{contributions_[0]};
    for (std::size_t r = 1; r < contributions_.size(); ++r) {
      sums.push_back(contributions_[r]);
      const Bytes size(static_cast<std::int64_t>(sums[r].size()));
      combine_of(call_.commutative)(sums[r - 1].data(), sums[r].data(), size);
    }
    return sums;
  }

  // The n-th parcel that this rank expects from a rank is the n-th that the other has for it.
  void take_parcels(std::size_t rank, Data& into) const {
    std::vector<int> taken(contributions_.size(), 0);
    for (const Parcel& parcel : schedules[rank].parcels.incoming) {
      const auto from = static_cast<std::size_t>(parcel.peer.value);
      int number = taken[from]++;
      for (const Parcel& sent : schedules[from].parcels.outgoing)
        if (sent.peer == Rank(static_cast<int>(rank)) && number-- == 0)
          put(part(contributions_[from], sent.offset, sent.size), into, parcel.offset);
    }
  }

  // The outputs as they were, but for what the collective puts there.
  std::vector<Data> expected() const {
    std::vector<Data> wanted = wanted_;
    const std::vector<Data> sum = is_reduction(call_.collective) ? sums() : std::vector<Data>{};
    const Data& roots = contributions_[static_cast<std::size_t>(call_.root.value)];
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      const bool is_root = static_cast<int>(r) == call_.root.value;
      const Bytes own = call_.bytes * static_cast<int>(r);
      switch (call_.collective) {
        case Collective::kBarrier: break;
        case Collective::kBcast: put(roots, wanted[r], Bytes(0)); break;
        case Collective::kReduce:
          if (is_root) put(sum.back(), wanted[r], Bytes(0));
          break;
        case Collective::kAllreduce: put(sum.back(), wanted[r], Bytes(0)); break;
        case Collective::kReduceScatterBlock:
          put(part(sum.back(), own, call_.bytes), wanted[r], Bytes(0));
          break;
        case Collective::kReduceScatter: {
          const Parcel& mine = schedules[r].parcels.outgoing[r];
          put(part(sum.back(), mine.offset, mine.size), wanted[r], Bytes(0));
          break;
        }
        case Collective::kScan: put(sum[r], wanted[r], Bytes(0)); break;
        case Collective::kExscan:
          if (r > 0) put(sum[r - 1], wanted[r], Bytes(0));
          break;
        case Collective::kGather:
        case Collective::kAllgather:
          for (std::size_t from = 0; from < wanted.size(); ++from)
            if (is_root || call_.collective == Collective::kAllgather)
              put(contributions_[from], wanted[r], call_.bytes * static_cast<int>(from));
          break;
        case Collective::kScatter:
          if (!schedules[r].in_place) put(part(roots, own, call_.bytes), wanted[r], Bytes(0));
          break;
        case Collective::kAlltoall:
          for (std::size_t from = 0; from < wanted.size(); ++from)
            put(part(contributions_[from], own, call_.bytes), wanted[r],
                call_.bytes * static_cast<int>(from));
          break;
        default: take_parcels(r, wanted[r]);
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
  std::vector<Data> wanted_;  // the outputs before the call
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
