// SPDX-License-Identifier: BSD-3-Clause
// Matching: what has come and what is waited for, by address.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/plain_memory.hpp"
#include "transport/wire/outbox.hpp"

namespace weft::wire {

// A frame that came before anybody waited for it.
struct Early {
  MessageAddress address;
  Bytes size;
  PlainMemory payload;
  std::unique_ptr<Early> next;
};

class Matching {
 public:
  Matching();
  Awaited& await(Outbox& outbox, TaskId task, const MessageAddress& address, std::byte* at, Bytes size);
  Awaited* take_awaited(const MessageAddress& address);
  const Awaited* awaited(const MessageAddress& address) const;
  void forget(Outbox& outbox);

  // Room for a frame that nobody waits for, and what to do with one.
  std::unique_ptr<Early> another_early(const MessageAddress& address, Bytes size);
  void keep(std::unique_ptr<Early> early);
  std::unique_ptr<Early> take_early(const MessageAddress& address);
  bool take_word(const MessageAddress& address);  // one without a payload: whether it had come
  // Copies it to where it belongs, if it is of that size. Whether it is.
  bool deliver(std::unique_ptr<Early> early, std::byte* into, Bytes size);

  // Those waited for that `is_hopeless` chooses: their operations fail.
  void fail(const std::function<bool(const Awaited&)>& is_hopeless);
  void for_each_awaited(const std::function<void(const Awaited&)>& see) const;
  bool is_anything_awaited() const { return awaited_count_ > 0; }
  // From whom the only message comes that is waited for; -1: none is, or several.
  int only_sender() const { return awaited_count_ == 1 ? static_cast<int>(sum_of_senders_) : -1; }

 private:
  Awaited* take(Awaited** at);
  void recycle(std::unique_ptr<Early> early);

  static constexpr std::size_t kBuckets = 1024, kMostSpare = 1024, kMostSpareBytes = 1 << 20;
  // As many frames, and as long ones, as there is room for from the beginning.
  static constexpr std::size_t kFirstSpare = 32, kShort = 512;
  static std::size_t bucket_of(const MessageAddress& address) { return address.hash() % kBuckets; }

  std::array<Awaited*, kBuckets> awaited_{};
  std::array<std::unique_ptr<Early>, kBuckets> early_;
  std::vector<std::unique_ptr<Early>> spare_;
  std::size_t spare_bytes_ = 0;
  std::size_t awaited_count_ = 0;
  std::int64_t sum_of_senders_ = 0;
};

}  // namespace weft::wire
