// SPDX-License-Identifier: BSD-3-Clause
// Messages between virtual hosts, which take time of the ranks' cores on their way.
#include <algorithm>

#include "executor/simulator/run.hpp"

namespace weft::simulator {

// What arrives then, and left at that time, of so many bytes to pay for; none of a request or an answer.
void Run::send_to_forwarder(const Event& arrives, Time leaves, const Link& link, Bytes paid) {
  const Time work = setting_.machine.forward + setting_.machine.forward_per_byte * paid.value;
  Event event = arrives;
  event.at = leaves;
  event.task = forwarder_.add({arrives, link.latency, work});
  event.kind = EventKind::kForward;
  queue_.push(event);
}

void Run::come_to_forwarder(const Event& event) {
  if (forwarder_.come(event.task)) begin_to_forward(event.at, setting_.machine.forward_wake);
}

void Run::begin_to_forward(Time at, Time wake) {
  const Time work = wake + forwarder_.first().work;
  if (cores_.are_lent())
    if (const auto loser = cores_.lend()) lose(*loser, at, work);
  queue_.push({.at = at + work, .kind = EventKind::kForwarded});
}

// The message goes on, and the next one begins on whatever core is idle then.
void Run::end_to_forward(const Event& event) {
  Forwarder::Message message = forwarder_.take_first();
  message.arrives.at = std::max(message.arrives.at, event.at + message.latency);
  queue_.push(message.arrives);
  const auto turn = cores_.end_loan();
  if (!forwarder_.is_idle()) begin_to_forward(event.at, Time(0));
  if (turn) begin_on_core(turn->rank, turn->taken, event.at);
}

// On whose core somebody else works for so long.
void Run::lose(Cores::User user, Time at, Time duration) {
  if (user.thread == Thread::kRank && is_away(user.rank, at)) return steal(user.rank, duration);
  Player& player = players_[user.rank];
  player.free = std::max(player.free, at) + duration;
}

}  // namespace weft::simulator
