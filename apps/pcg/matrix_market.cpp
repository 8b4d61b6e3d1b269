// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <tuple>

#include "verdict.hpp"

namespace pcg {
namespace {

/// The file as lines of words, and where we are in it.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), stream_(path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw app::BadInput(fmt::format("{}: this is a folder; give a Matrix Market file", path));
    if (!stream_)
      throw app::BadInput(fmt::format("{}: cannot be opened; check the name and that it may be read", path));
  }

  bool next() {
    if (!std::getline(stream_, text_)) return false;
    ++line_;
    split();
    return true;
  }

  /// The next line that is neither blank nor a comment.
  bool next_data() {
    while (next())
      if (!words_.empty() && words_[0][0] != '%') return true;
    return false;
  }

  const std::vector<std::string_view>& words() const { return words_; }
  std::int64_t line() const { return line_; }

  [[noreturn]] void fail(const std::string& message) const {
    throw app::BadInput(fmt::format("{}:{}: {}", path_, std::max<std::int64_t>(line_, 1), message));
  }

  std::int64_t integer(std::size_t word, const char* meaning) const {
    std::int64_t value = 0;
    if (!read(words_[word], value))
      fail(fmt::format("the {} is '{}', not an integer", meaning, words_[word]));
    return value;
  }

  double real(std::size_t word) const {
    double value = 0;
    if (!read(words_[word], value) || !std::isfinite(value))
      fail(fmt::format("the value is '{}', not a number that a double can hold", words_[word]));
    return value;
  }

 private:
  template <typename Number>
  static bool read(std::string_view word, Number& value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-')
      word.remove_prefix(1);  // from_chars takes no plus sign
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
  }

  void split() {
    words_.clear();
    const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    for (auto begin = text_.begin();;) {
      begin = std::find_if_not(begin, text_.end(), space);
      if (begin == text_.end()) return;
      const auto end = std::find_if(begin, text_.end(), space);
      words_.emplace_back(begin, end);
      begin = end;
    }
  }

  std::string path_;
  std::ifstream stream_;
  std::string text_;
  std::vector<std::string_view> words_;
  std::int64_t line_ = 0;
};

struct Header {
  bool integers = false;
  bool symmetric = false;
};

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

Header read_header(Lines& lines) {
  if (!lines.next()) lines.fail("the file is empty; it should begin with a Matrix Market header");
  const auto& words = lines.words();
  if (words.size() != 5 || lower(words[0]) != "%%matrixmarket" || lower(words[1]) != "matrix")
    lines.fail(
        "this is not a Matrix Market header; one reads '%%MatrixMarket matrix coordinate real symmetric'");
  const std::string form = lower(words[2]);
  const std::string field = lower(words[3]);
  const std::string symmetry = lower(words[4]);
  if (form != "coordinate") lines.fail(fmt::format("form '{}' is not supported, only coordinate", form));
  if (field != "real" && field != "integer")
    lines.fail(fmt::format("field '{}' is not supported, only real and integer", field));
  if (symmetry != "symmetric" && symmetry != "general")
    lines.fail(fmt::format("symmetry '{}' is not supported, only symmetric and general", symmetry));
  return {field == "integer", symmetry == "symmetric"};
}

struct Size {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
};

Size read_size(Lines& lines) {
  if (!lines.next_data()) lines.fail("the file ends before its size line 'ROWS COLUMNS ENTRIES'");
  if (lines.words().size() != 3) lines.fail("the size line needs three integers: ROWS COLUMNS ENTRIES");
  const std::int64_t rows = lines.integer(0, "number of rows");
  const std::int64_t columns = lines.integer(1, "number of columns");
  const std::int64_t entries = lines.integer(2, "number of entries");
  if (rows < 1 || columns < 1 || entries < 0) lines.fail("the size line has a number that is too small");
  if (rows != columns)
    lines.fail(fmt::format("the matrix is {} x {}: conjugate gradients need a square one", rows, columns));
  return {rows, entries};
}

MatrixEntry read_entry(const Lines& lines, const Header& header, std::int64_t rows) {
  if (lines.words().size() != 3) lines.fail("an entry needs three numbers: ROW COLUMN VALUE");
  const std::int64_t row = lines.integer(0, "row");
  const std::int64_t column = lines.integer(1, "column");
  if (row < 1 || row > rows || column < 1 || column > rows)
    lines.fail(fmt::format("entry ({}, {}) is outside the {} x {} matrix (rows and columns count from 1)",
                           row, column, rows, rows));
  if (header.symmetric && row < column)
    lines.fail(fmt::format(
        "entry ({}, {}) is above the diagonal, but a symmetric file stores the lower triangle only; "
        "swap the two indices or call the file general",
        row, column));
  const double value = header.integers ? static_cast<double>(lines.integer(2, "value")) : lines.real(2);
  return {row - 1, column - 1, value, lines.line()};
}

/// Sorts, and refuses entries that are given twice.
void put_in_order(MatrixFile& file) {
  std::sort(file.entries.begin(), file.entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
  });
  for (std::size_t i = 1; i < file.entries.size(); ++i) {
    const MatrixEntry& first = file.entries[i - 1];
    const MatrixEntry& second = file.entries[i];
    if (first.row == second.row && first.column == second.column)
      throw app::BadInput(
          fmt::format("{}:{}: entry ({}, {}) was given in line {} already; add the two up or remove one",
                      file.path, second.line, second.row + 1, second.column + 1, first.line));
  }
}

}  // namespace

MatrixFile read_matrix_market(const std::string& path) {
  Lines lines(path);
  const Header header = read_header(lines);
  const Size size = read_size(lines);

  MatrixFile file{path, size.rows, {}};
  std::int64_t count = 0;
  while (lines.next_data()) {
    if (count == size.entries)
      lines.fail(fmt::format("one entry too many: the size line promises {}; correct it or remove the rest",
                             size.entries));
    const MatrixEntry entry = read_entry(lines, header, size.rows);
    file.entries.push_back(entry);
    if (header.symmetric && entry.row != entry.column)
      file.entries.push_back({entry.column, entry.row, entry.value, entry.line});
    ++count;
  }
  if (count < size.entries)
    lines.fail(
        fmt::format("the file ends after {} of the {} entries that the size line promises; it may be cut off",
                    count, size.entries));
  put_in_order(file);
  return file;
}

}  // namespace pcg
