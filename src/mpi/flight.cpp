// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;
constexpr std::size_t kBudget = std::size_t{128} << 20;
std::size_t kept_by_all = 0;  // under the engine's lock

}  // namespace

void Flight::give_back_large_memory() {
  const std::size_t bytes = operation.scratch_bytes() + input.bytes() + output.bytes();
  if (bytes > kLarge && kept_bytes_ != bytes) {
    kept_by_all -= kept_bytes_;
    kept_bytes_ = 0;
    if (kept_by_all + bytes <= kBudget) {
      kept_bytes_ = bytes;
      kept_by_all += bytes;
    } else {
      operation.give_back_scratch();
      input.give_back_memory();
      output.give_back_memory();
    }
  }
}

void Flight::forget_handles() {
  input.reset();
  output.reset();
  reduction = {};
  if (own_block.in_use()) own_block = {};
  error_of_own_block = MPI_SUCCESS;
  binding.input_view = binding.output_view = nullptr;
  holds_handles = false;
}

Flight::~Flight() { kept_by_all -= kept_bytes_; }

}  // namespace weft::mpi
