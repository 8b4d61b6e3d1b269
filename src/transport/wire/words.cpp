// SPDX-License-Identifier: BSD-3-Clause
// What wires say to one another beside messages: who is ready, who is how far, and who is lost.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "transport/wire/wire.hpp"

namespace weft::wire {
namespace {

int rank_of(const Sequence& sequence, int process) {
  const auto members = sequence.processes();
  const auto at = std::find(members.begin(), members.end(), process);
  return at == members.end() ? -1 : static_cast<int>(at - members.begin());
}

}  // namespace

void Wire::take_word(const MessageAddress& word) {
  switch (word.kind) {
    case FrameKind::kGoodbye: peer(word.sender).has_left = true; return;
    case FrameKind::kBroken: {
      const int lost = static_cast<int>(word.ordinal);
      if (break_communicator(word.communicator, lost)) spread_break(word.communicator, lost, {});
      return;
    }
    case FrameKind::kWaits: return take_waits(word);
    case FrameKind::kReady: return take_ready(word);
    case FrameKind::kAsks:
    case FrameKind::kTells: {
      const auto [first, last] = sequences_.equal_range(word.communicator);
      for (auto at = first; at != last; ++at)
        if (at->second->has(word.operation)) return take_word_of(*at->second, word);
      // An answer to a sequence that is gone is of no use any more.
      if (word.kind == FrameKind::kAsks) words_ahead_.push_back(word);
      return;
    }
    case FrameKind::kMessage:
    case FrameKind::kExposed:
    case FrameKind::kHello:
    case FrameKind::kIsThere:
    case FrameKind::kIAmHere: return;
  }
}

void Wire::take_ready(const MessageAddress& word) {
  const Awaited* const message = matching_.take_awaited(word);
  if (message == nullptr) return matching_.keep(matching_.another_early(word, Bytes(0)));
  MessageAddress address = word;
  address.kind = FrameKind::kMessage;
  address.sender = self_;
  const Progress progress =
      transmit(*message->outbox, message->task, word.sender, address, message->at, message->size);
  if (progress == Progress::kDone) message->outbox->complete(message->task);
  if (progress == Progress::kFailed) message->outbox->fail();
}

void Wire::take_waits(const MessageAddress& word) {
  MessageAddress address = word;
  address.kind = FrameKind::kMessage;
  const Awaited* const message = matching_.awaited(address);
  if (message == nullptr) {
    ++long_waiting_;
    return matching_.keep(matching_.another_early(word, Bytes(0)));
  }
  if (message->size > Sequence::kMostUnasked) return;  // its sender will read that this is ready
  message->outbox->fail_for_size();
  matching_.take_awaited(address);
}

void Wire::take_word_of(Sequence& sequence, const MessageAddress& word) {
  const int rank = rank_of(sequence, word.sender);
  if (rank < 0) return;
  if (word.kind == FrameKind::kTells) {
    sequence.was_told(rank, word.operation);
    send_what_has_room(sequence);
  } else {
    sequence.was_asked(rank, word.operation);
    tell_those_who_asked(sequence);
  }
}

void Wire::join(Sequence& sequence) {
  sequences_.emplace(sequence.communicator(), &sequence);
  const auto is_for_it = [&](const MessageAddress& word) {
    return word.communicator == sequence.communicator() && sequence.has(word.operation);
  };
  std::vector<MessageAddress> mine;
  std::copy_if(words_ahead_.begin(), words_ahead_.end(), std::back_inserter(mine), is_for_it);
  std::erase_if(words_ahead_, is_for_it);
  for (const MessageAddress& word : mine) take_word_of(sequence, word);
}

void Wire::leave(Sequence& sequence) {
  std::erase_if(sequences_, [&](const auto& one) { return one.second == &sequence; });
}

void Wire::begin(Sequence& sequence, std::uint64_t operation) {
  sequence.begin(operation);
  if (sequence.is_asked()) tell_those_who_asked(sequence);
}

void Wire::tell_those_who_asked(Sequence& sequence) {
  for (const int rank : sequence.members_to_tell())
    say(sequence.processes()[static_cast<std::size_t>(rank)],
        {.communicator = sequence.communicator(), .operation = sequence.begun(), .kind = FrameKind::kTells});
}

void Wire::ask_if_far_ahead(Sequence& sequence, int rank, std::uint64_t operation, Bytes size) {
  std::uint64_t which = 0;
  if (!sequence.is_to_be_asked(rank, operation, size, &which)) return;
  say(sequence.processes()[static_cast<std::size_t>(rank)],
      {.communicator = sequence.communicator(), .operation = which, .kind = FrameKind::kAsks});
}

void Wire::send_what_has_room(Sequence& sequence) {
  std::vector<Sequence::Waiting> before = std::exchange(sequence.waiting, {});
  for (const Sequence::Waiting& one : before) {
    const Progress progress =
        send(sequence, *one.outbox, one.task, one.rank, one.address, one.from, one.size);
    if (progress == Progress::kDone) one.outbox->complete(one.task);
    if (progress == Progress::kFailed) one.outbox->fail();
  }
}

void Wire::lost(int lost_process, const std::string& why) {
  peer(lost_process).trouble = why;
  std::set<std::uint64_t> touched;
  for (const auto& [communicator, sequence] : sequences_)
    if (rank_of(*sequence, lost_process) >= 0) touched.insert(communicator);
  for (const std::uint64_t communicator : touched) {
    if (lost_by(communicator) >= 0) continue;
    const auto members = sequences_.find(communicator)->second->processes();
    break_communicator(communicator, lost_process);
    spread_break(communicator, lost_process, members);
  }
}

// All members have to know, whatever they wait for. Where not everybody has met everybody, each process that
// hears of it tells its confidants, whether it is a member or not.
void Wire::spread_break(std::uint64_t communicator, int lost, std::span<const int> members) {
  const auto confidants = carrier_->confidants();
  for (const int process : confidants.empty() ? members : confidants)
    if (process != self_) say_broken(process, communicator, lost);
}

void Wire::say_broken(int process, std::uint64_t communicator, int lost) {
  say(process, {.communicator = communicator,
                .ordinal = static_cast<std::uint32_t>(lost),
                .kind = FrameKind::kBroken});
}

// Its operations fail; what has come for them before is theirs still.
bool Wire::break_communicator(std::uint64_t communicator, int lost) {
  if (!broken_.emplace(communicator, lost).second) return false;
  losses_.store(static_cast<int>(broken_.size()), std::memory_order_relaxed);
  matching_.fail([&](const Awaited& one) { return one.address.communicator == communicator; });
  const auto [first, last] = sequences_.equal_range(communicator);
  for (auto at = first; at != last; ++at)
    for (const Sequence::Waiting& one : std::exchange(at->second->waiting, {})) one.outbox->fail();
  return true;
}

}  // namespace weft::wire
