// SPDX-License-Identifier: BSD-3-Clause
// Letters: what ranks write to one another about calls that have gone wrong (inquiry.hpp). The caller holds
// the engine's lock, for all of this.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::mpi {

struct Flight;
struct Traffic;

enum class Subject : std::int32_t { kAsks, kDiffers };

struct Letter {
  std::uint64_t number = 0;  // of the call
  std::uint64_t signature = 0;
  Subject subject = Subject::kAsks;
  bool is_blocking = false;
  std::int32_t first_tag = 0;  // of the communicator at the receiver
  std::int32_t from = 0;       // the sender's rank in it
};

// Sends a letter to another member.
void send_letter(const Traffic& traffic, int to, Letter letter);
// Tells the other members that this call failed here.
void tell_failure(const Flight& flight);
// The next letter that has arrived.
std::optional<Letter> next_letter();
// Forgets letters that have left.
void tidy_letters();

}  // namespace weft::mpi
