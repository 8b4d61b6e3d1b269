// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/traffic.hpp"

#include <unordered_map>
#include <utility>

#include "mpi/engine/engine.hpp"

namespace weft::mpi {
namespace {

std::unordered_map<int, Traffic*>& by_first_tag() {
  static auto& all = *new std::unordered_map<int, Traffic*>;
  return all;
}

}  // namespace

Traffic::Traffic(const Members& who, std::vector<Address> to, std::vector<Address> to_persistent)
    : members(who),
      addresses(std::move(to)),
      persistent_addresses(std::move(to_persistent)),
      transport(engine().transport_comm, engine().tags.ordinal_bits(), addresses, who.rank),
      persistent_transport(engine().persistent_comm, Tags::kPersistentOrdinalBits, persistent_addresses,
                           who.rank) {
  if (!addresses.empty()) by_first_tag()[addresses[static_cast<std::size_t>(who.rank)].first_tag] = this;
}

Traffic::~Traffic() {
  if (!addresses.empty()) by_first_tag().erase(addresses[static_cast<std::size_t>(members.rank)].first_tag);
}

Traffic* traffic_with(int first_tag) {
  const auto found = by_first_tag().find(first_tag);
  return found == by_first_tag().end() ? nullptr : found->second;
}

}  // namespace weft::mpi
