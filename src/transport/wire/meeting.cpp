// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/meeting.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <utility>

namespace weft::wire {
namespace {

// One connection on its way. Who called sends its hello first; who answers sends one back if it is the one
// meant.
struct Guest {
  Descriptor socket;
  int process = -1;  // -1: a caller who has not said it yet
  bool calls = false, is_connected = false, has_sent = false;
  std::size_t got = 0;
  Hello hello;              // the other end's
  std::size_t address = 0;  // of those of the process, which is being tried
};

constexpr std::chrono::milliseconds kPause{10};  // before somebody is called again

enum class State { kWaits, kMet, kFailed };

class Gathering {
 public:
  Gathering(const JobKey& key, int self, const Listener& listener, std::span<const Reach> processes)
      : key_(key), self_(self), listener_(listener), processes_(processes) {
    meeting_.connections.resize(processes.size());
    why_.resize(processes.size(), "it has not called");
    for (int process = 0; process < self; ++process)
      if (is_met(process)) call(process, 0);
  }

  Meeting run(std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (missing() > 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) break;
      wait(std::min(left, std::chrono::milliseconds(100)));
      answer_the_door();
      std::vector<Guest> guests = std::move(guests_);
      guests_.clear();
      for (Guest& guest : guests) settle(std::move(guest));
      if (!again_.empty()) std::this_thread::sleep_for(kPause);
      for (const auto& [process, address] : std::exchange(again_, {})) call(process, address);
    }
    if (missing() > 0) meeting_.problem = problem();
    return std::move(meeting_);
  }

 private:
  bool is_met(int process) const {
    return process != self_ && !processes_[static_cast<std::size_t>(process)].empty();
  }
  int missing() const {
    int count = 0;
    for (std::size_t process = 0; process < processes_.size(); ++process)
      count += is_met(static_cast<int>(process)) && !meeting_.connections[process].is_open();
    return count;
  }

  void call(int process, std::size_t address) {
    const Reach& reach = processes_[static_cast<std::size_t>(process)];
    for (; address < reach.size(); ++address) {
      auto begun = begin_to_connect(reach[address]);
      if (begun) {
        guests_.push_back({.socket = std::move(*begun),
                           .process = process,
                           .calls = true,
                           .hello = {},
                           .address = address});
        return;
      }
      why_[static_cast<std::size_t>(process)] = begun.error();
    }
    again_.push_back({process, 0});
  }
  // Another address, or the first one again: the other process may not have been ready.
  void call_again(const Guest& guest, const std::string& why) {
    const Reach& reach = processes_[static_cast<std::size_t>(guest.process)];
    why_[static_cast<std::size_t>(guest.process)] = fmt::format("{}: {}", reach[guest.address].text(), why);
    again_.push_back({guest.process, (guest.address + 1) % reach.size()});
  }

  void wait(std::chrono::milliseconds most) {
    std::vector<pollfd> sockets{{listener_.socket.number(), POLLIN, 0}};
    for (const Guest& guest : guests_)
      sockets.push_back(
          {guest.socket.number(), static_cast<short>(guest.calls && !guest.has_sent ? POLLOUT : POLLIN), 0});
    ::poll(sockets.data(), sockets.size(), static_cast<int>(most.count()));
  }

  void answer_the_door() {
    for (Descriptor caller = accept_from(listener_); caller.is_open(); caller = accept_from(listener_))
      guests_.push_back({.socket = std::move(caller), .is_connected = true, .hello = {}});
  }

  void settle(Guest guest) {
    const std::string why = guest.calls && !guest.is_connected ? connect(guest) : "";
    if (!why.empty()) return call_again(guest, why);
    switch (guest.is_connected ? talk(guest) : State::kWaits) {
      case State::kWaits: guests_.push_back(std::move(guest)); return;
      case State::kMet:
        meeting_.connections[static_cast<std::size_t>(guest.process)] = std::move(guest.socket);
        return;
      case State::kFailed:
        if (guest.calls) call_again(guest, "somebody else answers there");
        else ++meeting_.strangers;
    }
  }

  static std::string connect(Guest& guest) {
    pollfd socket{guest.socket.number(), POLLOUT, 0};
    if (::poll(&socket, 1, 0) <= 0) return "";
    guest.is_connected = true;
    return problem_of(guest.socket);
  }

  State talk(Guest& guest) {
    if (guest.calls && !guest.has_sent && !say_hello(guest)) return State::kWaits;
    auto* const into = reinterpret_cast<std::byte*>(&guest.hello);
    const ssize_t got = ::recv(guest.socket.number(), into + guest.got, sizeof guest.hello - guest.got, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? State::kWaits : State::kFailed;
    if (got == 0) return State::kFailed;
    guest.got += static_cast<std::size_t>(got);
    if (guest.got < sizeof guest.hello) return State::kWaits;
    const Hello& said = guest.hello;
    const bool is_known = said.key == key_ && said.to == self_ && said.from >= 0 &&
                          static_cast<std::size_t>(said.from) < processes_.size();
    if (!is_known || (guest.calls ? said.from != guest.process : said.from <= self_)) return State::kFailed;
    guest.process = said.from;
    return guest.calls || say_hello(guest) ? State::kMet : State::kFailed;
  }

  // So few bytes have room in a socket that is new.
  bool say_hello(Guest& guest) {
    const Hello hello{key_, self_, guest.process};
    guest.has_sent =
        ::send(guest.socket.number(), &hello, sizeof hello, MSG_NOSIGNAL) == ssize_t{sizeof hello};
    return guest.has_sent;
  }

  std::string problem() const {
    std::string text;
    for (std::size_t process = 0; process < processes_.size(); ++process) {
      if (!is_met(static_cast<int>(process)) || meeting_.connections[process].is_open()) continue;
      text += fmt::format("{}no connection between processes {} and {} of the job: {}",
                          text.empty() ? "" : "; ", self_, process, why_[process]);
    }
    return text;
  }

  JobKey key_;
  int self_;
  const Listener& listener_;
  std::span<const Reach> processes_;
  std::vector<Guest> guests_;
  std::vector<std::string> why_;                    // by process: why it could not be reached so far
  std::vector<std::pair<int, std::size_t>> again_;  // whom to call again, at which address
  Meeting meeting_;
};

}  // namespace

Meeting meet(const JobKey& key, int self, const Listener& listener, std::span<const Reach> processes,
             std::chrono::milliseconds patience) {
  return Gathering(key, self, listener, processes).run(patience);
}

}  // namespace weft::wire
