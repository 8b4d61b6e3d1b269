// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/machine.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace weft::simulator {
namespace {

// One key of the text: what it means, for a level or for the machine.
struct Key {
  std::string_view name;
  std::string_view unit;  // "ns" or "ns_per_byte"
  bool is_of_level;
  std::function<Time*(Machine&, std::size_t level)> time;
};

const std::vector<Key>& keys() {
  const auto link = [](Time Link::*part) {
    return [part](Machine& m, std::size_t level) { return &(m.links[level].*part); };
  };
  const auto memory = [](Time Memory::*part) {
    return [part](Machine& m, std::size_t level) { return &(m.memory[level].*part); };
  };
  const auto adapter = [](Time Adapter::*part) {
    return [part](Machine& m, std::size_t) { return &(m.adapter.*part); };
  };
  const auto machine = [](Time Machine::*part) {
    return [part](Machine& m, std::size_t) { return &(m.*part); };
  };
  static const std::vector<Key> all{
      {"L", "ns", true, link(&Link::latency)},
      {"o", "ns", true, link(&Link::overhead)},
      {"g", "ns", true, link(&Link::gap)},
      {"G", "ns_per_byte", true, link(&Link::per_byte)},
      {"O", "ns_per_byte", true, link(&Link::overhead_per_byte)},
      {"l", "ns", true, memory(&Memory::line)},
      {"c", "ns_per_byte", true, memory(&Memory::copy_per_byte)},
      {"gamma", "ns_per_byte", true, memory(&Memory::reduce_per_byte)},
      {"wake", "ns", false, machine(&Machine::wake)},
      {"start", "ns", false, machine(&Machine::start)},
      {"start_rank", "ns", false, machine(&Machine::start_per_rank)},
      {"test", "ns", false, machine(&Machine::test)},
      {"test_op", "ns", false, machine(&Machine::test_per_operation)},
      {"switch", "ns", false, machine(&Machine::switching)},
      {"spin", "ns", false, machine(&Machine::spin)},
      {"spin_rank", "ns", false, machine(&Machine::spin_per_rank)},
      {"forward", "ns", false, machine(&Machine::forward)},
      {"forward_wake", "ns", false, machine(&Machine::forward_wake)},
      {"forward_byte", "ns_per_byte", false, machine(&Machine::forward_per_byte)},
      {"post", "ns", false, adapter(&Adapter::post)},
      {"poll", "ns", false, adapter(&Adapter::poll)},
      {"task", "ns", false, adapter(&Adapter::task)},
      {"loop", "ns", false, adapter(&Adapter::loop_back)},
      {"calc", "ns", false, adapter(&Adapter::calc)},
      {"calc_byte", "ns_per_byte", false, adapter(&Adapter::calc_per_byte)}};
  return all;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string known_keys() {
  std::string text = "S, nic, cores";
  for (const Key& key : keys()) text += ", " + std::string(key.name);
  return text;
}

Error wrong(std::string_view item, std::string_view why) {
  return Error{fmt::format("\"{}\" in a machine: {}", item, why)};
}

constexpr double kMostNs = 1e9;  // a second

Result<Time> time_in(std::string_view item, std::string_view value) {
  double ns = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), ns);
  if (problem != std::errc() || end != value.data() + value.size() || !(ns >= 0 && ns <= kMostNs))
    return wrong(item, "use a number of ns from 0 to 1e9, as in L=2500 or G=0.04");
  return from_ns(ns);
}

Result<Bytes> bytes_in(std::string_view item, std::string_view value) {
  std::int64_t bytes = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
  const std::int64_t factor = unit.empty() ? 1 : unit == "K" ? 1 << 10 : unit == "M" ? 1 << 20 : 0;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (problem != std::errc() || factor == 0 || bytes < 0 || bytes > kMost / factor)
    return wrong(item, "use a number of bytes up to 2^40, as in S=65535 or S=64K");
  return Bytes(bytes * factor);
}

// "" or what is wrong.
std::string read_cores(std::string_view item, std::string_view value, std::size_t level, Machine& machine) {
  if (machine.cores > 0) return wrong(item, "cores stand at one level: that whose parts share them").message;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), machine.cores);
  machine.cores_of = kLevels[level];
  const bool is_number = problem == std::errc() && end == value.data() + value.size();
  if (is_number && machine.cores >= 1 && machine.cores <= kMostCores) return "";
  return wrong(item, "use a number from 1 to 65536, or leave it out: then each rank has a core").message;
}

// "" or what is wrong.
std::string read_item(std::string_view item, bool is_network, std::size_t level, Machine& machine) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return wrong(item, "use KEY=VALUE, as in L=2500").message;
  const std::string_view name = item.substr(0, equals), value = item.substr(equals + 1);
  if (name == "S") {
    const auto bytes = bytes_in(item, value);
    if (!bytes) return bytes.error();
    machine.links[level].eager = *bytes;
    return "";
  }
  constexpr std::string_view kWhole = "this is of the whole machine: write it before the first level";
  if (name == "nic") {
    if (!is_network) return wrong(item, kWhole).message;
    machine.adapter_per_node = value == "node";
    return value == "node" || value == "rank" ? "" : wrong(item, "use nic=node or nic=rank").message;
  }
  if (name == "cores") return read_cores(item, value, level, machine);
  for (const Key& key : keys()) {
    if (key.name != name) continue;
    if (!key.is_of_level && !is_network) return wrong(item, kWhole).message;
    const auto time = time_in(item, value);
    if (!time) return time.error();
    *key.time(machine, level) = *time;
    return "";
  }
  return wrong(item, "there is no such parameter; there are " + known_keys()).message;
}

std::string read_items(std::string_view items, bool is_network, std::size_t level, Machine& machine) {
  if (items.empty()) return "";
  std::set<std::string_view> names;
  for (const std::string_view item : split(items, ',')) {
    if (std::string problem = read_item(item, is_network, level, machine); !problem.empty()) return problem;
    if (!names.insert(item.substr(0, item.find('='))).second)
      return wrong(item, "this parameter is there twice: write it once").message;
  }
  return "";
}

// Whether they say what anything costs, if only that it is nothing.
bool has_costs(std::string_view items) {
  const auto names = split(items, ',');
  return std::any_of(names.begin(), names.end(), [](std::string_view item) {
    return std::any_of(keys().begin(), keys().end(),
                       [&](const Key& key) { return key.name == item.substr(0, item.find('=')); });
  });
}

}  // namespace

// A level costs what the next farther one does, but for what its own part says.
Result<Machine> Machine::parse(std::string_view text) {
  constexpr std::string_view kModel = "loggops:";
  if (!text.starts_with(kModel))
    return wrong(text, "use loggops:L=…,o=…,g=…,G=…, or the name of a machine file");
  std::array<std::string_view, kLevels.size()> parts{};
  std::array<bool, kLevels.size()> has_come{};
  const auto groups = split(text.substr(kModel.size()), ';');
  parts[0] = groups.front();
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const std::size_t colon = groups[i].find(':');
    const auto level = level_named(groups[i].substr(0, colon));
    if (colon == std::string_view::npos || !level || *level == Level::kNetwork)
      return wrong(groups[i], "use a level and its parameters, as in node:L=300,o=100");
    if (std::exchange(has_come[static_cast<std::size_t>(*level)], true))
      return wrong(groups[i], "this level is there twice: write its parameters into one part");
    parts[static_cast<std::size_t>(*level)] = groups[i].substr(colon + 1);
  }
  Machine machine;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    if (level > 0) {
      machine.links[level] = machine.links[level - 1];
      machine.memory[level] = machine.memory[level - 1];
    }
    const std::string problem = read_items(parts[level], level == 0, level, machine);
    if (!problem.empty()) return Error{problem};
  }
  if (std::none_of(parts.begin(), parts.end(), has_costs))
    return wrong(text, "it does not say what anything costs: give L at least");
  return machine;
}

Result<std::string_view> Machine::unit_of(std::string_view name) {
  if (name == "S") return std::string_view("bytes");
  if (name == "nic" || name == "cores") return std::string_view("is");
  for (const Key& key : keys())
    if (key.name == name) return key.unit;
  return wrong(name, "there is no such parameter; there are " + known_keys());
}

bool Machine::has_lines() const {
  return std::any_of(memory.begin(), memory.end(), [](const Memory& one) { return one.line > Time(0); });
}

Bytes Machine::eager() const {
  Bytes least = links[0].eager;
  for (const Link& link : links) least = std::min(least, link.eager);
  return least;
}

std::string Machine::text() const {
  Machine usual;
  std::string text = "loggops:";
  Machine copy = *this;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    if (level > 0) {
      usual.links[level] = links[level - 1];
      usual.memory[level] = memory[level - 1];
    }
    std::string items;
    const auto add = [&](const std::string& item) { items += (items.empty() ? "" : ",") + item; };
    for (const Key& key : keys()) {
      if (!key.is_of_level && level > 0) continue;
      const Time time = *key.time(copy, level);
      if (time != *key.time(usual, level)) add(fmt::format("{}={}", key.name, in_ns(time)));
    }
    if (links[level].eager != usual.links[level].eager) add(fmt::format("S={}", links[level].eager.value));
    if (level == 0 && adapter_per_node) add("nic=node");
    if (cores > 0 && kLevels[level] == cores_of) add(fmt::format("cores={}", cores));
    if (level == 0) text += items;
    else if (!items.empty()) text += fmt::format(";{}:{}", name_of(kLevels[level]), items);
  }
  return text;
}

}  // namespace weft::simulator
