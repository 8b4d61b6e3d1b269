// SPDX-License-Identifier: BSD-3-Clause
#include "transport/in_process.hpp"

#include <algorithm>
#include <cstring>

namespace weft {

Network::Network(int rank_count, Disturbance disturbance) : disturbance_(disturbance) {
  Random seeds(disturbance.seed);
  for (int rank = 0; rank < rank_count; ++rank) mailboxes_.push_back(std::make_unique<Mailbox>(seeds.next()));
}

void Network::tell(Outbox* outbox, TaskId task, bool failed) {
  if (outbox == nullptr) return;
  const std::lock_guard lock(outbox->mutex);
  outbox->completed.push_back(task);
  outbox->failed |= failed;
}

// False if the two ends differ in size.
bool Network::deliver(const Message& message, const Opening& opening) {
  const bool fits = message.size == opening.size;
  if (fits && message.size > Bytes(0))
    std::memcpy(opening.into, message.from, static_cast<std::size_t>(message.size.value));
  if (!fits) {
    const std::lock_guard lock(node_mutex_);
    if (failure_.empty())
      failure_ = "a message of " + std::to_string(message.size.value) + " bytes met a receive of " +
                 std::to_string(opening.size.value);
  }
  tell(message.sender, message.task, !fits);
  tell(opening.receiver, opening.task, !fits);
  ++events_;
  return fits;
}

Network::GroupKey Network::key_of(Channel channel, const Schedule& schedule, std::uint32_t group) {
  const auto begin = schedule.groups.begin();
  const auto occurrence = std::count(begin, begin + group, schedule.groups[group]);
  return {channel, schedule.groups[group].members, static_cast<std::size_t>(occurrence)};
}

std::string Network::trouble() const {
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "; ") + line; };
  const auto name = [](const Address& a) {
    return "message " + std::to_string(a.ordinal) + " of channel " + std::to_string(a.channel);
  };
  for (std::size_t rank = 0; rank < mailboxes_.size(); ++rank) {
    const std::lock_guard lock(mailboxes_[rank]->mutex);
    for (const auto& [address, opening] : mailboxes_[rank]->openings)
      add("rank " + std::to_string(rank) + " waits for " + name(address) + " from rank " +
          std::to_string(address.source));
    for (const auto& [address, message] : mailboxes_[rank]->messages)
      add("rank " + std::to_string(rank) + " never received " + name(address) + " from rank " +
          std::to_string(address.source));
  }
  const std::lock_guard lock(node_mutex_);
  if (!failure_.empty()) add(failure_);
  for (const auto& [key, meeting] : meetings_)
    add("node task " + std::to_string(key.second) + " of the group that rank " +
        std::to_string(key.first.members.front().value) + " heads, channel " +
        std::to_string(key.first.channel) + ": " + std::to_string(meeting.started) + " of " +
        std::to_string(key.first.members.size()) + " started it");
  return text;
}

std::vector<std::byte*> InProcess::attach(Channel channel, const Schedule& schedule) {
  attached_[channel] = &schedule;
  std::map<std::uint32_t, std::size_t> seen;  // shared buffers so far, per group
  std::vector<std::byte*> addresses;
  const std::lock_guard lock(network_->node_mutex_);
  for (const Buffer& buffer : schedule.buffers) {
    if (!is_shared(buffer.role)) continue;
    auto& memory = network_->memory_[Network::key_of(channel, schedule, buffer.group.value)];
    const std::size_t place = seen[buffer.group.value]++;
    if (place == memory.size())
      memory.push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(buffer.size.value)));
    addresses.push_back(memory[place].get());
  }
  return addresses;
}

Progress InProcess::send(Pending& pending, TaskId task, Channel channel, const Task& what, const void* from) {
  Network::Mailbox& box = *network_->mailboxes_[static_cast<std::size_t>(what.peer)];
  const std::lock_guard lock(box.mutex);
  ++network_->events_;
  Network::Message message{static_cast<const std::byte*>(from), nullptr, what.size, pending.outbox_.get(),
                           task};
  const bool rendezvous = box.random.chance(network_->disturbance_.rendezvous_percent);
  const auto delay = static_cast<int>(
      box.random.below(static_cast<std::uint64_t>(network_->disturbance_.longest_delay) + 1));
  const Network::Address address{channel, self_.value, what.ordinal};

  const auto opening = box.openings.find(address);
  const bool now = opening != box.openings.end() && delay == 0;
  if (!rendezvous && !now) {
    const auto size = static_cast<std::size_t>(what.size.value);
    message.copy = std::make_unique_for_overwrite<std::byte[]>(size);
    if (size != 0) std::memcpy(message.copy.get(), from, size);
    message.from = message.copy.get();
  }
  if (!rendezvous || now) message.sender = nullptr;
  const Progress progress = message.sender == nullptr ? Progress::kDone : Progress::kPending;
  if (now) {
    const bool fits = network_->deliver(message, opening->second);
    box.openings.erase(opening);
    return fits ? progress : Progress::kFailed;
  }
  if (opening != box.openings.end()) {
    box.deliveries.push_back({std::move(message), opening->second, delay});
    box.openings.erase(opening);
    return progress;
  }
  return box.messages.emplace(address, std::move(message)).second ? progress : Progress::kFailed;
}

Progress InProcess::recv(Pending& pending, TaskId task, Channel channel, const Task& what, void* into) {
  Network::Mailbox& box = *network_->mailboxes_[static_cast<std::size_t>(self_.value)];
  const std::lock_guard lock(box.mutex);
  ++network_->events_;
  Network::Opening opening{static_cast<std::byte*>(into), what.size, pending.outbox_.get(), task};
  const auto delay = static_cast<int>(
      box.random.below(static_cast<std::uint64_t>(network_->disturbance_.longest_delay) + 1));
  const Network::Address address{channel, what.peer, what.ordinal};

  const auto message = box.messages.find(address);
  if (message == box.messages.end())
    return box.openings.emplace(address, opening).second ? Progress::kPending : Progress::kFailed;
  Progress progress = Progress::kPending;
  if (delay == 0) {
    opening.receiver = nullptr;
    progress = network_->deliver(message->second, opening) ? Progress::kDone : Progress::kFailed;
  } else {
    box.deliveries.push_back({std::move(message->second), opening, delay});
  }
  box.messages.erase(message);
  return progress;
}

Progress InProcess::node_level(Pending& pending, TaskId task, Channel channel, const Task& what) {
  const auto attached = attached_.find(channel);
  if (attached == attached_.end()) return Progress::kFailed;  // attach() comes before start()
  const Schedule& schedule = *attached->second;
  // What an errand opens is the same step as that of those who wait for it.
  const auto opens = [](const Task& t) { return t.kind == TaskKind::kFanOut && t.is_errand(); };
  const auto number = std::count_if(
      schedule.tasks.begin(), schedule.tasks.begin() + task.value,
      [&](const Task& t) { return is_node_level(t.kind) && t.ordinal == what.ordinal && !opens(t); });
  auto key = Network::key_of(channel, schedule, what.ordinal);
  const bool by_last = what.peer == kLast;
  const auto members = static_cast<int>(key.members.size()) + (by_last && what.kind == TaskKind::kFanOut);

  const std::lock_guard lock(network_->node_mutex_);
  ++network_->events_;
  const auto at = network_->meetings_.try_emplace({std::move(key), static_cast<std::size_t>(number)}).first;
  Network::Meeting& meeting = at->second;
  const bool all = ++meeting.started == members;
  const Progress progress =
      by_last ? step_by_last(pending, meeting, task, what, all) : step(pending, meeting, task, schedule);
  if (is_later_round(what) ? meeting.waiters.empty() : all) network_->meetings_.erase(at);
  return progress;
}

// A step at which every member knows whom it waits for.
Progress InProcess::step(Pending& pending, Network::Meeting& meeting, TaskId task, const Schedule& schedule) {
  meeting.came.push_back(self_);
  std::erase_if(meeting.waiters, [&](Network::Waiter& waiter) {
    std::erase(waiter.missing, self_);
    if (waiter.missing.empty()) Network::tell(waiter.outbox, waiter.task, false);
    return waiter.missing.empty();
  });
  const Task& what = schedule.tasks[task.value];
  Network::Waiter own{pending.outbox_.get(), task, {}};
  for (const Rank member : schedule.groups[what.ordinal].members) {
    const bool is_here = std::find(meeting.came.begin(), meeting.came.end(), member) != meeting.came.end();
    if (!is_here && waits_for(schedule, what, member)) own.missing.push_back(member);
  }
  if (own.missing.empty()) return Progress::kDone;
  meeting.waiters.push_back(std::move(own));
  return Progress::kPending;
}

// A fan_in that the last arriver leads, or the fan_out that it opens.
Progress InProcess::step_by_last(Pending& pending, Network::Meeting& meeting, TaskId task, const Task& what,
                                 bool all) {
  if (what.kind == TaskKind::kFanIn) return all ? Progress::kDone : Progress::kNotLast;
  meeting.last_opened |= what.is_errand();
  if (!meeting.last_opened) {
    meeting.waiters.push_back({pending.outbox_.get(), task, {}});
    return Progress::kPending;
  }
  for (const Network::Waiter& waiter : meeting.waiters) Network::tell(waiter.outbox, waiter.task, false);
  meeting.waiters.clear();
  return Progress::kDone;
}

Network::ExposedKey InProcess::exposed_key(Channel channel, BufferId buffer) const {
  const Schedule& schedule = *attached_.at(channel);
  const auto first = schedule.buffers.begin();
  const GroupId group = schedule.buffers[buffer.value].group;
  const auto place = std::count_if(first, first + buffer.value, [&](const Buffer& b) {
    return b.role == BufferRole::kExposed && b.group == group;
  });
  return {Network::key_of(channel, schedule, group.value), static_cast<std::size_t>(place)};
}

void InProcess::expose(Pending&, Channel channel, BufferId buffer, std::byte* address) {
  auto key = exposed_key(channel, buffer);
  const std::lock_guard lock(network_->node_mutex_);
  network_->exposed_[std::move(key)] = address;
}

// Null if its owner has not told it, which a proved schedule does not meet.
std::byte* InProcess::exposed_address(Channel channel, Range range) const {
  const auto key = exposed_key(channel, range.buffer);
  const std::lock_guard lock(network_->node_mutex_);
  const auto found = network_->exposed_.find(key);
  return found == network_->exposed_.end() ? nullptr : found->second + range.offset.value;
}

bool InProcess::pull(Pending&, Channel channel, Range from, std::byte* into) {
  const std::byte* source = exposed_address(channel, from);
  if (source != nullptr && from.size > Bytes(0))
    std::memcpy(into, source, static_cast<std::size_t>(from.size.value));
  return source != nullptr;
}

bool InProcess::push(Pending&, Channel channel, const std::byte* from, Range into) {
  std::byte* target = exposed_address(channel, into);
  if (target != nullptr && into.size > Bytes(0))
    std::memcpy(target, from, static_cast<std::size_t>(into.size.value));
  return target != nullptr;
}

int InProcess::poll(Pending& pending, std::span<TaskId> done) {
  {
    Network::Mailbox& box = *network_->mailboxes_[static_cast<std::size_t>(self_.value)];
    const std::lock_guard lock(box.mutex);
    std::erase_if(box.deliveries, [&](Network::Delivery& delivery) {
      if (--delivery.polls_left > 0) return false;
      network_->deliver(delivery.message, delivery.opening);
      return true;
    });
  }
  const std::lock_guard lock(pending.outbox_->mutex);
  auto& completed = pending.outbox_->completed;
  if (pending.outbox_->failed) return -1;
  const std::size_t count = std::min(done.size(), completed.size());
  std::copy_n(completed.begin(), count, done.begin());
  completed.erase(completed.begin(), completed.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<int>(count);
}

}  // namespace weft
