// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/tcp_carrier.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

#include "transport/wire/connection.hpp"

namespace weft::wire {
namespace {

// Who has not been met is called when it has been needed for so long: whoever has something to say calls, so
// that this is only to find out whether it still lives.
constexpr Nanoseconds kBeforeCalling{1'000'000'000};

}  // namespace

TcpCarrier::TcpCarrier(std::vector<Descriptor> connections)
    : TcpCarrier(std::move(connections), nullptr, {}, Sending{}) {}

TcpCarrier::TcpCarrier(std::vector<Descriptor> connections, std::unique_ptr<Switchboard> switchboard,
                       std::vector<int> confidants, Sending sending)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      switchboard_(std::move(switchboard)),
      confidants_(std::move(confidants)),
      sending_(std::move(sending)) {
  for (std::size_t process = 0; process < connections.size(); ++process) {
    auto& made = connections_.emplace_back(std::make_unique<Connection>());
    made->process = static_cast<int>(process);
    made->is_unmet = switchboard_ != nullptr && made->process != switchboard_->self();
    if (connections[process].is_open()) open(*made, std::move(connections[process]));
  }
  if (switchboard_ == nullptr) return;
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, switchboard_->descriptor(), &event);
}
TcpCarrier::~TcpCarrier() = default;

void TcpCarrier::open(Connection& connection, Descriptor socket) {
  connection.is_unmet = false;
  connection.socket = std::move(socket);
  if (sending_.buffer > Bytes(0)) limit_send_buffer(connection.socket, sending_.buffer);
  if (const std::string& name = sending_.congestion_control; !name.empty())
    set_congestion_control(connection.socket, name);
  connection.inbox = std::make_unique_for_overwrite<std::byte[]>(Connection::kInbox);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, connection.socket.number(), &event);
}

void TcpCarrier::meet_those_who_come() {
  for (Outcome& outcome : switchboard_->drive()) {
    Connection& connection = connection_with(outcome.process);
    if (!connection.is_unmet) continue;  // it has been left out
    if (!outcome.socket.is_open()) {
      lose(connection, "it cannot be connected: " + outcome.problem);
      continue;
    }
    open(connection, std::move(outcome.socket));
    connection.needed_since = Nanoseconds(0);
    if (!connection.outgoing.empty()) watch_for_writing(connection, true);
    user().has_met(outcome.process);
  }
}

void TcpCarrier::leave_out(int process) {
  Connection& connection = connection_with(process);
  connection.is_unmet = false;
  connection.socket = Descriptor();
}
bool TcpCarrier::reaches(int process) const {
  const Connection& connection = connection_with(process);
  return connection.is_unmet || connection.socket.is_open();
}
bool TcpCarrier::knows(int process) const {
  const Connection& connection = connection_with(process);
  return connection.socket.is_open() || connection.has_messages();
}

void TcpCarrier::watch_for_writing(Connection& connection, bool writable) {
  if (connection.is_watched_for_writing == writable) return;
  connection.is_watched_for_writing = writable;
  epoll_event event{.events = EPOLLIN | (writable ? std::uint32_t{EPOLLOUT} : 0),
                    .data = {.ptr = &connection}};
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, connection.socket.number(), &event);
}

Progress TcpCarrier::send(int process, const FrameHead& head, const std::byte* payload, Outbox* outbox,
                          TaskId task) {
  Connection& to = connection_with(process);
  Outgoing one{.head = head, .from = payload, .outbox = outbox, .task = task, .own = {}};
  const bool may_go = to.outgoing.empty() && !to.is_unmet;
  const Progress progress = may_go ? write(to, one) : Progress::kPending;
  if (progress != Progress::kPending) return progress;
  to.outgoing.push(std::move(one));
  if (to.is_unmet) switchboard_->call(process);
  else watch_for_writing(to, true);
  return progress;
}

// As much of it as the socket has room for. Where the other end is gone, what it said before is read first.
Progress TcpCarrier::write(Connection& to, Outgoing& one) {
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
  return to.socket.is_open() ? Progress::kDone : Progress::kFailed;
}

void TcpCarrier::write_to(Connection& to) {
  while (!to.outgoing.empty()) {
    Outgoing& next = to.outgoing.front();
    if (write(to, next) != Progress::kDone) return;  // a connection that is lost has nothing outgoing
    if (to.outgoing.empty()) return;
    if (next.outbox != nullptr) next.outbox->complete(next.task);
    to.outgoing.pop();
  }
  watch_for_writing(to, false);
}

// A system call less than to ask all connections which of them has something.
bool TcpCarrier::take_from(int process) {
  Connection& connection = connection_with(process);
  return connection.socket.is_open() && read_from(connection);
}

bool TcpCarrier::drive() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr == nullptr) {
      meet_those_who_come();
      continue;
    }
    Connection& connection = *static_cast<Connection*>(event.data.ptr);
    if ((event.events & EPOLLOUT) != 0 && connection.socket.is_open()) write_to(connection);
    if ((event.events & ~std::uint32_t{EPOLLOUT}) != 0 && connection.socket.is_open()) read_from(connection);
  }
  return count > 0;
}

void TcpCarrier::forget(Outbox& outbox) {
  for (const auto& connection : connections_) {
    Incoming& incoming = connection->incoming;
    if (incoming.awaited.outbox == &outbox) {
      incoming.awaited.outbox = nullptr;
      incoming.into = nullptr;
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

void TcpCarrier::forget(const Exposed& exposed) {
  for (const auto& connection : connections_)
    if (connection->incoming.exposed == &exposed) connection->incoming = {};
}
void TcpCarrier::forget(const Exposed& exposed, std::uint32_t ordinal, std::uint64_t operation) {
  for (const auto& connection : connections_) {
    Incoming& incoming = connection->incoming;
    const MessageAddress& address = incoming.address;
    if (incoming.exposed == &exposed && address.ordinal == ordinal && address.operation == operation)
      incoming.into = nullptr;
  }
}

// Who is about to meet this process has to hear its last words as well.
bool TcpCarrier::has_arrived() {
  if (switchboard_ != nullptr && switchboard_->is_answering()) return false;
  const bool all = std::all_of(connections_.begin(), connections_.end(), [](const auto& one) {
    if (one->is_unmet) return !one->has_messages();
    return !one->socket.is_open() || (one->outgoing.empty() && has_delivered(one->socket));
  });
  if (all && switchboard_ != nullptr) switchboard_->hang_up();
  return all;
}

// They are not the child's own.
void TcpCarrier::close_all() {
  for (const auto& connection : connections_) connection->socket = Descriptor();
  if (switchboard_ != nullptr) switchboard_->leave_to_parent();
  epoll_ = Descriptor();
}

void TcpCarrier::lose(Connection& connection, const std::string& why) {
  connection.socket = Descriptor();  // closing takes it out of the epoll set
  connection.is_unmet = false;
  const bool has_left = user().has_left(connection.process);
  for (const Outgoing& one : connection.outgoing.all())
    if (one.outbox != nullptr) has_left ? one.outbox->complete(one.task) : one.outbox->fail();
  connection.outgoing.clear();
  if (has_left) return;
  if (connection.incoming.awaited.outbox != nullptr) connection.incoming.awaited.outbox->fail();
  connection.incoming = {};
  connection.is_within = false;
  user().lost(connection.process, why);
}

// TCP's own questions, which the other end's system answers even where the process stands still, in a
// debugger for one, go out while an answer is of interest to somebody.
void TcpCarrier::look_for_silence(Nanoseconds now, std::span<const char> is_needed) {
  for (const auto& connection : connections_) {
    if ((!connection->is_unmet && !connection->socket.is_open()) || user().has_left(connection->process))
      continue;
    const bool needed =
        is_needed[static_cast<std::size_t>(connection->process)] != 0 || !connection->outgoing.empty();
    const bool was_needed = connection->needed_since != Nanoseconds(0);
    if (needed != was_needed) {
      connection->needed_since = needed ? now : Nanoseconds(0);
      if (!connection->is_unmet) ask_for_signs_of_life(connection->socket, needed);
    } else if (connection->is_unmet) {
      if (needed && now - connection->needed_since >= kBeforeCalling) switchboard_->call(connection->process);
    } else if (needed && now - connection->needed_since > kPatience &&
               is_silent(connection->socket, kPatience)) {
      lose(*connection, "its host has not answered for some seconds");
    }
  }
}

}  // namespace weft::wire
