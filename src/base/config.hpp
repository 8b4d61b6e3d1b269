// SPDX-License-Identifier: BSD-3-Clause
// Settings: the only place that reads the environment. One table says for each its name, unit, range and
// meaning; everything else (reading, refusing, telling other ranks, showing) goes through it.
//
// What decides how a call runs must be the same on all ranks: it travels from rank 0 as text when MPI starts
// (drop_in rule 5), and some of it can be given for one communicator. What concerns one process alone (where
// to log) stays there.
//
// Sources, the first that says something wins:  MPI_Info of the communicator  (keys: the names in lower case)
//                                               environment
//                                               tuning file                   (lines `NAME = value`)
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

// What somebody wants instead of the planner's choice.
struct NamedAlgorithm {
  std::string name;
  int radix = 0;  // 0: not said

  bool operator==(const NamedAlgorithm&) const = default;
};
using NamedAlgorithms = std::map<std::string, NamedAlgorithm>;  // by collective

// Sizes at which the planner goes over from one plan to another, and what it gives the plans.
struct Thresholds {
  Bytes long_part{8 << 10};
  Bytes ring_block{256 << 10};
  Bytes collected{64 << 10};
  Bytes shallow_tree{4 << 10};
  Bytes bundle_block{1 << 10};
  Bytes split{8 << 10};
  Bytes forwarded_block{256};
  int shallow_radix = 4;
  int radix = 2;
  int far_from = 100;  // us
  Bytes node_whole{4 << 10};
  Bytes node_fragment{128 << 10};
  Bytes multi_leader{192 << 10};
  Bytes leader_fragment{256 << 10};

  bool operator==(const Thresholds&) const = default;
};

inline constexpr int kMostNodeSlots = 64;  // that may be asked for

struct NodeSettings {
  bool enabled = true;
  int slots = kMostNodeSlots;
  Bytes rank_bytes{528 << 10};  // two cells of 256 KiB, and what lies behind each
  Bytes memory{std::int64_t{8} << 30};
  int in_flight = 4;
  std::string copies = "measured";
  Bytes single_copy{16 << 10};

  bool operator==(const NodeSettings&) const = default;
};

struct SharedSettings {
  bool enabled = true;
  bool reproducible = false;
  bool rounds = false;
  bool check = false;
  bool windows = true;
  NamedAlgorithms algorithms;
  std::string topology;
  std::string hierarchy = "node";
  std::string device = "none";
  std::string wire = "tcp";
  int wire_proved = 64;
  int round_trip = 0;  // between nodes, in us; 0: measured in MPI_Init
  Thresholds thresholds;
  NodeSettings node;

  // From node to node a message takes much longer than it takes to send one.
  bool nodes_are_far() const { return round_trip >= thresholds.far_from; }
  bool operator==(const SharedSettings&) const = default;
};

struct LocalSettings {
  std::string tuning_file;
  std::string log_file;
  bool log_to_stderr = false;
  std::string statistics_file;
  bool take_times = false;
  std::string wire_interface, wire_ports;
  Bytes wire_send_buffer{128 << 10};    // of each connection with a near node; 0: the kernel chooses
  std::string wire_congestion_control;  // a name; "": the kernel's, but not BBR
  Bytes agent_bytes{512 << 10};
  int list_tasks = 0;  // 0: of any length
  std::string list_trigger = "device";
  int handshake_seconds = 60;
};

struct Settings {
  SharedSettings shared;
  LocalSettings local;
  // Where each setting was given that somebody gave: "environment", or file and line, "tuning.txt:3".
  std::map<std::string, std::string> given;
};

// The kinds of settings: what the value may be, and where it is kept.
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
  const char* form;  // "a file"
};
struct Word {
  std::string& (*of)(Settings&);
  const char* words;  // "none, agent"
};
struct Algorithms {
  NamedAlgorithms& (*of)(Settings&);
};

// For whom a value holds, and so who may give it.
enum class Scope : std::uint8_t {
  kProcess,       // each process its own, by its environment
  kJob,           // rank 0's is everybody's: environment or tuning file
  kCommunicator,  // as kJob, and for a communicator by MPI_Info
};
std::string_view name_of(Scope scope);  // "process", "job", "communicator"

struct Setting {
  const char* name;  // of the environment variable
  Scope scope;
  const char* unit;     // "" if there is none
  const char* meaning;  // one line for tables
  std::variant<Flag, Number, Size, Text, Word, Algorithms> value;

  bool shared() const { return scope != Scope::kProcess; }
  std::string info_key() const;  // "weft_algorithm"; "" if MPI_Info has none for it
};

inline constexpr int kMostRadix = 1 << 16;
inline constexpr Bytes kMostBytes{std::int64_t{1} << 40};

std::span<const Setting> settings_table();            // settings_table.cpp
const Setting* setting_named(std::string_view name);  // null if there is none
// What to say where somebody uses a name that a setting had in earlier versions; "" for all other names.
std::string problem_with_name(std::string_view name);

// What the setting may be, as an error says it: "use 0 or 1".
std::string allowed(const Setting& setting);
// The value as the environment would have it: "1", "16", "32K", "allreduce=ring".
std::string value_text(const Setting& setting, const Settings& settings);
// An error names the setting, the value, and what is allowed.
Result<Settings> with_value(Settings settings, const Setting& setting, std::string_view value);

Result<Settings> settings_from_environment();
// The settings of this process alone that make sense, when other settings do not: WEFT_LOG says where to
// complain.
LocalSettings local_settings_from_environment();
// Adds what the text of a tuning file says and nobody gave. Errors name file, line, setting and value.
Result<Settings> with_tuning_text(Settings settings, std::string_view text, const std::string& file);
// Rank 0's settings: its environment's, and those of the tuning file that this names.
Result<Settings> settings_of_rank_0();

// "WEFT_ENABLE=1;WEFT_REPRODUCIBLE=0;…"
std::string to_text(const SharedSettings& settings);
Result<SharedSettings> shared_settings_from_text(std::string_view text);

}  // namespace weft
