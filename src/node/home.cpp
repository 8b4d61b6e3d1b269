// SPDX-License-Identifier: BSD-3-Clause
#include "node/home.hpp"

#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/fnv1a.hpp"
#include "node/peers.hpp"

namespace weft::node {

std::uint64_t home_of_this_process() {
  Fnv1a home;
  home.add(ProcessTicket::mine().boot.data());
  utsname names{};
  if (::uname(&names) == 0) home.add(names.nodename);
  struct stat shared_memory {};
  if (::stat("/dev/shm", &shared_memory) == 0) home.add(shared_memory.st_dev);
  return home.value();
}

}  // namespace weft::node
