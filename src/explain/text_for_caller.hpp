// SPDX-License-Identifier: BSD-3-Clause
// How weft.h hands out texts.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "weft/weft.h"

namespace weft {

// WEFT_SUCCESS, or WEFT_ERROR_TRUNCATED where only a part fits; with the final zero always.
inline int give_text(const std::string& answer, char* text, std::size_t capacity) {
  const std::size_t length = std::min(answer.size(), capacity - 1);
  std::memcpy(text, answer.data(), length);
  text[length] = '\0';
  return length == answer.size() ? WEFT_SUCCESS : WEFT_ERROR_TRUNCATED;
}

}  // namespace weft
