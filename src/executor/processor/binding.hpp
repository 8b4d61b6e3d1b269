// SPDX-License-Identifier: BSD-3-Clause
// Binding: what a start gives to what is executed, a schedule or task lists: the caller's buffers, the
// operator with its element type, the channel of the messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "executor/processor/kernels.hpp"
#include "transport/transport.hpp"

namespace weft {

// into = left (+) into, on `bytes` bytes of whole elements: by a kernel, or as `apply` does it.
struct Combine {
  void (*apply)(const void* left, void* into, Bytes bytes, const void* context) = nullptr;
  const void* context = nullptr;
  Kernel kernel = nullptr;

  void operator()(const void* left, void* into, Bytes bytes) const {
    kernel != nullptr ? kernel(left, into, into, bytes) : apply(left, into, bytes, context);
  }
};

// A buffer whose bytes do not lie in memory as the schedule sees them, packed: `size` of them from `at` on
// are copied to and from where they lie.
struct PackedView {
  void (*pack)(const void* context, Bytes at, Bytes size, std::byte* into) = nullptr;
  void (*unpack)(const void* context, Bytes at, Bytes size, const std::byte* from) = nullptr;
  const void* context = nullptr;
  bool in_long_runs = false;  // of neighbouring bytes: almost as fast to read and write as one run
};

// What a start binds the schedule's names to.
struct Binding {
  const void* input = nullptr;
  void* output = nullptr;
  // Given instead of the two addresses, if not null, where the schedule does nothing with the buffer but copy
  // (see only_copies).
  const PackedView* input_view = nullptr;
  const PackedView* output_view = nullptr;
  Combine combine;
  Channel channel = 0;
  std::span<std::byte* const> shared;  // one address per shared buffer, in their order
  std::byte* scratch = nullptr;        // Operation::scratch_bytes() of them, aligned; null: it has its own
};

// Where the buffers are that a binding names, and the scratch ones.
class BufferAddresses {
 public:
  explicit BufferAddresses(std::span<const Buffer> buffers) : addresses_(buffers.size()) {
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].role != BufferRole::kScratch) continue;
      scratch_places_.emplace_back(b, scratch_bytes_);
      scratch_bytes_ += padded(buffers[b].size);
    }
  }

  std::size_t scratch_bytes() const { return scratch_bytes_; }
  std::byte*& operator[](std::size_t buffer) { return addresses_[buffer]; }
  std::byte* operator[](std::size_t buffer) const { return addresses_[buffer]; }

  // All but shared ones. Allocates scratch memory of its own, once, where the binding has none.
  void bind(const Binding& binding) {
    addresses_[kInput.value] = static_cast<std::byte*>(const_cast<void*>(binding.input));  // never written
    addresses_[kOutput.value] = static_cast<std::byte*>(binding.output);
    if (scratch_bytes_ > 0) place_scratch(binding.scratch);
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector

  std::byte* own_scratch() {
    if (!own_scratch_)
      own_scratch_ = std::make_unique_for_overwrite<std::byte[]>(scratch_bytes_ + kAlignment);
    const auto start = reinterpret_cast<std::uintptr_t>(own_scratch_.get());
    return own_scratch_.get() + (kAlignment - start % kAlignment) % kAlignment;
  }
  void place_scratch(std::byte* given) {
    std::byte* const at = given != nullptr ? given : own_scratch();
    if (at == std::exchange(scratch_, at)) return;
    for (const auto& [buffer, offset] : scratch_places_) addresses_[buffer] = at + offset;
  }
  static std::size_t padded(Bytes size) {
    return (static_cast<std::size_t>(size.value) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::vector<std::byte*> addresses_;  // per buffer
  std::unique_ptr<std::byte[]> own_scratch_;
  std::byte* scratch_ = nullptr;                                     // where its buffers lie
  std::vector<std::pair<std::size_t, std::size_t>> scratch_places_;  // buffers, and where in it
  std::size_t scratch_bytes_ = 0;
};

// Of bytes that lie in memory; they may overlap.
inline void copy_bytes(const std::byte* from, std::byte* into, Bytes size) {
  if (size == Bytes(sizeof(std::uint64_t))) {  // one number, most of the time
    std::uint64_t number = 0;
    std::memcpy(&number, from, sizeof number);
    std::memcpy(into, &number, sizeof number);
  } else if (size > Bytes(0)) {
    std::memmove(into, from, static_cast<std::size_t>(size.value));
  }
}

}  // namespace weft
