// SPDX-License-Identifier: BSD-3-Clause
// Home: what tells machines, and containers of one machine, apart before anybody has tried anything.
#pragma once

#include <cstdint>

namespace weft::node {

// The same number for processes of one running kernel that see the same hostname and the same /dev/shm: those
// for whom it is worth while to try to share memory. Whether they can is known when it has been done:
// machines may be copies of one another (drop_in rule 10).
std::uint64_t home_of_this_process();

}  // namespace weft::node
