// SPDX-License-Identifier: BSD-3-Clause
// Endpoint: this process's end of a fabric, and the objects of libfabric that it takes.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "transport/fabric/providers.hpp"

namespace weft::fabric {

// Closes an object of libfabric.
struct CloseObject {
  template <class T>
  void operator()(T* object) const {
    fi_close(&object->fid);
  }
};
template <class T>
using Own = std::unique_ptr<T, CloseObject>;

// Members are closed from the last to the first.
class Endpoint {
 public:
  static Result<OwnEndpoint> make(const Library& library, const fi_info& offer);

  const Library* library = nullptr;
  Info info;
  Own<fid_fabric> fabric;
  Own<fid_domain> domain;
  Own<fid_cq> completions;
  Own<fid_av> addresses;
  Own<fid_ep> end;
  int descriptor = -1;  // of the completions; libfabric's own
  Name name;
};

}  // namespace weft::fabric
