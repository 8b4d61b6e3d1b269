// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/verify.hpp"

#include "executor/verifier/checks.hpp"
#include "executor/verifier/result.hpp"
#include "executor/verifier/simulation.hpp"
#include "schedule/errands.hpp"

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
    case Rule::kParcelsDiffer: return "parcels_differ";
    case Rule::kNodeTask: return "node_task";
    case Rule::kExposed: return "exposed";
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

// Whoever arrives last. All groups of one depth choose alike; that is enough, because all list the same
// errands.
void check_every_choice(std::span<const Schedule> schedules, Report& report) {
  const int choices = last_arriver_choices(schedules);
  for (int choice = 0; choice < choices && report.findings.empty(); ++choice) {
    const std::vector<Schedule> chosen = with_last_arrivers(schedules, choice);
    Findings findings(chosen);
    if (check_structure(chosen, findings)) check_all(chosen, findings, report);
    report.findings = findings.take();
  }
}

}  // namespace

Report verify(std::span<const Schedule> schedules) {
  Report report;
  Findings findings(schedules);
  count_messages(schedules, report);
  if (check_structure(schedules, findings)) {
    if (!has_errands(schedules)) check_all(schedules, findings, report);
    else if (const auto trouble = errands_trouble(schedules))
      findings.add(Rule::kNodeTask, trouble->rank, trouble->task, "{}", trouble->what);
    else check_every_choice(schedules, report);
  }
  const auto found = findings.take();
  report.findings.insert(report.findings.end(), found.begin(), found.end());
  return report;
}

}  // namespace weft
