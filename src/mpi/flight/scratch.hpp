// SPDX-License-Identifier: BSD-3-Clause
// Scratch: the private memory of operations under way. There is no more of it than they need at a time,
// however many plans a program has: what one gives back the next takes, while it is still in the caches.
//
// Under the engine's lock.
#pragma once

#include <cstddef>
#include <memory>

namespace weft {
class PlainMemory;
}

namespace weft::mpi {

std::unique_ptr<PlainMemory> take_scratch(std::size_t bytes);
void give_back_scratch(std::unique_ptr<PlainMemory> memory);

}  // namespace weft::mpi
