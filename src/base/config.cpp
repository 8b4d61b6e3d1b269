// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace weft {
namespace {

struct FormerName {
  const char *former, *now;
};
constexpr std::array kFormerNames = {FormerName{"WEFT_NODE_SLOT_BYTES", "WEFT_NODE_RANK_BYTES"}};

bool is_one_of(const Word& word, std::string_view value) {
  const std::string words = fmt::format(", {},", word.words);
  return !value.empty() && words.find(fmt::format(", {},", value)) != std::string::npos;
}

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
  if (!parse_number(text, number) || number < 0 || number > kMostBytes.value >> shift) return false;
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

// "ring", "k_nomial:4"; a slash may stand for the colon.
bool parse_algorithm(std::string_view text, NamedAlgorithm& algorithm) {
  const std::size_t end = text.find_first_of(":/");
  algorithm = {std::string(text.substr(0, end)), 0};
  if (end == std::string_view::npos) return !text.empty();
  return end > 0 && parse_number(text.substr(end + 1), algorithm.radix) && algorithm.radix >= 2 &&
         algorithm.radix <= kMostRadix;
}

// "allreduce=ring,bcast=k_nomial:4"; a colon may stand for the equals sign.
bool parse_algorithms(std::string_view text, NamedAlgorithms& algorithms) {
  algorithms.clear();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const std::size_t sign = entry.find_first_of("=:");
    if (sign == std::string_view::npos || sign == 0) return false;
    if (!parse_algorithm(entry.substr(sign + 1), algorithms[std::string(entry.substr(0, sign))]))
      return false;
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return true;
}

std::string algorithms_text(const NamedAlgorithms& algorithms) {
  std::string text;
  for (const auto& [collective, algorithm] : algorithms) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", collective, algorithm.name);
    if (algorithm.radix != 0) text += fmt::format(":{}", algorithm.radix);
  }
  return text;
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
                   // A semicolon separates settings on their way from rank 0.
                   return !setting.shared() || value.find(';') == std::string_view::npos;
                 },
                 [&](const Word& word) {
                   word.of(settings) = value;
                   return is_one_of(word, value);
                 },
                 [&](const Algorithms& a) { return parse_algorithms(value, a.of(settings)); }},
      setting.value);
}

}  // namespace

const Setting* setting_named(std::string_view name) {
  const auto table = settings_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Setting& s) { return s.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string problem_with_name(std::string_view name) {
  for (const auto& [former, now] : kFormerNames)
    if (name == former) return fmt::format("{} is now called {}: use that name", former, now);
  return "";
}

std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::kProcess: return "process";
    case Scope::kJob: return "job";
    case Scope::kCommunicator: return "communicator";
  }
  return "?";
}

std::string Setting::info_key() const {
  if (scope != Scope::kCommunicator) return "";
  std::string key(name);
  for (char& letter : key) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return key;
}

std::string allowed(const Setting& setting) {
  return std::visit(
      Overloaded{[](const Flag&) -> std::string { return "use 0 or 1"; },
                 [&](const Number& n) {
                   return fmt::format("use a {} from {} to {}{}",
                                      n.power_of_two ? "power of two" : "whole number", n.least, n.most,
                                      *setting.unit == '\0' ? "" : fmt::format(" ({})", setting.unit));
                 },
                 [](const Size& s) {
                   return fmt::format("use a number of bytes from {} to {}{}; K, M and G may follow it",
                                      size_text(s.least), size_text(s.most),
                                      s.multiple_of == Bytes(1)
                                          ? ""
                                          : fmt::format(", a multiple of {}", s.multiple_of.value));
                 },
                 [](const Text& text) { return fmt::format("name {}", text.form); },
                 [](const Word& word) { return fmt::format("use one of {}", word.words); },
                 [](const Algorithms&) -> std::string {
                   return "write COLLECTIVE=ALGORITHM or COLLECTIVE=ALGORITHM:RADIX (a radix is at least 2), "
                          "separated by commas";
                 }},
      setting.value);
}

std::string value_text(const Setting& setting, const Settings& settings) {
  Settings copy = settings;
  return std::visit(Overloaded{[&](const Flag& flag) -> std::string { return flag.of(copy) ? "1" : "0"; },
                               [&](const Number& n) { return std::to_string(n.of(copy)); },
                               [&](const Size& s) { return size_text(s.of(copy)); },
                               [&](const Text& text) { return text.of(copy); },
                               [&](const Word& word) { return word.of(copy); },
                               [&](const Algorithms& a) { return algorithms_text(a.of(copy)); }},
                    setting.value);
}

Result<Settings> with_value(Settings settings, const Setting& setting, std::string_view value) {
  if (!set(settings, setting, value))
    return Error{fmt::format("{}={} is not understood: {}", setting.name, value, allowed(setting))};
  return settings;
}

Result<Settings> settings_from_environment() {
  for (const auto& [former, now] : kFormerNames)
    if (const char* value = std::getenv(former); value != nullptr && *value != '\0')
      return Error{problem_with_name(former)};
  Result<Settings> settings = Settings();
  for (const Setting& setting : settings_table()) {
    const char* value = std::getenv(setting.name);
    if (value == nullptr || *value == '\0') continue;
    settings = with_value(*settings, setting, value);
    if (!settings) return settings;
    settings->given[setting.name] = "environment";
  }
  return settings;
}

LocalSettings local_settings_from_environment() {
  Settings settings;
  for (const Setting& setting : settings_table()) {
    const char* value = std::getenv(setting.name);
    if (setting.shared() || value == nullptr || *value == '\0') continue;
    if (const auto changed = with_value(settings, setting, value)) settings = *changed;
  }
  return settings.local;
}

std::string to_text(const SharedSettings& settings) {
  std::string text;
  for (const Setting& setting : settings_table())
    if (setting.shared())
      text += fmt::format("{}={};", setting.name,
                          value_text(setting, {.shared = settings, .local = {}, .given = {}}));
  return text;
}

Result<SharedSettings> shared_settings_from_text(std::string_view text) {
  Result<Settings> settings = Settings();
  for (const Setting& setting : settings_table()) {
    if (!setting.shared()) continue;
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
