// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "verdict.hpp"

namespace app {
namespace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view Arguments::value_of(std::string_view option, const char* meaning) {
  if (empty()) throw BadInput(fmt::format("{} needs {} after it", option, meaning));
  return take();
}

int Arguments::positive_integer(std::string_view option, const char* meaning) {
  const std::string_view text = value_of(option, meaning);
  const auto value = parse_number<int>(text);
  if (!value || *value < 1) throw BadInput(fmt::format("{} needs {}, not '{}'", option, meaning, text));
  return *value;
}

int Arguments::positive_integer_or(int otherwise, std::string_view option, const char* meaning) {
  if (empty() || arguments_[position_].starts_with('-')) return otherwise;
  return positive_integer(option, meaning);
}

double Arguments::number_between(double low, double high, std::string_view option) {
  const std::string meaning = fmt::format("a number between {:g} and {:g}", low, high);
  const std::string_view text = value_of(option, meaning.c_str());
  const auto value = parse_number<double>(text);
  if (!value || !(*value > low && *value < high))
    throw BadInput(fmt::format("{} needs {}, not '{}'", option, meaning, text));
  return *value;
}

}  // namespace app
