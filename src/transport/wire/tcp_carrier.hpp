// SPDX-License-Identifier: BSD-3-Clause
// TcpCarrier: frames over a TCP connection for each pair of processes: all of them made before, or, where it
// has a switchboard, some, and each other one when something is first to be sent, or has been awaited for a
// while. What is to be sent waits until then as it does where a socket is full.
//
// A frame is written to the socket by who sends it, as far as that has room; what is left over goes when
// there is room again. So a payload is copied by the kernel alone, but for what comes early or is short.
// Nobody but this process writes into its buffers, so that an operation that has been forgotten needs no
// one's word for it. Nothing blocks, and nothing is retried: TCP does that.
//
// A frame that cannot be of this job ends its connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/wire/carrier.hpp"
#include "transport/wire/socket.hpp"
#include "transport/wire/switchboard.hpp"

namespace weft::wire {

struct Connection;
struct Outgoing;

class TcpCarrier final : public Carrier {
 public:
  // `connections`: by process; closed for this one, and for those that are not met before, or never.
  explicit TcpCarrier(std::vector<Descriptor> connections);
  // How each connection sends; with these values as the kernel chooses.
  struct Sending {
    Bytes buffer{0};
    std::string congestion_control;
  };
  // `confidants`: see Carrier.
  TcpCarrier(std::vector<Descriptor> connections, std::unique_ptr<Switchboard> switchboard,
             std::vector<int> confidants, Sending sending);
  ~TcpCarrier() override;

  int process_count() const override { return static_cast<int>(connections_.size()); }
  void leave_out(int process) override;
  Progress send(int process, const FrameHead& head, const std::byte* payload, Outbox* outbox,
                TaskId task) override;
  void expect(const Awaited&) override {}
  Bytes longest_unexpected() const override { return kMostBytes; }
  void forget(Outbox& outbox) override;
  void forget(const Exposed& exposed) override;
  void forget(const Exposed& exposed, std::uint32_t ordinal, std::uint64_t operation) override;
  bool drive() override;
  bool take_from(int process) override;
  int descriptor() const override { return epoll_.number(); }
  int calls_descriptor() const override { return switchboard_ == nullptr ? -1 : switchboard_->descriptor(); }
  bool reaches(int process) const override;
  bool knows(int process) const override;
  std::span<const int> confidants() const override { return confidants_; }
  void look_for_silence(Nanoseconds now, std::span<const char> is_needed) override;
  bool has_arrived() override;
  void close_all() override;

 private:
  Connection& connection_with(int process) const { return *connections_[static_cast<std::size_t>(process)]; }

  void open(Connection& connection, Descriptor socket);
  void meet_those_who_come();

  Progress write(Connection& to, Outgoing& one);
  void write_to(Connection& to);
  void watch_for_writing(Connection& connection, bool writable);

  bool read_from(Connection& from);                           // whether there was anything
  enum class Read : std::uint8_t { kNothing, kSome, kFull };  // kFull: there may be more
  Read read_some(Connection& from);
  void take_what_was_read(Connection& from);
  bool begin_frame(Connection& from, const FrameHead& head);
  void end_message(Connection& from);

  void lose(Connection& connection, const std::string& why);

  Descriptor epoll_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by process
  std::unique_ptr<Switchboard> switchboard_;              // null where everybody has met
  std::vector<int> confidants_;
  Sending sending_;
};

}  // namespace weft::wire
