// SPDX-License-Identifier: BSD-3-Clause
// Arguments: a command line, taken word by word. Whatever is wrong with a word is BadInput that names the
// option. Deterministic, so that every rank may read it by itself.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace app {

class Arguments {
 public:
  Arguments(int count, char** arguments) : arguments_(arguments + 1, arguments + count) {}

  bool empty() const { return position_ == arguments_.size(); }
  std::string_view take() { return arguments_[position_++]; }

  // The word behind an option; `meaning`: what it should be, as in "a positive integer".
  std::string_view value_of(std::string_view option, const char* meaning);
  int positive_integer(std::string_view option, const char* meaning = "a positive integer");
  template <std::size_t N>
  std::array<int, N> positive_integers(std::string_view option) {
    static_assert(N == 2 || N == 3);
    std::array<int, N> values{};
    for (int& value : values)
      value = positive_integer(option, N == 2 ? "two positive integers" : "three positive integers");
    return values;
  }
  // The same, or `otherwise` if no value comes before the next option.
  int positive_integer_or(int otherwise, std::string_view option, const char* meaning);
  // Greater than `low` and less than `high`.
  double number_between(double low, double high, std::string_view option);

 private:
  std::vector<std::string_view> arguments_;
  std::size_t position_ = 0;
};

}  // namespace app
