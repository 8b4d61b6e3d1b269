// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "report.hpp"

namespace pcg {
namespace {

using Json = nlohmann::ordered_json;

Json problem_json(const Report& report) {
  if (!report.options.matrix_file.empty())
    return {{"kind", "matrix"}, {"file", report.options.matrix_file}, {"unknowns", report.unknowns}};
  return {{"kind", "laplacian27"},
          {"n", report.options.local_grid},
          {"process_grid", report.process_grid},
          {"unknowns", report.unknowns}};
}

Json table_json(const Times& times) {
  return {{"matvec", times[Part::kMatvec]},     {"sdotp", times[Part::kSdotp]},
          {"gamma", times[Part::kGamma]},       {"iprod", times[Part::kIprod]},
          {"together", times[Part::kTogether]}, {"inner_products", times.inner_products()},
          {"precond", times[Part::kPrecond]},   {"axpy", times[Part::kAxpy]},
          {"scale", times[Part::kScale]},       {"solver_time", times[Part::kSolver]}};
}

/// hypre's halo is NaN, which JSON writes as null.
Json breakdown_json(const Times& times) {
  return {{"computation", computation_of(times)},
          {"halo", times[Part::kHalo]},
          {"allreduce_and_wait", times[Part::kAllreduce]}};
}

Json iallreduce_json(const Times& times) {
  Json list = Json::array();
  for (const InnerProduct product : kInnerProducts) {
    const IallreduceTimes& one = times[product];
    if (one.count == 0) continue;
    list.push_back({{"name", name_of(product)},
                    {"count", static_cast<long long>(one.count)},
                    {"start_us", 1e6 * one.starting / one.count},
                    {"available_us", 1e6 * one.available / one.count},
                    {"wait_us", 1e6 * one.waiting / one.count}});
  }
  return list;
}

/// What hypre alone knows is NaN, which JSON writes as null.
Json solution_json(const Solution& solution, const Report& report) {
  Json json{{"name", name_of(solution.algorithm)},
            {"iterations", solution.iterations},
            {"converged", solution.converged},
            {"true_residual", solution.true_residual},
            {"table", table_json(solution.mean)},
            {"table_max", table_json(solution.maximum)},
            {"breakdown", breakdown_json(solution.mean)},
            {"iallreduce", iallreduce_json(solution.mean)},
            {"solver_times", solution.solver_seconds},
            {"gigabytes_per_second", 1e-9 * report.bytes_per_second(solution)},
            {"residual_history", solution.history}};
  if (report.triad_bytes_per_second > 0)
    json["share_of_triad"] = report.bytes_per_second(solution) / report.triad_bytes_per_second;
  return json;
}

}  // namespace

std::string as_json(const Report& report) {
  Json json{{"program", "pcg"},
            {"problem", problem_json(report)},
            {"ranks", report.rank_count},
            {"stop", name_of(report.options.stop)},
            {"tolerance", report.options.tolerance},
            {"repeat", report.options.repeat_count},
            {"exchange", name_of(report.options.exchange)},
            {"preconditioner", name_of(report.options.preconditioner)},
            {"preconditioner_setup_seconds", report.preconditioner_setup},
            {"steps", report.options.steps},
            {"replace_every", report.options.replace_every},
            {"algorithms", Json::array()},
            {"iallreduce_latency_us", 1e6 * report.iallreduce_latency}};
  if (report.triad_bytes_per_second > 0)
    json["triad_gigabytes_per_second"] = 1e-9 * report.triad_bytes_per_second;
  for (const Solution& solution : report.solutions)
    json["algorithms"].push_back(solution_json(solution, report));
  return json.dump(2) + "\n";
}

}  // namespace pcg
