// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/trace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "executor/verifier/checks.hpp"
#include "executor/verifier/result.hpp"
#include "executor/verifier/simulation.hpp"
#include "schedule/describe.hpp"
#include "schedule/errands.hpp"

namespace weft {
namespace {

using namespace verifier;

// Contributions in words: whole ones first, then parts of them with their bytes.
class Words {
 public:
  explicit Words(Bytes whole_size) : whole_size_(whole_size) {}

  void add_whole(Rank rank) { whole_.insert(rank); }

  void add(const Expressions& expressions, const Run& run) {
    const Expressions::Id what = run.value.what;
    if (!Expressions::is_value(what)) return;
    const Bytes begin = run.begin + run.value.shift;
    const Bytes end = run.end + run.value.shift;
    if (expressions.is_leaf(what) && begin == Bytes(0) && end == whole_size_)
      add_whole(expressions.first(what));
    else add_part(expressions.ranks(what).text(), begin, end);
  }

  void add_part(const std::string& ranks, Bytes begin, Bytes end) {
    Bytes& known_end = parts_[ranks].try_emplace(begin, end).first->second;
    known_end = std::max(known_end, end);
  }

  std::string text() const {
    std::string all = whole_.empty() ? "" : whole_.text();
    for (const auto& [ranks, ranges] : parts_) all += (all.empty() ? "" : " ") + ranks + ranges_text(ranges);
    return all.empty() ? "-" : all;
  }

 private:
  using Ranges = std::map<Bytes, Bytes>;  // begin -> end

  // "[0:8,16:24]", or "" if that is all of it.
  std::string ranges_text(const Ranges& ranges) const {
    std::vector<std::pair<Bytes, Bytes>> joined;
    for (const auto& [begin, end] : ranges) {
      if (!joined.empty() && begin <= joined.back().second)
        joined.back().second = std::max(joined.back().second, end);
      else joined.emplace_back(begin, end);
    }
    if (joined.size() == 1 && joined[0] == std::pair(Bytes(0), whole_size_)) return "";
    std::string list;
    for (const auto& [begin, end] : joined)
      list += fmt::format("{}{}:{}", list.empty() ? "" : ",", begin.value, end.value);
    return '[' + list + ']';
  }

  Bytes whole_size_;
  RankSet whole_;
  std::map<std::string, Ranges> parts_;  // by their ranks in words
};

class Tracer {
 public:
  Tracer(std::span<const Schedule> schedules, const Links& links, const Simulation& run)
      : schedules_(schedules),
        call_(schedules.front().call),
        links_(links),
        run_(run),
        pairing_(pairing_of(schedules)) {}

  std::string carried(const Delivery& message) const {
    if (oracle_of(call_.collective).waits_for_all)
      return run_.entered_before(message.from, message.send).text();
    const Schedule& sender = schedules_[static_cast<std::size_t>(message.from.value)];
    const Range source = sender.tasks[message.send.value].source_range();
    std::vector<Run> runs;
    run_.memory(message.from, source.buffer).read(source.offset, source.offset + source.size, runs);
    Words words(contribution_size());
    for (const Run& run : runs) words.add(run_.expressions(), run);
    return words.text();
  }

  // "exchange of ranks 0-3", "fan_in to rank 0 of ranks 0-3".
  std::string step_text(std::uint32_t number) const {
    const NodeStep& step = links_.steps[number];
    RankSet members;
    for (const Rank member : step.members) members.insert(member);
    const int leader = step.members[static_cast<std::size_t>(step.leader)].value;
    if (!has_leader(step.kind)) return fmt::format("{} of ranks {}", name_of(step.kind), members.text());
    return fmt::format("{} rank {} of ranks {}", step.kind == TaskKind::kFanIn ? "fan_in to" : "fan_out from",
                       leader, members.text());
  }

  std::vector<std::string> holds() const {
    std::vector<std::string> all;
    for (const Schedule& schedule : schedules_) {
      if (oracle_of(call_.collective).waits_for_all) all.push_back(run_.entered(schedule.self).text());
      else all.push_back(is_reduction(call_.collective) ? best_partial(schedule) : blocks_in_place(schedule));
    }
    return all;
  }

 private:
  Bytes contribution_size() const {
    const bool has_blocks = call_.collective == Collective::kAlltoall ||
                            call_.collective == Collective::kScatter ||
                            call_.collective == Collective::kReduceScatterBlock;
    return has_blocks ? call_.bytes * call_.rank_count : call_.bytes;
  }

  std::string best_partial(const Schedule& schedule) const {
    const Expressions& expressions = run_.expressions();
    std::vector<Run> runs;
    for (std::size_t b = 0; b < schedule.buffers.size(); ++b) {
      if (has_group(schedule.buffers[b].role)) continue;  // everybody's, or another's
      const std::vector<Run> more = run_.memory(schedule.self, BufferId(static_cast<std::uint8_t>(b))).runs();
      runs.insert(runs.end(), more.begin(), more.end());
    }
    std::int64_t most = 1;
    for (const Run& run : runs)
      if (Expressions::is_value(run.value.what))
        most = std::max(most, expressions.leaf_count(run.value.what));
    Words words(contribution_size());
    for (const Run& run : runs) {
      if (!Expressions::is_value(run.value.what) || expressions.leaf_count(run.value.what) != most) continue;
      if (most == 1 && expressions.first(run.value.what) != schedule.self)
        continue;  // received, not combined yet
      words.add(expressions, run);
    }
    return words.text();
  }

  std::string blocks_in_place(const Schedule& schedule) const {
    Words words(contribution_size());
    for (const Piece& piece : oracle_of(call_.collective).result(participant_of(schedule), pairing_)) {
      std::vector<Run> runs;
      run_.memory(schedule.self, kOutput).read(piece.offset, piece.offset + piece.size, runs);
      Bytes right(0);
      for (const Run& run : runs)
        if (is_required(run_.expressions(), piece, run)) right += run.end - run.begin;
      if (right == piece.size) {
        words.add_whole(piece.first);
        continue;
      }
      for (const Run& run : runs)
        if (is_required(run_.expressions(), piece, run)) words.add(run_.expressions(), run);
    }
    return words.text();
  }

  std::span<const Schedule> schedules_;
  const Call& call_;
  const Links& links_;
  const Simulation& run_;
  Pairing pairing_;
};

TraceRound round_of(const Simulation& run, const Tracer& tracer, std::span<const Schedule> schedules) {
  std::vector<Delivery> messages;
  std::set<std::uint32_t> steps;
  for (const Delivery& delivery : run.deliverable()) {
    if (delivery.is_message()) messages.push_back(delivery);
    else steps.insert(delivery.step);
  }
  std::sort(messages.begin(), messages.end(), [](const Delivery& a, const Delivery& b) {
    return std::tie(a.from, a.to, a.send) < std::tie(b.from, b.to, b.send);
  });
  TraceRound round;
  for (const Delivery& m : messages) {
    const Task& send = schedules[static_cast<std::size_t>(m.from.value)].tasks[m.send.value];
    round.messages.push_back({m.from, m.to, send.size, tracer.carried(m)});
  }
  for (const std::uint32_t step : steps) round.node_steps.push_back(tracer.step_text(step));
  return round;
}

}  // namespace

Trace trace(std::span<const Schedule> all, std::size_t most_rounds) {
  Trace trace;
  Findings structure(all);  // trace() tells what happens; whether that is right, verify() says
  if (!check_structure(all, structure)) return trace;
  std::vector<Schedule> chosen;
  std::span<const Schedule> schedules = all;
  if (has_errands(all)) schedules = chosen = with_some_last_arrivers(all);
  Findings findings(schedules);
  if (!chosen.empty() && (has_errands(schedules) || !check_structure(schedules, findings))) return trace;
  Links links;
  link_messages(schedules, links, findings);
  if (!link_groups(schedules, links, findings)) return trace;
  Simulation run(schedules, links, findings);
  const Tracer tracer(schedules, links, run);
  trace.initially = tracer.holds();
  while (!run.deliverable().empty()) {
    trace.is_cut = trace.rounds.size() == most_rounds;
    if (trace.is_cut) return trace;
    TraceRound round = round_of(run, tracer, schedules);
    run.round();
    round.holds = tracer.holds();
    trace.rounds.push_back(std::move(round));
  }
  trace.complete = run.finished();
  return trace;
}

}  // namespace weft
