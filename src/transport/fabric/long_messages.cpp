// SPDX-License-Identifier: BSD-3-Clause
// Long messages of a FabricCarrier: from buffer to buffer, and how an operation gets its buffers back.
#include <algorithm>
#include <fmt/format.h>
#include <rdma/fi_tagged.h>
#include <sched.h>
#include <utility>

#include "base/mixed.hpp"
#include "transport/fabric/fabric_carrier.hpp"

namespace weft::fabric {

// Two messages that are under way to the same process would have to have one hash of 47 bits or more.
std::uint64_t FabricCarrier::tag_of(const wire::MessageAddress& address) const {
  return mixed(mixed(address.hash(), key_.low), key_.high) & tag_mask_;
}

Progress FabricCarrier::send_long(int process, const wire::FrameHead& head, const std::byte* payload,
                                  wire::Outbox* outbox, TaskId task) {
  const std::size_t most = endpoint_->info->ep_attr->max_msg_size;
  if (static_cast<std::size_t>(head.size) > most) {
    lose(process, fmt::format("the provider {} sends at most {} bytes at once",
                              endpoint_->name.provider.data(), most));
    return Progress::kFailed;
  }
  auto& message =
      *longs_.emplace_back(std::make_unique<LongMessage>(Request::Kind::kLongSend, process, head.address));
  message.tag = tag_of(head.address);
  message.at = const_cast<std::byte*>(payload);
  message.size = static_cast<std::size_t>(head.size);
  message.outbox = outbox;
  message.task = task;
  start(message);
  return Progress::kPending;
}

void FabricCarrier::expect(const wire::Awaited& awaited) {
  const int process = awaited.address.sender;
  if (!peer(process).is_reached || !is_open()) return;
  auto& message = *longs_.emplace_back(
      std::make_unique<LongMessage>(Request::Kind::kLongReceive, process, awaited.address));
  message.tag = tag_of(awaited.address);
  message.at = awaited.at;
  message.size = static_cast<std::size_t>(awaited.size.value);
  message.outbox = awaited.outbox;
  post_receive(message);
}

// Where there is no room for it, later: what is sent before it is posted waits at its sender.
void FabricCarrier::post_receive(LongMessage& message) {
  const long code = fi_trecv(endpoint_->end.get(), message.at, message.size, nullptr, FI_ADDR_UNSPEC,
                             message.tag, 0, &message.context);
  message.is_posted = code == 0;
  has_unposted_receives_ |= code == -FI_EAGAIN;
  if (message.is_posted || code == -FI_EAGAIN) return;
  const int process = message.process;
  drop(message);
  lose(process, "no receive can be posted: " + endpoint_->library->text(code));
}

// Backwards: one that fails leaves the list.
void FabricCarrier::post_receives() {
  has_unposted_receives_ = false;
  for (std::size_t i = longs_.size(); i-- > 0 && is_open();)
    if (i < longs_.size() && longs_[i]->kind == Request::Kind::kLongReceive && !longs_[i]->is_posted)
      post_receive(*longs_[i]);
}

// Its sender may have begun, and ends when the message has been taken.
void FabricCarrier::replace_by_sink(LongMessage& message) {
  message.outbox = nullptr;
  message.at = message.own.get(message.size);
  post_receive(message);
}

void FabricCarrier::drop(const Request& message) {
  const auto is_it = [&](const std::unique_ptr<LongMessage>& one) { return one.get() == &message; };
  const auto at = std::find_if(longs_.begin(), longs_.end(), is_it);
  if (at == longs_.end()) return;
  std::swap(*at, longs_.back());
  longs_.pop_back();
}

bool FabricCarrier::has_any_of(const wire::Outbox& outbox) const {
  return std::any_of(longs_.begin(), longs_.end(),
                     [&](const std::unique_ptr<LongMessage>& one) { return one->outbox == &outbox; });
}

// Not all providers (ofi_rxm 1.17) say the end of a send to a process that died meanwhile. Nobody is left who
// would get what is read there.
void FabricCarrier::abandon_sends(const wire::Outbox& outbox) {
  for (const auto& one : longs_) {
    const Peer& to = peer(one->process);
    if (one->outbox != &outbox || one->kind != Request::Kind::kLongSend || to.is_reached || to.may_still_live)
      continue;
    one->outbox = nullptr;
    has_abandoned_ = true;
  }
}

void FabricCarrier::forget(wire::Outbox& outbox) {
  if (!has_any_of(outbox)) return;
  for (Peer& to : peers_)
    queued_ -= std::erase_if(to.queue, [&](const Request* one) {
      return one->kind == Request::Kind::kLongSend && static_cast<const LongMessage*>(one)->outbox == &outbox;
    });
  std::erase_if(longs_, [&](const std::unique_ptr<LongMessage>& one) {
    return one->outbox == &outbox && !one->is_posted && one->kind == Request::Kind::kLongSend;
  });
  // A send that has begun is let go to its end: not all providers can cancel one, and whoever expects it
  // would wait for ever.
  for (std::size_t i = longs_.size(); i-- > 0 && is_open();) {
    if (i >= longs_.size() || longs_[i]->outbox != &outbox) continue;
    LongMessage& one = *longs_[i];
    one.is_over = true;
    if (!one.is_posted) peer(one.process).is_reached ? replace_by_sink(one) : drop(one);
    else if (one.kind == Request::Kind::kLongReceive || !peer(one.process).is_reached)
      fi_cancel(&endpoint_->end->fid, &one.context);
  }
  for (const Nanoseconds begin = elapsed_time(); has_any_of(outbox); ::sched_yield()) {
    if (elapsed_time() - begin > kLongestForget) abandon_sends(outbox);
    if (elapsed_time() - begin > kLongestForget && has_any_of(outbox))
      return lose_all("a buffer could not be taken back from libfabric, which was closed therefore");
    drive();
  }
}

}  // namespace weft::fabric
