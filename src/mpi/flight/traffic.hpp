// SPDX-License-Identifier: BSD-3-Clause
// Traffic: what the operations of one communicator share on their way: how their messages travel, where they
// meet in the node's memory, and who of them has to wait for whom.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/engine/tags.hpp"
#include "mpi/flight/call_record.hpp"
#include "mpi/flight/members.hpp"
#include "mpi/flight/transport.hpp"

namespace weft::mpi {

struct Flight;

// First in, first out.
struct FlightQueue {
  Flight* first = nullptr;
  Flight* last = nullptr;
};

struct Traffic {
  // `ids`: by member, its own number for the communicator; none with one rank.
  Traffic(const Members& who, std::span<const int> ids);
  ~Traffic();
  Traffic(const Traffic&) = delete;

  const Members& members;
  // Where in the host's communicators the members' messages go, by member, and behind them those of
  // persistent operations.
  std::vector<Address> addresses;
  HostTransport transport, persistent_transport;
  HostTransport& transport_for(bool is_persistent) {
    return is_persistent ? persistent_transport : transport;
  }
  std::span<const int> node_mates;  // ranks of the world, by member of the areas
  // Its areas in the node's memory, for blocking operations and for the others; null where it has none.
  node::Port *blocking_port = nullptr, *nonblocking_port = nullptr;

  // Non-blocking operations that send messages take the channels in turn; one whose channel is still in use
  // here is queued. Blocking ones come one at a time and have a channel of their own, so that a program that
  // orders blocking against non-blocking calls differently on different ranks still works, as it does on the
  // hosts (decision 0002). Messages between two ranks arrive in the order sent, so that this local rule keeps
  // both ends in step.
  std::uint32_t next_channel = 0;
  std::array<Flight*, kChannels> on_channel{};
  FlightQueue queued_blocking, queued;
  CallRecord blocking_calls, nonblocking_calls;
  CallRecord& record(bool is_blocking) { return is_blocking ? blocking_calls : nonblocking_calls; }
  int in_flight = 0;
  bool had_errors = false;        // some operation ended with one
  bool wakes_node_mates = false;  // their agents help in the areas
};

// The one whose messages to this process begin with this tag; null if it is gone. The caller holds the
// engine's lock.
Traffic* traffic_with(int first_tag);

}  // namespace weft::mpi
