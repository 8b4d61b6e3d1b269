// SPDX-License-Identifier: BSD-3-Clause
// Whereabouts: where the wire of a process can be reached, and how all processes meet there, over what
// WEFT_WIRE names.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "device/bell.hpp"
#include "transport/fabric/fabric.hpp"
#include "transport/wire/partners.hpp"
#include "transport/wire/switchboard.hpp"

namespace weft::mpi {

inline constexpr std::size_t kMostAddresses = 8;

// What a process tells all others: plain bytes.
struct Whereabouts {
  int count = 0;  // of addresses; 0: it does not listen
  std::array<wire::SocketAddress, kMostAddresses> addresses{};
  fabric::Name fabric;
  std::array<char, 64> host{};
  device::BellTicket bell;

  wire::Reach reach() const { return {addresses.begin(), addresses.begin() + count}; }
};

// Where this one is reached: it listens, or has an endpoint.
struct Post {
  wire::Listener listener;
  fabric::OwnEndpoint endpoint;  // null over TCP
  device::Bell bell;
  Whereabouts mine;
};
Result<Post> open_post();

// The end of a large job's process does not close its door: who calls one that has finished with MPI waits,
// and is refused where one has died. A child of this process does.
void close_door();

// Collective: `all` is what everybody has told, by rank.
Result<std::unique_ptr<wire::Carrier>> meet_partners(const wire::JobKey& key, Post& here,
                                                     const std::vector<Whereabouts>& all,
                                                     const wire::Partners& partners);

}  // namespace weft::mpi
