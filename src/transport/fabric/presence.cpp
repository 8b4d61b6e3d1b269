// SPDX-License-Identifier: BSD-3-Clause
// Who is there: how the processes of a job meet over a fabric, ask one another for signs of life, and make
// sure that their last words have arrived.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <utility>

#include "transport/fabric/fabric_carrier.hpp"

namespace weft::fabric {
namespace {

constexpr Nanoseconds kBetweenQuestions{1'000'000'000}, kBetweenLastQuestions{200'000'000};
constexpr int kPause = 10;  // ms, before somebody is called again

}  // namespace

void FabricCarrier::say_hello() {
  for (int process = 0; process < process_count(); ++process) {
    Peer& to = peer(process);
    if (!misses(process) || std::exchange(to.is_being_told, true)) continue;
    const wire::FrameHead head{key_, {.sender = self_, .kind = wire::FrameKind::kHello}, 0};
    ShortSend& frame = another_frame(process, sizeof head);
    std::memcpy(frame.memory.data(), &head, sizeof head);
    frame.is_hello = true;
    const long code = to.queue.empty() ? post(frame) : -FI_EAGAIN;
    if (code == 0) continue;
    recycle(frame);
    to.is_being_told = false;
    if (code != -FI_EAGAIN) to.why = endpoint_->library->text(code);
  }
}

// Those who are no partners are not to be met.
bool FabricCarrier::misses(int process) const {
  const Peer& one = peer(process);
  return one.is_reached && one.is_partner && !(one.is_told && one.has_said_hello);
}

bool FabricCarrier::has_met_all() const {
  for (int process = 0; process < process_count(); ++process)
    if (misses(process)) return false;
  return true;
}

std::string FabricCarrier::who_is_missing() const {
  std::string text;
  for (int process = 0; process < process_count(); ++process) {
    if (!misses(process)) continue;
    const Peer& one = peer(process);
    const char* const state = one.is_told ? "it does not answer" : "it is not reached";
    text += fmt::format("{}processes {} and {} of the job do not meet over libfabric's provider {}: {}",
                        text.empty() ? "" : "; ", self_, process, endpoint_->name.provider.data(),
                        one.why.empty() ? state : one.why);
  }
  return text;
}

Meeting meet(OwnEndpoint endpoint, const wire::JobKey& key, int self, std::span<const Name> processes,
             wire::Partners partners, std::chrono::milliseconds patience) {
  Meeting meeting;
  const auto miss = [&](int process, const std::string& why) {
    meeting.missing.push_back(process);
    meeting.problem += (meeting.problem.empty() || why.empty() ? "" : "; ") + why;
  };
  std::vector<fi_addr_t> addresses(processes.size(), FI_ADDR_UNSPEC);
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const Name& name = processes[process];
    if (name.size == 0 || static_cast<int>(process) == self) continue;
    fi_addr_t& address = addresses[process];
    if (fi_av_insert(endpoint->addresses.get(), name.bytes.data(), 1, &address, 0, nullptr) == 1) continue;
    address = FI_ADDR_UNSPEC;
    miss(static_cast<int>(process),
         fmt::format("libfabric's provider {} does not know what to do with the address of rank {}",
                     name.provider.data(), process));
  }
  auto made = std::make_unique<FabricCarrier>(std::move(endpoint), key, self, std::move(addresses),
                                              std::move(partners));
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!made->has_met_all() && std::chrono::steady_clock::now() < end) {
    made->say_hello();
    if (made->drive() || made->longest_wait() == 0) continue;
    pollfd descriptor{made->descriptor(), POLLIN, 0};
    ::poll(&descriptor, 1, kPause);
  }
  std::string why = made->who_is_missing();
  for (int process = 0; process < made->process_count(); ++process)
    if (made->misses(process)) miss(process, std::exchange(why, ""));
  meeting.carrier = std::move(made);
  return meeting;
}

// Not injected: whether it has been sent is of interest.
void FabricCarrier::tell(int process, wire::FrameKind kind, std::uint64_t number) {
  if (!reaches(process) || !is_open()) return;
  peer(process).is_known = true;
  const wire::FrameHead head{key_, {.operation = number, .sender = self_, .kind = kind}, 0};
  ShortSend& frame = another_frame(process, sizeof head);
  std::memcpy(frame.memory.data(), &head, sizeof head);
  start(frame);
}

void FabricCarrier::take_word(const wire::FrameHead& head, Peer& from) {
  switch (head.address.kind) {
    case wire::FrameKind::kHello: from.has_said_hello = true; return;
    case wire::FrameKind::kIsThere:
      return tell(head.address.sender, wire::FrameKind::kIAmHere, head.address.operation);
    case wire::FrameKind::kIAmHere: from.answered = std::max(from.answered, head.address.operation); return;
    default: ++dropped_;
  }
}

// Time in which this process has not looked, since it stood still itself, is not the other's silence.
void FabricCarrier::look_for_silence(Nanoseconds now, std::span<const char> is_needed) {
  const Nanoseconds passed = std::min(now - std::exchange(last_look_, now), kBetweenQuestions);
  for (int process = 0; process < process_count(); ++process) {
    Peer& one = peer(process);
    if (!one.is_reached || user().has_left(process)) continue;
    const bool needed =
        is_needed[static_cast<std::size_t>(process)] != 0 || one.posted > 0 || !one.queue.empty();
    const bool was_watched = std::exchange(one.is_watched, needed);
    if (std::exchange(one.has_spoken, false) || !was_watched || !needed) one.silence = Nanoseconds(0);
    else one.silence = one.silence + passed;
    if (!needed) continue;
    if (one.silence > wire::kPatience) {
      lose(process, "it has not answered for some seconds", true);
    } else if (!was_watched || now - one.asked_at >= kBetweenQuestions) {
      one.asked_at = now;
      tell(process, wire::FrameKind::kIsThere, ++one.asked);
    }
  }
}

// Who answers a question has read all that was said before it. Who has left has nothing to do with it any
// more; if it has gone before its own last words went out, a question that is asked again finds nobody, or,
// where its end was in the middle of being connected, has no answer: kPatience is enough, as it is elsewhere.
bool FabricCarrier::has_arrived() {
  const Nanoseconds now = elapsed_time();
  const bool is_first = asked_all_at_ == Nanoseconds(0);
  if (is_first) asked_all_at_ = now;
  if (now - asked_all_at_ > wire::kPatience) return true;
  bool have_answered = true;
  for (int process = 0; process < process_count(); ++process) {
    Peer& one = peer(process);
    if (!knows(process) || user().has_left(process)) continue;
    const bool waits = one.answered < one.asked;
    if (is_first || (waits && now - one.asked_at >= kBetweenLastQuestions)) {
      one.asked_at = now;
      tell(process, wire::FrameKind::kIsThere, ++one.asked);
    }
    have_answered &= one.answered >= one.asked;
  }
  return have_answered;
}

}  // namespace weft::fabric
