// SPDX-License-Identifier: BSD-3-Clause
// What a wire reads: frames, out of a stream of bytes.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

#include "transport/wire/connection.hpp"
#include "transport/wire/wire.hpp"

namespace weft::wire {
namespace {

constexpr std::size_t kDirect = 16 << 10;                   // so much of a message is read past the inbox
constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;  // of one message: more is no size

}  // namespace

void Wire::read_from(Connection& from) {
  while (from.socket.is_open() && read_some(from)) {}
}

// Reads once, and takes what that was. False when there is nothing more.
bool Wire::read_some(Connection& from) {
  const bool is_direct = from.is_within && from.into != nullptr && from.left >= kDirect && from.unread() == 0;
  if (from.unread() == 0) from.begin = from.end = 0;
  std::byte* const into = is_direct ? from.into : from.inbox.data() + from.end;
  const std::size_t room = is_direct ? from.left : from.inbox.size() - from.end;
  const ssize_t got = ::recv(from.socket.number(), into, room, 0);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    lose(from, got == 0 ? "it has closed the connection" : std::strerror(errno));
    return true;
  }
  if (is_direct) {
    from.into += got;
    from.left -= static_cast<std::size_t>(got);
    if (from.left == 0) end_message(from);
  } else {
    from.end += static_cast<std::size_t>(got);
    take_what_was_read(from);
  }
  return static_cast<std::size_t>(got) == room;
}

void Wire::take_what_was_read(Connection& from) {
  while (from.socket.is_open()) {
    if (!from.is_within) {
      FrameHead head;
      if (from.unread() < sizeof head) break;
      std::memcpy(&head, from.inbox.data() + from.begin, sizeof head);
      from.begin += sizeof head;
      if (!begin_frame(from, head)) continue;
    }
    const std::size_t now = std::min(from.left, from.unread());
    if (from.into != nullptr && now > 0) {
      std::memcpy(from.into, from.inbox.data() + from.begin, now);
      from.into += now;
    }
    from.begin += now;
    from.left -= now;
    if (from.left > 0) break;
    end_message(from);
  }
  // The beginning of a head moves to the front, so that there is room for its end.
  if (from.begin == 0 || !from.socket.is_open()) return;
  std::memmove(from.inbox.data(), from.inbox.data() + from.begin, from.unread());
  from.end = from.unread();
  from.begin = 0;
}

// Whether a payload follows.
bool Wire::begin_frame(Connection& from, const FrameHead& head) {
  const bool is_message = head.address.kind == FrameKind::kMessage;
  const bool is_ours = head.key == key_ && head.address.sender == from.process && head.size >= 0 &&
                       head.size <= kMostBytes && (is_message || head.size == 0) &&
                       head.address.kind <= FrameKind::kGoodbye;
  if (!is_ours) {
    ++dropped_;
    lose(from, "it has sent a frame that is not of this job");
    return false;
  }
  if (is_message) begin_message(from, head);
  else take_word(from, head.address);
  return is_message;
}

void Wire::begin_message(Connection& from, const FrameHead& head) {
  from.is_within = true;
  from.left = static_cast<std::size_t>(head.size);
  from.into = nullptr;
  if (Awaited* const awaited = matching_.take_awaited(head.address)) {
    if (awaited->size != Bytes(head.size)) return awaited->outbox->fail_for_size();
    from.awaited = *awaited;
    from.into = awaited->at;
    return;
  }
  from.early = matching_.another_early(head.address, Bytes(head.size));
  if (head.size > 0) from.into = from.early->payload.get(static_cast<std::size_t>(head.size));
}

void Wire::end_message(Connection& from) {
  from.is_within = false;
  from.into = nullptr;
  if (Outbox* const outbox = std::exchange(from.awaited.outbox, nullptr)) outbox->complete(from.awaited.task);
  if (from.early == nullptr) return;
  auto early = std::move(from.early);
  // Somebody may have begun to wait while it came.
  Awaited* const awaited = matching_.take_awaited(early->address);
  if (awaited == nullptr) return matching_.keep(std::move(early));
  if (matching_.deliver(std::move(early), awaited->at, awaited->size))
    awaited->outbox->complete(awaited->task);
  else awaited->outbox->fail_for_size();
}

}  // namespace weft::wire
