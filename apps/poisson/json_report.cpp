// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report.hpp"

namespace poisson {
namespace {

using Json = nlohmann::ordered_json;

Json times_json(const Times& times) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kPartCount; ++i) json[kPartNames[i]] = times.parts[i];
  return json;
}

void add_answer(Json& json, const Report& report) {
  const auto& [outcome, check, seconds, mean, maximum, seconds_all] = report.solution;
  json["iterations"] = outcome.iterations;
  json["converged"] = outcome.converged;
  json["recurrence_residual"] = outcome.residual;
  json["right"] = report.checked() ? Json(complaints(report).empty()) : Json();
  if (!report.checked()) json["answer"] = "not checked";
  json["error"] = check.error;
  json["error_bound"] = check.error_bound;
  json["true_residual"] = check.true_residual;
  json["residual_bound"] = check.residual_bound;
  json["fingerprint"] = fmt::format("{:016x}", check.fingerprint);
}

}  // namespace

std::string as_json(const Report& report) {
  const Options& options = report.options;
  const Solution& solution = report.solution;
  Json json{{"program", "poisson"},
            {"problem", options.one_dimensional ? "1-d" : "3-d"},
            {"ranks", report.rank_count},
            {"process_grid", report.process_grid},
            {"unknowns", report.points},
            {"tolerance", options.tolerance},
            {"fixed_iterations", options.fixed_iterations > 0},
            {"repeat", options.repeat_count},
            {"exchange", name_of(options.exchange)},
            {"products", name_of(options.products)}};
  if (options.one_dimensional) json["points_per_rank"] = options.points_per_rank;
  else json["n"] = options.grid;
  add_answer(json, report);
  json["seconds"] = solution.seconds;
  json["seconds_all"] = solution.seconds_all;
  json["waiting_seconds"] = solution.mean.exchange();
  json["reduction_seconds"] = solution.mean.reductions();
  json["times"] = times_json(solution.mean);
  json["times_max"] = times_json(solution.maximum);
  json["bytes_per_point"] = bytes_per_point(options);
  json["gigaflops"] = report.gigaflops();
  json["gigabytes_per_second"] = report.gigabytes_per_second();
  if (report.triad_bytes_per_second > 0) {
    json["triad_gigabytes_per_second"] = 1e-9 * report.triad_bytes_per_second;
    json["share_of_triad"] = report.share_of_triad();
    json["share_of_triad_computing"] = report.share_of_triad_computing();
  }
  return json.dump(2) + "\n";
}

}  // namespace poisson
