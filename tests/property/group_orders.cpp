// SPDX-License-Identifier: BSD-3-Clause
// Groups that come late, in every order: each does all that it can as soon as it is there itself, whoever
// else is missing, and the result is right. Cheetah (2013), section III: sequential, fixed and general order
// are what the dependencies of a collective make of this.
#include <gtest/gtest.h>
#include <numeric>

#include "support/case.hpp"

namespace weft::tests {
namespace {

struct Counted {
  Combine combine;
  int* times;
};

void combine_and_count(const void* left, void* into, Bytes bytes, const void* context) {
  const auto& counted = *static_cast<const Counted*>(context);
  counted.combine.apply(left, into, bytes, counted.combine.context);
  ++*counted.times;
}

// One call whose ranks start when they are told to; what each has combined is counted.
class LateGroups {
 public:
  LateGroups(const Call& call, const Hierarchy& hierarchy)
      : hierarchy_(hierarchy),
        case_(**find_algorithm(call.collective, "hierarchical"), call, {.hierarchy = &hierarchy_},
              InPlace::kNobody, base_seed()),
        network_(call.rank_count),
        counts_(case_.schedules.size(), 0),
        done_(case_.schedules.size(), false) {
    jobs_ = case_.jobs(1);
    counted_.reserve(jobs_.size());
    for (std::size_t r = 0; r < jobs_.size(); ++r) {
      counted_.push_back({jobs_[r].binding.combine, &counts_[r]});
      jobs_[r].binding.combine = {combine_and_count, &counted_.back()};
      ends_.emplace_back(network_, Rank(static_cast<int>(r)));
      operations_.push_back(std::make_unique<Operation<InProcess>>(case_.schedules[r]));
      shared_.push_back(ends_.back().attach(1, case_.schedules[r]));
      jobs_[r].binding.shared = shared_.back();
    }
  }

  // All ranks of the group start, and everybody who has started goes on for as long as anything happens.
  void start(const std::vector<Rank>& group) {
    for (const Rank rank : group) {
      const auto r = static_cast<std::size_t>(rank.value);
      started_.push_back(r);
      done_[r] = operations_[r]->start(ends_[r], jobs_[r].binding) == Progress::kDone;
    }
    for (std::uint64_t before = ~std::uint64_t{0}; before != network_.events();) {
      before = network_.events();
      for (const std::size_t r : started_)
        if (!done_[r]) done_[r] = operations_[r]->progress(ends_[r]) == Progress::kDone;
    }
  }

  bool is_done(Rank rank) const { return done_[static_cast<std::size_t>(rank.value)]; }
  bool are_done(const std::vector<Rank>& group) const {
    return std::all_of(group.begin(), group.end(), [&](Rank rank) { return is_done(rank); });
  }
  // By the group's ranks, whoever of them it was.
  int combined(const std::vector<Rank>& group) const {
    return std::accumulate(group.begin(), group.end(), 0, [&](int sum, Rank rank) {
      return sum + counts_[static_cast<std::size_t>(rank.value)];
    });
  }
  std::string check() const { return case_.check(); }

 private:
  Hierarchy hierarchy_;
  Case case_;
  Network network_;
  std::vector<int> counts_;
  std::vector<bool> done_;
  std::vector<Job> jobs_;
  std::vector<Counted> counted_;
  std::vector<InProcess> ends_;
  std::vector<std::unique_ptr<Operation<InProcess>>> operations_;
  std::vector<std::vector<std::byte*>> shared_;
  std::vector<std::size_t> started_;
};

using Groups = std::vector<std::vector<Rank>>;

Call call_of(Collective collective, int root = 0) {
  return {.collective = collective,
          .rank_count = 12,
          .root = Rank(root),
          .bytes = Bytes(collective == Collective::kBarrier ? 0 : 64),
          .element_bytes = Bytes(is_reduction(collective) ? 4 : 1)};
}

Hierarchy hierarchy_of_twelve(const char* depth) {
  return *Hierarchy::make(*Topology::parse("node:3 socket:2 core:2"), depth);
}

// Calls visit(late, groups, which, last) after each group of the nearest tier that has come, in every order.
template <class Visit>
void for_all_orders(const Call& call, const char* depth, Visit visit) {
  const Hierarchy hierarchy = hierarchy_of_twelve(depth);
  const Groups groups = hierarchy.groups(0);
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    LateGroups late(call, hierarchy);
    for (const std::size_t which : order) {
      late.start(groups[which]);
      visit(late, groups, which, which == order.back());
      if (testing::Test::HasFailure()) return;
    }
    for (const auto& group : groups) ASSERT_TRUE(late.are_done(group));
    ASSERT_EQ(late.check(), "");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(GroupOrders, every_fan_in_is_over_when_its_own_group_is_there) {
  for (const char* depth : {"node", "socket+node"})
    for_all_orders(call_of(Collective::kAllreduce), depth,
                   [&](const LateGroups& late, const Groups& groups, std::size_t which, bool last) {
                     const int others = static_cast<int>(groups[which].size()) - 1;
                     EXPECT_GE(late.combined(groups[which]), others);
                     if (last) return;
                     for (const auto& group : groups) EXPECT_FALSE(late.is_done(group.back()));
                   });
}

TEST(GroupOrders, a_node_that_is_complete_sends_although_others_have_not_come) {
  for (const int root : {0, 7})
    for_all_orders(call_of(Collective::kReduce, root), "node",
                   [&](const LateGroups& late, const Groups& groups, std::size_t which, bool last) {
                     const bool has_root =
                         std::count(groups[which].begin(), groups[which].end(), Rank(root)) > 0;
                     EXPECT_EQ(late.combined(groups[which]), last && has_root ? 5 : 3);
                     EXPECT_TRUE(late.is_done(groups[which].back()) || has_root);
                   });
}

TEST(GroupOrders, the_group_of_the_root_hands_out_at_once) {
  for (const int root : {0, 6}) {
    bool has_come = false;
    std::size_t come = 0;
    for_all_orders(call_of(Collective::kBcast, root), "node",
                   [&](const LateGroups& late, const Groups& groups, std::size_t which, bool) {
                     has_come |= std::count(groups[which].begin(), groups[which].end(), Rank(root)) > 0;
                     EXPECT_EQ(late.is_done(Rank(root)), has_come);
                     EXPECT_EQ(late.is_done(Rank(root + 1)), has_come);
                     EXPECT_EQ(late.is_done(groups[which].back()), has_come);
                     if (++come % groups.size() == 0) has_come = false;
                   });
  }
}

TEST(GroupOrders, nobody_leaves_a_barrier_before_the_last_group_has_come) {
  for (const char* depth : {"flat", "node", "socket", "socket+node"})
    for_all_orders(call_of(Collective::kBarrier), depth,
                   [&](const LateGroups& late, const Groups& groups, std::size_t, bool last) {
                     for (const auto& group : groups)
                       for (const Rank rank : group) EXPECT_EQ(late.is_done(rank), last) << depth;
                   });
}

TEST(GroupOrders, give_the_plain_result) {
  for (const Collective collective : {Collective::kAllgather, Collective::kAlltoall, Collective::kAllreduce})
    for (const char* depth : {"node", "socket", "socket+node"})
      for_all_orders(call_of(collective), depth, [](const LateGroups&, const Groups&, std::size_t, bool) {});
}

}  // namespace
}  // namespace weft::tests
