// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/scratch.hpp"

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "base/plain_memory.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kMostKept = std::size_t{128} << 20;

using Blocks = std::vector<std::unique_ptr<PlainMemory>>;
std::array<Blocks, 64> idle;  // by the power of two that is their size
std::size_t kept = 0;         // bytes in all of them

Blocks& blocks_of(std::size_t bytes) { return idle[static_cast<std::size_t>(std::bit_width(bytes - 1))]; }

}  // namespace

std::unique_ptr<PlainMemory> take_scratch(std::size_t bytes) {
  Blocks& blocks = blocks_of(bytes);
  if (blocks.empty()) {
    auto made = std::make_unique<PlainMemory>();
    made->get(std::bit_ceil(bytes));
    return made;
  }
  auto taken = std::move(blocks.back());
  blocks.pop_back();
  kept -= taken->bytes();
  return taken;
}

void give_back_scratch(std::unique_ptr<PlainMemory> memory) {
  if (kept + memory->bytes() > kMostKept) return;
  kept += memory->bytes();
  blocks_of(memory->bytes()).push_back(std::move(memory));
}

}  // namespace weft::mpi
