// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fabric/endpoint.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_eq.h>

namespace weft::fabric {
namespace {

constexpr std::size_t kMostCompletions = 1024;  // that nobody has read yet
constexpr std::size_t kMostUnderWay = 256;      // messages, in each direction; more are tried again

}  // namespace

Result<OwnEndpoint> Endpoint::make(const Library& library, const fi_info& offer) {
  const KeepSignalHandlers handlers;
  OwnEndpoint made(new Endpoint);
  Endpoint& own = *made;
  own.library = &library;
  own.info = Info(library.dupinfo(&offer), {&library});
  // Providers get memory for as many messages at once.
  for (std::size_t* const size : {&own.info->tx_attr->size, &own.info->rx_attr->size})
    *size = std::min(*size, kMostUnderWay);
  const std::string provider = offer.fabric_attr->prov_name;
  const char* what = "";
  // Makes one object, and owns it.
  const auto make = [&](const char* name, auto& owner, auto open) {
    typename std::remove_reference_t<decltype(owner)>::pointer object = nullptr;
    what = name;
    const int code = open(&object);
    if (code == 0) owner.reset(object);
    return code;
  };
  fi_cq_attr completions{};
  completions.size = kMostCompletions;
  completions.format = FI_CQ_FORMAT_TAGGED;
  completions.wait_obj = FI_WAIT_FD;
  fi_av_attr addresses{};
  addresses.type = offer.domain_attr->av_type == FI_AV_UNSPEC ? FI_AV_TABLE : offer.domain_attr->av_type;
  fi_info* const info = own.info.get();
  int code = make("fabric", own.fabric,
                  [&](fid_fabric** to) { return library.fabric(info->fabric_attr, to, nullptr); });
  if (code == 0)
    code = make("domain", own.domain,
                [&](fid_domain** to) { return fi_domain(own.fabric.get(), info, to, nullptr); });
  if (code == 0)
    code = make("queue of completions that can be waited for", own.completions,
                [&](fid_cq** to) { return fi_cq_open(own.domain.get(), &completions, to, nullptr); });
  if (code == 0)
    code = make("table of addresses", own.addresses,
                [&](fid_av** to) { return fi_av_open(own.domain.get(), &addresses, to, nullptr); });
  if (code == 0)
    code = make("endpoint", own.end,
                [&](fid_ep** to) { return fi_endpoint(own.domain.get(), info, to, nullptr); });
  if (code == 0) code = fi_ep_bind(own.end.get(), &own.completions->fid, FI_TRANSMIT | FI_RECV);
  if (code == 0) code = fi_ep_bind(own.end.get(), &own.addresses->fid, 0);
  if (code == 0) code = fi_enable(own.end.get());
  if (code == 0) {
    what = "descriptor to wait for";
    code = fi_control(&own.completions->fid, FI_GETWAIT, &own.descriptor);
  }
  std::size_t size = own.name.bytes.size();
  if (code == 0) {
    what = "name";
    code = fi_getname(&own.end->fid, own.name.bytes.data(), &size);
  }
  if (code != 0) return Error{fmt::format("{} has no {}: {}", provider, what, library.text(code))};
  own.name.size = static_cast<std::uint32_t>(size);
  own.name.format = info->addr_format;
  std::copy_n(provider.data(), std::min(provider.size(), own.name.provider.size() - 1),
              own.name.provider.data());
  return made;
}

void CloseEndpoint::operator()(Endpoint* endpoint) const { delete endpoint; }
Name name_of(const Endpoint& endpoint) { return endpoint.name; }

Result<OwnEndpoint> open_endpoint(const Wanted& wanted) {
  const auto found = library();
  if (!found) return Error{found.error()};
  const auto all = all_offers(**found);
  if (!all) return Error{all.error()};
  const auto ordered = in_order(all->get(), wanted);
  if (!ordered) return Error{ordered.error()};
  std::string why;
  for (const fi_info* const offer : *ordered) {
    auto made = Endpoint::make(**found, *offer);
    if (made) return made;
    if (why.find(made.error()) == std::string::npos) why += (why.empty() ? "" : "; ") + made.error();
  }
  return Error{"libfabric: " + why};
}

Survey survey(const Wanted& wanted) {
  Survey result;
  const auto found = library();
  if (!found) {
    result.problem = found.error();
    return result;
  }
  result.version = version_of(**found);
  result.known_bad = known_bad(result.version);
  const auto all = all_offers(**found);
  if (!all) {
    result.problem = all.error();
    return result;
  }
  for (const fi_info* one = all->get(); one != nullptr; one = one->next) {
    const std::string name = one->fabric_attr->prov_name;
    const std::string device = one->domain_attr->name == nullptr ? "" : one->domain_attr->name;
    auto at = std::find_if(result.providers.begin(), result.providers.end(),
                           [&](const Provider& other) { return other.name == name; });
    if (at == result.providers.end()) {
      const auto made = Endpoint::make(**found, *one);
      at = result.providers.insert(at, {name, {}, made ? "" : made.error()});
    }
    if (std::find(at->devices.begin(), at->devices.end(), device) == at->devices.end())
      at->devices.push_back(device);
  }
  const auto made = open_endpoint(wanted);
  if (made) result.chosen = name_of(**made).provider.data();
  else result.problem = made.error();
  return result;
}

}  // namespace weft::fabric
