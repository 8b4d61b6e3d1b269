// SPDX-License-Identifier: BSD-3-Clause
#include "base/scanner.hpp"

#include <charconv>
#include <fmt/format.h>

namespace weft {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string line_and_column(std::string_view text, Scanner::Offset where) {
  int line = 1;
  int column = 1;
  for (const char c : text.substr(0, where)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {  // a character, not one of its later bytes
      ++column;
    }
  }
  return fmt::format("line {}, column {}", line, column);
}

void Scanner::fail(Offset where, std::string_view message) {
  if (failed()) return;
  error_ = fmt::format("{}: {}", line_and_column(text_, where), message);
  at_ = text_.size();
}

void Scanner::fail_expecting(std::string_view what) {
  const std::string instead = found();
  fail(next_token(), fmt::format("expected {}, found {}", what, instead));
}

std::string Scanner::found() {
  if (at_end()) return "the end of the text";
  if (at_line_end()) return "the end of the line";
  std::size_t length = peek_word().size();
  if (length == 0) {  // a number, or whatever stands there up to the next blank
    while (at_ + length < text_.size() && length < 20 && text_[at_ + length] != ' ' &&
           text_[at_ + length] != '\n')
      ++length;
  }
  std::string shown;
  for (const char c : text_.substr(at_, std::min<std::size_t>(length, 40))) {
    if (is_control(c)) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else shown += c;
  }
  return "`" + shown + "`";
}

Scanner::Offset Scanner::next_token() {
  do {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  } while (skip_comment());
  return at_;
}

// Whether there was one.
bool Scanner::skip_comment() {
  const std::string_view rest = text_.substr(at_);
  const bool as_in_cpp = comments_ == Comments::kHashAndCpp;
  if (rest.starts_with('#') || (as_in_cpp && rest.starts_with("//"))) {
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }
  if (!as_in_cpp || !rest.starts_with("/*")) return false;
  const Offset end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos) fail(at_, "expected a comment that ends with `*/`, found none");
  else at_ = end + 2;
  return true;
}

bool Scanner::at_end() { return next_token() == text_.size(); }
bool Scanner::at_line_end() { return at_end() || text_[at_] == '\n'; }

void Scanner::skip_empty_lines() {
  while (!at_end() && text_[at_] == '\n') ++at_;
}

void Scanner::expect_line_end(std::string_view otherwise) {
  if (!at_line_end()) fail_expecting(fmt::format("{}the end of the line", otherwise));
  if (!at_end()) ++at_;
}

std::string_view Scanner::peek_word() {
  const Offset begin = next_token();
  if (begin == text_.size() || !is_letter(text_[begin])) return {};
  Offset end = begin + 1;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  return text_.substr(begin, end - begin);
}

std::string_view Scanner::word() {
  const std::string_view found = peek_word();
  at_ += found.size();
  return found;
}

bool Scanner::at_number() {
  const Offset begin = next_token();
  if (begin == text_.size()) return false;
  if (text_[begin] == '-') return begin + 1 < text_.size() && is_digit(text_[begin + 1]);
  return is_digit(text_[begin]);
}

bool Scanner::accept_word(std::string_view word) {
  if (peek_word() != word || word.empty()) return false;
  at_ += word.size();
  return true;
}

bool Scanner::accept(std::string_view punctuation) {
  if (!text_.substr(next_token()).starts_with(punctuation)) return false;
  at_ += punctuation.size();
  return true;
}

void Scanner::expect_word(std::string_view word) {
  if (!accept_word(word)) fail_expecting(fmt::format("`{}`", word));
}

void Scanner::expect(std::string_view punctuation) {
  if (!accept(punctuation)) fail_expecting(fmt::format("`{}`", punctuation));
}

std::int64_t Scanner::number(std::string_view what, std::int64_t least, std::int64_t most) {
  if (!at_number()) {
    fail_expecting(what);
    return 0;
  }
  const Offset begin = at_;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
  if (problem != std::errc() || value < least || value > most) {
    fail_expecting(fmt::format("{} from {} to {}", what, least, most));
    return 0;
  }
  at_ = static_cast<Offset>(end - text_.data());
  return value;
}

std::string Scanner::quoted(std::string_view what) {
  std::string value;
  if (!accept("\"")) fail_expecting(what);
  while (at_ < text_.size() && text_[at_] != '"') {
    char c = text_[at_];
    if (c == '\n') break;
    if (c == '\\' && at_ + 1 < text_.size()) {
      c = text_[++at_];
      if (c == 'n') c = '\n';
      else if (c != '"' && c != '\\') fail(at_, "expected `\"`, `\\` or `n` after a backslash");
    }
    value += c;
    if (at_ < text_.size()) ++at_;
  }
  if (at_ == text_.size() || text_[at_] == '\n') fail(at_, "expected the closing `\"` on the same line");
  else ++at_;
  return value;
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') quoted += "\\n";
    else quoted += c;
  }
  return quoted + '"';
}

}  // namespace weft
