// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/verify.hpp"

#include "executor/verifier/checks.hpp"
#include "executor/verifier/result.hpp"
#include "executor/verifier/simulation.hpp"

namespace weft {

std::string_view rule_name(Rule rule) {
  switch (rule) {
    case Rule::kUnmatchedMessage: return "unmatched_message";
    case Rule::kSizeMismatch: return "size_mismatch";
    case Rule::kDeadlock: return "deadlock";
    case Rule::kRace: return "race";
    case Rule::kOutOfBounds: return "out_of_bounds";
    case Rule::kWritesInput: return "writes_input";
    case Rule::kUndefinedData: return "undefined_data";
    case Rule::kWrongResult: return "wrong_result";
    case Rule::kOrderBroken: return "order_broken";
    case Rule::kBracketDiffers: return "bracket_differs";
    case Rule::kNodeTask: return "node_task";
    case Rule::kMalformed: return "malformed";
  }
  return "?";
}

namespace {

using namespace verifier;

void count_messages(std::span<const Schedule> schedules, Report& report) {
  for (const Schedule& schedule : schedules)
    for (const Task& task : schedule.tasks) {
      if (task.kind != TaskKind::kSend) continue;
      ++report.messages;
      report.bytes_sent += task.size;
    }
}

void check_all(std::span<const Schedule> schedules, Findings& findings, Report& report) {
  if (!check_structure(schedules, findings)) return;
  Links links;
  link_messages(schedules, links, findings);
  for (const Schedule& schedule : schedules) check_races(schedule, findings);
  if (!link_groups(schedules, links, findings)) return;
  check_shared_races(schedules, links, findings);

  Simulation run(schedules, links, findings);
  while (!run.deliverable().empty()) run.round();
  if (!run.finished()) return run.report_deadlock();
  check_results(schedules, run, findings);
  report.bracket = bracket_of(schedules, run);
}

}  // namespace

Report verify(std::span<const Schedule> schedules) {
  Report report;
  Findings findings(schedules);
  count_messages(schedules, report);
  check_all(schedules, findings, report);
  report.findings = findings.take();
  return report;
}

}  // namespace weft
