// SPDX-License-Identifier: BSD-3-Clause
// What comes over TCP: frames, out of a stream of bytes.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "transport/wire/connection.hpp"
#include "transport/wire/tcp_carrier.hpp"

namespace weft::wire {
namespace {

constexpr std::size_t kDirect = 16 << 10;  // so much of a message is read past the inbox

}  // namespace

bool TcpCarrier::read_from(Connection& from) {
  bool was_there_any = false;
  while (from.socket.is_open()) {
    const Read read = read_some(from);
    was_there_any |= read != Read::kNothing;
    if (read != Read::kFull) break;
  }
  return was_there_any;
}

// Reads once, and takes what that was.
TcpCarrier::Read TcpCarrier::read_some(Connection& from) {
  const bool is_direct =
      from.is_within && from.incoming.into != nullptr && from.left >= kDirect && from.unread() == 0;
  if (from.unread() == 0) from.begin = from.end = 0;
  std::byte* const into = is_direct ? from.incoming.into : from.inbox.get() + from.end;
  const std::size_t room = is_direct ? from.left : Connection::kInbox - from.end;
  const ssize_t got = ::recv(from.socket.number(), into, room, 0);
  if (got < 0 && errno == EINTR) return Read::kFull;
  if (got < 0 && errno == EAGAIN) return Read::kNothing;
  if (got <= 0) {
    lose(from, got == 0 ? "it has closed the connection" : std::strerror(errno));
    return Read::kSome;
  }
  if (is_direct) {
    from.incoming.into += got;
    from.left -= static_cast<std::size_t>(got);
    if (from.left == 0) end_message(from);
  } else {
    from.end += static_cast<std::size_t>(got);
    take_what_was_read(from);
  }
  return static_cast<std::size_t>(got) == room ? Read::kFull : Read::kSome;
}

void TcpCarrier::take_what_was_read(Connection& from) {
  while (from.socket.is_open()) {
    if (!from.is_within) {
      FrameHead head;
      if (from.unread() < sizeof head) break;
      std::memcpy(&head, from.inbox.get() + from.begin, sizeof head);
      from.begin += sizeof head;
      if (!begin_frame(from, head)) continue;
    }
    const std::size_t now = std::min(from.left, from.unread());
    if (from.incoming.into != nullptr && now > 0) {
      std::memcpy(from.incoming.into, from.inbox.get() + from.begin, now);
      from.incoming.into += now;
    }
    from.begin += now;
    from.left -= now;
    if (from.left > 0) break;
    end_message(from);
  }
  // The beginning of a head moves to the front, so that there is room for its end.
  if (from.begin == 0 || !from.socket.is_open()) return;
  std::memmove(from.inbox.get(), from.inbox.get() + from.begin, from.unread());
  from.end = from.unread();
  from.begin = 0;
}

// Whether a payload follows.
bool TcpCarrier::begin_frame(Connection& from, const FrameHead& head) {
  const FrameIs what = user().begin_frame(from.process, head, from.incoming);
  if (what == FrameIs::kForeign) lose(from, "it has sent a frame that is not of this job");
  if (what != FrameIs::kMessage) return false;
  from.is_within = true;
  from.left = static_cast<std::size_t>(head.size);
  return true;
}

void TcpCarrier::end_message(Connection& from) {
  from.is_within = false;
  user().end_frame(from.incoming);
}

}  // namespace weft::wire
