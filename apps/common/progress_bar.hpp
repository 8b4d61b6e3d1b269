// SPDX-License-Identifier: BSD-3-Clause
// ProgressBar: how far long work has come, on stderr, if that is a terminal; nothing otherwise. For one rank.
#pragma once

#include <cstdint>
#include <string>

namespace app {

class ProgressBar {
 public:
  // `what`: one word or two; `steps`: how many advance() will count.
  ProgressBar(std::string what, std::int64_t steps, bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;

  void advance(std::int64_t steps = 1);

 private:
  void draw() const;

  std::string what_;
  std::int64_t steps_, done_ = 0;
  int percent_ = -1;
  bool shown_;
};

}  // namespace app
