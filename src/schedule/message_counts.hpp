// SPDX-License-Identifier: BSD-3-Clause
// MessageCounts: how many messages a rank has sent to each other one, and received from it, so far.
//
// A table of open addressing: most ranks exchange a message or two with few others, and some with all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "schedule/task.hpp"

namespace weft {

class MessageCounts {
 public:
  explicit MessageCounts(std::pmr::memory_resource* memory) : entries_(memory) {}

  // Counts a message; how many of its kind came before it.
  std::uint32_t add(int peer, TaskKind kind) {
    if (used_ * 2 >= entries_.size()) grow();
    const std::uint32_t key = static_cast<std::uint32_t>(peer) * 2 + (kind == TaskKind::kRecv ? 1 : 0);
    Entry& entry = find(key);
    if (entry.count == 0) {
      entry.key = key;
      ++used_;
    }
    return entry.count++;
  }

 private:
  struct Entry {
    std::uint32_t key = 0;
    std::uint32_t count = 0;  // 0: nothing is here
  };

  // The key's entry, or where it is to be. Peers of one rank are often powers of two apart.
  Entry& find(std::uint32_t key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (std::uint64_t{key} * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (entries_[at].count != 0 && entries_[at].key != key) at = (at + 1) & mask;
    return entries_[at];
  }
  void grow() {
    std::pmr::vector<Entry> before(entries_.empty() ? 16 : entries_.size() * 2, entries_.get_allocator());
    before.swap(entries_);
    for (const Entry& entry : before)
      if (entry.count != 0) find(entry.key) = entry;
  }

  std::pmr::vector<Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace weft
