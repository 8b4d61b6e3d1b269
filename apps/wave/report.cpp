// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>

namespace wave {
namespace {

std::string problem_text(const Report& report) {
  const Problem& problem = report.problem;
  const auto& [nx, ny, nz] = problem.points;
  const auto& [px, py, pz] = report.process_grid;
  std::string text =
      fmt::format("wave: {} x {} x {} points, {:g} m apart, on {} x {} x {} processes, {} precision\n", nx,
                  ny, nz, problem.spacing, px, py, pz, name_of(report.options.precision));
  text += fmt::format("      {} steps of {:.4g} s (at most {:.4g} s), exchange {}, boundaries {}\n",
                      problem.steps, problem.time_step, problem.stable_time_step,
                      name_of(report.options.exchange), name_of(problem.boundaries));
  if (problem.points_per_wavelength > 0)
    text += fmt::format("      {:.3g} points per shortest wavelength\n", problem.points_per_wavelength);
  if (problem.attenuation)
    text += fmt::format("      attenuation between {:.3g} and {:.3g} Hz, velocities are those at {:.3g} Hz\n",
                        problem.attenuation->low, problem.attenuation->high, problem.attenuation->reference);
  return text;
}

std::string arrival_text(const char* name, const Arrival& arrival) {
  if (arrival.exact_amplitude == 0) return fmt::format("{:>3} {:>35}", name, "-");
  return fmt::format("{:>3} {:>9.4f} s {:>+9.4f} s {:>12.4f}", name, arrival.exact_seconds,
                     arrival.seconds - arrival.exact_seconds, arrival.amplitude / arrival.exact_amplitude);
}

std::string check_text(const Report& report) {
  const Solution& solution = report.solution;
  std::string text;
  if (report.options.check == Check::kStanding)
    text = fmt::format("\n  error of the standing wave  {:.3e}   allowed {:.3e}\n",
                       solution.standing_error.error, solution.standing_error.bound);
  if (report.options.check == Check::kFullSpace) {
    text = fmt::format("\n  {:<10}{:>10}{:>10}   {:<3} {:>11} {:>11} {:>12}\n", "receiver", "distance",
                       "misfit", "", "arrives at", "late by", "amplitude");
    int number = 0;
    for (const ReceiverError& error : solution.receiver_errors) {
      text += fmt::format("  {:<10}{:>8.0f} m{:>10.4f}   {}\n", number++, error.distance, error.misfit,
                          arrival_text("P", error.p));
      text += fmt::format("  {:30}   {}\n", "", arrival_text("S", error.s));
    }
    text += fmt::format(
        "  allowed: misfit {:g}, lateness {:g} periods, amplitude 1 +- {:g} times the exact one\n",
        kMisfitBound, kArrivalBound, kAmplitudeBound);
  }
  const char* verdict = "not checked";
  if (report.options.exchange == ExchangeKind::kSkipped)
    verdict = "not checked (the faces were not exchanged)";
  if (report.checked()) verdict = complaints(report).empty() ? "right" : "WRONG";
  return text + fmt::format("\n  answer                {}\n  fingerprint           {:016x}\n", verdict,
                            solution.fingerprint);
}

std::string times_text(const Solution& solution) {
  constexpr std::array<const char*, kPartCount> kLabels{"velocities",  "stresses",   "edges",     "packing",
                                                        "halo, start", "halo, wait", "recording", "whole"};
  return app::times_text(kLabels, solution.mean.parts, solution.maximum.parts);
}

std::string rates_text(const Report& report) {
  if (report.solution.steps == 0) return "";
  const double seconds = report.solution.seconds;
  std::string text = fmt::format(
      "\n  {:.3f} million points per second; {:.3f} GB/s at {} bytes per point and step\n",
      1e-6 * report.point_steps() / seconds, 1e-9 * report.bytes() / seconds, report.bytes_per_point());
  if (report.triad_bytes_per_second > 0)
    text += fmt::format(
        "  stream triad on all ranks: {:.3f} GB/s; of it {:.0f} %, in the updates alone {:.0f} %\n",
        1e-9 * report.triad_bytes_per_second, 100 * report.share_of_triad(),
        100 * report.share_of_triad_updating());
  return text;
}

}  // namespace

int numbers_per_point(bool attenuating) {
  constexpr int kVelocities = 3 * 6, kShear = 3 * 5, kNormal = 11;
  // Each of six memory variables is read and written, and its moduli are read: two for all normal stresses.
  constexpr int kRelaxing = 6 * 2 + 3 + 2;
  return kVelocities + kShear + kNormal + (attenuating ? kRelaxing : 0);
}

std::vector<std::string> complaints(const Report& report) {
  if (!report.checked()) return {};
  const Solution& solution = report.solution;
  if (report.options.check == Check::kFullSpace) return complaints(solution.receiver_errors, report.problem);
  const auto& [error, bound] = solution.standing_error;
  if (error <= bound) return {};
  return {fmt::format("the error of the standing wave is {:.3e}, more than {:.3e}", error, bound)};
}

std::string as_text(const Report& report) {
  return problem_text(report) + check_text(report) + times_text(report.solution) + rates_text(report);
}

}  // namespace wave
