// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report.hpp"

namespace wave {
namespace {

using Json = nlohmann::ordered_json;

Json times_json(const Times& times) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kPartCount; ++i) json[kPartNames[i]] = times.parts[i];
  return json;
}

Json arrival_json(const Arrival& arrival) {
  if (arrival.exact_amplitude == 0) return {};
  return {{"exact_seconds", arrival.exact_seconds},
          {"seconds", arrival.seconds},
          {"exact_amplitude", arrival.exact_amplitude},
          {"amplitude", arrival.amplitude}};
}

void add_answer(Json& json, const Report& report) {
  const Solution& solution = report.solution;
  json["check"] = name_of(report.options.check);
  json["right"] = report.checked() ? Json(complaints(report).empty()) : Json();
  if (!report.checked()) json["answer"] = "not checked";
  if (report.options.check == Check::kStanding) {
    json["error"] = solution.standing_error.error;
    json["error_bound"] = solution.standing_error.bound;
  }
  if (report.options.check == Check::kFullSpace) {
    json["misfit_bound"] = kMisfitBound;
    json["amplitude_bound"] = kAmplitudeBound;
    json["arrival_bound_seconds"] = kArrivalBound / report.problem.sources[0].function.frequency;
    json["receivers"] = Json::array();
    for (const ReceiverError& error : solution.receiver_errors)
      json["receivers"].push_back({{"distance", error.distance},
                                   {"misfit", error.misfit},
                                   {"p", arrival_json(error.p)},
                                   {"s", arrival_json(error.s)}});
  }
  json["fingerprint"] = fmt::format("{:016x}", solution.fingerprint);
}

void add_attenuation(Json& json, const Attenuation& attenuation) {
  json["attenuation"] = {{"band", {attenuation.low, attenuation.high}},
                         {"reference_frequency", attenuation.reference},
                         {"flatness", Json::array()}};
  constexpr int kSamples = 9;
  for (int i = 0; i < kSamples; ++i) {
    const double frequency =
        attenuation.low * std::pow(attenuation.high / attenuation.low, i / (kSamples - 1.0));
    json["attenuation"]["flatness"].push_back(attenuation.flatness(frequency));
  }
}

}  // namespace

std::string as_json(const Report& report) {
  const Options& options = report.options;
  const Problem& problem = report.problem;
  const Solution& solution = report.solution;
  Json json{{"program", "wave"},
            {"ranks", report.rank_count},
            {"process_grid", report.process_grid},
            {"n", problem.points},
            {"points", report.points()},
            {"spacing", problem.spacing},
            {"time_step", problem.time_step},
            {"stable_time_step", problem.stable_time_step},
            {"steps", problem.steps},
            {"steps_computed", solution.steps},
            {"boundaries", name_of(problem.boundaries)},
            {"precision", name_of(options.precision)},
            {"repeat", options.repeat_count},
            {"exchange", name_of(options.exchange)},
            {"points_per_wavelength", problem.points_per_wavelength}};
  if (problem.attenuation) add_attenuation(json, *problem.attenuation);
  add_answer(json, report);
  json["seconds"] = solution.seconds;
  json["seconds_all"] = solution.seconds_all;
  json["waiting_seconds"] = solution.mean.exchange();
  json["times"] = times_json(solution.mean);
  json["times_max"] = times_json(solution.maximum);
  json["bytes_per_point"] = report.bytes_per_point();
  if (solution.steps > 0) {
    json["points_per_second"] = report.point_steps() / solution.seconds;
    json["gigabytes_per_second"] = 1e-9 * report.bytes() / solution.seconds;
    if (report.triad_bytes_per_second > 0) {
      json["triad_gigabytes_per_second"] = 1e-9 * report.triad_bytes_per_second;
      json["share_of_triad"] = report.share_of_triad();
      json["share_of_triad_updating"] = report.share_of_triad_updating();
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace wave
