// SPDX-License-Identifier: BSD-3-Clause
// Whereabouts: where the wire of a process can be reached, and how all processes meet there, over what
// WEFT_WIRE names.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/bell.hpp"
#include "transport/fabric/fabric.hpp"
#include "transport/wire/partners.hpp"
#include "transport/wire/switchboard.hpp"

namespace weft::mpi {

inline constexpr std::size_t kMostAddresses = 8;

// What a process tells all others: plain bytes. One that has no post says so by having neither addresses nor
// a name.
struct Whereabouts {
  int count = 0;  // of addresses; 0: it does not listen
  std::array<wire::SocketAddress, kMostAddresses> addresses{};
  bool is_local = false;        // it listens to its host alone as well,
  wire::SocketAddress local{};  // here
  fabric::Name fabric;
  std::array<char, 64> host{};
  device::BellTicket bell;

  // In the order in which they are to be tried, by others of its node or not.
  wire::Reach reach(bool is_on_node) const {
    wire::Reach all(addresses.begin(), addresses.begin() + count);
    if (is_on_node && is_local) all.insert(all.begin(), local);
    return all;
  }
};

// Where this one is reached: it listens, or has an endpoint.
struct Post {
  wire::Listener listener;
  fabric::OwnEndpoint endpoint;  // null over TCP
  device::Bell bell;
  Whereabouts mine;
};
Result<Post> open_post();
// What is told where there is none.
Whereabouts without_post();

// The end of a large job's process does not close its door: who calls one that has finished with MPI waits,
// and is refused where one has died. A child of this process does.
void close_door();

// By rank, why that process cannot meet the others, as all of them see; "": it can.
std::vector<std::string> why_not_met(const std::vector<Whereabouts>& all);

struct Encounter {
  std::unique_ptr<wire::Carrier> carrier;
  std::vector<int> missing;  // who was to be met, and was not,
  std::string problem;       // and why
};
// Collective over those processes that have the device, by rank; `all` is what everybody has told, `node_of`
// the number of each one's node.
Encounter meet_partners(const wire::JobKey& key, Post& here, const std::vector<Whereabouts>& all,
                        std::span<const int> node_of, std::span<const char> have_device,
                        const wire::Partners& partners);

}  // namespace weft::mpi
