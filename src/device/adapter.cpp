// SPDX-License-Identifier: BSD-3-Clause
#include "device/adapter.hpp"

#include <fmt/format.h>

#include "schedule/describe.hpp"

namespace weft::device {

std::string beyond(const AdapterLimits& limits, const TaskList& list) {
  const auto at = [&](std::uint32_t id) {
    return fmt::format("rank {}, task {} ({})", list.self.value, id, describe(list, list.tasks[id]));
  };
  for (std::size_t part = 0; part < list.ends.size(); ++part) {
    const std::uint32_t begin = list.begin_of(part);
    std::vector<std::uint32_t> sent(list.queues.size()), received(list.queues.size());
    for (std::uint32_t id = begin; id < list.ends[part]; ++id) {
      const ListTask& task = list.tasks[id];
      if (id - begin >= limits.longest_list)
        return fmt::format("{} is one more than the {} that a list may have: lower with most_tasks {}",
                           at(id), limits.longest_list, limits.longest_list);
      auto& depth = (task.kind == ListTaskKind::kPostRecv ? received : sent)[task.queue];
      if (depth++ >= limits.deepest_queue)
        return fmt::format("{} is one more than the {} that {} can hold: use shorter lists", at(id),
                           limits.deepest_queue, name_of(list.queues[task.queue]));
      if (limits.scalar_operands && task.kind == ListTaskKind::kCalc && task.size > list.call.element_bytes)
        return fmt::format("{} combines {} bytes, and the adapter scalars of {} only: combine them elsewhere",
                           at(id), task.size.value, list.call.element_bytes.value);
    }
  }
  return "";
}

Progress Fabric::meet(const Address& address, Half half, bool is_send) {
  half.number = begun_++;
  auto& others = is_send ? recvs_ : sends_;
  const auto other = others.find(address);
  if (other == others.end()) {
    const bool is_new = (is_send ? sends_ : recvs_).emplace(address, half).second;
    return is_new ? Progress::kPending : Progress::kFailed;
  }
  const auto& [channel, from, to, ordinal] = address;
  const Link link{channel, from, to};
  deliverable_.push_back(is_send ? Message{half, other->second, link} : Message{other->second, half, link});
  others.erase(other);
  return Progress::kPending;
}

void Fabric::place(const Write& write) {
  copy_bytes(write.source.bytes, write.into, write.source.size);
  write.source.pending->completed.push_back(write.source.task);
}

void Fabric::deliver(std::size_t which) {
  if (which >= deliverable_.size()) {
    const auto write = writes_.begin() + static_cast<std::ptrdiff_t>(which - deliverable_.size());
    place(*write);
    writes_.erase(write);
    return;
  }
  const auto [send, recv, link] = deliverable_[which];
  std::erase_if(writes_, [&](const Write& write) {
    const bool has_to_be_there = write.link == link && write.source.number < send.number;
    if (has_to_be_there) place(write);
    return has_to_be_there;
  });
  deliverable_[which] = deliverable_.back();
  deliverable_.pop_back();
  if (send.size == recv.size) copy_bytes(send.bytes, recv.bytes, send.size);
  else send.pending->failed = recv.pending->failed = true;
  send.pending->completed.push_back(send.task);
  recv.pending->completed.push_back(recv.task);
}

Progress FabricEnd::send(Pending& pending, TaskId task, Channel channel, const Task& what, const void* from) {
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(from));
  return fabric_->meet({channel, self_.value, what.peer, what.ordinal}, {&pending, task, bytes, what.size},
                       true);
}
Progress FabricEnd::recv(Pending& pending, TaskId task, Channel channel, const Task& what, void* into) {
  return fabric_->meet({channel, what.peer, self_.value, what.ordinal},
                       {&pending, task, static_cast<std::byte*>(into), what.size}, false);
}
void FabricEnd::open(Pending& pending, Channel channel, std::byte* memory, Bytes size) {
  fabric_->windows_[{channel, self_.value}] = {memory, size, &pending};
}
void FabricEnd::close(Pending& pending) {
  std::erase_if(fabric_->windows_, [&](const auto& entry) { return entry.second.owner == &pending; });
}
Progress FabricEnd::write(Pending& pending, TaskId task, Channel channel, const Task& what,
                          const void* from) {
  const auto window = fabric_->windows_.find({channel, what.peer});
  const bool is_within = window != fabric_->windows_.end() && what.target_offset >= Bytes(0) &&
                         what.size <= window->second.size - what.target_offset;
  if (!is_within) return Progress::kFailed;
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(from));
  fabric_->writes_.push_back({{&pending, task, bytes, what.size, fabric_->begun_++},
                              window->second.memory + what.target_offset.value,
                              {channel, self_.value, what.peer}});
  return Progress::kPending;
}
int FabricEnd::poll(Pending& pending, std::span<TaskId> done) {
  if (pending.failed) return -1;
  const auto count = pending.completed.size();
  std::copy(pending.completed.begin(), pending.completed.end(), done.begin());
  pending.completed.clear();
  return static_cast<int>(count);
}

Adapter::Adapter(std::span<const TaskList> lists) {
  for (const TaskList& list : lists) {
    ends_.emplace_back(fabric_, list.self);
    operations_.push_back(std::make_unique<ListOperation<FabricEnd>>(list));
  }
}

Result<std::unique_ptr<Adapter>> Adapter::make(std::span<const TaskList> lists, const AdapterLimits& limits) {
  for (const TaskList& list : lists)
    if (std::string reason = beyond(limits, list); !reason.empty()) return Error{std::move(reason)};
  return std::unique_ptr<Adapter>(new Adapter(lists));
}

std::string Adapter::run(std::span<const Binding> bindings, std::uint64_t seed) {
  Random random(seed);
  fabric_ = Fabric();
  std::vector<std::size_t> to_start, to_look;  // ranks
  for (std::size_t rank = 0; rank < operations_.size(); ++rank) to_start.push_back(rank);
  while (true) {
    to_look.clear();
    for (std::size_t rank = 0; rank < operations_.size(); ++rank)
      if (!operations_[rank]->pending().completed.empty()) to_look.push_back(rank);
    const std::size_t events = to_start.size() + to_look.size() + fabric_.deliverable();
    if (events == 0) return stuck();
    std::size_t event = random.below(events);
    if (event < fabric_.deliverable()) {
      fabric_.deliver(event);
      continue;
    }
    event -= fabric_.deliverable();
    const bool starts = event < to_start.size();
    const std::size_t rank = starts ? to_start[event] : to_look[event - to_start.size()];
    if (starts) to_start.erase(to_start.begin() + static_cast<std::ptrdiff_t>(event));
    const Progress progress = starts ? operations_[rank]->start(ends_[rank], bindings[rank])
                                     : operations_[rank]->progress(ends_[rank]);
    if (progress == Progress::kFailed)
      return fmt::format(
          "rank {}: two messages of one number, a message of another size than expected, or a write to what "
          "is not open",
          rank);
  }
}

std::string Adapter::stuck() const {
  std::string ranks;
  for (std::size_t rank = 0; rank < operations_.size(); ++rank)
    if (!operations_[rank]->finished()) ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", rank);
  return ranks.empty() ? "" : "nothing can happen any more, and ranks " + ranks + " have not ended";
}

}  // namespace weft::device
