// SPDX-License-Identifier: BSD-3-Clause
// Wire: messages between the processes of a job, over a TCP connection for each pair.
//
// A message is written to the socket by who sends it, as far as that has room; what is left over goes when
// there is room again. Who receives has said where it belongs, or it waits aside until somebody does. So a
// payload is copied by the kernel alone, but for what comes early or is short.
//
// A frame that cannot be of this job ends its connection, and a connection that ends fails whatever waits for
// its other end; unless that has said goodbye: then what still waits never ends, as where a process has
// finished with MPI. Nothing blocks, and nothing is retried: TCP does that.
//
// One thread at a time. descriptor() can be waited for.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/plain_memory.hpp"
#include "base/types.hpp"
#include "transport/transport.hpp"
#include "transport/wire/frame.hpp"
#include "transport/wire/socket.hpp"

namespace weft::wire {

// The messages of one operation: what is over, and room for those under way.
class Outbox {
 public:
  explicit Outbox(std::size_t most_messages) : awaited_(most_messages) { completed_.reserve(most_messages); }
  // Before an operation; none of its messages is under way then.
  void restart() {
    completed_.clear();
    awaited_count_ = 0;
    failed_ = false;
  }
  // Writes the tasks that are over to `done`, and returns how many; negative after a failure.
  int take_completed(std::span<TaskId> done);

 private:
  friend class Wire;
  // A message that somebody waits for, in a list of the wire.
  struct Awaited {
    MessageAddress address;
    std::byte* into = nullptr;
    Bytes size;
    Outbox* outbox = nullptr;
    TaskId task;
    Awaited* next = nullptr;
  };

  std::vector<TaskId> completed_;
  std::vector<Awaited> awaited_;
  std::size_t awaited_count_ = 0;
  bool failed_ = false;
};

class Wire {
 public:
  // `connections`: by process; closed for this one, and for those that are never written to.
  Wire(const JobKey& key, int self, std::vector<Descriptor> connections);
  ~Wire();
  Wire(const Wire&) = delete;

  int self() const { return self_; }
  // kDone if the message is on its way and its buffer free; else `task` completes in the outbox.
  Progress send(Outbox& outbox, TaskId task, int to, MessageAddress address, const void* from, Bytes size);
  Progress recv(Outbox& outbox, TaskId task, const MessageAddress& address, void* into, Bytes size);
  // Looks once at all connections; whether there was anything to do.
  bool drive();
  // Tells all others that nothing more comes from here.
  void say_goodbye();
  // Nothing more is read into or out of the operation's buffers.
  void forget(Outbox& outbox);

  // Readable when drive() has something to do.
  int descriptor() const { return epoll_.number(); }
  // Whether that process can still be written to, and, if not, why.
  bool reaches(int process) const;
  const std::string& trouble_with(int process) const;
  // Frames that could not be of this job.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Connection;
  struct Early;
  struct Outgoing;

  void read_from(Connection& from);
  bool read_some(Connection& from);
  void take_what_was_read(Connection& from);
  bool begin_message(Connection& from, const FrameHead& head);
  void end_message(Connection& from);
  Progress write(Connection& to, Outgoing& one);
  void write_to(Connection& to);
  void lose(Connection& connection, const std::string& why);
  void watch_for_writing(Connection& connection, bool writable);

  static void complete(Outbox& outbox, TaskId task) { outbox.completed_.push_back(task); }
  Outbox::Awaited* take_awaited(const MessageAddress& address);
  std::unique_ptr<Early> take_early(const MessageAddress& address);
  std::unique_ptr<Early> another_early();
  void recycle(std::unique_ptr<Early> early);
  bool take(std::unique_ptr<Early> early, std::byte* into, Bytes size);

  static constexpr std::size_t kBuckets = 1024, kMostSpare = 64;
  static std::size_t bucket_of(const MessageAddress& address) { return address.hash() % kBuckets; }

  JobKey key_;
  int self_;
  Descriptor epoll_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by process
  std::array<Outbox::Awaited*, kBuckets> awaited_{};
  std::array<std::unique_ptr<Early>, kBuckets> early_;
  std::vector<std::unique_ptr<Early>> spare_;
  std::uint64_t dropped_ = 0;
};

}  // namespace weft::wire
