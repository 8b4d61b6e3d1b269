// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>

#include "report.hpp"

namespace fft3d {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const Times& times) {
  Json json;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    std::string name = kPartNames[i];
    for (char& letter : name)
      if (letter == ' ') letter = '_';
    json[name] = times.parts[i];
  }
  return json;
}

/// Infinity, which a number that is none gives, is no number of JSON.
Json error_json(double error) { return std::isfinite(error) ? Json(error) : Json("infinite"); }

Json vortex_json(const Report& report) {
  const TaylorGreenOptions& options = report.options.taylor_green;
  Json json{{"steps", options.steps}, {"viscosity", options.viscosity}, {"amplitude", options.amplitude}};
  if (!report.vortex) return json;
  const VortexOutcome& vortex = *report.vortex;
  json["time_step"] = vortex.time_step;
  json["balance_error"] = error_json(vortex.balance);
  json["balance_tolerance"] = kBalanceTolerance;
  json["transfer_error"] = error_json(vortex.transfer);
  json["divergence_error"] = error_json(vortex.divergence);
  json["decay_error"] = vortex.decay ? error_json(*vortex.decay) : Json();
  for (const Moment& moment : vortex.history)
    json["history"].push_back(
        {{"time", moment.time}, {"energy", moment.energy}, {"enstrophy", moment.enstrophy}});
  return json;
}

}  // namespace

std::string as_json(const Report& report) {
  const Options& options = report.options;
  const Run& run = report.median();
  const bool is_fftw = options.form.exchanges == Exchanges::kFftw;  // which does not say what it waits
  Json json{
      {"program", "fft3d"},
      {"ranks", report.rank_count},
      {"grid", options.grid.points},
      {"process_grid", {report.processes.rows, report.processes.columns}},
      {"kind", options.grid.is_real ? "real" : "complex"},
      {"precision", options.is_single ? "single" : "double"},
      {"variables", options.variables},
      {"exchange", name_of(options.form.exchanges)},
      {"planes", options.form.exchanges == Exchanges::kPlanes ? Json(report.planes_per_message) : Json()},
      {"depth", options.form.exchanges == Exchanges::kPipelined ? Json(options.form.depth) : Json()},
      {"repeat", options.repeat_count},
      {"seconds", run.seconds},
      {"forward_seconds", report.is_vortex() ? Json() : Json(run.forward)},
      {"backward_seconds", report.is_vortex() ? Json() : Json(run.backward)},
      {"waiting_seconds", is_fftw ? Json() : Json(run.mean.waiting())},
      {"parts_seconds", is_fftw ? Json() : parts_json(run.mean)}};
  for (const Run& one : report.runs) json["seconds_all"].push_back(one.seconds);
  const auto error = report.error();
  json["right"] = error ? Json(complaints(report).empty()) : Json();
  json["answer"] = !error ? "not checked" : complaints(report).empty() ? "right" : "wrong";
  json["error"] = error ? error_json(*error) : Json();
  json["tolerance"] = report.tolerance();
  json["tests"] = Json::array();
  for (const TestOutcome& test : report.tests)
    json["tests"].push_back({{"field", test.field},
                             {"spectrum_error", error_json(test.spectrum)},
                             {"parseval_error", error_json(test.parseval)},
                             {"round_trip_error", error_json(test.round_trip)}});
  json["taylor_green"] = report.is_vortex() ? vortex_json(report) : Json();
  return json.dump(2) + "\n";
}

}  // namespace fft3d
