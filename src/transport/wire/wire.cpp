// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "transport/wire/connection.hpp"

namespace weft::wire {

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

bool Wire::reaches(int process) const { return connection_with(process).socket.is_open(); }
const std::string& Wire::trouble_with(int process) const { return connection_with(process).trouble; }
bool Wire::is_anything_awaited() const { return matching_.is_anything_awaited(); }
int Wire::lost_by(std::uint64_t communicator) const {
  const auto found = broken_.find(communicator);
  return found == broken_.end() ? -1 : found->second;
}

void Wire::watch_for_writing(Connection& connection, bool writable) {
  if (connection.is_watched_for_writing == writable) return;
  connection.is_watched_for_writing = writable;
  epoll_event event{.events = EPOLLIN | (writable ? std::uint32_t{EPOLLOUT} : 0),
                    .data = {.ptr = &connection}};
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, connection.socket.number(), &event);
}

Progress Wire::send(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address,
                    const void* from, Bytes size) {
  const int process = sequence.processes()[static_cast<std::size_t>(rank)];
  const auto* const bytes = static_cast<const std::byte*>(from);
  if (connection_with(process).has_left) return Progress::kDone;
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
  Connection& to = connection_with(process);
  Outgoing one{.head = {key_, address, size.value}, .from = from, .outbox = &outbox, .task = task, .own = {}};
  const Progress progress = to.outgoing.empty() ? write(to, one) : Progress::kPending;
  if (progress == Progress::kPending) post(to, std::move(one));
  return progress;
}

void Wire::post(Connection& to, Outgoing frame) {
  to.outgoing.push(std::move(frame));
  watch_for_writing(to, true);
}

// A frame without a payload.
void Wire::say(int process, MessageAddress word) {
  Connection& to = connection_with(process);
  if (!to.socket.is_open()) return;
  word.sender = self_;
  Outgoing one{.head = {key_, word, 0}, .own = {}};
  if (!to.outgoing.empty() || write(to, one) == Progress::kPending) post(to, std::move(one));
}

// As much of it as the socket has room for. Where the other end is gone, what it said before is read first.
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
    if (written > 0) one.written += static_cast<std::size_t>(written);
    if (written >= 0 || errno == EINTR) continue;
    if (errno == EAGAIN) return Progress::kPending;
    const std::string why = std::strerror(errno);
    read_from(to);
    if (to.socket.is_open()) lose(to, why);
  }
  return to.socket.is_open() || to.has_left ? Progress::kDone : Progress::kFailed;
}

void Wire::write_to(Connection& to) {
  while (!to.outgoing.empty()) {
    Outgoing& next = to.outgoing.front();
    if (write(to, next) != Progress::kDone) return;  // a connection that is lost has nothing outgoing
    if (to.outgoing.empty()) return;
    if (next.outbox != nullptr) next.outbox->complete(next.task);
    to.outgoing.pop();
  }
  watch_for_writing(to, false);
}

Progress Wire::recv(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address,
                    void* into, Bytes size) {
  address.sender = sequence.processes()[static_cast<std::size_t>(rank)];
  auto* const bytes = static_cast<std::byte*>(into);
  if (auto early = matching_.take_early(address)) {
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
  matching_.await(outbox, task, address, bytes, size);
  if (is_long) {
    word.kind = FrameKind::kReady;
    say(address.sender, word);
  }
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

void Wire::forget(Outbox& outbox) {
  matching_.forget(outbox);
  for (const auto& [communicator, sequence] : sequences_)
    std::erase_if(sequence->waiting, [&](const Sequence::Waiting& one) { return one.outbox == &outbox; });
  for (const auto& connection : connections_) {
    if (connection->awaited.outbox == &outbox) {
      connection->awaited.outbox = nullptr;
      connection->into = nullptr;
    }
    // A frame that has begun has to go to its end: others follow it.
    connection->outgoing.erase_if(
        [&](const Outgoing& one) { return one.outbox == &outbox && one.written == 0; });
    for (Outgoing& one : connection->outgoing.all()) {
      if (one.outbox != &outbox) continue;
      one.outbox = nullptr;
      if (one.head.size == 0) continue;
      const auto size = static_cast<std::size_t>(one.head.size);
      one.from = static_cast<std::byte*>(std::memcpy(one.own.get(size), one.from, size));
    }
  }
}

void Wire::say_goodbye() {
  for (const auto& connection : connections_) say(connection->process, {.kind = FrameKind::kGoodbye});
}

bool Wire::has_arrived() {
  drive();
  return std::all_of(connections_.begin(), connections_.end(), [](const auto& one) {
    return !one->socket.is_open() || (one->outgoing.empty() && has_delivered(one->socket));
  });
}

void Wire::close_all() {
  for (const auto& connection : connections_) connection->socket = Descriptor();
  epoll_ = Descriptor();
}

}  // namespace weft::wire
