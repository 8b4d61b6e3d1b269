// SPDX-License-Identifier: BSD-3-Clause
// Field: numbers, all zero at first; mostly one for each point of a box, with its ghosts. State: all that
// changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

#include "components.hpp"
#include "grid.hpp"

namespace wave {

template <typename Real>
class Field {
 public:
  static constexpr std::size_t kCacheLine = 64;  ///< bytes

  Field() = default;
  explicit Field(const Layout& layout) : Field(layout.size) {}
  explicit Field(std::size_t count) {
    const std::size_t wanted = count * sizeof(Real) + kPage;
    const std::size_t alignment = wanted < kLargePage ? kCacheLine : kLargePage;
    const std::size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    memory_.reset(std::aligned_alloc(alignment, bytes));
    if (!memory_) throw std::bad_alloc();
    // A dozen arrays are walked through at a time; with small pages their addresses would not fit into the
    // tables.
    if (alignment == kLargePage) ::madvise(memory_.get(), bytes, MADV_HUGEPAGE);
    // Not all arrays begin at the same place of a page: the same point of each would fight for the same place
    // of the first cache, and a load would wait for the store to another array whose address ends alike.
    static std::size_t arrays_made = 0;
    const std::size_t shift = arrays_made++ % (kPage / kShift) * kShift;
    values_ = reinterpret_cast<Real*>(static_cast<std::byte*>(memory_.get()) + shift);
    std::fill_n(values_, count, Real(0));
  }

  Real* data() { return values_; }
  const Real* data() const { return values_; }
  Real& operator[](std::ptrdiff_t at) { return values_[at]; }
  Real operator[](std::ptrdiff_t at) const { return values_[at]; }
  explicit operator bool() const { return values_ != nullptr; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;
  static constexpr std::size_t kPage = 4096, kShift = 5 * kCacheLine;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Real* values_ = nullptr;
};

template <typename Real>
struct State {
  std::array<Field<Real>, kComponentCount> fields;
  std::array<Field<Real>, kStressCount> memory;  ///< of attenuation, for each stress; empty without it

  State(const Layout& layout, bool attenuating) {
    for (auto& field : fields) field = Field<Real>(layout);
    if (attenuating)
      for (auto& field : memory) field = Field<Real>(layout);
  }
  bool attenuating() const { return static_cast<bool>(memory[0]); }
};

}  // namespace wave
