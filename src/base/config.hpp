// SPDX-License-Identifier: BSD-3-Clause
// Settings: the only place that reads the environment.
//
// Settings that decide how a call runs must be the same on all ranks: they travel from rank 0 as text
// (to_text, from_text) when MPI starts (drop_in rule 5). Those of one process alone (where to log) stay
// local.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weft {

struct SharedSettings {
  bool enabled = true;  // WEFT_ENABLE: 0 leaves every call to the host MPI
  // WEFT_REPRODUCIBLE: 1 makes the order of additions a function of the number of ranks alone.
  bool reproducible = false;
  bool rounds = false;  // WEFT_ROUNDS: 1 executes schedules round by round, as LibNBC does
  // WEFT_ALGORITHM: "allreduce:ring,bcast:k_nomial/4" names an algorithm, and its radix, per collective.
  std::map<std::string, std::string> algorithms;

  bool operator==(const SharedSettings&) const = default;
};

struct LocalSettings {
  std::string log_file;         // WEFT_LOG: messages are appended there; empty: kept in memory only
  bool log_to_stderr = false;   // WEFT_VERBOSE: 1 also writes them to stderr
  std::string statistics_file;  // WEFT_STATS: counters of all ranks as JSON, written by rank 0 at the end
  bool take_times = false;      // WEFT_TIMES: 1 takes the times that weft_times() of weft.h tells
  int handshake_seconds = 60;   // WEFT_HANDSHAKE_SECONDS: how long MPI_Init waits for ranks without Weft
};

struct Settings {
  SharedSettings shared;
  LocalSettings local;
};

// An error names the variable, its value, and what is allowed.
Result<Settings> settings_from_environment();

std::string to_text(const SharedSettings& settings);
Result<SharedSettings> shared_settings_from_text(std::string_view text);

}  // namespace weft
