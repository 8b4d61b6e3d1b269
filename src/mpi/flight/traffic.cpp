// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/traffic.hpp"

#include <utility>

#include "mpi/engine/engine.hpp"

namespace weft::mpi {

Traffic::Traffic(const Members& who, std::vector<Address> to, std::vector<Address> to_persistent)
    : members(who),
      addresses(std::move(to)),
      persistent_addresses(std::move(to_persistent)),
      transport(engine().transport_comm, engine().tags.ordinal_bits(), addresses, who.rank),
      persistent_transport(engine().persistent_comm, Tags::kPersistentOrdinalBits, persistent_addresses,
                           who.rank) {}

}  // namespace weft::mpi
