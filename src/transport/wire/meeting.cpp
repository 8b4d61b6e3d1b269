// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/meeting.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

namespace weft::wire {
namespace {

using Milliseconds = std::chrono::milliseconds;

std::string problem_with(const Switchboard& switchboard, std::span<const int> partners,
                         const std::vector<Descriptor>& connections) {
  std::string text;
  for (const int process : partners)
    if (!connections[static_cast<std::size_t>(process)].is_open())
      text += fmt::format("{}no connection between processes {} and {} of the job: {}",
                          text.empty() ? "" : "; ", switchboard.self(), process, switchboard.why(process));
  return text;
}

}  // namespace

Meeting meet(Switchboard& switchboard, std::span<const int> partners, Milliseconds patience) {
  Meeting meeting;
  meeting.connections.resize(static_cast<std::size_t>(switchboard.process_count()));
  std::vector<char> is_missing(meeting.connections.size(), 0);
  for (const int process : partners) {
    is_missing[static_cast<std::size_t>(process)] = 1;
    if (process < switchboard.self()) switchboard.call(process);
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::count(is_missing.begin(), is_missing.end(), 1) > 0) {
    const auto left = std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    pollfd descriptor{switchboard.descriptor(), POLLIN, 0};
    ::poll(&descriptor, 1, static_cast<int>(left.count()));
    for (Outcome& outcome : switchboard.drive()) {
      is_missing[static_cast<std::size_t>(outcome.process)] = 0;
      meeting.connections[static_cast<std::size_t>(outcome.process)] = std::move(outcome.socket);
    }
  }
  meeting.problem = problem_with(switchboard, partners, meeting.connections);
  meeting.strangers = switchboard.strangers();
  return meeting;
}

}  // namespace weft::wire
