// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/traffic.hpp"

#include <array>
#include <span>
#include <vector>

#include "mpi/engine/engine.hpp"

namespace weft::mpi {
namespace {

// Null where this process's number belongs to no communicator.
std::array<Traffic*, kMostCommunicators> by_id;
Traffic*& place_of(int first_tag) { return by_id[static_cast<std::size_t>(engine().tags.id_of(first_tag))]; }

std::vector<Address> addresses_of(const Members& who, std::span<const int> ids) {
  const Tags& tags = engine().tags;
  std::vector<Address> all;
  all.reserve(2 * ids.size());
  for (std::size_t member = 0; member < ids.size(); ++member)
    all.push_back({who.world_rank[member], tags.first_of(ids[member])});
  for (std::size_t member = 0; member < ids.size(); ++member)
    all.push_back({who.world_rank[member], tags.first_persistent_of(ids[member])});
  return all;
}

}  // namespace

Traffic::Traffic(const Members& who, std::span<const int> ids)
    : members(who),
      addresses(addresses_of(who, ids)),
      transport(engine().transport_comm, engine().tags.ordinal_bits(), std::span(addresses).first(ids.size()),
                who.rank),
      persistent_transport(engine().persistent_comm, Tags::kPersistentOrdinalBits,
                           std::span(addresses).last(ids.size()), who.rank) {
  if (!addresses.empty()) place_of(addresses[static_cast<std::size_t>(who.rank)].first_tag) = this;
}

Traffic::~Traffic() {
  if (!addresses.empty()) place_of(addresses[static_cast<std::size_t>(members.rank)].first_tag) = nullptr;
}

Traffic* traffic_with(int first_tag) { return place_of(first_tag); }

}  // namespace weft::mpi
