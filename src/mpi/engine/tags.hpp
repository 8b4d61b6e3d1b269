// SPDX-License-Identifier: BSD-3-Clause
// Tags: how the bits of a message tag are shared out among what must never be taken for one another.
//
//   ordinary             tag = | number of the communicator: 11 | channel: 4 | ordinal |      at least 13
//   bits of of a persistent one  tag = | operation of the communicator                   | ordinal: 13 |
//
// Every process numbers its communicators by itself, and the others send to it by its numbers. The persistent
// operations of one have tags of their own for as long as it lives, on a communicator of the host's of their
// own: half of the tags are for those of the first communicators, which have many, the other half for those
// of all others.
#pragma once

#include <cstdint>

namespace weft::mpi {

inline constexpr int kCommunicatorIdBits = 11;
inline constexpr int kMostCommunicators = 1 << kCommunicatorIdBits;
inline constexpr int kLettersId =
    kMostCommunicators - 1;  // no communicator's: ranks write to one another by it
inline constexpr int kChannelBits = 4;
inline constexpr std::uint32_t kChannels = 1u << kChannelBits;
inline constexpr std::uint32_t kBlockingChannel =
    kChannels - 1;  // the others are the non-blocking operations'
inline constexpr int kLeastOrdinalBits = 13;

class Tags {
 public:
  Tags() = default;
  explicit Tags(int bits) : bits_(bits) {}

  bool suffice() const { return ordinal_bits() >= kLeastOrdinalBits; }
  int ordinal_bits() const { return bits_ - kCommunicatorIdBits - kChannelBits; }
  int first_of(int id) const { return id << (bits_ - kCommunicatorIdBits); }
  int id_of(int first_tag) const { return first_tag >> (bits_ - kCommunicatorIdBits); }

  static constexpr int kPersistentOrdinalBits = kLeastOrdinalBits;
  int first_persistent_of(int id) const {
    const int first = id < kWithMany ? id * many() : operations() / 2 + id * few();
    return first << kPersistentOrdinalBits;
  }
  // How many persistent operations a communicator may have in the course of its life.
  int persistent_of(int id) const { return id < kWithMany ? many() : few(); }

 private:
  static constexpr int kWithMany = 16;
  int operations() const { return 1 << (bits_ - kPersistentOrdinalBits); }
  int many() const { return operations() / 2 / kWithMany; }
  int few() const { return operations() / 2 / kMostCommunicators; }

  int bits_ = 0;
};

}  // namespace weft::mpi
