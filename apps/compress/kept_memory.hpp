// SPDX-License-Identifier: BSD-3-Clause
// KeptMemory: what libbz2 works in. It asks for several MB per stream, always in the same portions, which the
// kernel would have to clear each time.
#pragma once

#include <bzlib.h>
#include <cstddef>
#include <vector>

namespace compress {

class KeptMemory {
 public:
  KeptMemory() = default;
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// For one stream at a time; the one before has been ended.
  void give_to(bz_stream& stream) {
    taken_ = 0;
    stream.bzalloc = take;
    stream.bzfree = keep;
    stream.opaque = this;
  }

 private:
  static void* take(void* memory, int count, int bytes) {
    auto& self = *static_cast<KeptMemory*>(memory);
    if (self.taken_ == self.portions_.size()) self.portions_.emplace_back();
    std::vector<std::max_align_t>& portion = self.portions_[self.taken_++];
    const std::size_t wanted = static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes);
    portion.resize(wanted / sizeof(std::max_align_t) + 1);
    return portion.data();
  }
  static void keep(void*, void*) {}

  std::vector<std::vector<std::max_align_t>> portions_;
  std::size_t taken_ = 0;
};

}  // namespace compress
