// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/simulation.hpp"

#include <algorithm>

#include "collective/oracle.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {

Simulation::Simulation(std::span<const Schedule> schedules, const Links& links, Findings& findings)
    : schedules_(schedules),
      links_(&links),
      findings_(&findings),
      follows_entries_(oracle_of(schedules.front().call.collective).waits_for_all) {
  for (const Bytes size : links.memory_bytes) memories_.emplace_back(size);
  for (const NodeStep& step : links.steps) {
    const std::vector<bool> nobody(step.members.size());
    steps_.push_back({.arrived = nobody, .waits = nobody});
  }
  for (const Schedule& schedule : schedules) {
    entered_.emplace_back(schedule.self);
    known_.emplace_back(follows_entries_ ? schedule.tasks.size() : 0, RankSet(schedule.self));
    posted_.emplace_back(schedule.tasks.size());
    ready_.emplace_back(schedule).restart();
  }
  place_contributions();
  for (const Schedule& schedule : schedules) run_ready(schedule.self);
}

void Simulation::place_contributions() {
  for (const Schedule& schedule : schedules_) {
    const Oracle& oracle = oracle_of(schedule.call.collective);
    const Place place = oracle.contribution(participant_of(schedule));
    const Value value{expressions_.leaf(schedule.self), Bytes(0) - place.offset};
    Memory& memory = memories_[memory_of(schedule.self, place.in_output ? kOutput : kInput)];
    memory.assign(place.offset, place.offset + place.size, value);
  }
}

void Simulation::round() {
  const std::vector<Delivery> batch = std::move(deliverable_);
  deliverable_.clear();
  for (const Delivery& delivery : batch) deliver(delivery);
  for (const Delivery& delivery : batch) {
    run_ready(delivery.from);
    if (delivery.is_message()) run_ready(delivery.to);
  }
}

void Simulation::deliver(const Delivery& delivery) {
  if (!delivery.is_message()) {
    if (follows_entries_)
      known_[index(delivery.from)][delivery.send.value].insert(steps_[delivery.step].known);
    return complete(delivery.from, delivery.send);
  }
  const Range source = task_of(delivery.from, delivery.send).source_range();
  const Range target = task_of(delivery.to, delivery.recv).target_range();
  const Bytes size = std::min(source.size, target.size);  // a difference is reported already
  move(delivery.from, delivery.send, source.part(Bytes(0), size), delivery.to, target.part(Bytes(0), size));
  spoil(delivery.to, target.part(size, target.size - size));
  if (follows_entries_)
    known_[index(delivery.to)][delivery.recv.value].insert(entered_before(delivery.from, delivery.send));
  complete(delivery.from, delivery.send);
  complete(delivery.to, delivery.recv);
}

void Simulation::run_ready(Rank rank) {
  ReadySet& ready = ready_[index(rank)];
  while (ready.has_ready()) begin(rank, ready.take());
}

void Simulation::begin(Rank rank, TaskId id) {
  const Task& task = task_of(rank, id);
  if (is_message(task.kind)) return post_message(rank, id);
  if (is_node_level(task.kind)) return arrive(rank, id);
  if (task.kind == TaskKind::kCopy) move(rank, id, task.source_range(), rank, task.target_range());
  if (task.kind == TaskKind::kReduce) reduce(rank, id);
  complete(rank, id);
}

void Simulation::complete(Rank rank, TaskId task) {
  posted_[index(rank)][task.value] = false;
  ready_[index(rank)].complete(task);
  if (!follows_entries_) return;
  std::vector<RankSet>& known = known_[index(rank)];
  entered_[index(rank)].insert(known[task.value]);
  for (const TaskId next : schedules_[index(rank)].successors_of(task))
    known[next.value].insert(known[task.value]);
}

void Simulation::post_message(Rank rank, TaskId id) {
  const Task& task = task_of(rank, id);
  const std::uint32_t other = links_->other[index(rank)][id.value];
  if (other == Links::kNone) {  // reported already; go on, to find what else is wrong
    if (task.kind == TaskKind::kRecv) spoil(rank, task.target_range());
    return complete(rank, id);
  }
  posted_[index(rank)][id.value] = true;
  const Rank peer(task.peer);
  if (!posted_[index(peer)][other]) return;
  if (task.kind == TaskKind::kSend) deliverable_.push_back({rank, id, peer, TaskId(other)});
  else deliverable_.push_back({peer, TaskId(other), rank, id});
}

bool Simulation::has_all_it_gets(const StepState& state, const std::vector<bool>& gets) {
  for (std::size_t other = 0; other < gets.size(); ++other)
    if (gets[other] && !state.arrived[other]) return false;
  return true;
}

void Simulation::arrive(Rank rank, TaskId id) {
  const std::uint32_t number = links_->other[index(rank)][id.value];
  const NodeStep& step = links_->steps[number];
  StepState& state = steps_[number];
  const auto member = std::find(step.members.begin(), step.members.end(), rank);
  const auto place = static_cast<std::size_t>(member - step.members.begin());
  const auto leader = static_cast<std::size_t>(step.leader);
  ++state.arrivals;
  state.arrived[place] = true;
  if (follows_entries_ && (step.kind != TaskKind::kFanOut || place == leader))
    state.known.insert(entered_before(rank, id));
  if (step.passes(static_cast<int>(place))) complete(rank, id);
  else state.waits[place] = posted_[index(rank)][id.value] = true;

  const bool all = state.arrivals == static_cast<int>(step.members.size());
  const bool some = waits_for_some(step.kind) || (step.kind == TaskKind::kFanOut && state.arrived[leader]);
  if (!all && !some) return;
  for (std::size_t m = 0; m < step.members.size(); ++m) {
    if (!state.waits[m] || (!all && waits_for_some(step.kind) && !has_all_it_gets(state, step.gets[m])))
      continue;
    state.waits[m] = false;
    deliverable_.push_back({.from = step.members[m], .send = step.tasks[m], .step = number});
  }
}

// What a task reads; undefined bytes are reported here, where they are used, and nowhere downstream.
void Simulation::read(Rank rank, TaskId task, Range range, std::vector<Run>& runs) {
  runs.clear();
  const Bytes begin = begin_of(rank, range.buffer);
  memories_[memory_of(rank, range.buffer)].read(begin + range.offset, begin + range.offset + range.size,
                                                runs);
  bool reported = false;
  for (Run& run : runs) {
    run = {run.begin - begin, run.end - begin, {run.value.what, run.value.shift + begin}};
    if (run.value.what != Expressions::kUndefined) continue;
    if (!reported)
      findings_->add(Rule::kUndefinedData, rank, task, "uses {}, which nobody has written",
                     describe(schedules_[index(rank)], Range{range.buffer, run.begin, run.end - run.begin}));
    reported = true;
    run.value = {Expressions::kSpoiled, Bytes(0)};
  }
}

void Simulation::move(Rank from, TaskId reader, Range source, Rank to, Range target) {
  read(from, reader, source, left_);
  const Bytes distance = begin_of(to, target.buffer) + target.offset - source.offset;
  Memory& memory = memories_[memory_of(to, target.buffer)];
  for (const Run& run : left_)
    memory.assign(run.begin + distance, run.end + distance, {run.value.what, run.value.shift - distance});
}

void Simulation::spoil(Rank rank, Range range) {
  memories_[memory_of(rank, range.buffer)].assign(range.offset, range.offset + range.size,
                                                  {Expressions::kSpoiled, Bytes(0)});
}

// Walks both operands at once, cut wherever either changes.
void Simulation::reduce(Rank rank, TaskId id) {
  const Task& task = task_of(rank, id);
  read(rank, id, task.source_range(), left_);
  read(rank, id, task.target_range(), right_);
  Memory& memory = memories_[memory_of(rank, task.target)];
  const Bytes distance = task.target_offset - task.source_offset;
  bool reported = false;
  auto left = left_.begin();
  auto right = right_.begin();
  while (left != left_.end() && right != right_.end()) {
    const Bytes begin = std::max(left->begin + distance, right->begin);
    const Bytes end = std::min(left->end + distance, right->end);
    const Value lined_up{left->value.what, left->value.shift - distance};
    memory.assign(begin, end, combine(rank, id, {begin, end, lined_up}, right->value, reported));
    if (left->end + distance == end) ++left;
    if (right->end == end) ++right;
  }
}

Value Simulation::combine(Rank rank, TaskId task, const Run& left, Value right, bool& reported) {
  constexpr Value kNothing{Expressions::kSpoiled, Bytes(0)};
  if (!Expressions::is_value(left.value.what) || !Expressions::is_value(right.what)) return kNothing;
  const std::int64_t element = schedules_.front().call.element_bytes.value;
  const bool aligned = left.value.shift == right.shift;
  const bool whole =
      (left.begin + right.shift).value % element == 0 && (left.end - left.begin).value % element == 0;
  if (aligned && whole) return {expressions_.combine(left.value.what, right.what), right.shift};
  if (!reported && !aligned)
    findings_->add(Rule::kWrongResult, rank, task,
                   "combines byte {} of {} with byte {} of {}: both operands must be "
                   "the same bytes of their contributions",
                   (left.begin + left.value.shift).value, expressions_.text(left.value.what),
                   (left.begin + right.shift).value, expressions_.text(right.what));
  else if (!reported)
    findings_->add(Rule::kWrongResult, rank, task,
                   "combines bytes {} to {} of the contributions, but elements have "
                   "{} bytes: cut at elements only",
                   (left.begin + right.shift).value, (left.end + right.shift).value, element);
  reported = true;
  return kNothing;
}

bool Simulation::finished() const {
  return std::all_of(ready_.begin(), ready_.end(), [](const ReadySet& ready) { return ready.finished(); });
}

void Simulation::report_deadlock() const {
  for (const Schedule& schedule : schedules_) {
    const Rank rank = schedule.self;
    const auto& posted = posted_[index(rank)];
    for (std::uint32_t id = 0; id < posted.size(); ++id) {
      if (!posted[id]) continue;
      const Task& task = schedule.tasks[id];
      const std::uint32_t other = links_->other[index(rank)][id];
      if (is_message(task.kind)) {
        findings_->add(Rule::kDeadlock, rank, TaskId(id),
                       "waits for rank {}, {}, which never becomes ready; {} tasks "
                       "of this rank remain",
                       task.peer, findings_->name(Rank(task.peer), TaskId(other)),
                       ready_[index(rank)].remaining());
        continue;
      }
      const NodeStep& step = links_->steps[other];
      for (std::size_t m = 0; m < step.members.size(); ++m)
        if (!steps_[other].arrived[m] && step.waits_for(step.place_of(rank), static_cast<int>(m)))
          findings_->add(Rule::kDeadlock, rank, TaskId(id),
                         "waits for rank {}, {}, which never becomes ready", step.members[m].value,
                         findings_->name(step.members[m], step.tasks[m]));
    }
  }
}

}  // namespace weft::verifier
