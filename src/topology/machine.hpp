// SPDX-License-Identifier: BSD-3-Clause
// The topology of this machine, as hwloc sees it. hwloc is opened at run time, if it is there: no program
// that carries Weft depends on it, and a program that brings its own copy keeps it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace weft {

struct Machine {
  Topology topology;  // one place per core that this process may use
  std::string hwloc_version;
};

// Fails with a clear message where hwloc is missing or too old.
Result<Machine> detect_machine();

}  // namespace weft
