// SPDX-License-Identifier: BSD-3-Clause
// PlainMemory: bytes without values, for copies on their way. They are kept when less is asked for later,
// begin on a cache line, and are huge pages where there are many: page by page, first touching them costs
// more than the copy.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace weft {

class PlainMemory {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

  // At least so many bytes, whose values are not those of before. Throws std::bad_alloc.
  std::byte* get(std::size_t bytes) {
    if (bytes > bytes_) {
      give_back();
      const std::size_t alignment = bytes < kHuge ? kAlignment : kHugePage;
      const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
      memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
      if (!memory_) throw std::bad_alloc();
      if (bytes >= kHuge) ::madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // a wish, which may be refused
      bytes_ = rounded;
    }
    return memory_.get();
  }
  std::byte* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  void give_back() {
    memory_.reset();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20, kHuge = 4 * kHugePage;

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace weft
