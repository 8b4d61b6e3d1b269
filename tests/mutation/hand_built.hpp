// SPDX-License-Identifier: BSD-3-Clause
// Small correct schedules, written by hand, and the tools to damage them. Each algorithm takes the Builder of
// one rank; all_ranks() collects them.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "executor/verifier/verify.hpp"
#include "schedule/builder.hpp"

namespace weft::tests {

using Schedules = std::vector<Schedule>;
using Write = std::function<void(Builder&)>;

inline Schedules all_ranks(const Call& call, const Write& write,
                           const std::function<bool(int)>& in_place = {}) {
  Schedules schedules;
  for (int rank = 0; rank < call.rank_count; ++rank) {
    Builder builder(call, Rank(rank), in_place && in_place(rank));
    write(builder);
    schedules.push_back(std::move(builder).finish("by hand"));
  }
  return schedules;
}

inline Call allreduce_call(int ranks, bool commutative = true, int elements = 2) {
  return {.collective = Collective::kAllreduce,
          .rank_count = ranks,
          .bytes = Bytes(8 * elements),
          .element_bytes = Bytes(8),
          .commutative = commutative};
}

// For powers of two. Ranks below the partner add the partner's part on the right, the others on the left;
// `confused` does it the other way round.
inline void recursive_doubling(Builder& b, int confused = -1) {
  Range current = b.contribution();
  for (int distance = 1; distance < b.rank_count(); distance *= 2) {
    const int partner = b.self() ^ distance;
    const Range received = b.scratch(b.bytes());
    b.recv(partner, received);
    b.send(partner, current);
    const bool add_on_right = (partner > b.self()) != (b.self() == confused);
    if (add_on_right) {
      b.reduce(current, received);
      current = received;
    } else {
      const Range sum = b.scratch(b.bytes());
      b.copy(current, sum);
      b.reduce(received, sum);
      current = sum;
    }
  }
  b.copy(current, b.output());
}

inline Call allgather_call(int ranks, int bytes = 8) {
  return {.collective = Collective::kAllgather, .rank_count = ranks, .bytes = Bytes(bytes)};
}

inline void ring_allgather(Builder& b) {
  const int n = b.rank_count();
  const auto block = [&](int rank) { return b.output().part(b.bytes() * ((rank + n) % n), b.bytes()); };
  b.copy(b.contribution(), block(b.self()));
  for (int step = 0; step < n - 1; ++step) {
    b.send((b.self() + 1) % n, block(b.self() - step));
    b.recv((b.self() + n - 1) % n, block(b.self() - step - 1));
  }
}

inline Call bcast_call(int ranks, int root = 0) {
  return {.collective = Collective::kBcast, .rank_count = ranks, .root = Rank(root), .bytes = Bytes(24)};
}

inline void binomial_bcast(Builder& b) {
  const int n = b.rank_count();
  const int root = b.call().root.value;
  const int place = (b.self() - root + n) % n;
  int distance = 1;
  while (distance < n && (place & distance) == 0) distance *= 2;
  if (place != 0) b.recv((place - distance + root) % n, b.output());
  for (distance /= 2; distance > 0; distance /= 2)
    if (place + distance < n) b.send((place + distance + root) % n, b.output());
}

inline Call alltoall_call(int ranks) {
  return {.collective = Collective::kAlltoall, .rank_count = ranks, .bytes = Bytes(8)};
}

inline void linear_alltoall(Builder& b) {
  const auto block = [&](Range all, int rank) { return all.part(b.bytes() * rank, b.bytes()); };
  Range from = b.contribution();
  if (b.in_place()) {
    from = b.scratch(b.output().size);
    b.copy(b.output(), from);
  }
  b.copy(block(from, b.self()), block(b.output(), b.self()));
  for (int peer = 0; peer < b.rank_count(); ++peer) {
    if (peer == b.self()) continue;
    b.recv(peer, block(b.output(), peer));
    b.send(peer, block(from, peer));
  }
}

inline Call barrier_call(int ranks) { return {.collective = Collective::kBarrier, .rank_count = ranks}; }

// Only the joins make the rounds.
inline void dissemination_barrier(Builder& b, bool joins = true) {
  const int n = b.rank_count();
  for (int distance = 1; distance < n; distance *= 2) {
    b.signal((b.self() + distance) % n);
    b.await_signal((b.self() - distance + n) % n);
    if (joins) b.join();
  }
}

inline Call reduce_call(int ranks, int root) {
  return {.collective = Collective::kReduce,
          .rank_count = ranks,
          .root = Rank(root),
          .bytes = Bytes(16),
          .element_bytes = Bytes(8),
          .commutative = false};
}

// The root takes all contributions and folds them in rank order.
inline void linear_reduce(Builder& b) {
  const int root = b.call().root.value;
  if (b.self() != root) {
    b.send(root, b.contribution());
    return;
  }
  const Range all = b.scratch(b.bytes() * b.rank_count());
  const auto slot = [&](int rank) { return all.part(b.bytes() * rank, b.bytes()); };
  b.copy(b.contribution(), slot(root));
  for (int rank = 0; rank < b.rank_count(); ++rank)
    if (rank != root) b.recv(rank, slot(rank));
  const Range sum = slot(b.rank_count() - 1);
  for (int rank = b.rank_count() - 2; rank >= 0; --rank) b.reduce(slot(rank), sum);
  b.copy(sum, b.output());
}

inline std::vector<Rank> everybody_of(int count) {
  std::vector<Rank> ranks;
  for (int rank = 0; rank < count; ++rank) ranks.emplace_back(rank);
  return ranks;
}
inline std::vector<Rank> everybody(const Builder& b) { return everybody_of(b.rank_count()); }

// One node: everybody fills its slot, and after the exchange everybody folds all slots.
inline void exchange_allreduce(Builder& b) {
  const int n = b.rank_count();
  const GroupId group = b.group(everybody(b));
  const Range lines = b.lines(group);
  const auto slot = [&](int rank) { return lines.part(kLineStride * rank, b.bytes()); };
  b.copy(b.contribution(), slot(b.self()));
  b.exchange(lines, group);
  b.copy(slot(n - 1), b.output());
  for (int rank = n - 2; rank >= 0; --rank) b.reduce(slot(rank), b.output());
}

// One node: the leader folds the slots and publishes the result.
inline void leader_allreduce(Builder& b) {
  const int n = b.rank_count();
  const GroupId group = b.group(everybody(b));
  const Range lines = b.lines(group);
  const Range result = b.shared(group, b.bytes());
  const auto slot = [&](int rank) { return lines.part(kLineStride * rank, b.bytes()); };
  b.copy(b.contribution(), slot(b.self()));
  b.fan_in(lines, group, 0);
  if (b.self() == 0) {
    b.copy(slot(n - 1), result);
    for (int rank = n - 2; rank >= 0; --rank) b.reduce(slot(rank), result);
  }
  b.fan_out(lines, group, 0, result);
  b.copy(result, b.output());
}

// One node: everybody copies the blocks of all others out of their memory. Unless they
// meet before and behind, somebody is reached into who is not there.
inline void reaching_allgather(Builder& b, bool meets_before, bool meets_behind) {
  const GroupId group = b.group(everybody(b));
  const Range lines = b.lines(group);
  std::vector<Range> blocks;
  for (int rank = 0; rank < b.rank_count(); ++rank)
    blocks.push_back(b.exposed(group, rank, b.bytes(), b.contribution()));
  const auto meet = [&] {
    const TaskId step = b.exchange(lines, group);
    for (const Range& block : blocks) b.cover(step, block);
  };
  if (meets_before) meet();
  for (int rank = 0; rank < b.rank_count(); ++rank)
    b.copy(blocks[static_cast<std::size_t>(rank)], b.output().part(b.bytes() * rank, b.bytes()));
  if (meets_behind) meet();
}

// One node: everybody copies its blocks out of the memory of all others, who expose copies of their blocks,
// as MPI_IN_PLACE needs them.
inline void reaching_alltoall(Builder& b) {
  const GroupId group = b.group(everybody(b));
  const Range lines = b.lines(group), copied = b.scratch(b.output().size);
  std::vector<Range> all;
  for (int rank = 0; rank < b.rank_count(); ++rank)
    all.push_back(b.exposed(group, rank, copied.size, copied));
  const auto meet = [&] {
    const TaskId step = b.exchange(lines, group);
    for (const Range& one : all) b.cover(step, one);
  };
  b.copy(b.contribution(), copied);
  meet();
  for (int rank = 0; rank < b.rank_count(); ++rank)
    b.copy(all[static_cast<std::size_t>(rank)].part(b.bytes() * b.self(), b.bytes()),
           b.output().part(b.bytes() * rank, b.bytes()));
  meet();
}

// One node: the root copies its message into everybody's buffer.
inline void reaching_bcast(Builder& b, Range (*received)(const Builder&)) {
  const GroupId group = b.group(everybody(b));
  const Range lines = b.lines(group);
  const Range theirs = b.exposed(group, 1, b.bytes(), received(b));
  b.cover(b.exchange(lines, group), theirs);
  if (b.self() == 0) b.copy(b.output(), theirs);
  b.cover(b.exchange(lines, group), theirs);
}

// --- damage ---

inline std::vector<std::pair<TaskId, TaskId>> edges_of(const Schedule& schedule) {
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task)
    for (const TaskId next : schedule.successors_of(TaskId(task))) edges.emplace_back(TaskId(task), next);
  return edges;
}

inline void drop_edge(Schedule& schedule, TaskId from, TaskId to) {
  auto edges = edges_of(schedule);
  std::erase(edges, std::pair(from, to));
  set_edges(schedule, edges);
}

// The task does nothing any more; whoever waited for it still does.
inline void drop_task(Schedule& schedule, TaskId task) {
  const std::uint32_t edges = schedule.tasks[task.value].successor_begin;
  schedule.tasks[task.value] = {.kind = TaskKind::kJoin, .successor_begin = edges};
}

// The n-th task of a kind.
inline TaskId nth(const Schedule& schedule, TaskKind kind, int n = 0) {
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task)
    if (schedule.tasks[task].kind == kind && n-- == 0) return TaskId(task);
  std::abort();
}

inline Task& nth_task(Schedule& schedule, TaskKind kind, int n = 0) {
  return schedule.tasks[nth(schedule, kind, n).value];
}

// --- mutants ---

struct Mutant {
  std::string name;
  Rule rule;
  Schedules (*make)();
};

template <class Damage>
Schedules damaged(Schedules schedules, Damage damage) {
  damage(schedules);
  return schedules;
}

inline Schedules reaching(bool meets_before = true, bool meets_behind = true) {
  return all_ranks(allgather_call(3), [&](Builder& b) { reaching_allgather(b, meets_before, meets_behind); });
}

// "" or that the verifier does not object by the rule, and by which it does.
inline std::string missing_objection(const Mutant& mutant) {
  const Report report = verify(mutant.make());
  std::string found;
  for (const Finding& finding : report.findings) {
    if (finding.rule == mutant.rule) return "";
    found += "\n  " + std::string(rule_name(finding.rule)) + ": " + finding.message;
  }
  return mutant.name + ": expected " + std::string(rule_name(mutant.rule)) + ", found:" + found;
}

}  // namespace weft::tests
