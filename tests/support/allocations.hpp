// SPDX-License-Identifier: BSD-3-Clause
// Allocations: counts what a thread allocates. All allocations of the executable come through the functions
// below, which replace the usual ones: one source of an executable includes this.
#pragma once

#include <cstdlib>
#include <new>

namespace weft::tests {

struct Allocations {
  long count = 0;
  long bytes = 0;
};

inline thread_local bool is_counting = false;
inline thread_local Allocations counted;

// For as long as it lives, what this thread allocates is counted.
class Counting {
 public:
  Counting() {
    counted = {};
    is_counting = true;
  }
  ~Counting() { is_counting = false; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  Allocations so_far() const { return counted; }
};

// Null if there is no memory.
inline void* try_to_allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_counting) {
    ++counted.count;
    counted.bytes += static_cast<long>(size);
  }
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
}
inline void* allocate_counted(std::size_t size, std::size_t alignment) {
  void* const memory = try_to_allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace weft::tests

void* operator new(std::size_t size) {
  return weft::tests::allocate_counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return weft::tests::allocate_counted(size, static_cast<std::size_t>(alignment));
}
// As std::stable_sort asks for its buffer.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return weft::tests::try_to_allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
// Not inlined: a compiler that sees one half only would warn of it.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
