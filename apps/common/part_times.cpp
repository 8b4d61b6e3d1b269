// SPDX-License-Identifier: BSD-3-Clause
#include "part_times.hpp"

#include <fmt/format.h>

namespace app {

std::string times_text(std::span<const char* const> labels, std::span<const double> mean,
                       std::span<const double> maximum) {
  std::string text =
      fmt::format("\n  {:<22}{:>14}{:>9}{:>16}\n", "seconds", "mean of ranks", "share", "slowest rank");
  for (std::size_t i = 0; i < labels.size(); ++i)
    text += fmt::format("  {:<22}{:>14.6f}{:>7.1f} %{:>16.6f}\n", labels[i], mean[i],
                        100 * mean[i] / mean.back(), maximum[i]);
  return text;
}

}  // namespace app
