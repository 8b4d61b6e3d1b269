// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/traffic.hpp"

#include <array>
#include <utility>

#include "mpi/engine/engine.hpp"

namespace weft::mpi {
namespace {

// Null where this process's number belongs to no communicator.
std::array<Traffic*, kMostCommunicators> by_id;
Traffic*& place_of(int first_tag) { return by_id[static_cast<std::size_t>(engine().tags.id_of(first_tag))]; }

}  // namespace

Traffic::Traffic(const Members& who, std::vector<Address> to, std::vector<Address> to_persistent)
    : members(who),
      addresses(std::move(to)),
      persistent_addresses(std::move(to_persistent)),
      transport(engine().transport_comm, engine().tags.ordinal_bits(), addresses, who.rank),
      persistent_transport(engine().persistent_comm, Tags::kPersistentOrdinalBits, persistent_addresses,
                           who.rank) {
  if (!addresses.empty()) place_of(addresses[static_cast<std::size_t>(who.rank)].first_tag) = this;
}

Traffic::~Traffic() {
  if (!addresses.empty()) place_of(addresses[static_cast<std::size_t>(members.rank)].first_tag) = nullptr;
}

Traffic* traffic_with(int first_tag) { return place_of(first_tag); }

}  // namespace weft::mpi
