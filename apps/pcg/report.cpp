// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace pcg {
namespace {

constexpr int kLabelWidth = 28;
constexpr int kColumnWidth = 16;

using Cell = std::function<std::string(const Solution&)>;

std::string row(const std::string& label, const Report& report, const Cell& cell) {
  std::string line = fmt::format("  {:<{}}", label, kLabelWidth);
  for (const Solution& solution : report.solutions)
    line += fmt::format("{:>{}}", cell(solution), kColumnWidth);
  return line + "\n";
}

/// A title line with one column per algorithm under it.
std::string heading(const std::string& title, const Report& report) {
  return "\n" + title + "\n" +
         row("", report, [](const Solution& s) { return std::string(name_of(s.algorithm)); });
}

std::string seconds(double value) { return fmt::format("{:.6f}", value); }

std::string problem_line(const Report& report) {
  const auto& n = report.options.local_grid;
  const auto& p = report.process_grid;
  const std::string what =
      report.options.matrix_file.empty()
          ? fmt::format("27-point Laplacian, {} x {} x {} per process on {} x {} x {} processes", n[0], n[1],
                        n[2], p[0], p[1], p[2])
          : report.options.matrix_file;
  const std::string preconditioner =
      report.options.preconditioner == PreconditionerKind::kBoomerAmg
          ? fmt::format("boomeramg (set up in {:.4f} s)", report.preconditioner_setup)
          : name_of(report.options.preconditioner);
  return fmt::format("pcg: {}\n     unknowns {}, ranks {}, preconditioner {}, tolerance {:g}{}\n", what,
                     report.unknowns, report.rank_count, preconditioner, report.options.tolerance,
                     report.options.repeat_count > 1
                         ? fmt::format(", run of median solver time out of {}", report.options.repeat_count)
                         : "");
}

std::string convergence_table(const Report& report) {
  return heading("Convergence", report) +
         row("iterations", report, [](const Solution& s) { return std::to_string(s.iterations); }) +
         row("converged", report, [](const Solution& s) { return std::string(s.converged ? "yes" : "NO"); }) +
         row("true residual |b-Ax|/|b|", report,
             [](const Solution& s) { return fmt::format("{:.3e}", s.true_residual); });
}

std::string table_one(const Report& report) {
  const auto part = [&](const char* label, Part which) {
    return row(label, report, [which](const Solution& s) { return seconds(s.mean[which]); });
  };
  return heading("Time by operation, seconds, mean over ranks (Table I)", report) +
         part("matvec", Part::kMatvec) + part("  sdotp", Part::kSdotp) + part("  gamma", Part::kGamma) +
         part("  iprod", Part::kIprod) + part("  together", Part::kTogether) +
         row("inner products, sum", report,
             [](const Solution& s) { return seconds(s.mean.inner_products()); }) +
         part("precond", Part::kPrecond) + part("axpy", Part::kAxpy) + part("vector scale", Part::kScale) +
         part("solver time", Part::kSolver) + row("solver time, slowest rank", report, [](const Solution& s) {
           return seconds(s.maximum[Part::kSolver]);
         });
}

std::string with_share(double value, const Solution& solution) {
  return fmt::format("{:.6f} {:3.0f}%", value, 100 * value / solution.mean[Part::kSolver]);
}

std::string figure_eleven(const Report& report) {
  std::string text =
      heading("Computation and communication, seconds and share, mean over ranks (figure 11)", report) +
      row("computation", report, [](const Solution& s) { return with_share(computation_of(s.mean), s); }) +
      row("halo", report,
          [](const Solution& s) {
            return std::isnan(s.mean[Part::kHalo]) ? std::string("-") : with_share(s.mean[Part::kHalo], s);
          }) +
      row("Allreduce and Wait", report,
          [](const Solution& s) { return with_share(s.mean[Part::kAllreduce], s); });
  if (report.find(Algorithm::kHypre))
    text += "  (hypre's halo exchange is inside its matvec and counts as computation)\n";
  if (report.options.preconditioner == PreconditionerKind::kBoomerAmg)
    text += "  (what the ranks say to each other within a V-cycle counts as computation)\n";
  return text;
}

std::string bandwidth_table(const Report& report) {
  if (report.triad_bytes_per_second == 0) return "";
  const auto cell = [&](const Solution& s, double unit, int digits) {
    const double rate = report.bytes_per_second(s) / unit;
    return std::isnan(rate) ? std::string("-") : fmt::format("{:.{}f}", rate, digits);
  };
  return heading("Memory: what the vectors and the matrix take, of all ranks", report) +
         row("GB/s", report, [&](const Solution& s) { return cell(s, 1e9, 2); }) +
         row("% of a stream triad", report,
             [&](const Solution& s) { return cell(s, 0.01 * report.triad_bytes_per_second, 0); }) +
         fmt::format("  stream triad on all ranks: {:.2f} GB/s\n", 1e-9 * report.triad_bytes_per_second);
}

std::string hiding_table(const Report& report) {
  std::string lines;
  for (const Solution& solution : report.solutions)
    for (const InnerProduct product : kInnerProducts) {
      const IallreduceTimes& times = solution.mean[product];
      if (times.count == 0) continue;
      lines += fmt::format("  {:<20}{:>10.0f}{:>12.2f}{:>16.2f}{:>12.2f}{:>24.2f}\n",
                           fmt::format("{} {}", name_of(solution.algorithm), name_of(product)), times.count,
                           1e6 * times.starting / times.count, 1e6 * times.available / times.count,
                           1e6 * times.waiting / times.count,
                           times.available / times.count / report.iallreduce_latency);
    }
  if (lines.empty()) return "";
  return fmt::format(
             "\nWhat can hide each MPI_Iallreduce, microseconds per call, mean over ranks\n"
             "  {:<20}{:>10}{:>12}{:>16}{:>12}{:>24}\n",
             "", "calls", "start", "computation", "wait", "computation / latency") +
         lines +
         fmt::format("  latency of a bare MPI_Iallreduce + MPI_Wait, one double: {:.2f}\n",
                     1e6 * report.iallreduce_latency);
}

std::string history_table(const Report& report) {
  const int stride = report.options.history_stride;
  if (stride == 0) return "";
  std::size_t longest = 0;
  for (const Solution& solution : report.solutions) longest = std::max(longest, solution.history.size());
  std::string text = heading("Residual history, |r|/|b| after each iteration", report);
  for (std::size_t i = 0; i < longest; ++i)
    if (i % stride == 0 || i + 1 == longest)
      text += row(std::to_string(i), report, [i](const Solution& s) {
        return i < s.history.size() ? fmt::format("{:.6e}", s.history[i]) : std::string();
      });
  return text;
}

}  // namespace

double computation_of(const Times& times) {
  const double halo = std::isnan(times[Part::kHalo]) ? 0.0 : times[Part::kHalo];
  return times[Part::kSolver] - halo - times[Part::kAllreduce];
}

std::vector<std::string> complaints(const Report& report) {
  std::vector<std::string> lines;
  const double tolerance = report.options.tolerance;
  for (const Solution& s : report.solutions) {
    if (s.stands_still)
      lines.push_back(
          fmt::format("{} stands still: after {} iterations its true residual |b-Ax|/|b| is {:.3e} and a "
                      "restart no longer halves it, the "
                      "tolerance is {:g}; rounding limits this matrix, choose a larger --tolerance",
                      name_of(s.algorithm), s.iterations, s.true_residual, tolerance));
    else if (!s.converged)
      lines.push_back(fmt::format(
          "{} did not converge: after {} iterations |r|/|b| is {:.3e}, and |b-Ax|/|b| {:.3e}, not {:g}; "
          "allow more with --max-iterations or a larger --tolerance",
          name_of(s.algorithm), s.iterations, s.history.back(), s.true_residual, tolerance));
    else if (!(s.true_residual <= kResidualAllowance * tolerance))
      lines.push_back(
          fmt::format("{} stopped too early: its true residual |b-Ax|/|b| is {:.3e}, more than {} x the "
                      "tolerance {:g}; rounding limits this matrix, choose a larger --tolerance",
                      name_of(s.algorithm), s.true_residual, kResidualAllowance, tolerance));
  }
  return lines;
}

std::string as_text(const Report& report) {
  return problem_line(report) + convergence_table(report) + table_one(report) + figure_eleven(report) +
         bandwidth_table(report) + hiding_table(report) + history_table(report);
}

}  // namespace pcg
