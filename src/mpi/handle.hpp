// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as numbers: pointers in one host, integers in another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::mpi {

using HandleKey = std::uintptr_t;

template <class Handle>
HandleKey key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<HandleKey>(handle);
  else return static_cast<HandleKey>(static_cast<std::make_unsigned_t<Handle>>(handle));
}

// Those looked up last, each where its handle says: most programs use a few in turn.
template <class Handle, class Of, int kBits>
class RecentHandles {
 public:
  // Null if it is not among them.
  Of* find(Handle handle) const {
    const Entry& entry = entries_[place_of(handle)];
    return entry.handle == handle ? entry.of : nullptr;
  }
  void remember(Handle handle, Of* of) { entries_[place_of(handle)] = {handle, of}; }
  void forget(Handle handle) { entries_[place_of(handle)] = {}; }
  void forget_all() { entries_.fill({}); }

 private:
  struct Entry {
    Handle handle{};
    Of* of = nullptr;
  };
  static std::size_t place_of(Handle handle) {
    return static_cast<std::uint64_t>(key_of(handle)) * 0x9E3779B97F4A7C15u >> (64 - kBits);
  }
  std::array<Entry, std::size_t{1} << kBits> entries_;
};

}  // namespace weft::mpi
