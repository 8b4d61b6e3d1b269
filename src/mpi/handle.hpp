// SPDX-License-Identifier: BSD-3-Clause
// MPI handles as numbers, pointers in one host, integers in another; and what is found by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <unordered_map>

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

// Whose handles these are: all of them, and the recent ones found again at once.
template <class Handle, class Of, int kBits>
class HandleTable {
 public:
  // Null if it is nobody's.
  Of* find(Handle handle) {
    if (Of* recent = recent_.find(handle)) return recent;
    const auto found = all_.find(key_of(handle));
    if (found == all_.end()) return nullptr;
    recent_.remember(handle, found->second);
    return found->second;
  }
  void add(Handle handle, Of* of) { all_[key_of(handle)] = of; }
  void remove(Handle handle) {
    all_.erase(key_of(handle));
    recent_.forget(handle);
  }
  void clear() {
    all_.clear();
    recent_.forget_all();
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::unordered_map<HandleKey, Of*> all_;
  RecentHandles<Handle, Of, kBits> recent_;
};

}  // namespace weft::mpi
