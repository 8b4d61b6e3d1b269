// SPDX-License-Identifier: BSD-3-Clause
#include "progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace app {
namespace {
constexpr int kWidth = 40;
}

ProgressBar::ProgressBar(std::string what, std::int64_t steps, bool shown)
    : what_(std::move(what)),
      steps_(std::max<std::int64_t>(steps, 1)),
      shown_(shown && ::isatty(STDERR_FILENO) != 0) {
  advance(0);
}

// The line is taken away: what the program has to say stands alone.
ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::advance(std::int64_t steps) {
  done_ = std::min(done_ + steps, steps_);
  const int percent = static_cast<int>(100 * done_ / steps_);
  if (std::exchange(percent_, percent) != percent && shown_) draw();
}

void ProgressBar::draw() const {
  const auto filled = static_cast<std::size_t>(kWidth * percent_ / 100);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r%s [%s] %3d %%", what_.c_str(), bar.c_str(), percent_);
  std::fflush(stderr);
}

}  // namespace app
