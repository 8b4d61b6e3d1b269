// SPDX-License-Identifier: BSD-3-Clause
// Scanner: reads a small language from left to right and knows line and column of everything it meets.
//
// The first failure sticks: from then on the scanner stands at the end of the text and every question is
// answered with "no" or 0, so that a parser is written straight down and asks failed() where it matters.
// Blanks and comments are skipped before every token; line ends are tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

class Scanner {
 public:
  using Offset = std::size_t;

  // From # to the end of the line; or that and, as in C++, from // to the end of the line and between /* and
  // */.
  enum class Comments { kHash, kHashAndCpp };

  explicit Scanner(std::string_view text, Comments comments = Comments::kHash)
      : text_(text), comments_(comments) {}

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }  // "line 3, column 7: expected …, found …"
  void fail(Offset where, std::string_view message);
  void fail_expecting(std::string_view what);  // … at the next token, and says what stands there instead

  Offset next_token();  // where the next token begins
  bool at_end();
  bool at_line_end();  // the end of the text is one as well
  void skip_empty_lines();
  void expect_line_end(std::string_view otherwise);

  std::string_view word();  // letters, digits and _, not starting with a digit; empty if there is none
  bool at_number();         // a digit, or a minus before one
  bool accept_word(std::string_view word);
  bool accept(std::string_view punctuation);
  void expect_word(std::string_view word);
  void expect(std::string_view punctuation);
  std::int64_t number(std::string_view what, std::int64_t least, std::int64_t most);
  std::string quoted(std::string_view what);  // "…" on one line, with \" \\ and \n

 private:
  std::string_view peek_word();
  std::string found();
  bool skip_comment();

  std::string_view text_;
  Comments comments_;
  Offset at_ = 0;
  std::string error_;
};

// Where that is in a text: "line 3, column 7".
std::string line_and_column(std::string_view text, Scanner::Offset where);

// The opposite of Scanner::quoted.
std::string quote(std::string_view text);

}  // namespace weft
