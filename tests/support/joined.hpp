// SPDX-License-Identifier: BSD-3-Clause
// Processes in one: a pair of sockets between any two of them.
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include "transport/wire/tcp_carrier.hpp"

namespace weft::tests {

// The connections of each, by process. `buffer_bytes`: of the sockets; short ones make long messages go in
// pieces.
inline std::vector<std::vector<wire::Descriptor>> joined(int processes, int buffer_bytes = 0) {
  std::vector<std::vector<wire::Descriptor>> ends(static_cast<std::size_t>(processes));
  for (auto& own : ends) own.resize(ends.size());
  for (std::size_t a = 0; a < ends.size(); ++a)
    for (std::size_t b = a + 1; b < ends.size(); ++b) {
      std::array<int, 2> pair{};
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
      for (const int end : pair)
        if (buffer_bytes > 0) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
      ends[a][b] = wire::Descriptor(pair[0]);
      ends[b][a] = wire::Descriptor(pair[1]);
    }
  return ends;
}

inline std::unique_ptr<wire::Carrier> carrier_over(std::vector<wire::Descriptor> connections) {
  return std::make_unique<wire::TcpCarrier>(std::move(connections));
}

}  // namespace weft::tests
