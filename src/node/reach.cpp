// SPDX-License-Identifier: BSD-3-Clause
#include "node/reach.hpp"

#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace weft::node {
namespace {

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

// The kernel may stop early, at a page that it has to fetch or at two gigabytes.
bool transfer(Transfer step, Process process, std::byte* here, std::byte* there, Bytes size) {
  auto left = static_cast<std::size_t>(size.value);
  while (left > 0) {
    const iovec local{here, left}, remote{there, left};
    const ssize_t moved = step(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    here += moved;
    there += moved;
    left -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

Process this_process() {
  static const Process process = ::getpid();
  return process;
}

bool pull(Process from, const std::byte* there, std::byte* here, Bytes size) {
  if (from != this_process())
    return transfer(::process_vm_readv, from, here, const_cast<std::byte*>(there), size);  // only read
  std::memcpy(here, there, static_cast<std::size_t>(size.value));
  return true;
}

bool push(const std::byte* here, Process to, std::byte* there, Bytes size) {
  if (to != this_process())
    return transfer(::process_vm_writev, to, const_cast<std::byte*>(here), there, size);  // only read
  std::memcpy(there, here, static_cast<std::size_t>(size.value));
  return true;
}

}  // namespace weft::node
