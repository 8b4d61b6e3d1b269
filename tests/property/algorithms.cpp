// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of the catalog, for every number of ranks, is proved and gives the plain result.
#include <gtest/gtest.h>
#include <set>

#include "executor/verifier/verify.hpp"
#include "support/case.hpp"
#include "transform/in_order.hpp"

namespace weft::tests {
namespace {

// Sanitizers cost a factor of ten: under them the odd, the even and the awkward ranks stand for all.
std::vector<int> rank_counts() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 33};
#else
  std::vector<int> counts(33);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int>(i) + 1;
  return counts;
#endif
}

std::vector<Call> calls(Collective collective, int ranks) {
  std::set<int> roots{0};
  if (is_rooted(collective)) roots = {0, 1 % ranks, ranks / 2, ranks - 1};
  std::set<int> elements{0, 1, ranks - 1, ranks + 1, 67};
  if (collective == Collective::kBarrier) elements = {0};
  std::vector<Call> calls;
  for (const int root : roots)
    for (const int count : elements)
      for (const bool commutative : {true, false}) {
        if (!commutative && !is_reduction(collective)) continue;
        const Bytes element = is_reduction(collective) ? element_of(commutative) : Bytes(1);
        calls.push_back({.collective = collective,
                         .rank_count = ranks,
                         .root = Rank(root),
                         .bytes = element * count,
                         .element_bytes = element,
                         .commutative = commutative});
      }
  return calls;
}

std::vector<InPlace> placements(Collective collective) {
  if (collective == Collective::kBarrier || collective == Collective::kBcast || is_neighborly(collective))
    return {InPlace::kNobody};
  if (is_rooted(collective)) return {InPlace::kNobody, InPlace::kEverybody};
  return {InPlace::kNobody, InPlace::kEverybody, InPlace::kSome};
}

struct Subject {
  const Algorithm* algorithm;
  int radix;
};

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.algorithm->name << " radix " << subject.radix;
}

std::vector<Subject> subjects() {
  std::vector<Subject> subjects;
  for (const Algorithm& algorithm : catalog())
    for (const int radix : {2, 3, 4, 8})
      if (radix == 2 || algorithm.has_radix) subjects.push_back({&algorithm, radix});
  return subjects;
}

std::string name_of_subject(const testing::TestParamInfo<Subject>& info) {
  return std::string(name_of(info.param.algorithm->collective)) + "_" +
         std::string(info.param.algorithm->name) +
         (info.param.algorithm->has_radix ? "_radix_" + std::to_string(info.param.radix) : "");
}

class EveryAlgorithm : public testing::TestWithParam<Subject> {};

TEST_P(EveryAlgorithm, is_proved_and_gives_the_plain_result) {
  const auto [algorithm, radix] = GetParam();
  std::uint64_t seed = base_seed();
  for (const int ranks : rank_counts())
    for (const Call& call : calls(algorithm->collective, ranks)) {
      if (!algorithm->eligible(call)) continue;
      for (const InPlace in_place : placements(call.collective)) {
        // Windows and fragments so short that there are several of them.
        const Parameters parameters{.radix = radix,
                                    .bcast_radix = radix == 2 ? 3 : 2,
                                    .window = 3,
                                    .fragment = Bytes(256),
                                    .pair_fragment = kLineStride * static_cast<int>(seed % 2),
                                    .single_copy_from = Bytes(seed % 3 == 0 ? 300 : 0)};
        Case c(*algorithm, call, parameters, in_place, ++seed);
        if (algorithm->within_node && seed % 2 == 0)  // as the node engine executes them
          for (Schedule& schedule : c.schedules)
            if (message_count(schedule) == 0) schedule = in_order(std::move(schedule));
        ASSERT_EQ(findings_of(c), "") << c.name();
        const bool disturbed = seed % 4 != 0;  // the rest as fast as it goes
        Network network(
            ranks,
            {.seed = seed, .rendezvous_percent = disturbed ? 50 : 0, .longest_delay = disturbed ? 3 : 0});
        ASSERT_EQ(Runner(network, c.jobs(1)).take_turns(seed), "") << c.name();
        ASSERT_EQ(c.check(), "") << c.name();
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryAlgorithm, testing::ValuesIn(subjects()), name_of_subject);

}  // namespace
}  // namespace weft::tests
