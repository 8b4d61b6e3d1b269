// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fabric/providers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <optional>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "transport/wire/socket.hpp"

namespace weft::fabric {
namespace {

// Networks that have adapters of their own. What is in neither place (shm, udp, sockets) has to be named.
constexpr std::array kAdapters = {"cxi", "efa", "psm3", "psm2", "opx", "verbs"};
bool is_adapter(const std::string& core) {
  return std::find(kAdapters.begin(), kAdapters.end(), core) != kAdapters.end();
}
constexpr const char* kEverywhere = "tcp";
constexpr int kNever = -1;

std::string name_of(const fi_info& info) { return info.fabric_attr->prov_name; }
std::string device_of(const fi_info& info) {
  return info.domain_attr->name == nullptr ? "" : info.domain_attr->name;
}

bool is_ip(const fi_info& info) {
  return info.src_addr != nullptr &&
         (info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6);
}
wire::SocketAddress ip_of(const fi_info& info) {
  wire::SocketAddress address;
  std::memcpy(&address.bytes, info.src_addr, std::min(info.src_addrlen, sizeof address.bytes));
  return address;
}
bool is_ipv4(const fi_info& info) { return info.addr_format == FI_SOCKADDR_IN; }
bool is_loopback(const fi_info& info) {
  if (!is_ip(info)) return false;
  const wire::SocketAddress address = ip_of(info);
  if (!is_ipv4(info)) return IN6_IS_ADDR_LOOPBACK(&address.bytes.sin6_addr);
  sockaddr_in ipv4;
  std::memcpy(&ipv4, &address.bytes, sizeof ipv4);
  return ntohl(ipv4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}
// Its number of the interface means nothing on another host.
bool is_link_local(const fi_info& info) {
  if (!is_ip(info) || is_ipv4(info)) return false;
  const wire::SocketAddress address = ip_of(info);
  return IN6_IS_ADDR_LINKLOCAL(&address.bytes.sin6_addr);
}

bool is_on(const fi_info& info, const std::string& interface,
           const std::vector<wire::SocketAddress>& addresses) {
  if (interface.empty() || device_of(info) == interface) return true;
  if (!is_ip(info)) return false;
  wire::SocketAddress own = ip_of(info);
  own.set_port(0);
  return std::any_of(addresses.begin(), addresses.end(),
                     [&](const wire::SocketAddress& one) { return one.text() == own.text(); });
}

// The lower the better.
int rank_of_offer(const fi_info& info, const Wanted& wanted) {
  const std::string name = name_of(info), core = core_of(name);
  const bool is_named = !wanted.provider.empty();
  if (is_named && name != wanted.provider && core != wanted.provider) return kNever;
  if (is_link_local(info) || info.ep_attr->mem_tag_format >> 47 == 0) return kNever;
  const bool is_plain = name.find("ofi_rxd") == std::string::npos;  // datagrams made reliable, slowly
  if (!is_named && ((!is_adapter(core) && core != kEverywhere) || !is_plain)) return kNever;
  const int where = wanted.interface.empty() && is_loopback(info) ? 2 : is_ip(info) && !is_ipv4(info) ? 1 : 0;
  return (is_plain ? 0 : 10) + (is_adapter(core) ? 0 : 5) + where;
}

std::string all_names(const fi_info* all) {
  std::string text;
  for (const fi_info* one = all; one != nullptr; one = one->next) {
    const std::string name = name_of(*one);
    if ((", " + text + ", ").find(", " + name + ", ") == std::string::npos)
      text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

bool moves_by_itself(const fi_info& info) { return is_adapter(core_of(name_of(info))); }

Result<Info> all_offers(const Library& library) {
  const Info hints(library.dupinfo(nullptr), {&library});
  hints->caps = FI_MSG | FI_TAGGED;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  // Who waits for the queue's descriptor makes progress; no thread is to be started for that.
  hints->domain_attr->data_progress = hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  // What these demand concerns memory for others to write in, of which there is none.
  hints->domain_attr->mr_mode = FI_MR_ENDPOINT | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_VIRT_ADDR;
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
  const KeepSignalHandlers handlers;
  fi_info* found = nullptr;
  const int code = library.getinfo(kInterface, nullptr, nullptr, 0, hints.get(), &found);
  if (code != 0)
    return Error{fmt::format("libfabric {} offers no reliable datagrams here: {}", version_of(library),
                             library.text(code))};
  return Info(found, {&library});
}

Result<std::vector<const fi_info*>> in_order(const fi_info* all, const Wanted& wanted) {
  std::vector<wire::SocketAddress> addresses;
  std::string no_such_interface;
  if (!wanted.interface.empty()) {
    if (auto found = wire::addresses_of_this_host(wanted.interface)) addresses = std::move(*found);
    else no_such_interface = found.error();
  }
  std::vector<std::pair<int, const fi_info*>> ranked;
  bool is_one_elsewhere = false;
  for (const fi_info* one = all; one != nullptr; one = one->next) {
    const int rank = rank_of_offer(*one, wanted);
    if (rank == kNever) continue;
    if (is_on(*one, wanted.interface, addresses)) ranked.emplace_back(rank, one);
    else is_one_elsewhere = true;
  }
  if (ranked.empty() && is_one_elsewhere)
    return Error{no_such_interface.empty()
                     ? fmt::format("libfabric has nothing on interface {}", wanted.interface)
                     : no_such_interface};
  if (ranked.empty())
    return Error{
        wanted.provider.empty()
            ? fmt::format("none of libfabric's providers is taken without being named: {}", all_names(all))
            : fmt::format("libfabric has no provider \"{}\" here: use one of {}", wanted.provider,
                          all_names(all))};
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<const fi_info*> ordered;
  ordered.reserve(ranked.size());
  for (const auto& [rank, one] : ranked) ordered.push_back(one);
  return ordered;
}

}  // namespace weft::fabric
