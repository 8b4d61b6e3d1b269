// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/wire.hpp"

#include <algorithm>
#include <utility>

namespace weft::wire {

Wire::Wire(const JobKey& key, int self, std::unique_ptr<Carrier> carrier)
    : key_(key),
      self_(self),
      carrier_(std::move(carrier)),
      peers_(static_cast<std::size_t>(carrier_->process_count())) {
  carrier_->serve(*this);
}

int Wire::lost_by(std::uint64_t communicator) const {
  const auto found = broken_.find(communicator);
  return found == broken_.end() ? -1 : found->second;
}

Progress Wire::send(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address,
                    const void* from, Bytes size) {
  const int process = sequence.processes()[static_cast<std::size_t>(rank)];
  const auto* const bytes = static_cast<const std::byte*>(from);
  if (has_left(process)) return Progress::kDone;
  if (!broken_.empty() && lost_by(sequence.communicator()) >= 0) return Progress::kFailed;
  address.sender = self_;
  if (size > Sequence::kMostUnasked) return send_when_ready(outbox, task, process, address, bytes, size);
  ask_if_far_ahead(sequence, rank, address.operation, size);
  if (sequence.has_room(rank, address.operation, size))
    return transmit(outbox, task, process, address, bytes, size);
  sequence.waiting.push_back({rank, address, bytes, size, &outbox, task});
  return Progress::kPending;
}

// The word that it may come has the address that the message will have, from the other end.
Progress Wire::send_when_ready(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                               const std::byte* from, Bytes size) {
  MessageAddress word = address;
  word.kind = FrameKind::kReady;
  word.sender = process;
  if (matching_.take_word(word)) return transmit(outbox, task, process, address, from, size);
  matching_.await(outbox, task, word, const_cast<std::byte*>(from), size);
  // A receiver that expects another one has to know.
  word.kind = FrameKind::kWaits;
  say(process, word);
  return Progress::kPending;
}

Progress Wire::transmit(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                        const std::byte* from, Bytes size) {
  const Progress progress = carrier_->send(process, {key_, address, size.value}, from, &outbox, task);
  return progress == Progress::kFailed && has_left(process) ? Progress::kDone : progress;
}

// A frame without a payload.
void Wire::say(int process, MessageAddress word) {
  word.sender = self_;
  carrier_->send(process, {key_, word, 0}, nullptr, nullptr, TaskId{});
}

Progress Wire::recv(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address,
                    void* into, Bytes size) {
  address.sender = sequence.processes()[static_cast<std::size_t>(rank)];
  auto* const bytes = static_cast<std::byte*>(into);
  if (auto early = matching_.take_early(address)) {
    sequence.has_begun(rank, address.operation);
    if (matching_.deliver(std::move(early), bytes, size)) return Progress::kDone;
    outbox.fail_for_size();
    return Progress::kFailed;
  }
  if (!broken_.empty() && lost_by(sequence.communicator()) >= 0) return Progress::kFailed;
  const bool is_long = size > Sequence::kMostUnasked;
  MessageAddress word = address;
  word.kind = FrameKind::kWaits;
  if (long_waiting_ > 0 && matching_.take_word(word)) {
    --long_waiting_;
    if (!is_long) {
      outbox.fail_for_size();
      return Progress::kFailed;
    }
  }
  Awaited& awaited = matching_.await(outbox, task, address, bytes, size);
  awaited.sequence = &sequence;
  awaited.rank = rank;
  if (is_long) {
    carrier_->expect(awaited);
    word.kind = FrameKind::kReady;
    say(address.sender, word);
  }
  return Progress::kPending;
}

FrameIs Wire::begin_frame(int process, const FrameHead& head, Incoming& incoming) {
  const bool is_message = head.address.kind == FrameKind::kMessage;
  const bool is_exposed = head.address.kind == FrameKind::kExposed;
  const bool is_ours = head.key == key_ && head.address.sender == process && head.size >= 0 &&
                       Bytes(head.size) <= kMostBytes && (is_message || is_exposed || head.size == 0) &&
                       head.address.kind <= FrameKind::kGoodbye;
  if (!is_ours) {
    ++dropped_;
    return FrameIs::kForeign;
  }
  if (is_exposed) return begin_exposed(head, incoming);
  if (is_message) begin_message(head, incoming);
  else take_word(head.address);
  return is_message ? FrameIs::kMessage : FrameIs::kWord;
}

void Wire::begin_message(const FrameHead& head, Incoming& incoming) {
  incoming.into = nullptr;
  if (Awaited* const awaited = matching_.take_awaited(head.address)) {
    awaited->sequence->has_begun(awaited->rank, head.address.operation);
    if (awaited->size != Bytes(head.size)) return awaited->outbox->fail_for_size();
    incoming.awaited = *awaited;
    incoming.into = awaited->at;
    return;
  }
  incoming.early = matching_.another_early(head.address, Bytes(head.size));
  if (head.size > 0) incoming.into = incoming.early->payload.get(static_cast<std::size_t>(head.size));
}

FrameIs Wire::begin_exposed(const FrameHead& head, Incoming& incoming) {
  const auto found = exposed_.find(head.address.communicator);
  Exposed* const exposed = found == exposed_.end() ? nullptr : found->second;
  if (head.size == 0) {
    if (exposed != nullptr) exposed->arrived(head.address, Bytes(0));
    return FrameIs::kWord;
  }
  incoming.exposed = exposed;
  incoming.address = head.address;
  incoming.size = Bytes(head.size);
  incoming.into = exposed == nullptr ? nullptr : exposed->place(head.address, incoming.size);
  return FrameIs::kMessage;
}

void Wire::conceal(std::uint64_t number) {
  const auto found = exposed_.find(number);
  if (found == exposed_.end()) return;
  carrier_->forget(*found->second);
  exposed_.erase(found);
}

Progress Wire::send_to_exposed(std::uint64_t number, int process, MessageAddress address, const void* from,
                               Bytes size, Outbox* outbox, TaskId task) {
  address.communicator = number;
  address.sender = self_;
  address.kind = FrameKind::kExposed;
  return carrier_->send(process, {key_, address, size.value}, static_cast<const std::byte*>(from), outbox,
                        task);
}

void Wire::end_frame(Incoming& incoming) {
  incoming.into = nullptr;
  if (Exposed* const exposed = std::exchange(incoming.exposed, nullptr))
    return exposed->arrived(incoming.address, incoming.size);
  if (Outbox* const outbox = std::exchange(incoming.awaited.outbox, nullptr))
    outbox->complete(incoming.awaited.task);
  if (incoming.early == nullptr) return;
  auto early = std::move(incoming.early);
  // Somebody may have begun to wait while it came.
  Awaited* const awaited = matching_.take_awaited(early->address);
  if (awaited == nullptr) return matching_.keep(std::move(early));
  if (matching_.deliver(std::move(early), awaited->at, awaited->size))
    awaited->outbox->complete(awaited->task);
  else awaited->outbox->fail_for_size();
}

void Wire::end_expected(const MessageAddress& address, Bytes size) {
  const Awaited* const awaited = matching_.take_awaited(address);
  if (awaited == nullptr) return;  // its operation has failed
  if (awaited->size == size) awaited->outbox->complete(awaited->task);
  else awaited->outbox->fail_for_size();
}

void Wire::forget(Outbox& outbox) {
  matching_.forget(outbox);
  for (const auto& [communicator, sequence] : sequences_)
    std::erase_if(sequence->waiting, [&](const Sequence::Waiting& one) { return one.outbox == &outbox; });
  carrier_->forget(outbox);
}

void Wire::say_goodbye() {
  has_said_goodbye_ = true;
  for (int process = 0; process < carrier_->process_count(); ++process)
    if (carrier_->knows(process)) say(process, {.kind = FrameKind::kGoodbye});
}

// What all others have been told already.
void Wire::has_met(int process) {
  const auto broken = broken_;  // to say it may find others lost
  for (const auto& [communicator, lost] : broken) say_broken(process, communicator, lost);
  if (has_said_goodbye_) say(process, {.kind = FrameKind::kGoodbye});
}

bool Wire::drive() {
  const int only = matching_.only_sender();
  return (only >= 0 && carrier_->take_from(only)) || carrier_->drive();
}

bool Wire::has_arrived() {
  drive();
  return carrier_->has_arrived();
}

bool Wire::is_anything_awaited() const {
  if (matching_.is_anything_awaited()) return true;
  for (const auto& [number, exposed] : exposed_)
    for (int process = 0; process < carrier_->process_count(); ++process)
      if (exposed->needs(process)) return true;
  return false;
}

void Wire::look_for_silence(Nanoseconds now) {
  std::vector<char> is_needed(peers_.size(), 0);
  const auto need = [&](int process) { is_needed[static_cast<std::size_t>(process)] = 1; };
  matching_.for_each_awaited([&](const Awaited& one) { need(one.address.sender); });
  for (const auto& [communicator, sequence] : sequences_)
    for (const Sequence::Waiting& one : sequence->waiting)
      need(sequence->processes()[static_cast<std::size_t>(one.rank)]);
  for (const auto& [number, exposed] : exposed_)
    for (int process = 0; process < carrier_->process_count(); ++process)
      if (exposed->needs(process)) need(process);
  carrier_->look_for_silence(now, is_needed);
}

}  // namespace weft::wire
