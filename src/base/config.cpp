// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace weft {
namespace {

constexpr int kMostSlots = 64;  // what a rank remembers of operations that finished out of order
constexpr Bytes kLine{128};
constexpr Bytes kMost{std::int64_t{1} << 40};

constexpr std::array kTable = {
    Setting{"WEFT_ENABLE", true, "", "0 leaves every call to the host MPI",
            Flag{[](Settings& s) -> bool& { return s.shared.enabled; }}},
    Setting{"WEFT_REPRODUCIBLE", true, "", "1: the order of additions depends on the number of ranks alone",
            Flag{[](Settings& s) -> bool& { return s.shared.reproducible; }}},
    Setting{"WEFT_ROUNDS", true, "",
            "1: round by round, as LibNBC executes schedules; a baseline for comparisons",
            Flag{[](Settings& s) -> bool& { return s.shared.rounds; }}},
    Setting{"WEFT_ALGORITHM", true, "",
            "allreduce:ring,bcast:k_nomial/4 names algorithms, and radices, per collective",
            Algorithms{[](Settings& s) -> AlgorithmNames& { return s.shared.algorithms; }}},
    Setting{"WEFT_TOPOLOGY", true, "",
            "pretends that the ranks sit in order on a machine such as node:2 socket:2 core:2",
            Text{[](Settings& s) -> std::string& { return s.shared.topology; }}},
    Setting{"WEFT_HIERARCHY", true, "",
            "levels whose ranks are grouped, from near to far: flat, node, socket+node",
            Text{[](Settings& s) -> std::string& { return s.shared.hierarchy; }}},
    Setting{"WEFT_NODE", true, "", "0: ranks of one node communicate by messages, not through shared memory",
            Flag{[](Settings& s) -> bool& { return s.shared.node.enabled; }}},
    Setting{"WEFT_NODE_SLOTS", true, "operations",
            "how many operations of a communicator may be under way in shared memory; a power of two",
            Number{[](Settings& s) -> int& { return s.shared.node.slots; }, 1, kMostSlots, true}},
    Setting{"WEFT_NODE_SLOT_BYTES", true, "bytes",
            "shared memory of each rank of a communicator for what does not fit into a cache line",
            Size{[](Settings& s) -> Bytes& { return s.shared.node.slot_bytes; }, Bytes(0), kMost, kLine}},
    Setting{"WEFT_NODE_MEMORY", true, "bytes",
            "the most shared memory that all communicators on a node take together",
            Size{[](Settings& s) -> Bytes& { return s.shared.node.memory; }, Bytes(0), kMost}},
    Setting{"WEFT_NODE_FRAGMENTS", true, "fragments",
            "how many fragments of a broadcast may be in a node's memory at a time",
            Number{[](Settings& s) -> int& { return s.shared.node.in_flight; }, 2, 64}},
    Setting{
        "WEFT_SINGLE_COPY", true, "bytes",
        "from this size on ranks of a node copy from buffer to buffer, where the kernel lets them; 0: never",
        Size{[](Settings& s) -> Bytes& { return s.shared.node.single_copy; }, Bytes(0), kMost}},
    Setting{"WEFT_LOG", false, "", "file for messages",
            Text{[](Settings& s) -> std::string& { return s.local.log_file; }}},
    Setting{"WEFT_VERBOSE", false, "", "1: messages go to stderr as well",
            Flag{[](Settings& s) -> bool& { return s.local.log_to_stderr; }}},
    Setting{"WEFT_STATS", false, "", "file for the counters, as JSON, written at MPI_Finalize",
            Text{[](Settings& s) -> std::string& { return s.local.statistics_file; }}},
    Setting{"WEFT_TIMES", false, "", "1 takes the times that a program can ask for (weft_times in weft.h)",
            Flag{[](Settings& s) -> bool& { return s.local.take_times; }}},
    Setting{"WEFT_HANDSHAKE_SECONDS", false, "seconds",
            "how long MPI_Init waits for ranks that do not have Weft",
            Number{[](Settings& s) -> int& { return s.local.handshake_seconds; }, 1, 86400}},
};

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <class Integer>
bool parse_number(std::string_view text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "32K", "256M", "1G", or plain bytes.
bool parse_size(std::string_view text, Bytes& size) {
  constexpr std::string_view kUnits = "KMG";
  int shift = 0;
  if (!text.empty())
    if (const std::size_t unit = kUnits.find(text.back()); unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      text.remove_suffix(1);
    }
  std::int64_t number = 0;
  if (!parse_number(text, number) || number < 0 || number > kMost.value >> shift) return false;
  size = Bytes(number << shift);
  return true;
}

std::string size_text(Bytes size) {
  int unit = 0;
  while (unit < 3 && size.value != 0 && size.value % 1024 == 0) {
    size = size / 1024;
    ++unit;
  }
  constexpr std::array kUnits = {"", "K", "M", "G"};
  return fmt::format("{}{}", size.value, kUnits[static_cast<std::size_t>(unit)]);
}

bool parse_algorithms(std::string_view text, AlgorithmNames& algorithms) {
  algorithms.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == entry.size()) return false;
    algorithms[std::string(entry.substr(0, colon))] = std::string(entry.substr(colon + 1));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return true;
}

bool set(Settings& settings, const Setting& setting, std::string_view value) {
  return std::visit(
      Overloaded{[&](const Flag& flag) {
                   flag.of(settings) = value == "1";
                   return value == "0" || value == "1";
                 },
                 [&](const Number& n) {
                   int& number = n.of(settings);
                   return parse_number(value, number) && number >= n.least && number <= n.most &&
                          (!n.power_of_two || std::has_single_bit(static_cast<unsigned>(number)));
                 },
                 [&](const Size& s) {
                   Bytes& size = s.of(settings);
                   return parse_size(value, size) && size >= s.least && size <= s.most &&
                          size.value % s.multiple_of.value == 0;
                 },
                 [&](const Text& text) {
                   text.of(settings) = value;
                   return true;
                 },
                 [&](const Algorithms& a) { return parse_algorithms(value, a.of(settings)); }},
      setting.value);
}

}  // namespace

std::span<const Setting> settings_table() { return kTable; }

std::string allowed(const Setting& setting) {
  return std::visit(
      Overloaded{[](const Flag&) -> std::string { return "use 0 or 1"; },
                 [&](const Number& n) {
                   return fmt::format("use a {} from {} to {} ({})",
                                      n.power_of_two ? "power of two" : "whole number", n.least, n.most,
                                      setting.unit);
                 },
                 [](const Size& s) {
                   return fmt::format(
                       "use a number of bytes from {} to {}, a multiple of {}; K, M and G may follow it",
                       size_text(s.least), size_text(s.most), s.multiple_of.value);
                 },
                 [](const Text&) -> std::string { return "any text"; },
                 [](const Algorithms&) -> std::string {
                   return "write COLLECTIVE:ALGORITHM[/RADIX], separated by commas";
                 }},
      setting.value);
}

std::string value_text(const Setting& setting, const Settings& settings) {
  Settings copy = settings;
  return std::visit(
      Overloaded{[&](const Flag& flag) -> std::string { return flag.of(copy) ? "1" : "0"; },
                 [&](const Number& n) { return std::to_string(n.of(copy)); },
                 [&](const Size& s) { return size_text(s.of(copy)); },
                 [&](const Text& text) { return text.of(copy); },
                 [&](const Algorithms& a) {
                   std::string text;
                   for (const auto& [collective, algorithm] : a.of(copy))
                     text.append(text.empty() ? "" : ",").append(collective).append(":").append(algorithm);
                   return text;
                 }},
      setting.value);
}

Result<Settings> with_value(Settings settings, const Setting& setting, std::string_view value) {
  if (!set(settings, setting, value))
    return Error{fmt::format("{}={} is not understood: {}", setting.name, value, allowed(setting))};
  return settings;
}

Result<Settings> settings_from_environment() {
  Result<Settings> settings = Settings();
  for (const Setting& setting : kTable) {
    const char* value = std::getenv(setting.name);
    if (value == nullptr || *value == '\0') continue;
    settings = with_value(*settings, setting, value);
    if (!settings) return settings;
  }
  return settings;
}

std::string to_text(const SharedSettings& settings) {
  std::string text;
  for (const Setting& setting : kTable)
    if (setting.shared) text += fmt::format("{}={};", setting.name, value_text(setting, {settings, {}}));
  return text;
}

Result<SharedSettings> shared_settings_from_text(std::string_view text) {
  Result<Settings> settings = Settings();
  for (const Setting& setting : kTable) {
    if (!setting.shared) continue;
    const std::string name = fmt::format("{}=", setting.name);
    const std::size_t end = text.find(';');
    if (!text.starts_with(name) || end == std::string_view::npos)
      return Error{fmt::format("settings of rank 0 are not in a form this Weft knows: expected {}", name)};
    settings = with_value(*settings, setting, text.substr(name.size(), end - name.size()));
    if (!settings) return Error{settings.error()};
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return Error{fmt::format("settings of rank 0 say more than this Weft knows: {}", text)};
  return settings->shared;
}

}  // namespace weft
