// SPDX-License-Identifier: BSD-3-Clause
// Wire: messages between the processes of a job. What a Carrier brings as frames it brings together with what
// is waited for.
//
// Who receives a message has said where it belongs, or it waits aside until somebody does. A long message
// waits at its sender until then, and a short one where its sender is too far ahead (see Sequence).
//
// A process that is lost, since its connection has ended or it has been silent for kPatience while something
// was expected from it, breaks the communicators that it is in: all their operations fail, on all members,
// who are told. Not so if it has said goodbye: then what still waits never ends, as where a process has
// finished with MPI.
//
// One thread at a time. descriptor() can be waited for.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "transport/transport.hpp"
#include "transport/wire/carrier.hpp"
#include "transport/wire/exposed.hpp"
#include "transport/wire/matching.hpp"
#include "transport/wire/sequence.hpp"

namespace weft::wire {

class Wire final : private CarrierUser {
 public:
  Wire(const JobKey& key, int self, std::unique_ptr<Carrier> carrier);
  Wire(const Wire&) = delete;

  int self() const { return self_; }
  // A sequence, while it lives.
  void join(Sequence& sequence);
  void leave(Sequence& sequence);

  // kDone if the message is on its way and its buffer free; else `task` completes in the outbox.
  Progress send(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address,
                const void* from, Bytes size);
  Progress recv(Sequence& sequence, Outbox& outbox, TaskId task, int rank, MessageAddress address, void* into,
                Bytes size);
  // Memory that others may reach by this number, the same on all processes, until it is concealed. Nobody may
  // say anything about it before all have exposed theirs.
  void expose(std::uint64_t number, Exposed& exposed) { exposed_[number] = &exposed; }
  void conceal(std::uint64_t number);
  // Nothing more is read to where frames with this ordinal and operation go, even if one is half there.
  void forget_exposed(const Exposed& exposed, std::uint32_t ordinal, std::uint64_t operation) {
    carrier_->forget(exposed, ordinal, operation);
  }
  // To a process, for what it has exposed by that number: kDone if the payload's memory is free; else `task`
  // completes in the outbox. At most longest_unexpected() at once.
  Progress send_to_exposed(std::uint64_t number, int process, MessageAddress address, const void* from,
                           Bytes size, Outbox* outbox, TaskId task);
  Bytes longest_unexpected() const { return carrier_->longest_unexpected(); }
  bool keeps_order() const { return carrier_->keeps_order(); }
  // Before an operation's first message.
  void begin(Sequence& sequence, std::uint64_t operation);
  // Nothing more is read into or out of the operation's buffers.
  void forget(Outbox& outbox);

  // Takes what has come; whether there was anything to do.
  bool drive();
  // Readable when drive() has something to do, and for how long it may be waited for (see Carrier).
  int descriptor() const { return carrier_->descriptor(); }
  int calls_descriptor() const { return carrier_->calls_descriptor(); }
  bool wakes_by_itself() const { return carrier_->wakes_by_itself(); }
  int longest_wait() { return carrier_->longest_wait(); }
  bool is_anything_awaited() const;
  // Every now and then while something is.
  void look_for_silence(Nanoseconds now);

  // Tells all others that nothing more comes from here. Afterwards, whether that and all before it have
  // arrived.
  void say_goodbye();
  bool has_arrived();
  // In a child of this process: the connections are not its own.
  void close_all() { carrier_->close_all(); }

  // Whether that process can still be written to, and, if not, why.
  bool reaches(int process) const { return carrier_->reaches(process); }
  const std::string& trouble_with(int process) const { return peer(process).trouble; }
  // Which process has broken the communicator; -1: none.
  int lost_by(std::uint64_t communicator) const;
  // How many communicators are broken; for any thread.
  int losses() const { return losses_.load(std::memory_order_relaxed); }
  // Frames that could not be of this job.
  std::uint64_t dropped() const { return dropped_ + carrier_->dropped(); }

 private:
  struct Peer {
    std::string trouble;  // why it is lost
    bool has_left = false;
  };
  Peer& peer(int process) { return peers_[static_cast<std::size_t>(process)]; }
  const Peer& peer(int process) const { return peers_[static_cast<std::size_t>(process)]; }

  // The carrier's.
  FrameIs begin_frame(int process, const FrameHead& head, Incoming& incoming) override;
  void end_frame(Incoming& incoming) override;
  void end_expected(const MessageAddress& address, Bytes size) override;
  void lost(int process, const std::string& why) override;
  void has_met(int process) override;
  bool has_left(int process) const override { return peer(process).has_left; }

  Progress transmit(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                    const std::byte* from, Bytes size);
  Progress send_when_ready(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                           const std::byte* from, Bytes size);
  void begin_message(const FrameHead& head, Incoming& incoming);
  FrameIs begin_exposed(const FrameHead& head, Incoming& incoming);
  void take_word(const MessageAddress& word);
  void take_ready(const MessageAddress& word);
  void take_waits(const MessageAddress& word);

  void say(int process, MessageAddress word);
  void ask_if_far_ahead(Sequence& sequence, int rank, std::uint64_t operation, Bytes size);
  void tell_those_who_asked(Sequence& sequence);
  void send_what_has_room(Sequence& sequence);
  void take_word_of(Sequence& sequence, const MessageAddress& word);

  bool break_communicator(std::uint64_t communicator, int lost);  // whether that is news
  void spread_break(std::uint64_t communicator, int lost, std::span<const int> members);
  void say_broken(int process, std::uint64_t communicator, int lost);

  JobKey key_;
  int self_;
  std::unique_ptr<Carrier> carrier_;
  std::vector<Peer> peers_;  // by process
  Matching matching_;
  std::unordered_multimap<std::uint64_t, Sequence*> sequences_;  // by communicator
  std::size_t long_waiting_ = 0;             // at others, for receives that have not begun here
  std::vector<MessageAddress> words_ahead_;  // to sequences that are still to come
  std::unordered_map<std::uint64_t, Exposed*> exposed_;
  std::unordered_map<std::uint64_t, int> broken_;  // communicators, and the process that each has lost
  std::atomic<int> losses_{0};
  std::uint64_t dropped_ = 0;
  bool has_said_goodbye_ = false;
};

}  // namespace weft::wire
