// SPDX-License-Identifier: BSD-3-Clause
// Settings: the only place that reads the environment. One table says for each its name, unit, range and
// meaning; everything else (reading, refusing, telling other ranks, showing) goes through it.
//
// Settings that decide how a call runs must be the same on all ranks: they travel from rank 0 as text when
// MPI starts (drop_in rule 5). Those of one process alone (where to log) stay local.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

// An algorithm, and its radix after a slash, per collective.
using AlgorithmNames = std::map<std::string, std::string>;

struct NodeSettings {
  bool enabled = true;
  int slots = 16;
  Bytes slot_bytes{96 << 10};
  Bytes memory{256 << 20};
  int in_flight = 2;
  Bytes single_copy{0};

  bool operator==(const NodeSettings&) const = default;
};

struct SharedSettings {
  bool enabled = true;
  bool reproducible = false;
  bool rounds = false;
  AlgorithmNames algorithms;
  NodeSettings node;
  std::string topology;
  std::string hierarchy = "node";

  bool operator==(const SharedSettings&) const = default;
};

struct LocalSettings {
  std::string log_file;
  bool log_to_stderr = false;
  std::string statistics_file;
  bool take_times = false;
  int handshake_seconds = 60;
};

struct Settings {
  SharedSettings shared;
  LocalSettings local;
};

// What a setting may be, and where it is kept.
struct Flag {
  bool& (*of)(Settings&);
};
struct Number {
  int& (*of)(Settings&);
  int least, most;
  bool power_of_two = false;
};
struct Size {
  Bytes& (*of)(Settings&);
  Bytes least, most;
  Bytes multiple_of{1};
};
struct Text {
  std::string& (*of)(Settings&);
};
struct Algorithms {
  AlgorithmNames& (*of)(Settings&);
};

struct Setting {
  const char* name;     // of the environment variable
  bool shared;          // rank 0's is everybody's
  const char* unit;     // "" if there is none
  const char* meaning;  // one line for tables
  std::variant<Flag, Number, Size, Text, Algorithms> value;
};

std::span<const Setting> settings_table();

// What the setting may be, as an error says it: "use 0 or 1".
std::string allowed(const Setting& setting);
// The value as the environment would have it: "1", "16", "32K", "allreduce:ring".
std::string value_text(const Setting& setting, const Settings& settings);
// An error names the setting, the value, and what is allowed.
Result<Settings> with_value(Settings settings, const Setting& setting, std::string_view value);

Result<Settings> settings_from_environment();

// "WEFT_ENABLE=1;WEFT_REPRODUCIBLE=0;…"
std::string to_text(const SharedSettings& settings);
Result<SharedSettings> shared_settings_from_text(std::string_view text);

}  // namespace weft
