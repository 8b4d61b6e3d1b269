// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/links.hpp"

#include <algorithm>
#include <map>

namespace weft::verifier {
namespace {

// The recvs of one rank, to be looked up by (from, ordinal).
struct ExpectedMessage {
  std::int32_t from;
  std::uint32_t ordinal;
  std::uint32_t task;

  auto operator<=>(const ExpectedMessage&) const = default;
};

std::vector<ExpectedMessage> expected_messages(const Schedule& schedule) {
  std::vector<ExpectedMessage> expected;
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task)
    if (const Task& t = schedule.tasks[task]; t.kind == TaskKind::kRecv)
      expected.push_back({t.peer, t.ordinal, task});
  std::sort(expected.begin(), expected.end());
  return expected;
}

// The n-th message to or from a peer must say so: both ends count alike only then.
void check_ordinals(const Schedule& schedule, Findings& findings) {
  std::map<std::pair<TaskKind, std::int32_t>, std::uint32_t> next;
  for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
    const Task& t = schedule.tasks[task];
    if (!is_message(t.kind)) continue;
    const std::uint32_t due = next[{t.kind, t.peer}]++;
    if (t.ordinal != due)
      findings.add(Rule::kUnmatchedMessage, schedule.self, TaskId(task),
                   "message {} in this direction with rank {}, but its ordinal is {}", due, t.peer,
                   t.ordinal);
  }
}

// The task at the other end, taken from `expected` so that a second message with the same name finds nothing.
std::uint32_t take_match(std::vector<ExpectedMessage>& expected, std::vector<bool>& taken, Rank from,
                         std::uint32_t ordinal) {
  const auto at = std::lower_bound(expected.begin(), expected.end(), ExpectedMessage{from.value, ordinal, 0});
  if (at == expected.end() || at->from != from.value || at->ordinal != ordinal) return Links::kNone;
  const auto place = static_cast<std::size_t>(at - expected.begin());
  if (taken[place]) return Links::kNone;
  taken[place] = true;
  return at->task;
}

}  // namespace

void link_messages(std::span<const Schedule> schedules, Links& links, Findings& findings) {
  std::vector<std::vector<ExpectedMessage>> expected;
  std::vector<std::vector<bool>> taken;
  links.other.clear();
  for (const Schedule& schedule : schedules) {
    check_ordinals(schedule, findings);
    links.other.emplace_back(schedule.tasks.size(), Links::kNone);
    expected.push_back(expected_messages(schedule));
    taken.emplace_back(expected.back().size(), false);
  }
  for (const Schedule& schedule : schedules) {
    const auto self = static_cast<std::size_t>(schedule.self.value);
    for (std::uint32_t task = 0; task < schedule.tasks.size(); ++task) {
      const Task& send = schedule.tasks[task];
      if (send.kind != TaskKind::kSend) continue;
      const auto peer = static_cast<std::size_t>(send.peer);
      const std::uint32_t recv = take_match(expected[peer], taken[peer], schedule.self, send.ordinal);
      if (recv == Links::kNone) {
        findings.add(Rule::kUnmatchedMessage, schedule.self, TaskId(task),
                     "rank {} has no recv for it (message {} from rank {})", send.peer, send.ordinal, self);
        continue;
      }
      links.other[self][task] = recv;
      links.other[peer][recv] = task;
      if (schedules[peer].tasks[recv].size != send.size)
        findings.add(Rule::kSizeMismatch, schedule.self, TaskId(task),
                     "sends {} bytes, but rank {}, {} takes {}", send.size.value, send.peer,
                     findings.name(Rank(send.peer), TaskId(recv)), schedules[peer].tasks[recv].size.value);
    }
  }
  for (const Schedule& schedule : schedules) {
    const auto self = static_cast<std::size_t>(schedule.self.value);
    for (const ExpectedMessage& recv : expected[self])
      if (links.other[self][recv.task] == Links::kNone)
        findings.add(Rule::kUnmatchedMessage, schedule.self, TaskId(recv.task),
                     "rank {} never sends it (message {} to rank {})", recv.from, recv.ordinal, self);
  }
}

}  // namespace weft::verifier
