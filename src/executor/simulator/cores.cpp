// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/cores.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::simulator {

namespace {

std::vector<std::vector<Rank>> groups_of(const Topology* topology, int ranks, Level level) {
  if (level != Level::kNetwork)
    return topology != nullptr ? topology->groups(level) : std::vector<std::vector<Rank>>();
  std::vector<Rank> all;
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(rank);
  return {std::move(all)};
}

}  // namespace

Cores::Cores(const Topology* topology, int ranks, int cores, Level level, bool have_agents,
             bool have_forwarder) {
  if (cores == 0) return;
  // It is beside all nodes, and on none of them.
  const std::size_t others = have_forwarder && level == Level::kNetwork ? 1 : 0;
  const auto count = static_cast<std::size_t>(cores);
  for (const std::vector<Rank>& group : groups_of(topology, ranks, level)) {
    if (group.size() * (have_agents ? 2 : 1) + others <= count) continue;
    are_lent_ = others > 0;
    places_.resize(static_cast<std::size_t>(ranks));
    for (const Rank rank : group)
      places_[static_cast<std::size_t>(rank.value)].node = static_cast<std::int32_t>(nodes_.size());
    NodeCores& node = nodes_.emplace_back();
    node.last.resize(count);
    node.idle.resize(count);
    std::iota(node.idle.begin(), node.idle.end(), 0);
  }
}

Cores::Taken Cores::give(NodeCores& node, std::int32_t core, User user) {
  const User before = std::exchange(node.last[static_cast<std::size_t>(core)], user);
  places_[user.rank].core[index(user.thread)] = core;
  return before == user || before == User() ? Taken::kOwn : Taken::kOthers;
}

Cores::Taken Cores::take(std::uint32_t rank, Thread thread) {
  NodeCores& node = nodes_[static_cast<std::size_t>(places_[rank].node)];
  if (node.idle.empty()) return Taken::kNone;
  const User user{rank, thread};
  auto at = std::find_if(node.idle.begin(), node.idle.end(), [&](std::int32_t core) {
    return node.last[static_cast<std::size_t>(core)] == user;
  });
  if (at == node.idle.end()) at = node.idle.begin();
  const std::int32_t core = *at;
  node.idle.erase(at);
  return give(node, core, user);
}

void Cores::postpone(const Event& event) {
  Place& place = places_[event.rank];
  if (place.postponed.empty() && !has(event.rank))
    nodes_[static_cast<std::size_t>(place.node)].waiting.push_back(event.rank);
  place.postponed.push_back(event);
}

std::optional<Cores::Turn> Cores::give_back(std::uint32_t rank, Thread thread) {
  Place& place = places_[rank];
  NodeCores& node = nodes_[static_cast<std::size_t>(place.node)];
  return pass_on(node, std::exchange(place.core[index(thread)], kNone));
}

std::optional<Cores::Turn> Cores::pass_on(NodeCores& node, std::int32_t core) {
  if (node.waiting.empty()) {
    node.idle.push_back(core);
    return std::nullopt;
  }
  const std::uint32_t next = node.waiting.front();
  node.waiting.pop_front();
  return Turn{next, give(node, core, {next, Thread::kRank})};
}

std::optional<Cores::User> Cores::lend() {
  NodeCores& node = nodes_.front();
  if (node.idle.empty()) {
    loser_ = (loser_ + 1) % node.last.size();
    return node.last[loser_];
  }
  lent_ = node.idle.front();
  node.idle.erase(node.idle.begin());
  return std::nullopt;
}

std::optional<Cores::Turn> Cores::end_loan() {
  if (lent_ == kNone) return std::nullopt;
  return pass_on(nodes_.front(), std::exchange(lent_, kNone));
}

std::vector<Event> Cores::take_postponed(std::uint32_t rank) {
  return std::exchange(places_[rank].postponed, {});
}

void Cores::claim_agents(std::uint32_t rank) {
  Place& place = places_[rank];
  std::int32_t& own = place.core[index(Thread::kRank)];
  std::int32_t& agents = place.core[index(Thread::kAgent)];
  if (own != kNone || agents == kNone) return;
  own = std::exchange(agents, kNone);
  nodes_[static_cast<std::size_t>(place.node)].last[static_cast<std::size_t>(own)] = {rank, Thread::kRank};
}

bool Cores::take_worked(std::uint32_t rank, Thread thread) {
  return std::exchange(places_[rank].worked[index(thread)], false);
}

bool Cores::begin_look(std::uint32_t rank, Thread thread) {
  return std::exchange(places_[rank].looked_for[index(thread)], true);
}

std::size_t Cores::bytes() const {
  std::size_t bytes = places_.capacity() * sizeof(Place) + nodes_.capacity() * sizeof(NodeCores);
  for (const NodeCores& node : nodes_)
    bytes += node.last.capacity() * sizeof(User) + node.idle.capacity() * sizeof(std::int32_t);
  return bytes;
}

}  // namespace weft::simulator
