// SPDX-License-Identifier: BSD-3-Clause
// Races between the members of a group. Shared memory is ordered by node-level tasks alone (drop_in rule 9):
// what a member wrote before it arrived may be read by another after the step that both take part in, and
// whoever writes it again must have waited for the readers in the same way. Messages order nothing there.
//
// Windows have races too, between their owner and the ranks that write into them. Only messages order these
// accesses: whatever comes before a send comes before everything that waits for its receive. A write is taken
// for a copy that is over when the next message that depends on it begins.
#include <algorithm>
#include <map>

#include "executor/verifier/checks.hpp"
#include "executor/verifier/touches.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {
namespace {

struct Access {
  Bytes begin;
  Bytes end;
  Rank rank;
  BufferId buffer;
  TaskId task;
  bool writes;
};

// Every task begins and is complete: the two events of all tasks of all ranks, and which of them follow
// which.
class Events {
 public:
  using Event = std::uint32_t;

  Events(std::span<const Schedule> schedules, const Links& links, bool by_messages)
      : schedules_(schedules), links_(links), by_messages_(by_messages) {
    for (const Schedule& schedule : schedules) {
      first_.push_back(static_cast<Event>(rank_of_task_.size()));
      rank_of_task_.resize(rank_of_task_.size() + schedule.tasks.size(), schedule.self);
    }
    sort();
  }

  Event begin_of(Rank rank, TaskId task) const {
    return 2 * (first_[static_cast<std::size_t>(rank.value)] + task.value);
  }
  Event end_of(Rank rank, TaskId task) const { return begin_of(rank, task) + 1; }
  std::size_t count() const { return 2 * rank_of_task_.size(); }
  static bool is_begin(Event event) { return event % 2 == 0; }
  Rank rank_of(Event event) const { return rank_of_task_[event / 2]; }
  TaskId task_of(Event event) const {
    return TaskId(event / 2 - first_[static_cast<std::size_t>(rank_of(event).value)]);
  }
  std::span<const Event> in_order() const { return order_; }          // without those of a deadlock
  std::size_t place_of(Event event) const { return places_[event]; }  // in this order, or count()

  template <class Visit>
  void for_followers(Event event, Visit visit) const {
    const Rank rank = rank_of(event);
    const TaskId task = task_of(event);
    const Schedule& schedule = schedules_[static_cast<std::size_t>(rank.value)];
    if (!is_begin(event)) {
      for (const TaskId next : schedule.successors_of(task)) visit(begin_of(rank, next));
      return;
    }
    visit(event + 1);
    for_others(rank, task, visit);
  }

 private:
  // What is complete on other ranks only after the task has begun.
  template <class Visit>
  void for_others(Rank rank, TaskId task, Visit visit) const {
    const Task& what = schedules_[static_cast<std::size_t>(rank.value)].tasks[task.value];
    if (is_node_level(what.kind)) for_waiters(rank, task, visit);
    if (what.kind != TaskKind::kSend || !by_messages_) return;
    const std::uint32_t recv = links_.other[static_cast<std::size_t>(rank.value)][task.value];
    if (recv != Links::kNone) visit(end_of(Rank(what.peer), TaskId(recv)));
  }

  // Whose part of the step is complete only after `rank` has begun its own?
  template <class Visit>
  void for_waiters(Rank rank, TaskId task, Visit visit) const {
    const NodeStep& step = links_.steps[links_.other[static_cast<std::size_t>(rank.value)][task.value]];
    const int own = step.place_of(rank);
    for (int m = 0; m < static_cast<int>(step.members.size()); ++m) {
      const auto place = static_cast<std::size_t>(m);
      if (m != own && step.waits_for(m, own)) visit(end_of(step.members[place], step.tasks[place]));
    }
  }

  void sort() {
    std::vector<std::uint32_t> waits_for(count(), 1);
    for (const Schedule& schedule : schedules_)
      for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
        waits_for[begin_of(schedule.self, TaskId(task))] = schedule.predecessor_count[task];
        for_others(schedule.self, TaskId(task), [&](Event next) { ++waits_for[next]; });
      }
    order_.reserve(count());
    for (Event event = 0; event < count(); ++event)
      if (waits_for[event] == 0) order_.push_back(event);
    for (std::size_t at = 0; at < order_.size(); ++at)
      for_followers(order_[at], [&](Event next) {
        if (--waits_for[next] == 0) order_.push_back(next);
      });
    places_.assign(count(), count());
    for (std::size_t at = 0; at < order_.size(); ++at) places_[order_[at]] = at;
  }

  std::span<const Schedule> schedules_;
  const Links& links_;
  const bool by_messages_;
  std::vector<Event> first_;  // per rank: the number of its first task among all
  std::vector<Rank> rank_of_task_;
  std::vector<Event> order_;
  std::vector<std::size_t> places_;
};

class SharedRaceCheck {
 public:
  // `by_messages`: of windows rather than of groups.
  SharedRaceCheck(std::span<const Schedule> schedules, const Links& links, Findings& findings,
                  bool by_messages)
      : schedules_(schedules),
        links_(links),
        findings_(findings),
        by_messages_(by_messages),
        events_(schedules, links, by_messages) {}

  void run() {
    collect();
    check_reaches();
    for (const auto& [memory, accesses] : accesses_) pair_up(accesses, links_.memory_bytes[memory]);
    order_pairs();
    report();
  }

 private:
  using Event = Events::Event;
  // Accesses of two ranks to the same bytes, one of which writes: a path must lead from the first to the
  // other.
  struct Pair {
    Access first, then;
    bool ordered = false;
  };

  // In the order of their events; at the end those of a deadlock.
  void collect() {
    for (const Event event : events_.in_order())
      if (Events::is_begin(event)) note(event);
    for (Event event = 0; event < events_.count(); event += 2)
      if (events_.place_of(event) == events_.count()) note(event);
  }

  void note(Event begin) {
    const Schedule& schedule = schedules_[static_cast<std::size_t>(events_.rank_of(begin).value)];
    const TaskId id = events_.task_of(begin);
    const Task& task = schedule.tasks[id.value];
    if (reads_source(task.kind)) note(schedule, id, task.source_range(), false);
    if (writes_target(task.kind)) note(schedule, id, task.target_range(), true);
  }

  void note(const Schedule& schedule, TaskId task, Range range, bool writes) {
    const auto self = static_cast<std::size_t>(schedule.self.value);
    const std::uint32_t memory = links_.memory[self][range.buffer.value];
    const bool is_seen = is_shared(schedule.buffers[range.buffer.value].role) || links_.exposed_by[memory];
    if (range.size == Bytes(0) || !is_seen) return;
    const Bytes begin = links_.begin[self][range.buffer.value] + range.offset;
    accesses_[memory].push_back({begin, begin + range.size, schedule.self, range.buffer, task, writes});
  }

  void pair_up(const std::vector<Access>& accesses, Bytes size) {
    Touches<const Access*> touches(size);
    for (const Access& access : accesses) {
      // The simulation reports a deadlock; what never happens is no race.
      if (events_.place_of(events_.begin_of(access.rank, access.task)) == events_.count()) return;
      const Access* paired = nullptr;  // several pieces of the same two
      const auto follows = [&](const Access* earlier, Bytes, Bytes) {
        // By one name, a rank's own accesses are ordered within its schedule, or check_races() objects.
        if (earlier == paired || (earlier->rank == access.rank && earlier->buffer == access.buffer)) return;
        paired = earlier;
        if (!has_step_between(*earlier, access)) pairs_.push_back({*earlier, access});
      };
      touches.touch(access.begin, access.end, &access, access.writes, follows);
    }
  }

  // Whether the shortest of paths orders the two: an edge to a step, and an edge from it. Nearly always so,
  // and much less work than a search.
  bool has_step_between(const Access& first, const Access& then) const {
    const Schedule& before = schedules_[static_cast<std::size_t>(first.rank.value)];
    const Schedule& after = schedules_[static_cast<std::size_t>(then.rank.value)];
    for (const TaskId task : before.successors_of(first.task)) {
      if (!is_node_level(before.tasks[task.value].kind)) continue;
      const NodeStep& step =
          links_.steps[links_.other[static_cast<std::size_t>(first.rank.value)][task.value]];
      const int place = step.place_of(then.rank);
      if (place == static_cast<int>(step.members.size()) || !step.waits_for(place, step.place_of(first.rank)))
        continue;
      const auto next = after.successors_of(step.tasks[static_cast<std::size_t>(place)]);
      if (std::find(next.begin(), next.end(), then.task) != next.end()) return true;
    }
    return false;
  }

  // A rank's memory may be touched by others once something that they wait for says that it is in the call,
  // and only as long as something of it waits for them.
  void check_reaches() {
    if (std::none_of(links_.exposed_by.begin(), links_.exposed_by.end(),
                     [](const auto& owner) { return owner.has_value(); }))
      return;
    const std::size_t words = (schedules_.size() + 63) / 64;
    std::vector<std::uint64_t> before(events_.count() * words), after(before.size());
    const auto join = [&](std::vector<std::uint64_t>& sets, Event into, Event from) {
      for (std::size_t word = 0; word < words; ++word) sets[into * words + word] |= sets[from * words + word];
    };
    const auto bit = [&](std::vector<std::uint64_t>& sets, Event event, Rank rank) -> std::uint64_t& {
      return sets[event * words + static_cast<std::size_t>(rank.value) / 64];
    };
    const auto order = events_.in_order();
    for (const Event event : order) {
      bit(before, event, events_.rank_of(event)) |= std::uint64_t{1} << (events_.rank_of(event).value % 64);
      events_.for_followers(event, [&](Event next) { join(before, next, event); });
    }
    for (auto event = order.rbegin(); event != order.rend(); ++event) {
      bit(after, *event, events_.rank_of(*event)) |= std::uint64_t{1} << (events_.rank_of(*event).value % 64);
      events_.for_followers(*event, [&](Event next) { join(after, *event, next); });
    }
    for (const auto& [memory, accesses] : accesses_)
      for (const Access& access : accesses) {
        const std::optional<Rank> owner = links_.exposed_by[memory];
        if (!owner || *owner == access.rank) continue;
        if (access.writes && memory == links_.memory[static_cast<std::size_t>(owner->value)][kInput.value])
          findings_.add(Rule::kWritesInput, access.rank, access.task,
                        "rank {}'s input is its caller's to keep", owner->value);
        const Event begin = events_.begin_of(access.rank, access.task);
        if ((bit(before, begin, *owner) >> (owner->value % 64) & 1) == 0)
          findings_.add(Rule::kExposed, access.rank, access.task,
                        "rank {} may not have come yet: wait for a {} of it first", owner->value, word());
        if ((bit(after, begin + 1, *owner) >> (owner->value % 64) & 1) == 0)
          findings_.add(Rule::kExposed, access.rank, access.task,
                        "rank {} may have left by then: let it wait for a later {} of this rank",
                        owner->value, word());
      }
  }

  // For 64 tasks at a time, in their order: from which events do paths lead to their beginnings? Those before
  // the first that must are of no interest.
  void order_pairs() {
    if (pairs_.empty()) return;
    std::map<std::size_t, std::vector<Pair*>> pairs_to;  // by the place that a path must lead to
    for (Pair& pair : pairs_)
      pairs_to[events_.place_of(events_.begin_of(pair.then.rank, pair.then.task))].push_back(&pair);
    const auto from = [&](const Pair& pair) {
      return events_.place_of(events_.end_of(pair.first.rank, pair.first.task));
    };
    std::vector<std::uint64_t> leads(events_.count());  // by place
    for (auto batch = pairs_to.begin(); batch != pairs_to.end();) {
      std::size_t begin = batch->first, end = begin;
      auto last = batch;
      for (int bit = 0; bit < 64 && last != pairs_to.end(); ++bit, ++last) {
        for (const Pair* pair : last->second) begin = std::min(begin, from(*pair));
        end = last->first + 1;
      }
      std::fill_n(&leads[begin], end - begin, 0);
      int bit = 0;
      for (auto to = batch; to != last; ++to) leads[to->first] = std::uint64_t{1} << bit++;
      for (std::size_t place = end; place-- > begin;)
        events_.for_followers(events_.in_order()[place], [&](Event next) {
          if (events_.place_of(next) < end) leads[place] |= leads[events_.place_of(next)];
        });
      for (bit = 0; batch != last; ++batch, ++bit)
        for (Pair* pair : batch->second)
          pair->ordered = from(*pair) < end && (leads[from(*pair)] >> bit & 1) != 0;
    }
  }

  std::string_view word() const { return by_messages_ ? "message" : "step"; }

  void report() {
    for (const Pair& pair : pairs_) {
      if (pair.ordered) continue;
      const Access& writer = pair.first.writes ? pair.first : pair.then;
      const Access& other = pair.first.writes ? pair.then : pair.first;
      findings_.add(by_messages_ ? Rule::kRace : Rule::kNodeTask, other.rank, other.task,
                    "{} bytes that rank {} writes in {}, and no {} orders the two: wait for one in between",
                    other.writes ? "writes" : "reads", writer.rank.value,
                    findings_.name(writer.rank, writer.task),
                    by_messages_ ? "message" : "exchange, fan_in or fan_out");
    }
  }

  std::span<const Schedule> schedules_;
  const Links& links_;
  Findings& findings_;
  const bool by_messages_;
  Events events_;
  std::map<std::uint32_t, std::vector<Access>> accesses_;  // by memory
  std::vector<Pair> pairs_;
};

}  // namespace

void check_shared_races(std::span<const Schedule> schedules, const Links& links, Findings& findings) {
  const bool shares = std::any_of(schedules.begin(), schedules.end(),
                                  [](const Schedule& schedule) { return !schedule.groups.empty(); });
  const bool exposes = std::any_of(links.exposed_by.begin(), links.exposed_by.end(),
                                   [](const auto& owner) { return owner.has_value(); });
  // A schedule has groups or windows.
  if (shares || exposes) SharedRaceCheck(schedules, links, findings, !shares).run();
}

}  // namespace weft::verifier
