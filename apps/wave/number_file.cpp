// SPDX-License-Identifier: BSD-3-Clause
#include "number_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

#include "verdict.hpp"

namespace wave {

Rows read_number_file(const std::string& option, const std::string& file,
                      const std::vector<std::size_t>& widths) {
  std::ifstream stream(file);
  if (!stream || stream.peek() == std::ifstream::traits_type::eof())
    throw app::BadInput(
        fmt::format("{} {}: cannot be read, or is empty; check the name and its rights", option, file));
  Rows rows;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::vector<double> row;
    for (std::string word; words >> word;) {
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size() || std::isnan(value))
        throw app::BadInput(fmt::format("{} {}: line {}: '{}' is no number", option, file, number, word));
      row.push_back(value);
    }
    if (row.empty()) continue;
    if (std::find(widths.begin(), widths.end(), row.size()) == widths.end())
      throw app::BadInput(fmt::format("{} {}: line {} has {} number{}, and needs {}", option, file, number,
                                      row.size(), row.size() == 1 ? "" : "s", fmt::join(widths, " or ")));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw app::BadInput(fmt::format("{} {}: has no row of numbers", option, file));
  return rows;
}

}  // namespace wave
