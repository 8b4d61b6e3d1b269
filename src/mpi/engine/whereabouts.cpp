// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/whereabouts.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "mpi/engine/engine.hpp"
#include "transport/wire/meeting.hpp"
#include "transport/wire/tcp_carrier.hpp"

namespace weft::mpi {
namespace {

constexpr std::chrono::seconds kPatience{20};  // for one another's connections

bool is_over_fabric() { return engine().settings.shared.wire != "tcp"; }

// "4000-4100", "4000", or nothing.
Result<wire::Ports> ports_in(const std::string& text) {
  wire::Ports ports;
  if (text.empty()) return ports;
  const char* const end = text.data() + text.size();
  const auto [dash, problem] = std::from_chars(text.data(), end, ports.first);
  ports.last = ports.first;
  bool is_right = problem == std::errc() && ports.first > 0;
  if (is_right && dash != end) {
    const auto [last, other] = std::from_chars(dash + 1, end, ports.last);
    is_right = *dash == '-' && other == std::errc() && last == end && ports.last >= ports.first;
  }
  if (!is_right)
    return Error{fmt::format("WEFT_WIRE_PORTS={} is not understood: use 4000-4100 or one port", text)};
  return ports;
}

wire::Descriptor& door() {
  static auto& one = *new wire::Descriptor;
  return one;
}

// "" or why not.
std::string listen(Post& post) {
  const LocalSettings& local = engine().settings.local;
  const auto ports = ports_in(local.wire_ports);
  if (!ports) return ports.error();
  auto addresses = wire::addresses_of_this_host(local.wire_interface);
  if (!addresses) return addresses.error();
  auto listener = wire::listen_on(*ports);
  if (!listener) return listener.error();
  post.listener = std::move(*listener);
  if (const std::string& name = local.wire_congestion_control; !name.empty())
    if (const std::string problem = wire::set_congestion_control(post.listener.socket, name);
        !problem.empty())
      return "WEFT_WIRE_CONGESTION_CONTROL: " + problem;
  wire::listen_locally(post.listener);
  post.mine.is_local = post.listener.local_socket.is_open();
  post.mine.local = post.listener.local_address;
  for (wire::SocketAddress& address : *addresses) {
    if (post.mine.count == static_cast<int>(kMostAddresses)) break;
    address.set_port(post.listener.port);
    post.mine.addresses[static_cast<std::size_t>(post.mine.count++)] = address;
  }
  return "";
}

// A megabyte that the kernel takes at once pushes out of the caches what the other end has to read next:
// between near nodes it arrives in less than half the time if it is let go by little. What is far needs more
// on its way.
Bytes send_buffer() {
  return engine().settings.shared.nodes_are_far() ? Bytes(0) : engine().settings.local.wire_send_buffer;
}

// BBR sends by a clock, as is good for a route through many networks: between hosts of one, where nothing is
// lost, it takes twice the time for long messages, and the processors'. Reno is in every kernel, for
// everybody.
std::string congestion_control(const wire::Listener& listener) {
  const std::string& wanted = engine().settings.local.wire_congestion_control;
  if (!wanted.empty()) return wanted;
  return wire::congestion_control_of(listener.socket).starts_with("bbr") ? "reno" : "";
}

std::string open_fabric(Post& post) {
  const auto wanted =
      fabric::wanted_by(engine().settings.shared.wire, engine().settings.local.wire_interface);
  if (!wanted) return wanted.error();
  auto endpoint = fabric::open_endpoint(*wanted);
  if (!endpoint) return endpoint.error();
  post.endpoint = std::move(*endpoint);
  post.mine.fabric = fabric::name_of(*post.endpoint);
  return "";
}

void tell_host(Whereabouts& mine) { ::gethostname(mine.host.data(), mine.host.size() - 1); }

// Those that are not to be met have no name.
std::vector<fabric::Name> names_of(const std::vector<Whereabouts>& all, std::span<const char> are_met) {
  std::vector<fabric::Name> names(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (are_met[rank] != 0) names[rank] = all[rank].fabric;
  return names;
}

}  // namespace

Result<Post> open_post() {
  auto bell = device::Bell::make();
  if (!bell) return Error{bell.error()};
  Post post{.listener = wire::Listener(), .endpoint = nullptr, .bell = std::move(*bell), .mine = {}};
  const std::string problem = is_over_fabric() ? open_fabric(post) : listen(post);
  if (!problem.empty()) return Error{problem};
  post.mine.bell = post.bell.ticket();
  tell_host(post.mine);
  return post;
}

void close_door() { door() = wire::Descriptor(); }

Whereabouts without_post() {
  Whereabouts mine;
  tell_host(mine);
  return mine;
}

std::vector<std::string> why_not_met(const std::vector<Whereabouts>& all) {
  if (is_over_fabric()) return fabric::why_they_differ(names_of(all, std::vector<char>(all.size(), 1)));
  std::vector<std::string> why(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].count == 0) why[rank] = fmt::format("rank {} does not listen", rank);
  return why;
}

Encounter meet_partners(const wire::JobKey& key, Post& here, const std::vector<Whereabouts>& all,
                        std::span<const int> node_of, std::span<const char> have_device,
                        const wire::Partners& partners) {
  const int self = engine().world_rank;
  if (is_over_fabric()) {
    auto [carrier, missing, problem] =
        fabric::meet(std::move(here.endpoint), key, self, names_of(all, have_device), partners, kPatience);
    return {std::move(carrier), std::move(missing), std::move(problem)};
  }
  if (std::count(node_of.begin(), node_of.end(), node_of[static_cast<std::size_t>(self)]) == 1)
    here.listener.local_socket = wire::Descriptor();  // there is nobody to call
  std::vector<wire::Reach> processes;
  processes.reserve(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    processes.push_back(all[rank].reach(node_of[rank] == node_of[static_cast<std::size_t>(self)]));
  if (!partners.are_all)
    door() = wire::Descriptor(::fcntl(here.listener.socket.number(), F_DUPFD_CLOEXEC, 0));
  wire::TcpCarrier::Sending sending{.buffer = send_buffer(),
                                    .congestion_control = congestion_control(here.listener)};
  auto switchboard =
      std::make_unique<wire::Switchboard>(key, self, std::move(here.listener), std::move(processes));
  wire::Meeting met = wire::meet(*switchboard, partners.met, kPatience);
  Encounter encounter{.carrier = nullptr, .missing = {}, .problem = std::move(met.problem)};
  for (const int rank : partners.met)
    if (!met.connections[static_cast<std::size_t>(rank)].is_open()) encounter.missing.push_back(rank);
  if (partners.are_all) switchboard.reset();
  encounter.carrier = std::make_unique<wire::TcpCarrier>(std::move(met.connections), std::move(switchboard),
                                                         partners.confidants, std::move(sending));
  return encounter;
}

}  // namespace weft::mpi
