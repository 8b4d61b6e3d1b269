// SPDX-License-Identifier: BSD-3-Clause
// Waiting for what has to happen, however slow the machine is.
#pragma once

#include <chrono>
#include <thread>

namespace weft::tests {

// Until it holds, or for so long that it never will.
template <class Holds>
bool eventually(Holds holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace weft::tests
