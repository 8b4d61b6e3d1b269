// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fft3d {
namespace {

std::string vortex_line(const Report& report) {
  const TaylorGreenOptions& vortex = report.options.taylor_green;
  return fmt::format("       Taylor-Green vortex, {} steps, viscosity {:g}, amplitude {:g}\n", vortex.steps,
                     vortex.viscosity, vortex.amplitude);
}

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
  return text + "\n" + (report.is_vortex() ? vortex_line(report) : "");
}

std::string time_table(const Report& report) {
  const Run& run = report.median();
  std::string text = fmt::format(
      "\nTime, seconds{}\n", report.runs.size() > 1 ? fmt::format(", median of {}", report.runs.size()) : "");
  const auto line = [&](const std::string& what, double seconds) {
    text += fmt::format("  {:<34}{:>12.6f}\n", what, seconds);
  };
  if (!report.is_vortex()) {
    line("forward, slowest rank", run.forward);
    line("backward, slowest rank", run.backward);
  }
  line(report.is_vortex() ? "all steps, slowest rank" : "both", run.seconds);
  if (report.options.form.exchanges == Exchanges::kFftw) return text;  // which does not say what it waits
  for (std::size_t i = 0; i < kPartCount; ++i)
    line(fmt::format("  {}, mean", kPartNames[i]), run.mean.parts[i]);
  line("waiting in exchanges, mean", run.mean.waiting());
  return text;
}

std::string flow_table(const VortexOutcome& vortex, double tolerance) {
  std::string text = fmt::format("\nFlow\n  {:>12}{:>16}{:>16}\n", "time", "energy", "enstrophy");
  for (const Moment& moment : vortex.history)
    text += fmt::format("  {:>12.4f}{:>16.8e}{:>16.8e}\n", moment.time, moment.energy, moment.enstrophy);
  text += "\nAnswer: errors, and what is allowed\n";
  const auto line = [&](const char* what, double error, double allowed) {
    text += fmt::format("  {:<34}{:>12.2e}{:>12g}\n", what, error, allowed);
  };
  line("energy gone against dissipated", vortex.balance, kBalanceTolerance);
  line("energy from the nonlinear term", vortex.transfer, tolerance);
  line("divergence", vortex.divergence, tolerance);
  if (vortex.decay) line("energy against exp(-6 nu t)", *vortex.decay, tolerance);
  return text;
}

std::string answer_table(const Report& report) {
  if (report.vortex) return flow_table(*report.vortex, report.tolerance());
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
  if (vortex)
    return std::max({vortex->balance, vortex->transfer, vortex->divergence, vortex->decay.value_or(0)});
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
  if (!report.vortex) return lines;
  const VortexOutcome& vortex = *report.vortex;
  const auto require = [&](const char* what, double error, double allowed) {
    if (!(error <= allowed))
      lines.push_back(fmt::format("wrong flow: {} by {:.2e}, {:g} allowed; a smaller --time-step may help",
                                  what, error, allowed));
  };
  require("the energy that is gone differs from what viscosity took", vortex.balance, kBalanceTolerance);
  require("the nonlinear term makes energy", vortex.transfer, report.tolerance());
  require("the velocity diverges", vortex.divergence, report.tolerance());
  require("the energy differs from exp(-6 nu t)", vortex.decay.value_or(0), report.tolerance());
  return lines;
}

std::string as_text(const Report& report) {
  return problem_lines(report) + time_table(report) + answer_table(report);
}

}  // namespace fft3d
