// SPDX-License-Identifier: BSD-3-Clause
// Two wires, each with one sequence of operations with the other.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "support/carriers.hpp"
#include "transport/wire/wire.hpp"

namespace weft::tests {

inline constexpr wire::JobKey kKey{1, 2};
inline constexpr std::uint64_t kCommunicator = 3;
inline constexpr std::size_t kLong = 1 << 20;  // of a message

// One process's wire, and one sequence of operations with the others.
struct End {
  End(int self, std::vector<wire::Descriptor> connections, std::span<const int> all)
      : End(self, carrier_over(std::move(connections)), all) {}
  End(int self, std::unique_ptr<wire::Carrier> carrier, std::span<const int> all)
      : wire(kKey, self, std::move(carrier)), sequence(kCommunicator, 0, all) {
    wire.join(sequence);
  }
  Progress send(wire::Outbox& outbox, int to, std::uint64_t operation, const void* from, std::int64_t size) {
    return wire.send(sequence, outbox, TaskId(0), to, address_of(operation), from, Bytes(size));
  }
  Progress recv(wire::Outbox& outbox, int from, std::uint64_t operation, void* into, std::int64_t size) {
    return wire.recv(sequence, outbox, TaskId(0), from, address_of(operation), into, Bytes(size));
  }
  static wire::MessageAddress address_of(std::uint64_t operation) {
    return {.communicator = kCommunicator, .operation = operation};
  }

  wire::Wire wire;
  wire::Sequence sequence;
};

struct Two {
  explicit Two(std::vector<std::vector<wire::Descriptor>> ends = joined(2))
      : a(0, std::move(ends[0]), kBoth), b(1, std::move(ends[1]), kBoth) {}
  explicit Two(Carriers carriers)
      : a(0, std::move(carriers[0]), kBoth), b(1, std::move(carriers[1]), kBoth) {}
  // Lets all come that is on its way.
  void settle() {
    for (int turn = 0; turn < 200; ++turn) a.wire.drive(), b.wire.drive();
  }
  static constexpr std::array<int, 2> kBoth{0, 1};
  End a, b;
};

// Drives both until something of the outbox is over; how many, or negative after a failure.
inline int drive_until_over(Two& two, wire::Outbox& outbox) {
  std::array<TaskId, 1> done;
  int count = 0;
  for (int turn = 0; turn < 100000 && count == 0; ++turn) {
    two.a.wire.drive();
    two.b.wire.drive();
    count = outbox.take_completed(done);
  }
  return count;
}

}  // namespace weft::tests
