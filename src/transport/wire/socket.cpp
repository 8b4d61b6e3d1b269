// SPDX-License-Identifier: BSD-3-Clause
#include "transport/wire/socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::wire {
namespace {

std::string reason() { return std::strerror(errno); }

sockaddr* plain(SocketAddress& address) { return reinterpret_cast<sockaddr*>(&address.bytes); }
const sockaddr* plain(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.bytes);
}
const sockaddr_in& ipv4(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr_in&>(address.bytes);
}
// What an abstract name begins with, and how many random bytes follow.
constexpr std::string_view kLocalName{"\0weft-", 6};
constexpr std::size_t kRandomBytes = 16, kFamilyBytes = sizeof(sa_family_t);
static_assert(kFamilyBytes + kLocalName.size() + kRandomBytes <= sizeof(sockaddr_in6));

bool is_local(const SocketAddress& address) { return address.bytes.sin6_family == AF_UNIX; }
socklen_t length(const SocketAddress& address) {
  if (is_local(address)) return kFamilyBytes + kLocalName.size() + kRandomBytes;
  return address.is_ipv4() ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

bool is_usable(const ifaddrs& one) {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return false;
  return one.ifa_addr->sa_family == AF_INET || one.ifa_addr->sa_family == AF_INET6;
}

SocketAddress address_of(const ifaddrs& one) {
  SocketAddress address;
  std::memcpy(&address.bytes, one.ifa_addr,
              one.ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return address;
}

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

// Short messages leave at once, and questions whether the other end lives, where they are asked, each second.
void be_prompt(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 20);  // is_silent() is sooner
}

constexpr int kMostWaiting = 1024;

// One socket for both families where there is IPv6, else for IPv4 alone.
Descriptor listening_socket(std::uint16_t port) {
  for (const int family : {AF_INET6, AF_INET}) {
    Descriptor made(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made.is_open()) continue;
    const int no = 0;
    if (family == AF_INET6) ::setsockopt(made.number(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    SocketAddress any;  // zeros are every address
    any.bytes.sin6_family = static_cast<sa_family_t>(family);
    any.set_port(port);
    if (::bind(made.number(), plain(any), length(any)) == 0 && ::listen(made.number(), kMostWaiting) == 0)
      return made;
  }
  return Descriptor();
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

// The port has the same place in the addresses of both families.
std::uint16_t SocketAddress::port() const { return ntohs(bytes.sin6_port); }
void SocketAddress::set_port(std::uint16_t port) { bytes.sin6_port = htons(port); }

std::string SocketAddress::text() const {
  if (is_local(*this)) return "a socket of this host";
  std::array<char, INET6_ADDRSTRLEN> name{};
  const void* const number = is_ipv4() ? static_cast<const void*>(&ipv4(*this).sin_addr)
                                       : static_cast<const void*>(&bytes.sin6_addr);
  ::inet_ntop(bytes.sin6_family, number, name.data(), name.size());
  return is_ipv4() ? fmt::format("{}:{}", name.data(), port()) : fmt::format("[{}]:{}", name.data(), port());
}

Result<std::vector<SocketAddress>> addresses_of_this_host(const std::string& interface) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return Error{"cannot list this host's network interfaces: " + reason()};
  std::vector<SocketAddress> ipv4, ipv6, loopback;
  std::string names;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (!is_usable(*one)) continue;
    const bool is_named = interface == one->ifa_name;
    if (names.find(one->ifa_name) == std::string::npos)
      names += (names.empty() ? "" : ", ") + std::string(one->ifa_name);
    if (!interface.empty() && !is_named) continue;
    const SocketAddress address = address_of(*one);
    const bool is_aside = (one->ifa_flags & IFF_LOOPBACK) != 0 && !is_named;
    (is_aside ? loopback : address.is_ipv4() ? ipv4 : ipv6).push_back(address);
  }
  ::freeifaddrs(all);
  ipv4.insert(ipv4.end(), ipv6.begin(), ipv6.end());
  if (ipv4.empty()) ipv4 = std::move(loopback);
  if (ipv4.empty())
    return Error{
        fmt::format("there is no network interface \"{}\" that is up here: use one of {}", interface, names)};
  return ipv4;
}

Result<Listener> listen_on(Ports ports) {
  for (int port = ports.first; port <= ports.last; ++port) {
    Descriptor socket = listening_socket(static_cast<std::uint16_t>(port));
    if (!socket.is_open()) continue;
    SocketAddress bound;
    socklen_t size = sizeof bound.bytes;
    if (::getsockname(socket.number(), plain(bound), &size) != 0) continue;
    Listener listener;
    listener.socket = std::move(socket);
    listener.port = bound.port();
    return listener;
  }
  return Error{fmt::format("cannot listen at a TCP port from {} to {}: {}; give other ports", ports.first,
                           ports.last, reason())};
}

void listen_locally(Listener& listener) {
  SocketAddress name;
  name.bytes.sin6_family = AF_UNIX;
  auto* const at = reinterpret_cast<char*>(&name.bytes) + kFamilyBytes;
  std::copy(kLocalName.begin(), kLocalName.end(), at);
  if (::getrandom(at + kLocalName.size(), kRandomBytes, 0) != ssize_t{kRandomBytes}) return;
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (::bind(made.number(), plain(name), length(name)) != 0) return;
  if (::listen(made.number(), kMostWaiting) != 0) return;
  listener.local_socket = std::move(made);
  listener.local_address = name;
}

Result<Descriptor> begin_to_connect(const SocketAddress& to) {
  Descriptor made(::socket(to.bytes.sin6_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return Error{"cannot make a socket: " + reason()};
  be_prompt(made.number());
  if (::connect(made.number(), plain(to), length(to)) != 0 && errno != EINPROGRESS)
    return Error{"cannot connect to " + to.text() + ": " + reason()};
  return made;
}

std::string problem_of(const Descriptor& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return reason();
  return error == 0 ? "" : std::strerror(error);
}

Descriptor accept_from(const Descriptor& listening) {
  Descriptor accepted(::accept4(listening.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted.is_open()) be_prompt(accepted.number());
  return accepted;
}

// Within a host what is written is there.
bool has_delivered(const Descriptor& socket) {
  int family = 0;
  socklen_t size = sizeof family;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_DOMAIN, &family, &size);
  if (family == AF_UNIX) return true;
  int unanswered = 0;
  return ::ioctl(socket.number(), SIOCOUTQ, &unanswered) != 0 || unanswered == 0;
}

void limit_send_buffer(const Descriptor& socket, Bytes most) {
  set(socket.number(), SOL_SOCKET, SO_SNDBUF,
      static_cast<int>(std::min<std::int64_t>(most.value, INT_MAX / 2)));
}

std::string congestion_control_of(const Descriptor& socket) {
  std::array<char, 16> name{};  // TCP_CA_NAME_MAX of the kernel
  socklen_t size = name.size() - 1;
  const bool is_known = ::getsockopt(socket.number(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) == 0;
  return is_known ? name.data() : "";
}

std::string set_congestion_control(const Descriptor& socket, const std::string& name) {
  if (::setsockopt(socket.number(), IPPROTO_TCP, TCP_CONGESTION, name.data(),
                   static_cast<socklen_t>(name.size())) == 0)
    return "";
  return fmt::format(
      "the congestion control \"{}\" is not to be had: {}; /proc/sys/net/ipv4/tcp_allowed_congestion_control "
      "names what is",
      name, reason());
}

void ask_for_signs_of_life(const Descriptor& socket, bool yes) {
  set(socket.number(), SOL_SOCKET, SO_KEEPALIVE, yes ? 1 : 0);
}

// An answer counts as owed from the second question on: one may be lost.
bool is_silent(const Descriptor& socket, Nanoseconds patience) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket.number(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  const Nanoseconds unheard{std::int64_t{info.tcpi_last_ack_recv} * 1'000'000};
  return unheard >= patience && info.tcpi_probes + info.tcpi_retransmits >= 2;
}

}  // namespace weft::wire
