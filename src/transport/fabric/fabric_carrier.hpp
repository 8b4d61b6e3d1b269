// SPDX-License-Identifier: BSD-3-Clause
// FabricCarrier: frames over an endpoint of libfabric's for reliable datagrams.
//
// Short frames are copied, into memory from which they are sent and out of memory into which any may come. A
// long message goes from buffer to buffer: its receiver posts a receive with the message's tag before it says
// that it is ready, and its sender sends with that tag. The tag is a hash of the job's key and the message's
// address, which is never used twice.
//
// So others write into this process's buffers while receives are posted. An operation that is forgotten takes
// them back: a receive is cancelled, and memory of the carrier's own takes its place, since the sender waits
// for somebody to take the message; a send that has begun is waited for. What cannot be taken back within
// kLongestForget closes the endpoint, and with it all others are lost: nobody may write into memory that is
// somebody else's. Only of a send to a process that is dead it does not matter.
//
// There are no connections that end. Who is asked for a sign of life answers; a send that fails, or silence,
// tells that somebody is lost. Frames of strangers are counted and dropped.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/request.hpp"
#include "transport/wire/carrier.hpp"
#include "transport/wire/socket.hpp"

struct fi_cq_tagged_entry;

namespace weft::fabric {

class FabricCarrier final : public wire::Carrier {
 public:
  FabricCarrier(OwnEndpoint endpoint, const wire::JobKey& key, int self, std::vector<fi_addr_t> addresses,
                wire::Partners partners);
  ~FabricCarrier() override;

  // Before it is used: says hello to all partners with an address, again where that fails, until all have
  // said theirs.
  void say_hello();
  bool has_met_all() const;
  bool misses(int process) const;
  std::string who_is_missing() const;

  int process_count() const override { return static_cast<int>(peers_.size()); }
  void leave_out(int process) override { lose(process, ""); }
  Progress send(int process, const wire::FrameHead& head, const std::byte* payload, wire::Outbox* outbox,
                TaskId task) override;
  void expect(const wire::Awaited& message) override;
  void forget(wire::Outbox& outbox) override;
  void forget(const wire::Exposed&) override {}  // what comes is there at once
  void forget(const wire::Exposed&, std::uint32_t, std::uint64_t) override {}
  Bytes longest_unexpected() const override;
  bool keeps_order() const override { return false; }  // a long one may come after short ones behind it
  bool drive() override;
  int descriptor() const override { return waits_.number(); }
  int longest_wait() override;
  bool wakes_by_itself() const override { return false; }
  bool reaches(int process) const override { return peer(process).is_reached; }
  bool knows(int process) const override { return peer(process).is_reached && peer(process).is_known; }
  std::span<const int> confidants() const override { return partners_.confidants; }
  void look_for_silence(Nanoseconds now, std::span<const char> is_needed) override;
  bool has_arrived() override;
  void close_all() override;
  std::uint64_t dropped() const override { return dropped_; }

  static constexpr Nanoseconds kLongestForget{1'000'000'000};

 private:
  struct Peer {
    fi_addr_t address = FI_ADDR_UNSPEC;
    bool is_reached = false;
    bool may_still_live = false;  // although it is lost
    bool is_partner = false;
    bool is_known = false;       // a partner, or somebody who has said something, or been told
    std::deque<Request*> queue;  // what there was no room for, in its order
    int posted = 0;              // sends
    // Meeting.
    bool is_told = false, has_said_hello = false, is_being_told = false;
    std::string why;  // the last hello failed
    // Presence: questions are numbered, and an answer has the question's number.
    std::uint64_t asked = 0, answered = 0;
    bool has_spoken = false, is_watched = false;
    Nanoseconds silence{0}, asked_at{0};
  };
  Peer& peer(int process) { return peers_[static_cast<std::size_t>(process)]; }
  const Peer& peer(int process) const { return peers_[static_cast<std::size_t>(process)]; }

  bool is_open() const { return endpoint_ != nullptr && endpoint_->end != nullptr; }
  bool take_completions();
  void take_error();
  void end(Request& request, std::size_t size);
  void end_with_error(Request& request, long code, std::size_t size);
  void take_frame(const std::byte* at, std::size_t size);
  void take_word(const wire::FrameHead& head, Peer& from);
  void post_bounces();

  ShortSend& another_frame(int process, std::size_t size);
  void recycle(ShortSend& frame);
  // Posts it, or has it wait behind others.
  void start(Request& request);
  long post(Request& request);
  bool send_queued();
  void tell(int process, wire::FrameKind kind, std::uint64_t number);

  std::uint64_t tag_of(const wire::MessageAddress& address) const;
  Progress send_long(int process, const wire::FrameHead& head, const std::byte* payload, wire::Outbox* outbox,
                     TaskId task);
  void post_receive(LongMessage& message);
  void post_receives();
  void replace_by_sink(LongMessage& message);
  void drop(const Request& message);
  void abandon_sends(const wire::Outbox& outbox);
  bool has_any_of(const wire::Outbox& outbox) const;

  void lose(int process, const std::string& why, bool by_silence = false);
  void lose_all(const std::string& why);

  OwnEndpoint endpoint_;  // null when it is left alone
  wire::Descriptor waits_;
  wire::JobKey key_;
  int self_;
  std::uint64_t tag_mask_;
  wire::Partners partners_;
  std::vector<Peer> peers_;  // by process
  std::unique_ptr<std::byte[]> bounce_memory_;
  std::vector<std::unique_ptr<Bounce>> bounces_;
  std::size_t unposted_ = 0;  // of them
  std::vector<std::unique_ptr<ShortSend>> frames_;
  std::vector<ShortSend*> spare_;
  std::size_t spare_bytes_ = 0;
  std::vector<std::unique_ptr<LongMessage>> longs_;
  bool has_unposted_receives_ = false, has_abandoned_ = false;
  std::size_t queued_ = 0;  // of all peers
  std::uint64_t dropped_ = 0;
  int failures_ = 0;  // of receives, without a success
  Nanoseconds last_look_{0};
  Nanoseconds asked_all_at_{0};  // when it asked whether its last words have arrived; 0: not yet
};

}  // namespace weft::fabric
