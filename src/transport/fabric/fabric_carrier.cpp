// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fabric/fabric_carrier.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <rdma/fi_eq.h>
#include <rdma/fi_tagged.h>
#include <sys/epoll.h>
#include <utility>

#include "transport/wire/sequence.hpp"

namespace weft::fabric {
namespace {

using wire::FrameHead;

constexpr std::size_t kMostOfFrame =
    sizeof(FrameHead) + static_cast<std::size_t>(wire::Sequence::kMostUnasked.value);
constexpr std::size_t kBounces = 32, kMostInjected = 256, kMostSpareBytes = 1 << 20;
constexpr int kMostFailures = 1000;

}  // namespace

FabricCarrier::FabricCarrier(OwnEndpoint endpoint, const wire::JobKey& key, int self,
                             std::vector<fi_addr_t> addresses, wire::Partners partners)
    : endpoint_(std::move(endpoint)),
      waits_(::epoll_create1(EPOLL_CLOEXEC)),
      key_(key),
      self_(self),
      tag_mask_(~std::uint64_t{0} >> std::countl_zero(endpoint_->info->ep_attr->mem_tag_format)),
      partners_(std::move(partners)),
      peers_(addresses.size()),
      bounce_memory_(std::make_unique_for_overwrite<std::byte[]>(kBounces * kMostOfFrame)),
      unposted_(kBounces) {
  for (std::size_t process = 0; process < addresses.size(); ++process) {
    peers_[process].address = addresses[process];
    peers_[process].is_reached = static_cast<int>(process) != self && addresses[process] != FI_ADDR_UNSPEC;
  }
  for (const int process : partners_.met) peer(process).is_partner = peer(process).is_known = true;
  for (std::size_t i = 0; i < kBounces; ++i)
    bounces_.push_back(std::make_unique<Bounce>(bounce_memory_.get() + i * kMostOfFrame));
  post_bounces();
  epoll_event event{.events = EPOLLIN, .data = {}};
  ::epoll_ctl(waits_.number(), EPOLL_CTL_ADD, endpoint_->descriptor, &event);
}

// The endpoint goes first: then nobody uses the memory of what was under way. In the middle of a long message
// one that works only while it is called is left alone, for the system to close: ofi_rxm 1.17 would crash.
FabricCarrier::~FabricCarrier() {
  if (endpoint_ == nullptr) return;
  const bool is_in_the_middle = has_abandoned_ || !longs_.empty();
  if (is_in_the_middle && !moves_by_itself(*endpoint_->info)) static_cast<void>(endpoint_.release());
  endpoint_.reset();
}

Bytes FabricCarrier::longest_unexpected() const { return wire::Sequence::kMostUnasked; }

Progress FabricCarrier::send(int process, const FrameHead& head, const std::byte* payload,
                             wire::Outbox* outbox, TaskId task) {
  Peer& to = peer(process);
  if (!to.is_reached || !is_open()) return Progress::kFailed;
  // Who has left is told nothing but that this process is there.
  if (head.address.kind <= wire::FrameKind::kGoodbye && user().has_left(process)) return Progress::kFailed;
  to.is_known = true;
  const auto bytes = static_cast<std::size_t>(head.size);
  if (head.size > wire::Sequence::kMostUnasked.value) return send_long(process, head, payload, outbox, task);
  const auto write = [&](std::byte* at) {
    std::memcpy(at, &head, sizeof head);
    if (bytes > 0) std::memcpy(at + sizeof head, payload, bytes);
  };
  const std::size_t size = sizeof head + bytes;
  if (to.queue.empty() && size <= std::min(kMostInjected, endpoint_->info->tx_attr->inject_size)) {
    std::array<std::byte, kMostInjected> copy;
    write(copy.data());
    const long code = fi_inject(endpoint_->end.get(), copy.data(), size, to.address);
    if (code == 0) return Progress::kDone;
    if (code != -FI_EAGAIN) {
      lose(process, endpoint_->library->text(code));
      return Progress::kFailed;
    }
  }
  ShortSend& frame = another_frame(process, size);
  write(frame.memory.data());
  start(frame);
  return to.is_reached ? Progress::kDone : Progress::kFailed;
}

ShortSend& FabricCarrier::another_frame(int process, std::size_t size) {
  if (spare_.empty()) {
    frames_.push_back(std::make_unique<ShortSend>());
    spare_.push_back(frames_.back().get());
  }
  ShortSend& frame = *spare_.back();
  spare_.pop_back();
  spare_bytes_ -= frame.memory.bytes();
  frame.memory.get(size);
  frame.size = size;
  frame.process = process;
  frame.is_hello = false;
  return frame;
}

void FabricCarrier::recycle(ShortSend& frame) {
  if (spare_bytes_ + frame.memory.bytes() > kMostSpareBytes) frame.memory.give_back();
  spare_bytes_ += frame.memory.bytes();
  spare_.push_back(&frame);
}

long FabricCarrier::post(Request& request) {
  Peer& to = peer(request.process);
  fid_ep* const end = endpoint_->end.get();
  long code = 0;
  if (request.kind == Request::Kind::kShortSend) {
    auto& frame = static_cast<ShortSend&>(request);
    code = fi_send(end, frame.memory.data(), frame.size, nullptr, to.address, &frame.context);
  } else {
    auto& message = static_cast<LongMessage&>(request);
    code = fi_tsend(end, message.at, message.size, nullptr, to.address, message.tag, &message.context);
  }
  if (code != 0) return code;
  request.is_posted = true;
  ++to.posted;
  return 0;
}

void FabricCarrier::start(Request& request) {
  Peer& to = peer(request.process);
  const long code = to.queue.empty() ? post(request) : -FI_EAGAIN;
  if (code == 0) return;
  to.queue.push_back(&request);  // lose() knows what to do with it there
  ++queued_;
  if (code != -FI_EAGAIN) lose(request.process, endpoint_->library->text(code));
}

bool FabricCarrier::send_queued() {
  bool any = false;
  for (std::size_t process = 0; process < peers_.size() && queued_ > 0; ++process) {
    Peer& to = peers_[process];
    while (!to.queue.empty()) {
      const long code = post(*to.queue.front());
      if (code == -FI_EAGAIN) break;
      any = true;
      if (code != 0) {
        lose(static_cast<int>(process), endpoint_->library->text(code));
        break;
      }
      to.queue.pop_front();
      --queued_;
    }
  }
  return any;
}

bool FabricCarrier::drive() {
  if (!is_open()) return false;
  bool any = take_completions();
  if (queued_ > 0 && is_open()) any |= send_queued();
  if (unposted_ > 0 && is_open()) post_bounces();
  if (has_unposted_receives_ && is_open()) post_receives();
  return any;
}

// Whoever waits then has to be woken by what comes next, so that nothing may be left.
bool FabricCarrier::take_completions() {
  constexpr std::size_t kMostAtOnce = 16;
  constexpr int kMostTurns = 256;  // others want to go on as well
  std::array<fi_cq_tagged_entry, kMostAtOnce> entries;
  bool any = false;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const ssize_t count = fi_cq_read(endpoint_->completions.get(), entries.data(), entries.size());
    if (count == -FI_EAVAIL) {
      take_error();
    } else if (count <= 0) {
      return any;
    }
    any = true;
    for (ssize_t i = 0; i < count; ++i) {
      const fi_cq_tagged_entry& entry = entries[static_cast<std::size_t>(i)];
      if (entry.op_context != nullptr) end(*static_cast<Request*>(entry.op_context), entry.len);
      if (!is_open()) return true;
    }
    if (!is_open()) return true;
  }
  return any;
}

void FabricCarrier::take_error() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(endpoint_->completions.get(), &entry, 0) <= 0 || entry.op_context == nullptr) return;
  end_with_error(*static_cast<Request*>(entry.op_context), entry.err, entry.len + entry.olen);
}

void FabricCarrier::end(Request& request, std::size_t size) {
  request.is_posted = false;
  switch (request.kind) {
    case Request::Kind::kBounce: {
      failures_ = 0;
      ++unposted_;
      take_frame(static_cast<Bounce&>(request).at, size);
      if (is_open()) post_bounces();
      return;
    }
    case Request::Kind::kShortSend: {
      auto& frame = static_cast<ShortSend&>(request);
      --peer(frame.process).posted;
      if (frame.is_hello) peer(frame.process).is_told = true;
      return recycle(frame);
    }
    case Request::Kind::kLongSend: {
      auto& message = static_cast<LongMessage&>(request);
      --peer(message.process).posted;
      if (message.outbox != nullptr && !message.is_over) message.outbox->complete(message.task);
      return drop(message);
    }
    case Request::Kind::kLongReceive: {
      const auto& message = static_cast<LongMessage&>(request);
      peer(message.process).has_spoken = true;
      const wire::MessageAddress address = message.address;
      const bool is_wanted = message.outbox != nullptr && !message.is_over;
      drop(message);
      if (is_wanted) user().end_expected(address, Bytes(static_cast<std::int64_t>(size)));
    }
  }
}

void FabricCarrier::end_with_error(Request& request, long code, std::size_t size) {
  const int process = request.process;
  const std::string why = endpoint_->library->text(code);
  switch (request.kind) {
    case Request::Kind::kBounce:
      request.is_posted = false;
      ++dropped_;
      ++unposted_;
      if (++failures_ > kMostFailures) return lose_all("this process cannot receive: " + why);
      return post_bounces();
    case Request::Kind::kShortSend: {
      const bool is_hello = static_cast<ShortSend&>(request).is_hello;
      request.is_posted = false;
      --peer(process).posted;
      recycle(static_cast<ShortSend&>(request));
      if (!is_hello) return lose(process, why);
      peer(process).is_being_told = false;
      peer(process).why = why;
      return;
    }
    case Request::Kind::kLongSend: {
      auto& message = static_cast<LongMessage&>(request);
      --peer(process).posted;
      const bool has_left = user().has_left(process);
      if (message.outbox != nullptr && !message.is_over)
        has_left ? message.outbox->complete(message.task) : message.outbox->fail();
      drop(message);
      if (code != FI_ECANCELED) lose(process, why);
      return;
    }
    case Request::Kind::kLongReceive: {
      auto& message = static_cast<LongMessage&>(request);
      if (code == FI_ETRUNC) return end(request, std::max(size, message.size + 1));
      request.is_posted = false;
      if (code == FI_ECANCELED && peer(process).is_reached) return replace_by_sink(message);
      drop(message);
      if (code != FI_ECANCELED) lose(process, why);
    }
  }
}

void FabricCarrier::take_frame(const std::byte* at, std::size_t size) {
  FrameHead head;
  if (size < sizeof head) {
    ++dropped_;
    return;
  }
  std::memcpy(&head, at, sizeof head);
  const int process = head.address.sender;
  const bool is_ours = head.key == key_ && process >= 0 && process < process_count() && process != self_ &&
                       head.size >= 0 && static_cast<std::size_t>(head.size) == size - sizeof head;
  // Nobody sends anything else before all have met.
  const bool is_early = !is_served() && head.address.kind <= wire::FrameKind::kGoodbye;
  if (!is_ours || is_early) {
    ++dropped_;
    return;
  }
  Peer& from = peer(process);
  if (!from.is_reached) return;  // it is lost already
  from.has_spoken = true;
  if (!std::exchange(from.is_known, true) && is_served()) user().has_met(process);
  if (head.address.kind > wire::FrameKind::kGoodbye) return take_word(head, from);
  wire::Incoming incoming;
  if (user().begin_frame(process, head, incoming) != wire::FrameIs::kMessage) return;
  if (incoming.into != nullptr && head.size > 0)
    std::memcpy(incoming.into, at + sizeof head, static_cast<std::size_t>(head.size));
  user().end_frame(incoming);
}

void FabricCarrier::post_bounces() {
  for (const auto& bounce : bounces_) {
    if (unposted_ == 0) return;
    if (bounce->is_posted) continue;
    if (fi_recv(endpoint_->end.get(), bounce->at, kMostOfFrame, nullptr, FI_ADDR_UNSPEC, &bounce->context) !=
        0)
      return;
    bounce->is_posted = true;
    --unposted_;
  }
}

// The wait may begin if the descriptor will tell of what comes.
int FabricCarrier::longest_wait() {
  if (!is_open()) return -1;
  if (queued_ > 0 || unposted_ > 0 || has_unposted_receives_) return 1;
  fid* waited_for = &endpoint_->completions->fid;
  const int code = fi_trywait(endpoint_->fabric.get(), &waited_for, 1);
  return code == 0 ? -1 : code == -FI_EAGAIN ? 0 : 1;
}

void FabricCarrier::lose(int process, const std::string& why, bool by_silence) {
  Peer& gone = peer(process);
  if (!std::exchange(gone.is_reached, false)) return;
  gone.may_still_live = by_silence;
  const bool has_left = is_served() && user().has_left(process);
  const auto settle = [&](LongMessage& message) {
    if (message.outbox == nullptr || std::exchange(message.is_over, true)) return;
    has_left ? message.outbox->complete(message.task) : message.outbox->fail();
  };
  queued_ -= gone.queue.size();
  for (Request* const one : std::exchange(gone.queue, {})) {
    if (one->kind == Request::Kind::kShortSend) {
      recycle(static_cast<ShortSend&>(*one));
    } else {
      settle(static_cast<LongMessage&>(*one));
      drop(*one);
    }
  }
  // What is posted ends by itself, or when its operation is forgotten.
  for (const auto& message : longs_)
    if (message->process == process && message->kind == Request::Kind::kLongSend) settle(*message);
  if (is_served() && !has_left) user().lost(process, why);
}

// Nobody reads or writes this process's memory afterwards: what works only while it is called is not called
// any more, since ofi_rxm 1.17 would crash where it is closed in the middle of a message.
void FabricCarrier::lose_all(const std::string& why) {
  ::epoll_ctl(waits_.number(), EPOLL_CTL_DEL, endpoint_->descriptor, nullptr);
  if (moves_by_itself(*endpoint_->info)) endpoint_->end.reset();
  else static_cast<void>(endpoint_.release());
  for (std::size_t process = 0; process < peers_.size(); ++process) lose(static_cast<int>(process), why);
  longs_.clear();
}

// They are the parent's, and what libfabric would do to close them would be seen at the other end.
void FabricCarrier::close_all() {
  static_cast<void>(endpoint_.release());
  for (Peer& one : peers_) one.is_reached = false;
}

}  // namespace weft::fabric
