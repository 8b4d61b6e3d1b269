// SPDX-License-Identifier: BSD-3-Clause
// mutate: a valid text with a few things in it changed at random, for parsers to stumble over.
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <string>

namespace weft::tests {

using Generator = std::mt19937;

inline std::size_t below(Generator& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// `pieces`: what is put in here and there.
inline std::string mutate(std::string text, std::span<const std::string> pieces, Generator& random) {
  const std::size_t changes = 1 + below(random, 4) / 3;
  for (std::size_t change = 0; change < changes; ++change) {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = below(random, 12);
    switch (below(random, 14)) {
      case 0: text = text.substr(0, at); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, pieces[below(random, pieces.size())]); break;
      case 3:
        text.replace(at, std::min(length, text.size() - at), pieces[below(random, pieces.size())]);
        break;
      case 4: text.insert(at, text.substr(below(random, text.size() + 1), 40)); break;
      case 5:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      default:  // a digit becomes another one: most texts stay readable
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
          text[digit] = static_cast<char>('0' + below(random, 10));
    }
  }
  return text;
}

}  // namespace weft::tests
