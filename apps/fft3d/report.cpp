// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fft3d {
namespace {

std::string problem_lines(const Report& report) {
  const Options& options = report.options;
  const auto& n = options.grid.points;
  std::string text =
      fmt::format("fft3d: {} x {} x {} {}, {} precision, {} variable{}\n", n[0], n[1], n[2],
                  options.grid.is_real ? "real" : "complex", options.is_single ? "single" : "double",
                  options.variables, options.variables == 1 ? "" : "s");
  text += fmt::format("       {} rank{} in {} rows and {} columns, exchange {}", report.rank_count,
                      report.rank_count == 1 ? "" : "s", report.processes.rows, report.processes.columns,
                      name_of(options.form.exchanges));
  if (options.form.exchanges == Exchanges::kPlanes)
    text += fmt::format(", {} planes per message", report.planes_per_message);
  return text + "\n";
}

std::string time_table(const Report& report) {
  const Run& run = report.median();
  std::string text = fmt::format(
      "\nTime, seconds{}\n  {:<34}{:>12.6f}\n  {:<34}{:>12.6f}\n  {:<34}{:>12.6f}\n",
      report.runs.size() > 1 ? fmt::format(", median of {}", report.runs.size()) : "",
      "forward, slowest rank", run.forward, "backward, slowest rank", run.backward, "both", run.seconds);
  if (report.options.form.exchanges == Exchanges::kFftw) return text;  // which does not say what it waits
  for (std::size_t i = 0; i < kPartCount; ++i)
    text += fmt::format("  {:<34}{:>12.6f}\n", fmt::format("  {}, mean", kPartNames[i]), run.mean.parts[i]);
  return text + fmt::format("  {:<34}{:>12.6f}\n", "waiting in exchanges, mean", run.mean.waiting());
}

std::string answer_table(const Report& report) {
  if (report.tests.empty()) return "\nAnswer: not checked, since the exchanges were left out\n";
  std::string text =
      fmt::format("\nAnswer: largest relative error, {:g} allowed\n  {:<12}{:>14}{:>14}{:>14}\n",
                  report.tolerance(), "", "spectrum", "Parseval", "round trip");
  for (const TestOutcome& test : report.tests)
    text += fmt::format("  {:<12}{:>14.2e}{:>14.2e}{:>14.2e}\n", test.field, test.spectrum, test.parseval,
                        test.round_trip);
  return text;
}

}  // namespace

double TestOutcome::worst() const { return std::max({spectrum, parseval, round_trip}); }

const Run& Report::median() const {
  std::vector<const Run*> sorted;
  for (const Run& run : runs) sorted.push_back(&run);
  std::sort(sorted.begin(), sorted.end(), [](const Run* a, const Run* b) { return a->seconds < b->seconds; });
  return *sorted[(sorted.size() - 1) / 2];
}

std::optional<double> Report::error() const {
  if (tests.empty()) return std::nullopt;
  double worst = 0;
  for (const TestOutcome& test : tests) worst = std::max(worst, test.worst());
  return worst;
}

std::vector<std::string> complaints(const Report& report) {
  std::vector<std::string> lines;
  for (const TestOutcome& test : report.tests)
    if (!(test.worst() <= report.tolerance()))
      lines.push_back(
          fmt::format("wrong answer with the {} field: errors {:.2e} (spectrum), {:.2e} (Parseval), {:.2e} "
                      "(round trip), {:g} allowed",
                      test.field, test.spectrum, test.parseval, test.round_trip, report.tolerance()));
  return lines;
}

std::string as_text(const Report& report) {
  return problem_lines(report) + time_table(report) + answer_table(report);
}

}  // namespace fft3d
