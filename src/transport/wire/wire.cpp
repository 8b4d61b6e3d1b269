// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/wire.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

namespace weft::wire {
namespace {

constexpr std::size_t kInbox = 32 << 10;
constexpr std::size_t kDirect = 16 << 10;                   // so much of a message is read past the inbox
constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;  // of one message: more is no size

}  // namespace

int Outbox::take_completed(std::span<TaskId> done) {
  if (failed_) return -1;
  const std::size_t count = std::min(done.size(), completed_.size());
  std::copy_n(completed_.end() - static_cast<std::ptrdiff_t>(count), count, done.begin());
  completed_.resize(completed_.size() - count);
  return static_cast<int>(count);
}

// A message that came before anybody waited for it.
struct Wire::Early {
  MessageAddress address;
  Bytes size;
  PlainMemory payload;
  std::unique_ptr<Early> next;
};

// A message that is not yet written to the socket.
struct Wire::Outgoing {
  FrameHead head;
  const std::byte* from;
  std::size_t written;  // of head and payload
  Outbox* outbox;       // null: nobody asks any more
  TaskId task;
  PlainMemory own;  // where the payload lies, if its buffer is gone

  std::size_t all() const { return sizeof head + static_cast<std::size_t>(head.size); }
};

struct Wire::Connection {
  int process = 0;
  Descriptor socket;
  std::string trouble;  // why it ended
  bool has_left = false;
  bool is_watched_for_writing = false;
  std::deque<Outgoing> outgoing;

  // What was read and not looked at yet.
  std::array<std::byte, kInbox> inbox;
  std::size_t begin = 0, end = 0;
  // The message whose payload comes next: left bytes of it, for somebody who waits, or early; else for
  // nobody.
  std::size_t left = 0;
  std::byte* into = nullptr;
  Outbox::Awaited awaited;
  std::unique_ptr<Early> early;
  bool is_within = false;

  std::size_t unread() const { return end - begin; }
};

Wire::Wire(const JobKey& key, int self, std::vector<Descriptor> connections)
    : key_(key), self_(self), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (std::size_t process = 0; process < connections.size(); ++process) {
    auto& made = connections_.emplace_back(std::make_unique<Connection>());
    made->process = static_cast<int>(process);
    made->socket = std::move(connections[process]);
    if (!made->socket.is_open()) continue;
    epoll_event event{.events = EPOLLIN, .data = {.ptr = made.get()}};
    ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, made->socket.number(), &event);
  }
}
Wire::~Wire() = default;

bool Wire::reaches(int process) const {
  return connections_[static_cast<std::size_t>(process)]->socket.is_open();
}
const std::string& Wire::trouble_with(int process) const {
  return connections_[static_cast<std::size_t>(process)]->trouble;
}

void Wire::watch_for_writing(Connection& connection, bool writable) {
  if (connection.is_watched_for_writing == writable) return;
  connection.is_watched_for_writing = writable;
  epoll_event event{.events = EPOLLIN | (writable ? std::uint32_t{EPOLLOUT} : 0),
                    .data = {.ptr = &connection}};
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, connection.socket.number(), &event);
}

Progress Wire::send(Outbox& outbox, TaskId task, int to, MessageAddress address, const void* from,
                    Bytes size) {
  Connection& connection = *connections_[static_cast<std::size_t>(to)];
  if (connection.has_left) return Progress::kDone;
  address.sender = self_;
  Outgoing one{{key_, address, size.value}, static_cast<const std::byte*>(from), 0, &outbox, task, {}};
  const Progress progress = connection.outgoing.empty() ? write(connection, one) : Progress::kPending;
  if (progress != Progress::kPending) return progress;
  connection.outgoing.push_back(std::move(one));
  watch_for_writing(connection, true);
  return progress;
}

// As much of it as the socket has room for.
Progress Wire::write(Connection& to, Outgoing& one) {
  while (to.socket.is_open() && one.written < one.all()) {
    const std::size_t head = std::min(one.written, sizeof one.head), payload = one.written - head;
    std::array<iovec, 2> parts{
        {{reinterpret_cast<std::byte*>(&one.head) + head, sizeof one.head - head},
         {const_cast<std::byte*>(one.from) + payload, static_cast<std::size_t>(one.head.size) - payload}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t written = ::sendmsg(to.socket.number(), &message, MSG_NOSIGNAL);
    if (written < 0 && errno == EAGAIN) return Progress::kPending;
    if (written < 0 && errno != EINTR) lose(to, std::strerror(errno));
    if (written > 0) one.written += static_cast<std::size_t>(written);
  }
  return to.socket.is_open() ? Progress::kDone : Progress::kFailed;
}

void Wire::write_to(Connection& to) {
  while (!to.outgoing.empty()) {
    Outgoing& next = to.outgoing.front();
    if (write(to, next) != Progress::kDone) return;  // a connection that is lost has nothing outgoing
    if (next.outbox != nullptr) complete(*next.outbox, next.task);
    to.outgoing.pop_front();
  }
  watch_for_writing(to, false);
}

Outbox::Awaited* Wire::take_awaited(const MessageAddress& address) {
  for (Outbox::Awaited** at = &awaited_[bucket_of(address)]; *at != nullptr; at = &(*at)->next)
    if ((*at)->address == address) return std::exchange(*at, (*at)->next);
  return nullptr;
}

std::unique_ptr<Wire::Early> Wire::another_early() {
  if (spare_.empty()) return std::make_unique<Early>();
  auto taken = std::move(spare_.back());
  spare_.pop_back();
  return taken;
}
// Small ones are used again.
void Wire::recycle(std::unique_ptr<Early> early) {
  if (spare_.size() < kMostSpare && early->payload.bytes() <= kInbox) spare_.push_back(std::move(early));
}

// Whether it fits; then it is taken.
bool Wire::take(std::unique_ptr<Early> early, std::byte* into, Bytes size) {
  const bool fits = early->size == size;
  if (fits && size > Bytes(0)) std::memcpy(into, early->payload.data(), static_cast<std::size_t>(size.value));
  recycle(std::move(early));
  return fits;
}

std::unique_ptr<Wire::Early> Wire::take_early(const MessageAddress& address) {
  for (auto* at = &early_[bucket_of(address)]; *at != nullptr; at = &(*at)->next)
    if ((*at)->address == address) {
      auto taken = std::move(*at);
      *at = std::move(taken->next);
      return taken;
    }
  return nullptr;
}

Progress Wire::recv(Outbox& outbox, TaskId task, const MessageAddress& address, void* into, Bytes size) {
  if (auto early = take_early(address))
    return take(std::move(early), static_cast<std::byte*>(into), size) ? Progress::kDone : Progress::kFailed;
  const Connection& connection = *connections_[static_cast<std::size_t>(address.sender)];
  if (!connection.socket.is_open() && !connection.has_left) return Progress::kFailed;
  assert(outbox.awaited_count_ < outbox.awaited_.size());
  Outbox::Awaited& awaited = outbox.awaited_[outbox.awaited_count_++];
  Outbox::Awaited*& first = awaited_[bucket_of(address)];
  awaited = {address, static_cast<std::byte*>(into), size, &outbox, task, first};
  first = &awaited;
  return Progress::kPending;
}

bool Wire::drive() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    Connection& connection = *static_cast<Connection*>(event.data.ptr);
    if ((event.events & EPOLLOUT) != 0 && connection.socket.is_open()) write_to(connection);
    if ((event.events & ~std::uint32_t{EPOLLOUT}) != 0 && connection.socket.is_open()) read_from(connection);
  }
  return count > 0;
}

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
    const std::byte* const next = from.inbox.data() + from.begin;
    if (!from.is_within) {
      FrameHead head;
      if (from.unread() < sizeof head) break;
      std::memcpy(&head, next, sizeof head);
      from.begin += sizeof head;
      if (!begin_message(from, head)) return;
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

bool Wire::begin_message(Connection& from, const FrameHead& head) {
  const bool is_ours =
      head.key == key_ && head.address.sender == from.process && head.size >= 0 && head.size <= kMostBytes;
  if (!is_ours) {
    ++dropped_;
    lose(from, "it has sent a frame that is not of this job");
    return false;
  }
  from.has_left = from.has_left || head.address.communicator == 0;
  from.is_within = true;
  from.left = static_cast<std::size_t>(head.size);
  from.into = nullptr;
  if (Outbox::Awaited* const awaited = take_awaited(head.address)) {
    if (awaited->size == Bytes(head.size)) {
      from.awaited = *awaited;
      from.into = awaited->into;
    } else {
      awaited->outbox->failed_ = true;
    }
    return true;
  }
  if (head.address.communicator == 0) return true;
  from.early = another_early();
  from.early->address = head.address;
  from.early->size = Bytes(head.size);
  if (head.size > 0) from.into = from.early->payload.get(static_cast<std::size_t>(head.size));
  return true;
}

void Wire::end_message(Connection& from) {
  from.is_within = false;
  from.into = nullptr;
  if (Outbox* const outbox = std::exchange(from.awaited.outbox, nullptr))
    complete(*outbox, from.awaited.task);
  if (from.early == nullptr) return;
  auto early = std::move(from.early);
  // Somebody may have begun to wait while it came.
  if (Outbox::Awaited* const awaited = take_awaited(early->address)) {
    if (take(std::move(early), awaited->into, awaited->size)) complete(*awaited->outbox, awaited->task);
    else awaited->outbox->failed_ = true;
    return;
  }
  auto& first = early_[bucket_of(early->address)];
  early->next = std::move(first);
  first = std::move(early);
}

void Wire::lose(Connection& connection, const std::string& why) {
  connection.socket = Descriptor();  // closing takes it out of the epoll set
  if (connection.has_left) return connection.outgoing.clear();
  connection.trouble = why;
  for (const Outgoing& one : connection.outgoing)
    if (one.outbox != nullptr) one.outbox->failed_ = true;
  connection.outgoing.clear();
  if (connection.awaited.outbox != nullptr) connection.awaited.outbox->failed_ = true;
  connection.awaited.outbox = nullptr;
  connection.early.reset();
  connection.is_within = false;
  for (Outbox::Awaited*& bucket : awaited_)
    for (Outbox::Awaited** at = &bucket; *at != nullptr;) {
      if ((*at)->address.sender != connection.process) {
        at = &(*at)->next;
        continue;
      }
      (*at)->outbox->failed_ = true;
      *at = (*at)->next;
    }
}

void Wire::say_goodbye() {
  for (const auto& connection : connections_) {
    // Behind a message that nobody reads there is no room: then the other end takes this for an accident.
    if (!connection->socket.is_open() || !connection->outgoing.empty()) continue;
    Outgoing goodbye{{key_, {.sender = self_}, 0}, nullptr, 0, nullptr, TaskId(0), {}};
    write(*connection, goodbye);
  }
}

void Wire::forget(Outbox& outbox) {
  for (std::size_t i = 0; i < outbox.awaited_count_; ++i) take_awaited(outbox.awaited_[i].address);
  for (const auto& connection : connections_) {
    if (connection->awaited.outbox == &outbox) {
      connection->awaited.outbox = nullptr;
      connection->into = nullptr;
    }
    // A frame that has begun has to go to its end: others follow it.
    std::erase_if(connection->outgoing,
                  [&](const Outgoing& one) { return one.outbox == &outbox && one.written == 0; });
    for (Outgoing& one : connection->outgoing) {
      if (one.outbox != &outbox) continue;
      one.outbox = nullptr;
      if (one.head.size == 0) continue;
      const auto size = static_cast<std::size_t>(one.head.size);
      one.from = static_cast<std::byte*>(std::memcpy(one.own.get(size), one.from, size));
    }
  }
}

}  // namespace weft::wire
