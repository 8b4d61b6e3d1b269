// SPDX-License-Identifier: BSD-3-Clause
// Every rule of the verifier has at least one mutant: a correct schedule, damaged in one place, to which the
// verifier must object by that rule.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"
#include "executor/verifier/verify.hpp"
#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

Schedules doubling() {
  return all_ranks(allreduce_call(4), [](Builder& b) { recursive_doubling(b); });
}
Schedules ring() { return all_ranks(allgather_call(4), ring_allgather); }
Schedules node(const Write& write = exchange_allreduce) { return all_ranks(allreduce_call(4), write); }

Schedules example(Collective collective) {
  const Call call{.collective = collective, .rank_count = 4, .bytes = Bytes(24)};
  Schedules schedules;
  for (int rank = 0; rank < 4; ++rank)
    schedules.push_back(build_example(
        **find_algorithm(collective, collective == Collective::kReduceScatter ? "pairwise" : "linear"), call,
        {}, Rank(rank), false));
  return schedules;
}

const std::vector<Mutant>& mutants_per_rule() {
  static const std::vector<Mutant> all = {
      {"a send is dropped", Rule::kUnmatchedMessage,
       [] { return damaged(ring(), [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kSend)); }); }},
      {"a recv is dropped", Rule::kUnmatchedMessage,
       [] { return damaged(ring(), [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kRecv, 2)); }); }},
      {"a peer is swapped", Rule::kUnmatchedMessage,
       [] { return damaged(doubling(), [](Schedules& s) { nth_task(s[2], TaskKind::kSend).peer = 0; }); }},
      {"an ordinal is changed", Rule::kUnmatchedMessage,
       [] { return damaged(ring(), [](Schedules& s) { nth_task(s[0], TaskKind::kSend, 1).ordinal = 2; }); }},
      {"ordinals are exchanged at both ends", Rule::kUnmatchedMessage,
       [] {
         return damaged(ring(), [](Schedules& s) {
           std::swap(nth_task(s[0], TaskKind::kSend, 0).ordinal, nth_task(s[0], TaskKind::kSend, 1).ordinal);
           std::swap(nth_task(s[1], TaskKind::kRecv, 0).ordinal, nth_task(s[1], TaskKind::kRecv, 1).ordinal);
         });
       }},
      {"a message is resized at one end", Rule::kSizeMismatch,
       [] {
         return damaged(doubling(), [](Schedules& s) { nth_task(s[0], TaskKind::kSend).size = Bytes(8); });
       }},
      {"both wait for the other's message first", Rule::kDeadlock,
       [] {
         return all_ranks(alltoall_call(2), [](Builder& b) {
           const int other = 1 - b.self();
           b.copy(b.input().part(b.bytes() * b.self(), b.bytes()),
                  b.output().part(b.bytes() * b.self(), b.bytes()));
           const TaskId recv = b.recv(other, b.output().part(b.bytes() * other, b.bytes()));
           b.after(b.send(other, b.input().part(b.bytes() * other, b.bytes())), recv);
         });
       }},
      {"two groups are entered in opposite orders", Rule::kDeadlock,
       [] {
         return all_ranks(barrier_call(2), [](Builder& b) {
           const GroupId groups[] = {b.group(everybody(b)), b.group(everybody(b))};
           const Range lines[] = {b.lines(groups[0]), b.lines(groups[1])};
           const int first = b.self(), second = 1 - b.self();
           const TaskId one = b.exchange(lines[first], groups[first]);
           b.after(b.exchange(lines[second], groups[second]), one);
         });
       }},
      {"a reduce no longer waits for its message", Rule::kRace,
       [] {
         return damaged(doubling(), [](Schedules& s) {
           drop_edge(s[3], nth(s[3], TaskKind::kRecv), nth(s[3], TaskKind::kReduce));
         });
       }},
      {"a recv overwrites what a send still reads", Rule::kRace,
       [] {
         return damaged(ring(), [](Schedules& s) {
           nth_task(s[2], TaskKind::kRecv).target_offset = nth_task(s[2], TaskKind::kSend).source_offset;
         });
       }},
      {"a copy overlaps itself", Rule::kRace,
       [] {
         return damaged(all_ranks(bcast_call(1),
                                  [](Builder& b) {
                                    b.copy(b.output().part(Bytes(0), Bytes(8)),
                                           b.output().part(Bytes(8), Bytes(8)));
                                  }),
                        [](Schedules& s) { s[0].tasks[0].target_offset = Bytes(4); });
       }},
      {"a range is widened", Rule::kOutOfBounds,
       [] {
         return damaged(ring(), [](Schedules& s) { nth_task(s[3], TaskKind::kSend, 1).size = Bytes(32); });
       }},
      {"an offset is negative", Rule::kOutOfBounds,
       [] {
         return damaged(ring(),
                        [](Schedules& s) { nth_task(s[3], TaskKind::kRecv).target_offset = Bytes(-8); });
       }},
      {"a peer does not exist", Rule::kOutOfBounds,
       [] { return damaged(ring(), [](Schedules& s) { nth_task(s[3], TaskKind::kSend).peer = 4; }); }},
      {"a buffer does not exist", Rule::kOutOfBounds,
       [] {
         return damaged(ring(), [](Schedules& s) { nth_task(s[3], TaskKind::kRecv).target = BufferId(7); });
       }},
      {"a leader is not in the group", Rule::kOutOfBounds,
       [] {
         return damaged(node(leader_allreduce),
                        [](Schedules& s) { nth_task(s[3], TaskKind::kFanIn).peer = 4; });
       }},
      {"a message lands in the input", Rule::kWritesInput,
       [] {
         return damaged(doubling(), [](Schedules& s) { nth_task(s[1], TaskKind::kRecv).target = kInput; });
       }},
      {"a copy is dropped whose target is read", Rule::kUndefinedData,
       [] { return damaged(ring(), [](Schedules& s) { drop_task(s[0], nth(s[0], TaskKind::kCopy)); }); }},
      {"a slot is never filled", Rule::kUndefinedData,
       [] { return damaged(node(), [](Schedules& s) { drop_task(s[2], nth(s[2], TaskKind::kCopy)); }); }},
      {"the last copy is dropped", Rule::kWrongResult,
       [] {
         return damaged(doubling(), [](Schedules& s) {
           drop_task(s[0], TaskId(static_cast<std::uint32_t>(s[0].tasks.size() - 1)));
         });
       }},
      {"a reduce is dropped", Rule::kWrongResult,
       [] {
         return damaged(doubling(), [](Schedules& s) { drop_task(s[0], nth(s[0], TaskKind::kReduce, 1)); });
       }},
      {"a contribution is counted twice", Rule::kWrongResult,
       [] {
         return all_ranks(allreduce_call(2), [](Builder& b) {
           const Range received = b.scratch(b.bytes());
           b.send(1 - b.self(), b.input());
           b.recv(1 - b.self(), received);
           b.copy(b.input(), b.output());
           b.reduce(received, b.output());
           if (b.self() == 1) b.reduce(received, b.output());
         });
       }},
      {"a block arrives at the wrong place", Rule::kWrongResult,
       [] {
         return damaged(all_ranks(alltoall_call(3), linear_alltoall), [](Schedules& s) {
           std::swap(nth_task(s[0], TaskKind::kSend, 0).source_offset,
                     nth_task(s[0], TaskKind::kSend, 1).source_offset);
         });
       }},
      {"operands are not the same bytes", Rule::kWrongResult,
       [] {
         return all_ranks(allreduce_call(1), [](Builder& b) {
           b.copy(b.input(), b.output());
           b.reduce(b.input().part(Bytes(8), Bytes(8)), b.output().part(Bytes(0), Bytes(8)));
         });
       }},
      {"an element is cut", Rule::kWrongResult,
       [] {
         return damaged(doubling(), [](Schedules& s) { nth_task(s[0], TaskKind::kReduce).size = Bytes(12); });
       }},
      {"a barrier lacks its joins", Rule::kWrongResult,
       [] { return all_ranks(barrier_call(4), [](Builder& b) { dissemination_barrier(b, false); }); }},
      {"a barrier does nothing", Rule::kWrongResult,
       [] { return all_ranks(barrier_call(2), [](Builder&) {}); }},
      {"operands are swapped where order counts", Rule::kOrderBroken,
       [] { return all_ranks(allreduce_call(4, false), [](Builder& b) { recursive_doubling(b, 2); }); }},
      {"operands are swapped on one rank", Rule::kBracketDiffers,
       [] { return all_ranks(allreduce_call(4), [](Builder& b) { recursive_doubling(b, 2); }); }},
      {"a node-level task names private memory", Rule::kNodeTask,
       [] {
         return damaged(node(), [](Schedules& s) {
           nth_task(s[1], TaskKind::kExchange).source = kOutput;
           nth_task(s[1], TaskKind::kExchange).size = Bytes(0);
         });
       }},
      {"an exchange is missing on one member", Rule::kNodeTask,
       [] { return damaged(node(), [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kExchange)); }); }},
      {"an exchange has another range on one member", Rule::kNodeTask,
       [] {
         return damaged(node(), [](Schedules& s) { nth_task(s[1], TaskKind::kExchange).size = Bytes(8); });
       }},
      {"a node-level task names shared memory without lines", Rule::kNodeTask,
       [] {
         return damaged(node(leader_allreduce), [](Schedules& s) {
           nth_task(s[1], TaskKind::kFanOut).source = BufferId(3);
           nth_task(s[1], TaskKind::kFanOut).size = Bytes(0);
         });
       }},
      {"a line's payload reaches beyond the line", Rule::kNodeTask,
       [] {
         return damaged(node(), [](Schedules& s) {
           for (Schedule& schedule : s)
             for (Task& task : schedule.tasks)
               if (task.kind == TaskKind::kCopy && task.target == BufferId(2))
                 task.target_offset += Bytes(56);
         });
       }},
      {"a step's group does not share the lines", Rule::kNodeTask,
       [] {
         return all_ranks(barrier_call(3), [](Builder& b) {
           const GroupId pair = b.group(b.self() < 2 ? std::vector{Rank(0), Rank(1)} : std::vector{Rank(2)});
           b.exchange(b.lines(pair), b.group(everybody(b)));
         });
       }},
      {"steps of two groups share the lines", Rule::kNodeTask,
       [] {
         return all_ranks(barrier_call(2), [](Builder& b) {
           const GroupId all = b.group(everybody(b));
           const Range lines = b.lines(all);
           b.exchange(lines, all);
           b.exchange(lines, b.group(everybody(b)));
         });
       }},
      {"there are more lines than a node keeps room for", Rule::kNodeTask,
       [] {
         return all_ranks(barrier_call(2), [](Builder& b) {
           const GroupId all = b.group(everybody(b));
           for (int lines = 0; lines < kMostLines; ++lines) b.lines(all);
           b.exchange(b.lines(all), all);
         });
       }},
      {"two steps on the same lines are not in order", Rule::kNodeTask,
       [] {
         return damaged(node(leader_allreduce), [](Schedules& s) {
           const TaskId in = nth(s[1], TaskKind::kFanIn), out = nth(s[1], TaskKind::kFanOut);
           drop_edge(s[1], in, out);
         });
       }},
      {"members disagree about the leader", Rule::kNodeTask,
       [] {
         return damaged(node(leader_allreduce),
                        [](Schedules& s) { nth_task(s[2], TaskKind::kFanOut).peer = 1; });
       }},
      {"an exchange names a leader", Rule::kMalformed,
       [] { return damaged(node(), [](Schedules& s) { nth_task(s[1], TaskKind::kExchange).peer = 1; }); }},
      {"members list the group in another order", Rule::kNodeTask,
       [] {
         return damaged(
             node(), [](Schedules& s) { std::swap(s[1].groups[0].members[0], s[1].groups[0].members[1]); });
       }},
      {"a shared buffer is larger on one member", Rule::kNodeTask,
       [] { return damaged(node(), [](Schedules& s) { s[1].buffers[2].size += Bytes(8); }); }},
      {"a slot is read before the exchange", Rule::kNodeTask,
       [] {
         return damaged(node(), [](Schedules& s) {
           const TaskId exchange = nth(s[1], TaskKind::kExchange);
           for (const auto& [from, to] : edges_of(s[1]))
             if (from == exchange) drop_edge(s[1], from, to);
         });
       }},
      {"a member reads after fan_in as if it were the leader", Rule::kNodeTask,
       [] {
         return all_ranks(allreduce_call(2), [](Builder& b) {
           const GroupId group = b.group(everybody(b));
           const Range lines = b.lines(group);
           b.copy(b.input(), lines.part(kLineStride * b.self(), b.bytes()));
           b.fan_in(lines, group, 0);
           b.copy(lines.part(kLineStride, b.bytes()), b.output());
           b.reduce(lines.part(Bytes(0), b.bytes()), b.output());
         });
       }},
      {"the leader reads after fan_out as if it had waited", Rule::kNodeTask,
       [] {
         return all_ranks(allreduce_call(2), [](Builder& b) {
           const GroupId group = b.group(everybody(b));
           const Range lines = b.lines(group);
           b.copy(b.input(), lines.part(kLineStride * b.self(), b.bytes()));
           b.fan_out(lines, group, 1);
           b.copy(lines.part(kLineStride, b.bytes()), b.output());
           b.reduce(lines.part(Bytes(0), b.bytes()), b.output());
         });
       }},
      {"a slot is used again while others may read it", Rule::kNodeTask,
       [] {
         return all_ranks(allreduce_call(2), [](Builder& b) {
           exchange_allreduce(b);
           b.copy(b.input(), Range{BufferId(2), kLineStride * b.self(), b.bytes()});
         });
       }},
      {"another's memory is read before it has come", Rule::kExposed, [] { return reaching(false, true); }},
      {"another's memory is read after it may have left", Rule::kExposed,
       [] { return reaching(true, false); }},
      {"both ends of a parcel have different sizes", Rule::kParcelsDiffer,
       [] {
         return damaged(example(Collective::kAlltoallv),
                        [](Schedules& s) { s[1].parcels.incoming[2].size += Bytes(1); });
       }},
      {"a parcel is sent that nobody expects", Rule::kParcelsDiffer,
       [] {
         return damaged(example(Collective::kNeighborAlltoall),
                        [](Schedules& s) { s[1].parcels.outgoing.push_back(s[1].parcels.outgoing[0]); });
       }},
      {"a parcel is expected that nobody sends", Rule::kParcelsDiffer,
       [] {
         return damaged(example(Collective::kNeighborAllgatherv),
                        [](Schedules& s) { s[1].parcels.incoming.push_back(s[1].parcels.incoming[0]); });
       }},
      {"ranks cut a vector differently", Rule::kParcelsDiffer,
       [] {
         return damaged(example(Collective::kReduceScatter), [](Schedules& s) {
           s[1].parcels.outgoing[0].size -= Bytes(1);
           s[1].parcels.outgoing[1].offset -= Bytes(1);
           s[1].parcels.outgoing[1].size += Bytes(1);
         });
       }},
      {"a part of a vector is missing", Rule::kParcelsDiffer,
       [] {
         return damaged(example(Collective::kReduceScatter),
                        [](Schedules& s) { s[2].parcels.outgoing.pop_back(); });
       }},
      {"a parcel is for nobody", Rule::kOutOfBounds,
       [] {
         return damaged(example(Collective::kAlltoallv),
                        [](Schedules& s) { s[1].parcels.outgoing[2].peer = Rank(4); });
       }},
      {"parcels are crossed", Rule::kWrongResult,
       [] {
         return damaged(example(Collective::kNeighborAlltoall), [](Schedules& s) {
           std::swap(s[1].parcels.incoming[0].offset, s[1].parcels.incoming[1].offset);
         });
       }},
      {"something is put between the blocks", Rule::kWrongResult,
       [] {
         const Parcel first{Rank(0), Bytes(0), Bytes(8)}, behind_a_gap{Rank(0), Bytes(16), Bytes(8)};
         Builder b({.collective = Collective::kAlltoallv}, Rank(0), false, {{first}, {behind_a_gap}});
         b.copy(b.input(), b.output().part(Bytes(16), Bytes(8)));
         b.copy(b.input(), b.output().part(Bytes(4), Bytes(8)));
         return Schedules{std::move(b).finish("by hand")};
       }},
      {"a call with blocks of one size has parcels", Rule::kMalformed,
       [] {
         return damaged(ring(), [](Schedules& s) { s[1].parcels.outgoing.push_back({Rank(0), {}, {}}); });
       }},
      {"a scan lacks its first rank", Rule::kWrongResult,
       [] {
         return damaged(all_ranks({.collective = Collective::kScan, .rank_count = 2, .bytes = Bytes(8)},
                                  [](Builder& b) {
                                    b.copy(b.input(), b.output());
                                    if (b.self() == 0) b.send(1, b.input());
                                    const Range left = b.scratch(b.bytes());
                                    if (b.self() == 1) b.recv(0, left), b.reduce(left, b.output());
                                  }),
                        [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kReduce)); });
       }},
      {"an edge leads backwards", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { s[0].successors[0] = TaskId(0); }); }},
      {"a count of predecessors is wrong", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { s[0].predecessor_count.back() += 1; }); }},
      {"there is no operator", Rule::kMalformed,
       [] {
         return damaged(ring(),
                        [](Schedules& s) { nth_task(s[0], TaskKind::kCopy).kind = TaskKind::kReduce; });
       }},
      {"a rank has another call in mind", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { s[2].call.bytes = Bytes(16); }); }},
      {"a schedule is missing", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { s.pop_back(); }); }},
      {"schedules are in the wrong order", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { std::swap(s[0], s[1]); }); }},
      {"the output is too small", Rule::kMalformed,
       [] { return damaged(ring(), [](Schedules& s) { s[0].buffers[1].size = Bytes(24); }); }},
      {"a reduce is in place beside the root", Rule::kMalformed,
       [] {
         return all_ranks(
             reduce_call(2, 0), [](Builder&) {}, [](int rank) { return rank == 1; });
       }},
  };
  return all;
}

TEST(Mutants, the_verifier_objects_by_the_rule_that_is_broken) {
  for (const Mutant& mutant : mutants_per_rule()) EXPECT_EQ(missing_objection(mutant), "");
}

TEST(Mutants, every_rule_has_one) {
  std::set<Rule> covered;
  for (const Mutant& mutant : mutants_per_rule()) covered.insert(mutant.rule);
  for (int rule = 0; rule <= static_cast<int>(Rule::kMalformed); ++rule)
    EXPECT_TRUE(covered.contains(static_cast<Rule>(rule))) << rule_name(static_cast<Rule>(rule));
}

TEST(Mutants, a_finding_says_where_and_what) {
  const Report report =
      verify(damaged(ring(), [](Schedules& s) { drop_task(s[1], nth(s[1], TaskKind::kSend, 2)); }));
  ASSERT_FALSE(report.proved());
  const Finding& finding = report.findings.front();
  EXPECT_EQ(finding.rule, Rule::kUnmatchedMessage);
  EXPECT_EQ(finding.rank, Rank(2));
  ASSERT_TRUE(finding.task.has_value());
  EXPECT_EQ(finding.message,
            "rank 2, task 6 (recv 1 -> output[24+8]): rank 1 never sends it (message 2 to rank 2)");
}

}  // namespace
}  // namespace weft::tests
