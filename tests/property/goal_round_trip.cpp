// SPDX-License-Identifier: BSD-3-Clause
// A call's schedules and the GOAL program that they are written as take the same time, where copying and
// reducing take none.
#include <fmt/format.h>

#include "executor/simulator/goal.hpp"
#include "executor/simulator/simulation.hpp"
#include "schedule/describe.hpp"
#include "schedule/goal.hpp"
#include "support/whole_call.hpp"

namespace weft::tests {
namespace {

using simulator::Scripts;

struct Form {
  Collective collective;
  const char* algorithm;
  int radix;
};

constexpr Form kForms[] = {
    {Collective::kAllreduce, "recursive_k_ing", 2},
    {Collective::kAllreduce, "recursive_k_ing", 3},
    {Collective::kBarrier, "dissemination", 2},
    {Collective::kBarrier, "dissemination", 4},
    {Collective::kBcast, "k_nomial", 2},
    {Collective::kReduce, "k_nomial", 3},
    {Collective::kGather, "k_nomial", 2},
    {Collective::kAllreduce, "ring", 2},
    {Collective::kAllgather, "ring", 2},
    {Collective::kAlltoall, "pairwise", 2},
};

simulator::Outcome played(const simulator::Setting& setting, int ranks,
                          const std::function<simulator::Part(int)>& part) {
  std::vector<Scripts> operations;
  operations.emplace_back(ranks, part);
  const simulator::Program once{
      .steps = {{simulator::Step::Kind::kStart, 0, {}}, {simulator::Step::Kind::kWait, 0, {}}}};
  return simulate(setting, once, operations);
}

// Where every message goes at once, and where those of more than eight bytes ask first.
constexpr std::string_view kMachines[] = {"loggops:L=2500,o=1500,g=1000,G=6",
                                          "loggops:L=2500,o=1500,g=1000,G=6,O=3,S=8"};

// Of short messages part_of leaves out that a receive waits until its place is free, which GOAL says.
constexpr Bytes kNothingIsShort{-1};

TEST(GoalRoundTrip, takes_as_long_as_the_schedules) {
  for (const Form& form : kForms)
    for (int ranks = 1; ranks <= 33; ++ranks)
      for (const std::int64_t bytes : {8, 4096}) {
        Call call{.collective = form.collective, .rank_count = ranks, .bytes = Bytes(bytes)};
        if (form.collective == Collective::kBarrier) call.bytes = Bytes(0);
        if (is_reduction(form.collective)) call.element_bytes = Bytes(8);
        SCOPED_TRACE(fmt::format("{} by {} radix {}", describe(call), form.algorithm, form.radix));
        const auto found = find_algorithm(form.collective, form.algorithm);
        ASSERT_TRUE(found.ok()) << found.error();
        if (!(*found)->eligible(call)) continue;
        const std::vector<Schedule> schedules = build_all(call, form.algorithm, form.radix);
        const auto text = goal(schedules);
        ASSERT_TRUE(text.ok()) << text.error();
        const auto program = simulator::parse_goal(*text);
        ASSERT_TRUE(program.ok()) << program.error();
        const std::vector<simulator::Part>& parts = program->parts;
        ASSERT_EQ(parts.size(), schedules.size());
        for (const std::string_view machine : kMachines) {
          simulator::Setting setting;
          setting.machine = *simulator::Machine::parse(machine);
          setting.skew = simulator::from_ns(3000);
          const auto wanted = played(setting, ranks, [&](int rank) {
            return simulator::part_of(schedules[static_cast<std::size_t>(rank)], kNothingIsShort);
          });
          const auto got =
              played(setting, ranks, [&](int rank) { return parts[static_cast<std::size_t>(rank)]; });
          EXPECT_EQ(got.problem, "");
          EXPECT_EQ(wanted.problem, "");
          EXPECT_EQ(got.finished, wanted.finished);
          EXPECT_EQ(got.messages, wanted.messages);
          EXPECT_EQ(got.bytes, wanted.bytes);
        }
        if (::testing::Test::HasFailure()) return;
      }
}

}  // namespace
}  // namespace weft::tests
