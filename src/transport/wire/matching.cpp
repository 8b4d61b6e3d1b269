// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/matching.hpp"

#include <cstring>
#include <utility>

namespace weft::wire {

Matching::Matching() {
  spare_.reserve(kMostSpare);
  for (std::size_t i = 0; i < kFirstSpare; ++i) {
    auto early = std::make_unique<Early>();
    early->payload.get(kShort);
    recycle(std::move(early));
  }
}

Awaited& Matching::await(Outbox& outbox, TaskId task, const MessageAddress& address, std::byte* at,
                         Bytes size) {
  Awaited& awaited = outbox.another_awaited();
  Awaited*& first = awaited_[bucket_of(address)];
  awaited = {address, at, size, &outbox, task, first, true};
  first = &awaited;
  outbox.opens(awaited);
  ++awaited_count_;
  sum_of_senders_ += address.sender;
  return awaited;
}

Awaited* Matching::take(Awaited** at) {
  --awaited_count_;
  sum_of_senders_ -= (*at)->address.sender;
  (*at)->is_open = false;
  (*at)->outbox->closes(**at);
  return std::exchange(*at, (*at)->next);
}

Awaited* Matching::take_awaited(const MessageAddress& address) {
  for (Awaited** at = &awaited_[bucket_of(address)]; *at != nullptr; at = &(*at)->next)
    if ((*at)->address == address) return take(at);
  return nullptr;
}

const Awaited* Matching::awaited(const MessageAddress& address) const {
  const Awaited* at = awaited_[bucket_of(address)];
  while (at != nullptr && at->address != address) at = at->next;
  return at;
}

void Matching::forget(Outbox& outbox) {
  for (const Awaited& one : outbox.awaited())
    if (one.is_open) take_awaited(one.address);
}

std::unique_ptr<Early> Matching::another_early(const MessageAddress& address, Bytes size) {
  std::unique_ptr<Early> taken;
  if (spare_.empty()) {
    taken = std::make_unique<Early>();
  } else {
    taken = std::move(spare_.back());
    spare_.pop_back();
    spare_bytes_ -= taken->payload.bytes();
  }
  taken->address = address;
  taken->size = size;
  return taken;
}

void Matching::keep(std::unique_ptr<Early> early) {
  auto& first = early_[bucket_of(early->address)];
  early->next = std::move(first);
  first = std::move(early);
}

std::unique_ptr<Early> Matching::take_early(const MessageAddress& address) {
  for (auto* at = &early_[bucket_of(address)]; *at != nullptr; at = &(*at)->next)
    if ((*at)->address == address) {
      auto taken = std::move(*at);
      *at = std::move(taken->next);
      return taken;
    }
  return nullptr;
}

bool Matching::deliver(std::unique_ptr<Early> early, std::byte* into, Bytes size) {
  const bool fits = early->size == size;
  if (fits && size > Bytes(0)) std::memcpy(into, early->payload.data(), static_cast<std::size_t>(size.value));
  recycle(std::move(early));
  return fits;
}

bool Matching::take_word(const MessageAddress& address) {
  auto early = take_early(address);
  if (early == nullptr) return false;
  recycle(std::move(early));
  return true;
}

// Its memory is used again.
void Matching::recycle(std::unique_ptr<Early> early) {
  const std::size_t bytes = early->payload.bytes();
  if (spare_.size() == kMostSpare || spare_bytes_ + bytes > kMostSpareBytes) return;
  spare_bytes_ += bytes;
  spare_.push_back(std::move(early));
}

void Matching::fail(const std::function<bool(const Awaited&)>& is_hopeless) {
  for (Awaited*& bucket : awaited_)
    for (Awaited** at = &bucket; *at != nullptr;) {
      if (!is_hopeless(**at)) {
        at = &(*at)->next;
        continue;
      }
      take(at)->outbox->fail();
    }
}

void Matching::for_each_awaited(const std::function<void(const Awaited&)>& see) const {
  for (const Awaited* at : awaited_)
    for (; at != nullptr; at = at->next) see(*at);
}

}  // namespace weft::wire
