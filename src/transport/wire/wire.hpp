// SPDX-License-Identifier: BSD-3-Clause
// Wire: messages between the processes of a job, over a TCP connection for each pair.
//
// A message is written to the socket by who sends it, as far as that has room; what is left over goes when
// there is room again. Who receives has said where it belongs, or it waits aside until somebody does. A long
// message waits at its sender until then, and a short one where its sender is too far ahead (see Sequence).
// So a payload is copied by the kernel alone, but for what comes early or is short.
//
// A frame that cannot be of this job ends its connection. A connection that ends, or whose other end has been
// silent for kPatience while something was expected from it, breaks the communicators that the other process
// is in: all their operations fail, on all members, who are told. Not so if it has said goodbye: then what
// still waits never ends, as where a process has finished with MPI.
//
// Nobody but this process writes into its buffers, so that an operation that has been forgotten needs no
// one's word for it. Nothing blocks, and nothing is retried: TCP does that.
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
#include "transport/wire/matching.hpp"
#include "transport/wire/sequence.hpp"
#include "transport/wire/socket.hpp"

namespace weft::wire {

struct Connection;
struct Outgoing;

class Wire {
 public:
  // `connections`: by process; closed for this one, and for those that are never written to.
  Wire(const JobKey& key, int self, std::vector<Descriptor> connections);
  ~Wire();
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
  // Before an operation's first message.
  void begin(Sequence& sequence, std::uint64_t operation);
  // Nothing more is read into or out of the operation's buffers.
  void forget(Outbox& outbox);

  // Looks once at all connections; whether there was anything to do.
  bool drive();
  // Readable when drive() has something to do.
  int descriptor() const { return epoll_.number(); }
  bool is_anything_awaited() const;
  // Every now and then while something is.
  void look_for_silence(Nanoseconds now);

  // Tells all others that nothing more comes from here. Afterwards, whether that and all before it have
  // arrived.
  void say_goodbye();
  bool has_arrived();
  // In a child of this process: the connections are not its own.
  void close_all();

  // Whether that process can still be written to, and, if not, why.
  bool reaches(int process) const;
  const std::string& trouble_with(int process) const;
  // Which process has broken the communicator; -1: none.
  int lost_by(std::uint64_t communicator) const;
  // How many communicators are broken; for any thread.
  int losses() const { return losses_.load(std::memory_order_relaxed); }
  // Frames that could not be of this job.
  std::uint64_t dropped() const { return dropped_; }

  static constexpr Nanoseconds kPatience{3'000'000'000};

 private:
  Connection& connection_with(int process) const { return *connections_[static_cast<std::size_t>(process)]; }

  void post(Connection& to, Outgoing frame);
  Progress transmit(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                    const std::byte* from, Bytes size);
  Progress send_when_ready(Outbox& outbox, TaskId task, int process, const MessageAddress& address,
                           const std::byte* from, Bytes size);
  Progress write(Connection& to, Outgoing& one);
  void write_to(Connection& to);
  void watch_for_writing(Connection& connection, bool writable);

  void read_from(Connection& from);
  bool read_some(Connection& from);
  void take_what_was_read(Connection& from);
  bool begin_frame(Connection& from, const FrameHead& head);
  void begin_message(Connection& from, const FrameHead& head);
  void end_message(Connection& from);
  void take_word(Connection& from, const MessageAddress& word);
  void take_ready(const MessageAddress& word);
  void take_waits(const MessageAddress& word);

  void say(int process, MessageAddress word);
  void ask_if_far_ahead(Sequence& sequence, int rank, std::uint64_t operation, Bytes size);
  void tell_those_who_asked(Sequence& sequence);
  void send_what_has_room(Sequence& sequence);
  void take_word_of(Sequence& sequence, const MessageAddress& word);

  void lose(Connection& connection, const std::string& why);
  void break_communicator(std::uint64_t communicator, int lost);

  JobKey key_;
  int self_;
  Descriptor epoll_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by process
  Matching matching_;
  std::unordered_multimap<std::uint64_t, Sequence*> sequences_;  // by communicator
  std::size_t long_waiting_ = 0;                   // at others, for receives that have not begun here
  std::vector<MessageAddress> words_ahead_;        // to sequences that are still to come
  std::unordered_map<std::uint64_t, int> broken_;  // communicators, and the process that each has lost
  std::atomic<int> losses_{0};
  std::uint64_t dropped_ = 0;
};

}  // namespace weft::wire
