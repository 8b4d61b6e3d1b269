// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/whereabouts.hpp"

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
  for (wire::SocketAddress& address : *addresses) {
    if (post.mine.count == static_cast<int>(kMostAddresses)) break;
    address.set_port(post.listener.port);
    post.mine.addresses[static_cast<std::size_t>(post.mine.count++)] = address;
  }
  return "";
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

}  // namespace

Result<Post> open_post() {
  auto bell = device::Bell::make();
  if (!bell) return Error{bell.error()};
  Post post{.listener = wire::Listener(), .endpoint = nullptr, .bell = std::move(*bell), .mine = {}};
  const std::string problem = is_over_fabric() ? open_fabric(post) : listen(post);
  if (!problem.empty()) return Error{problem};
  post.mine.bell = post.bell.ticket();
  ::gethostname(post.mine.host.data(), post.mine.host.size() - 1);
  return post;
}

void close_door() { door() = wire::Descriptor(); }

Result<std::unique_ptr<wire::Carrier>> meet_partners(const wire::JobKey& key, Post& here,
                                                     const std::vector<Whereabouts>& all,
                                                     const wire::Partners& partners) {
  if (is_over_fabric()) {
    std::vector<fabric::Name> names;
    names.reserve(all.size());
    for (const Whereabouts& one : all) names.push_back(one.fabric);
    return fabric::meet(std::move(here.endpoint), key, engine().world_rank, names, partners, kPatience);
  }
  std::vector<wire::Reach> processes;
  processes.reserve(all.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].count == 0) return Error{fmt::format("rank {} cannot listen", rank)};
    processes.push_back(all[rank].reach());
  }
  if (!partners.are_all)
    door() = wire::Descriptor(::fcntl(here.listener.socket.number(), F_DUPFD_CLOEXEC, 0));
  auto switchboard = std::make_unique<wire::Switchboard>(key, engine().world_rank, std::move(here.listener),
                                                         std::move(processes));
  wire::Meeting met = wire::meet(*switchboard, partners.met, kPatience);
  if (!met.problem.empty()) return Error{met.problem};
  if (partners.are_all) switchboard.reset();
  return Result<std::unique_ptr<wire::Carrier>>(std::make_unique<wire::TcpCarrier>(
      std::move(met.connections), std::move(switchboard), partners.confidants));
}

}  // namespace weft::mpi
