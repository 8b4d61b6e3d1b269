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

// The handles that were looked up last, each in a place that follows from its value: most programs use a few
// in turn.
template <class Handle, class Of, int kBits>
class RecentHandles {
 public:
  // Null if the handle was not looked up lately.
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

// All handles of a kind that Weft keeps something for; those looked up last are found at once.
template <class Handle, class Of, int kBits>
class HandleTable {
 public:
  // Null if Weft keeps nothing for the handle.
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
