// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/far_end.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sched.h>
#include <utility>

#include "base/clock.hpp"
#include "device/agent.hpp"
#include "mpi/arguments/reduction.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/window/update.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

constexpr Nanoseconds kLongestUpdate{10'000'000'000};  // of a mate who has the memory: then it is dead

// By operator and type. Made by a rank, since facts about types are found under the engine's lock.
const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> found;
    const InEngine inside;
    for (std::uint32_t op = 0; operator_numbered(op) != MPI_REPLACE; ++op)
      for (std::uint32_t type = 0; type < number_of_types(); ++type)
        found.push_back(
            combine_of(Reduction{.op = operator_numbered(op), .type = type_numbered(type)}).kernel);
    return found;
  }();
  return all;
}
Kernel kernel_for(const OrderHead& head) {
  const auto place = std::size_t{head.op} * number_of_types() + head.type;
  return place < kernels().size() ? kernels()[place] : nullptr;
}

bool is_combined(const OrderHead& head) {
  const bool updates = head.does == Does::kUpdate || head.does == Does::kFetch;
  return updates && operator_numbered(head.op) != MPI_REPLACE && operator_numbered(head.op) != MPI_NO_OP;
}

}  // namespace

FarEnd::FarEnd(Window& window, std::uint64_t number)
    : window_(window), number_(number), streams_(window.members.size()), unsent_(window.members.size()) {
  for (std::size_t rank = 0; rank < window.members.size(); ++rank)
    rank_of_process_[window.members[rank].world_rank] = static_cast<int>(rank);
  static_cast<void>(kernels());
  const auto lock = agent()->lock();
  agent()->wire().expose(number_, *this);
}

FarEnd::~FarEnd() {
  const auto lock = agent()->lock();
  agent()->wire().conceal(number_);
  for (Sent& one : sent_) agent()->wire().forget(one.outbox);
}

wire::MessageAddress FarEnd::numbered(int rank, Saying what, std::uint64_t operation) {
  const std::uint32_t part = what == Saying::kOpened ? 0 : stream(rank).sent++;
  return {.operation = operation, .ordinal = static_cast<std::uint32_t>(what), .part = part};
}

void FarEnd::has_opened(int rank, std::uint64_t count) {
  std::atomic<std::uint64_t>& opened = window_.told[static_cast<std::size_t>(rank)].opened;
  opened.store(std::max(opened.load(std::memory_order_relaxed), count), std::memory_order_release);
}

void FarEnd::tell(int rank, Saying what, std::uint64_t count) {
  agent()->wire().send_to_exposed(number_, window_.member(rank).world_rank, numbered(rank, what, count),
                                  nullptr, Bytes(0), nullptr, TaskId{});
}

Progress FarEnd::send(int rank, Saying what, std::uint64_t number, const std::byte* from, Bytes size,
                      wire::Outbox& outbox) {
  return agent()->wire().send_to_exposed(number_, window_.member(rank).world_rank,
                                         numbered(rank, what, number), from, size, &outbox, TaskId{});
}

Bytes FarEnd::longest() const { return agent()->wire().longest_unexpected(); }
bool FarEnd::reaches(int rank) const { return agent()->wire().reaches(window_.member(rank).world_rank); }

std::uint64_t FarEnd::expect_answer(std::byte* into, std::int64_t bytes, std::int64_t& left) {
  answers_[++last_answer_] = {into, bytes, &left};
  return last_answer_;
}

// It may be half there.
void FarEnd::forget_answer(std::uint64_t number) {
  answers_.erase(number);
  agent()->wire().forget_exposed(*this, static_cast<std::uint32_t>(Saying::kAnswer), number);
}

// Where nothing is meant, or nothing good, the payload goes nowhere.
std::byte* FarEnd::place(const wire::MessageAddress& address, Bytes size) {
  const auto sender = rank_of_process_.find(address.sender);
  if (sender == rank_of_process_.end()) return nullptr;
  switch (static_cast<Saying>(address.ordinal)) {
    case Saying::kWrite: {
      const Member& own = window_.member(window_.self);
      const bool is_within = address.operation <= static_cast<std::uint64_t>(own.size) &&
                             size.value <= own.size - static_cast<std::int64_t>(address.operation);
      return is_within ? own.memory + address.operation : nullptr;
    }
    case Saying::kOrder: return stream(sender->second).order.get(static_cast<std::size_t>(size.value));
    case Saying::kAnswer: {
      const auto found = answers_.find(address.operation);
      if (found == answers_.end()) return nullptr;
      const std::int64_t all = found->second.bytes, most = longest().value;
      if (address.part > 0 && address.part > all / most) return nullptr;
      const std::int64_t at = address.part == 0 ? 0 : address.part * most;
      return size.value <= all - at ? found->second.into + at : nullptr;
    }
    default: return nullptr;
  }
}

void FarEnd::arrived(const wire::MessageAddress& address, Bytes size) {
  const auto sender = rank_of_process_.find(address.sender);
  if (sender == rank_of_process_.end()) return;
  const int rank = sender->second;
  switch (static_cast<Saying>(address.ordinal)) {
    case Saying::kOpened: return has_opened(rank, address.operation);
    case Saying::kAnswer: {
      const auto found = answers_.find(address.operation);
      if (found != answers_.end()) *found->second.left -= size.value;
      return;
    }
    case Saying::kOrder: return take_in_order(rank, address, size, std::exchange(stream(rank).order, {}));
    case Saying::kWrite:
    case Saying::kClosed: return take_in_order(rank, address, size, {});
  }
}

void FarEnd::take_in_order(int rank, const wire::MessageAddress& address, Bytes size, PlainMemory memory) {
  Stream& from = stream(rank);
  if (address.part != from.taken) {
    from.early[address.part] = {address, size, std::move(memory)};
    return;
  }
  take(rank, address, size, std::move(memory));
  ++from.taken;
  for (auto next = from.early.find(from.taken); next != from.early.end();
       next = from.early.find(from.taken)) {
    Early one = std::move(next->second);
    from.early.erase(next);
    take(rank, one.address, one.size, std::move(one.memory));
    ++from.taken;
  }
}

void FarEnd::take(int rank, const wire::MessageAddress& address, Bytes size, PlainMemory memory) {
  const auto what = static_cast<Saying>(address.ordinal);
  if (what == Saying::kClosed)
    window_.told[static_cast<std::size_t>(rank)].closed.store(address.operation, std::memory_order_release);
  if (what != Saying::kOrder) return;
  const Order order(memory.data());
  if (order.is_sound(size.value, window_.member(window_.self).size)) take_order(rank, std::move(memory));
}

bool FarEnd::needs(int process) const {
  const auto found = rank_of_process_.find(process);
  if (found == rank_of_process_.end()) return false;
  return window_.told[static_cast<std::size_t>(found->second)].needed.load(std::memory_order_relaxed) > 0;
}

bool FarEnd::needs_host(const OrderHead& head) const {
  return is_combined(head) && kernel_for(head) == nullptr;
}

// In the order in which they have come.
void FarEnd::take_order(int rank, PlainMemory memory) {
  const Order order(memory.data());
  if (waiting_.empty() && !needs_host(order.head())) {
    carry_out(rank, order, By::kAgent);
    stream(rank).order = std::move(memory);  // for the next one
    return;
  }
  waiting_.push_back({rank, std::move(memory)});
  is_any_waiting_.store(true, std::memory_order_release);
}

void FarEnd::carry_out_what_waits(bool may_wait) {
  const By by = may_wait ? By::kHost : By::kHostAtOnce;
  for (; !waiting_.empty(); waiting_.pop_front())
    if (!carry_out(waiting_.front().rank, Order(waiting_.front().memory.data()), by)) return;
  is_any_waiting_.store(false, std::memory_order_release);
}

bool FarEnd::carry_out(int rank, const Order& order, By by) {
  std::byte* const memory = window_.member(window_.self).memory;
  PlainMemory before;
  if (order.head().does == Does::kScatter) {
    const std::byte* from = order.data();
    for (const ByteRun& run : order.runs()) {
      std::memcpy(memory + run.at, from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
    return true;
  }
  if (order.head().does == Does::kGather) {
    gather(order, before);
    answer(rank, order, std::move(before));
    return true;
  }
  const Nanoseconds begin = elapsed_time();
  const std::atomic<std::int32_t>& updated_by = window_.member(window_.self).board->updated_by;
  {
    const Updating updating(window_, window_.self, [&] {
      const std::int32_t updater = updated_by.load(std::memory_order_relaxed);
      if (by == By::kHostAtOnce || (updater != 0 && updater == dead_updater_)) return true;
      ::sched_yield();
      if (elapsed_time() - begin <= kLongestUpdate) return false;
      dead_updater_ = updater;
      return true;
    });
    if (by == By::kHostAtOnce && !updating.is_mine()) return false;
    if (order.head().answer != 0) gather(order, before);
    if (updating.is_mine()) update(order, by != By::kAgent);
  }
  if (order.head().answer != 0) answer(rank, order, std::move(before));
  return true;
}

void FarEnd::update(const Order& order, bool by_host) {
  const OrderHead& head = order.head();
  std::byte* const memory = window_.member(window_.self).memory;
  const std::byte* from = order.data();
  if (head.does == Does::kCompareAndSwap) {
    const auto size = static_cast<std::size_t>(order.bytes());
    std::byte* const at = memory + order.runs().front().at;
    if (std::memcmp(at, from, size) == 0) std::memcpy(at, from + size, size);
    return;
  }
  const MPI_Op op = operator_numbered(head.op);
  if (op == MPI_NO_OP) return;
  for (const ByteRun& run : order.runs()) {
    std::byte* const at = memory + run.at;
    if (op == MPI_REPLACE) std::memcpy(at, from, static_cast<std::size_t>(run.bytes));
    else if (const Kernel kernel = kernel_for(head)) kernel(from, at, at, Bytes(run.bytes));
    else if (by_host)
      reduce_by_host(from, at, Bytes(run.bytes), type_numbered(head.type), Bytes(head.element_bytes), op);
    from += run.bytes;
  }
}

std::byte* FarEnd::gather(const Order& order, PlainMemory& memory) {
  std::byte* const all = memory.get(static_cast<std::size_t>(order.bytes()));
  std::byte* into = all;
  for (const ByteRun& run : order.runs()) {
    std::memcpy(into, window_.member(window_.self).memory + run.at, static_cast<std::size_t>(run.bytes));
    into += run.bytes;
  }
  return all;
}

// Where to send fails, what the member had said before it was lost is taken in first, further orders among
// it: they may go where this one is.
void FarEnd::answer(int rank, const Order& order, PlainMemory memory) {
  forget_what_is_sent();
  Sent& one = sent_.emplace_back();
  one.memory = std::move(memory);
  one.under_way = 1;  // until all of it is on its way
  const std::int64_t bytes = order.bytes(), most = longest().value;
  const std::uint64_t number = order.head().answer;
  std::uint32_t part = 0;
  for (std::int64_t at = 0; at < bytes; ++part) {
    const std::int64_t now = std::min(most, bytes - at);
    const wire::MessageAddress address{
        .operation = number, .ordinal = static_cast<std::uint32_t>(Saying::kAnswer), .part = part};
    const Progress progress =
        agent()->wire().send_to_exposed(number_, window_.member(rank).world_rank, address,
                                        one.memory.data() + at, Bytes(now), &one.outbox, TaskId{});
    one.under_way += progress == Progress::kPending;
    at += now;
  }
  --one.under_way;
}

void FarEnd::forget_what_is_sent() {
  std::array<TaskId, 16> done;
  for (Sent& one : sent_)
    for (int count = 1; count != 0;) {
      count = one.outbox.take_completed(done);
      if (count < 0) one.under_way = count = 0;  // it is lost
      one.under_way -= count;
    }
  std::erase_if(sent_, [](const Sent& one) { return one.under_way <= 0; });
}

}  // namespace weft::mpi::window
