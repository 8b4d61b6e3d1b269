// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/switchboard.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

#include "transport/wire/carrier.hpp"

namespace weft::wire {
namespace {

constexpr Nanoseconds kTick{50'000'000};
constexpr int ticks_in(Nanoseconds time) { return static_cast<int>(time.value / kTick.value); }

// Callers who have not said who they are. Others wait in the system, as they do anyway.
constexpr std::size_t kMostUnknown = 256;

bool is_refusal(const std::string& why) { return why.ends_with(std::strerror(ECONNREFUSED)); }

}  // namespace

Switchboard::Switchboard(const JobKey& key, int self, Listener listener, std::vector<Reach> processes,
                         Nanoseconds patience)
    : key_(key),
      self_(self),
      listener_(std::move(listener)),
      processes_(std::move(processes)),
      patience_(ticks_in(patience)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      parties_(processes_.size()) {
  for (const Descriptor* const door : doors()) watch(door->number(), EPOLLIN, true);
  watch(timer_.number(), EPOLLIN, true);
}

void Switchboard::watch(int descriptor, std::uint32_t events, bool is_new) {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  ::epoll_ctl(epoll_.number(), is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

void Switchboard::call(int process) {
  Party& called = party(process);
  if (called.is_settled || std::exchange(called.is_wanted, true)) return;
  called.age = 0;
  wanted_.push_back(process);
  start_ticking();
  if (called.guest < 0) dial(process);
}

void Switchboard::dial(int process) {
  Party& called = party(process);
  auto begun = begin_to_connect(reach(process)[called.address]);
  if (!begun) return note_problem(process, begun.error());
  called.guest = begun->number();
  guests_[called.guest] = {.socket = std::move(*begun),
                           .process = process,
                           .number = ++called.calls,
                           .is_own = true,
                           .is_connected = false,
                           .hello = {}};
  watch(called.guest, EPOLLOUT, true);
}

// The next address has its turn: at once, but after the last one with the next tick.
void Switchboard::note_problem(int process, const std::string& why) {
  Party& called = party(process);
  called.why = why;
  called.refusals = is_refusal(why) ? called.refusals + 1 : 0;
  called.address = (called.address + 1) % reach(process).size();
  if (called.is_wanted && called.address > 0) dial(process);
}

void Switchboard::miss(Guest& guest, const std::string& why) {
  const int process = guest.process;
  const bool is_own = guest.is_own;
  if (process < 0) ++strangers_;
  drop(guest);
  if (!is_own) return;
  note_problem(process, fmt::format("{}: {}", reach(process)[party(process).address].text(), why));
}

// Closing alone would leave it in the epoll set if a child of this process had it, too.
void Switchboard::drop(const Guest& guest) {
  const int number = guest.socket.number();
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, number, nullptr);
  if (guest.process < 0) --unknown_;
  else if (party(guest.process).guest == number) party(guest.process).guest = -1;
  guests_.erase(number);
}

std::vector<Outcome> Switchboard::drive() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), 0);
  bool ticks = false;
  for (int i = 0; i < count; ++i) {
    const int number = events[static_cast<std::size_t>(i)].data.fd;
    if (number == listener_.socket.number()) answer_the_door(listener_.socket);
    else if (number == listener_.local_socket.number()) answer_the_door(listener_.local_socket);
    else if (number == timer_.number()) ticks = true;
    else if (const auto at = guests_.find(number); at != guests_.end()) settle(at->second);
  }
  if (ticks) tick();
  return std::exchange(outcomes_, {});
}

// While too many wait, or this process has no descriptors left, nobody is let in until the next tick.
void Switchboard::answer_the_door(const Descriptor& door) {
  while (unknown_ < kMostUnknown) {
    Descriptor caller = accept_from(door);
    if (!caller.is_open()) {
      if (errno != EAGAIN) open_doors(false);
      return;
    }
    const int number = caller.number();
    guests_[number] = {.socket = std::move(caller), .hello = {}};
    ++unknown_;
    watch(number, EPOLLIN, true);
    start_ticking();
  }
  open_doors(false);
}

std::vector<const Descriptor*> Switchboard::doors() const {
  if (!listener_.local_socket.is_open()) return {&listener_.socket};
  return {&listener_.socket, &listener_.local_socket};
}

void Switchboard::open_doors(bool open) {
  open &= !has_hung_up_;
  if (std::exchange(are_doors_open_, open) == open) return;
  for (const Descriptor* const door : doors())
    watch(door->number(), open ? std::uint32_t{EPOLLIN} : 0, false);
  if (!open) start_ticking();
}

// Takes what has come of it. An event may be that of an earlier socket with the same number.
void Switchboard::settle(Guest& guest) {
  if (!guest.is_connected) {
    if (const std::string problem = problem_of(guest.socket); !problem.empty()) return miss(guest, problem);
    guest.is_connected = say_hello(guest);
    if (guest.is_connected) return watch(guest.socket.number(), EPOLLIN, false);
    return errno == EAGAIN ? void() : miss(guest, std::strerror(errno));
  }
  auto* const into = reinterpret_cast<std::byte*>(&guest.hello);
  const ssize_t got = ::recv(guest.socket.number(), into + guest.got, sizeof guest.hello - guest.got, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return miss(guest, got < 0 ? std::strerror(errno) : "whoever is there hangs up");
  guest.got += static_cast<std::size_t>(got);
  if (guest.got < sizeof guest.hello) return;
  guest.got = 0;
  if (!is_meant(guest)) return miss(guest, "somebody else answers there");
  if (guest.process < 0) return answer(guest);
  if (guest.is_own && !say_hello(guest)) return miss(guest, std::strerror(errno));
  connect(guest);
}

// So few bytes have room in a socket that is new.
bool Switchboard::say_hello(const Guest& guest) const {
  const Hello hello{key_, self_, guest.process, guest.number};
  return ::send(guest.socket.number(), &hello, sizeof hello, MSG_NOSIGNAL) == ssize_t{sizeof hello};
}

bool Switchboard::is_meant(const Guest& guest) const {
  const Hello& said = guest.hello;
  if (said.key != key_ || said.to != self_) return false;
  if (guest.process >= 0) return said.from == guest.process && said.number == guest.number;
  return said.from >= 0 && said.from < process_count() && said.from != self_;
}

void Switchboard::answer(Guest& caller) {
  Party& from = party(caller.hello.from);
  const Guest* const other = from.guest < 0 ? nullptr : &guests_.at(from.guest);
  const bool own_stands =
      other != nullptr && other->is_own && other->is_connected && self_ > caller.hello.from;
  if (from.is_settled || own_stands || caller.hello.number <= from.answered) return drop(caller);
  if (other != nullptr) drop(*other);
  --unknown_;
  caller.process = caller.hello.from;
  caller.number = from.answered = caller.hello.number;
  from.guest = caller.socket.number();
  if (!say_hello(caller)) drop(caller);
}

void Switchboard::connect(Guest& guest) {
  Party& with = party(guest.process);
  with.is_settled = true;
  with.is_wanted = false;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, guest.socket.number(), nullptr);
  outcomes_.push_back({guest.process, std::move(guest.socket), ""});
  guests_.erase(std::exchange(with.guest, -1));
}

void Switchboard::give_up(int process) {
  Party& gone = party(process);
  gone.is_settled = true;
  gone.is_wanted = false;
  if (gone.guest >= 0) drop(guests_.at(gone.guest));
  outcomes_.push_back({process, Descriptor(), gone.why});
}

bool Switchboard::is_answering() const {
  return std::any_of(guests_.begin(), guests_.end(),
                     [](const auto& one) { return one.second.process >= 0 && !one.second.is_own; });
}

void Switchboard::hang_up() {
  has_hung_up_ = true;
  open_doors(false);
  for (const int process : std::exchange(wanted_, {})) party(process).is_wanted = false;
  while (!guests_.empty()) drop(guests_.begin()->second);
}

void Switchboard::leave_to_parent() {
  listener_ = Listener();
  timer_ = Descriptor();
  epoll_ = Descriptor();
}

// While somebody is wanted, or not known.
void Switchboard::start_ticking() {
  if (std::exchange(is_ticking_, true)) return;
  const timespec each{0, kTick.value};
  const itimerspec times{each, each};
  ::timerfd_settime(timer_.number(), 0, &times, nullptr);
}

void Switchboard::tick() {
  std::uint64_t times = 0;
  static_cast<void>(!::read(timer_.number(), &times, sizeof times));
  open_doors(true);
  end_old_calls();
  const int enough = std::min(patience_, ticks_in(kPatience));
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const int process = wanted_[i];
    Party& one = party(process);
    if (!one.is_wanted) continue;
    const bool is_gone = one.refusals >= reach(process).size() && one.age >= enough;
    if (++one.age > patience_ || is_gone) give_up(process);
    else if (one.guest < 0) dial(process);
  }
  std::erase_if(wanted_, [this](int process) { return !party(process).is_wanted; });
  if (!wanted_.empty() || unknown_ > 0) return;
  is_ticking_ = false;
  const itimerspec never{};
  ::timerfd_settime(timer_.number(), 0, &never, nullptr);
}

void Switchboard::end_old_calls() {
  std::vector<int> old;
  for (auto& [number, guest] : guests_) {
    const bool is_unknown = guest.process < 0;
    const int most = is_unknown     ? std::min(patience_, ticks_in(kPatience))
                     : guest.is_own ? patience_ / static_cast<int>(reach(guest.process).size())
                                    : -1;  // whoever has called may take its time
    if (++guest.age > most && most >= 0) old.push_back(number);
  }
  for (const int number : old) {
    Guest& guest = guests_.at(number);
    miss(guest, guest.is_connected ? "whoever is there says nothing" : "nobody answers");
  }
}

}  // namespace weft::wire
