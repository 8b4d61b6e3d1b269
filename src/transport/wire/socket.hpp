// SPDX-License-Identifier: BSD-3-Clause
// Sockets, as far as a wire needs them: TCP, and between processes of one host what the kernel moves without
// it. Nothing blocks; everything is close-on-exec.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::wire {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Where a process listens: plain bytes, so that processes can tell one another.
struct SocketAddress {
  sockaddr_in6 bytes{};  // of IPv6, or of another family, which is shorter

  bool is_ipv4() const { return bytes.sin6_family == AF_INET; }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  std::string text() const;  // "10.0.0.1:4711", "[fe80::1]:4711"
};

// The addresses of this host's interfaces that are up, IPv4 before IPv6, without a port. Those of the
// loopback interface are there only if it is asked for, by its name, or if there is no other. `interface`: a
// name as in "eth0"; "": all. Fails where there is none of that name.
Result<std::vector<SocketAddress>> addresses_of_this_host(const std::string& interface);

struct Ports {
  std::uint16_t first = 0, last = 0;  // 0: any that is free
};
struct Listener {
  Descriptor socket;
  std::uint16_t port = 0;
  // For processes of this host alone: an abstract name (unix(7)), which nobody else has. Closed where there
  // is none.
  Descriptor local_socket;
  SocketAddress local_address;
};
// Listens at one port on all of this host's addresses.
Result<Listener> listen_on(Ports ports);
// Makes the listener hear processes of this host by a local socket as well, if there can be one.
void listen_locally(Listener& listener);

// Begins to connect; writable when that is over.
Result<Descriptor> begin_to_connect(const SocketAddress& to);
// "" if it is connected, else why it is not.
std::string problem_of(const Descriptor& socket);
// The next one who has connected; closed if nobody has.
Descriptor accept_from(const Descriptor& listening);

// Whether the other end's system has everything that was written.
bool has_delivered(const Descriptor& socket);
// At most so much, and as much again for the kernel's own use, is written and has not arrived.
void limit_send_buffer(const Descriptor& socket, Bytes most);
// How the kernel decides how much may be on its way, by its name, as in "reno"; "" where it does not say.
std::string congestion_control_of(const Descriptor& socket);
// "" or why not.
std::string set_congestion_control(const Descriptor& socket, const std::string& name);
// Whether this end asks the other system once a second whether it is there, while nothing else is said.
void ask_for_signs_of_life(const Descriptor& socket, bool yes);
// Whether the other system owes an answer, and has not been heard for so long.
bool is_silent(const Descriptor& socket, Nanoseconds patience);

}  // namespace weft::wire
