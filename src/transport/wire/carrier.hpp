// SPDX-License-Identifier: BSD-3-Clause
// Carrier: what carries the frames of a wire from process to process. It knows heads and bytes, who is
// reached and who is lost; what frames mean is its user's matter, the wire's.
//
//   Wire ── send, expect, forget ──► Carrier      (TcpCarrier: a connection for each pair of processes)
//        ◄── begin_frame, end_frame, lost ──
//
// Threads: as the wire. Who is called back may send, but neither drive nor forget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/clock.hpp"
#include "transport/transport.hpp"
#include "transport/wire/matching.hpp"

namespace weft::wire {

// Who has been silent for so long while something was expected from them is lost.
inline constexpr Nanoseconds kPatience{3'000'000'000};
// No message is longer: a larger number is no size.
inline constexpr Bytes kMostBytes{std::int64_t{1} << 48};

class Exposed;

// A message on its way in: for somebody who waits, or early, or, without a place, for nobody.
struct Incoming {
  std::byte* into = nullptr;
  Awaited awaited;
  std::unique_ptr<Early> early;
  // Or for memory that is exposed.
  Exposed* exposed = nullptr;
  MessageAddress address;
  Bytes size;
};

enum class FrameIs : std::uint8_t {
  kForeign,  // not of this job
  kWord,     // taken; it has no payload
  kMessage,  // its payload is to be written where the Incoming says, and then ended
};

class CarrierUser {
 public:
  virtual FrameIs begin_frame(int process, const FrameHead& head, Incoming& incoming) = 0;
  virtual void end_frame(Incoming& incoming) = 0;
  // A message that was expected has come to where it belongs, or one of another size.
  virtual void end_expected(const MessageAddress& address, Bytes size) = 0;
  virtual void lost(int process, const std::string& why) = 0;
  // The two have met after all others that this carrier began with.
  virtual void has_met(int process) = 0;
  // It has said goodbye: that it is not reached any more is no loss.
  virtual bool has_left(int process) const = 0;

 protected:
  ~CarrierUser() = default;
};

class Carrier {
 public:
  Carrier() = default;
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;

  // Before anything else.
  void serve(CarrierUser& user) { user_ = &user; }
  virtual int process_count() const = 0;
  // Before it is served: nothing goes to that process, nor comes from it.
  virtual void leave_out(int process) = 0;

  // kDone if the payload's memory is free; kPending: `task` completes or fails in the outbox, if there is
  // one. kFailed: the process is not reached.
  virtual Progress send(int process, const FrameHead& head, const std::byte* payload, Outbox* outbox,
                        TaskId task) = 0;
  // How long a frame may be that nobody expects.
  virtual Bytes longest_unexpected() const = 0;
  // Whether frames are there in the order in which they were sent.
  virtual bool keeps_order() const { return true; }
  // A long message (see Sequence) may come at any time from now on.
  virtual void expect(const Awaited& message) = 0;
  // Nothing more is read into or out of the operation's buffers.
  virtual void forget(Outbox& outbox) = 0;
  // The same for what is on its way to exposed memory: all of it, or what has this ordinal and operation.
  virtual void forget(const Exposed& exposed) = 0;
  virtual void forget(const Exposed& exposed, std::uint32_t ordinal, std::uint64_t operation) = 0;

  // Takes what has come and sends what has waited; whether there was anything to do.
  virtual bool drive() = 0;
  // The same for what has come from one process, where that costs less.
  virtual bool take_from(int /*process*/) { return false; }
  // Readable when drive() has something to do.
  virtual int descriptor() const = 0;
  // The part of it that is readable when somebody wants to meet this process; -1: nobody will.
  virtual int calls_descriptor() const { return -1; }
  // For how long at most descriptor() may be waited for now: in ms, -1 any time. To be asked before each
  // wait, like everything else by one thread at a time; but not where wakes_by_itself().
  virtual int longest_wait() { return -1; }
  virtual bool wakes_by_itself() const { return true; }

  // Whether it can be written to, as far as is known.
  virtual bool reaches(int process) const = 0;
  // Whether the two have met, or have to. With some carriers processes meet when something is first to be
  // said; none meet for a goodbye.
  virtual bool knows(int process) const = 0;
  // By whom news spreads to all, if each tells its own; empty: this process tells all of them itself.
  virtual std::span<const int> confidants() const { return {}; }
  // Every now and then while something is awaited; from whom, by process.
  virtual void look_for_silence(Nanoseconds now, std::span<const char> is_needed) = 0;
  // After the last words: whether all have arrived. drive() has been called.
  virtual bool has_arrived() = 0;
  // In a child of this process.
  virtual void close_all() = 0;
  // Frames that could not be of this job, and that the user has not seen.
  virtual std::uint64_t dropped() const { return 0; }

 protected:
  bool is_served() const { return user_ != nullptr; }
  CarrierUser& user() const { return *user_; }

 private:
  CarrierUser* user_ = nullptr;
};

}  // namespace weft::wire
