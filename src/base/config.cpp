// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>

namespace weft {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error bad_value(std::string_view name, std::string_view value, std::string_view allowed) {
  return {std::string(name) + "=" + std::string(value) + " is not understood: " + std::string(allowed)};
}

Result<bool> boolean(const char* name, bool otherwise) {
  const std::string value = variable(name);
  if (value.empty()) return otherwise;
  if (value == "1") return true;
  if (value == "0") return false;
  return bad_value(name, value, "use 0 or 1");
}

Result<int> seconds(const char* name, int otherwise) {
  const std::string value = variable(name);
  if (value.empty()) return otherwise;
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1)
    return bad_value(name, value, "use a whole number of seconds, at least 1");
  return number;
}

Result<std::map<std::string, std::string>> algorithms_from(std::string_view text) {
  std::map<std::string, std::string> algorithms;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == entry.size())
      return bad_value("WEFT_ALGORITHM", text, "write COLLECTIVE:ALGORITHM[/RADIX], separated by commas");
    algorithms[std::string(entry.substr(0, colon))] = std::string(entry.substr(colon + 1));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return algorithms;
}

}  // namespace

Result<Settings> settings_from_environment() {
  const Result<bool> enabled = boolean("WEFT_ENABLE", true);
  if (!enabled) return Error{enabled.error()};
  const Result<bool> reproducible = boolean("WEFT_REPRODUCIBLE", false);
  if (!reproducible) return Error{reproducible.error()};
  const Result<bool> rounds = boolean("WEFT_ROUNDS", false);
  if (!rounds) return Error{rounds.error()};
  const Result<bool> verbose = boolean("WEFT_VERBOSE", false);
  if (!verbose) return Error{verbose.error()};
  const Result<bool> times = boolean("WEFT_TIMES", false);
  if (!times) return Error{times.error()};
  const Result<int> handshake = seconds("WEFT_HANDSHAKE_SECONDS", LocalSettings().handshake_seconds);
  if (!handshake) return Error{handshake.error()};
  auto algorithms = algorithms_from(variable("WEFT_ALGORITHM"));
  if (!algorithms) return Error{algorithms.error()};
  return Settings{{*enabled, *reproducible, *rounds, *algorithms},
                  {variable("WEFT_LOG"), *verbose, variable("WEFT_STATS"), *times, *handshake}};
}

// "100;allreduce:ring": what is on or off, one digit each in the order of SharedSettings, and the algorithms.
std::string to_text(const SharedSettings& settings) {
  std::string text;
  for (const bool on : {settings.enabled, settings.reproducible, settings.rounds}) text += on ? '1' : '0';
  text += ';';
  for (const auto& [collective, algorithm] : settings.algorithms)
    text.append(text.back() == ';' ? "" : ",").append(collective).append(":").append(algorithm);
  return text;
}

Result<SharedSettings> shared_settings_from_text(std::string_view text) {
  if (text.size() < 4 || text[3] != ';') return Error{"settings of rank 0 are not in a form this Weft knows"};
  auto algorithms = algorithms_from(text.substr(4));
  if (!algorithms) return Error{algorithms.error()};
  return SharedSettings{text[0] == '1', text[1] == '1', text[2] == '1', *algorithms};
}

}  // namespace weft
