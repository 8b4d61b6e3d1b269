// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>

namespace poisson {
namespace {

std::string problem_text(const Report& report) {
  const auto& n = report.options.grid;
  const auto& p = report.process_grid;
  if (report.options.one_dimensional)
    return fmt::format("poisson: tridiagonal (-1, 2, -1), {} points on each of {} processes\n",
                       report.options.points_per_rank, report.rank_count);
  return fmt::format("poisson: 7-point Laplacian, {} x {} x {} points on {} x {} x {} processes\n", n[0],
                     n[1], n[2], p[0], p[1], p[2]);
}

std::string settings_text(const Options& options) {
  return fmt::format("         exchange {}, products {}, tolerance {:g}{}{}\n", name_of(options.exchange),
                     name_of(options.products), options.tolerance,
                     options.fixed_iterations > 0 ? ", a fixed number of iterations" : "",
                     options.repeat_count > 1 ? fmt::format(", median of {}", options.repeat_count) : "");
}

std::string answer_text(const Report& report) {
  const Outcome& outcome = report.solution.outcome;
  const Check& check = report.solution.check;
  const std::string lines =
      fmt::format("\n  iterations                 {:>12}\n  residual, recurrence       {:>12.3e}\n",
                  outcome.iterations, outcome.residual);
  if (!report.checked())
    return lines + "  answer                      not checked (the halos were not exchanged)\n";
  return lines + fmt::format(
                     "  residual |b-Ax|/|b|        {:>12.3e}   allowed {:.3e}\n"
                     "  error |x-u|/|u|            {:>12.3e}   allowed {:.3e}\n"
                     "  answer                     {:>12}\n",
                     check.true_residual, check.residual_bound, check.error, check.error_bound,
                     complaints(report).empty() ? "right" : "WRONG");
}

std::string times_text(const Solution& solution) {
  constexpr std::array<const char*, kPartCount> kLabels{
      "product, inner points", "product, boundary", "packing",          "halo, start", "halo, wait",
      "vector updates",        "reductions, start", "reductions, wait", "whole"};
  return app::times_text(kLabels, solution.mean.parts, solution.maximum.parts);
}

std::string rates_text(const Report& report) {
  const std::string rates =
      fmt::format("\n  {:.3f} GFLOP/s; {:.3f} GB/s at {} bytes per point and iteration\n", report.gigaflops(),
                  report.gigabytes_per_second(), bytes_per_point(report.options));
  if (report.triad_bytes_per_second == 0) return rates;
  return rates +
         fmt::format("  stream triad on all ranks: {:.3f} GB/s; of it {:.0f} %, without waiting {:.0f} %\n",
                     1e-9 * report.triad_bytes_per_second, 100 * report.share_of_triad(),
                     100 * report.share_of_triad_computing());
}

}  // namespace

std::vector<std::string> complaints(const Report& report) {
  const Options& options = report.options;
  const auto& [outcome, check, seconds, mean, maximum, seconds_all] = report.solution;
  if (!report.checked()) return {};
  if (options.fixed_iterations == 0 && !outcome.converged)
    return {
        fmt::format("not converged: after {} iterations |r|/|b| is {:.3e}, not {:g}; allow more with "
                    "--max-iterations or a larger --tolerance",
                    outcome.iterations, outcome.residual, options.tolerance)};
  std::vector<std::string> lines;
  if (!(check.true_residual <= check.residual_bound))
    lines.push_back(
        fmt::format("the residual |b-Ax|/|b| is {:.3e}, more than {:.3e}: x does not belong to the "
                    "residual of the recurrence",
                    check.true_residual, check.residual_bound));
  if (!(check.error <= check.error_bound))
    lines.push_back(fmt::format("the error |x-u|/|u| is {:.3e}, more than {:.3e}: x is not the solution",
                                check.error, check.error_bound));
  return lines;
}

std::string as_text(const Report& report) {
  return problem_text(report) + settings_text(report.options) + answer_text(report) +
         times_text(report.solution) + rates_text(report);
}

}  // namespace poisson
