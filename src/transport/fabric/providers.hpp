// SPDX-License-Identifier: BSD-3-Clause
// The choice among the providers that libfabric offers: which of them can be a wire, and which is the best.
#pragma once

#include <memory>
#include <rdma/fabric.h>
#include <string>
#include <vector>

#include "transport/fabric/fabric.hpp"
#include "transport/fabric/library.hpp"

namespace weft::fabric {

struct FreeInfo {
  const Library* library;
  void operator()(fi_info* info) const { library->freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// A list of all that can send reliable datagrams, with tags and without. Fails where there are none.
Result<Info> all_offers(const Library& library);
// Whether there is hardware that reads and writes memory while nobody in this process calls libfabric.
bool moves_by_itself(const fi_info& info);
// Those that may be used, the best first. Fails where there are none; the error says what there is.
Result<std::vector<const fi_info*>> in_order(const fi_info* all, const Wanted& wanted);

}  // namespace weft::fabric
