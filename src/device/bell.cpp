// SPDX-License-Identifier: BSD-3-Clause
#include "device/bell.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::device {
namespace {

// A full pipe has been rung often enough.
void ring_once(int descriptor) {
  const char one = 0;
  [[maybe_unused]] const ssize_t rung = ::write(descriptor, &one, sizeof one);
}

}  // namespace

Result<Bell> Bell::make() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return Error{fmt::format("the agent has no bell: {}", std::strerror(errno))};
  Bell bell;
  bell.out_ = wire::Descriptor(ends[0]);
  bell.in_ = wire::Descriptor(ends[1]);
  return bell;
}

BellTicket Bell::ticket() const {
  struct stat pipe {};
  ::fstat(in_.number(), &pipe);
  return {::getpid(), in_.number(), pipe.st_ino};
}

void Bell::ring() const { ring_once(in_.number()); }

void Bell::hear() const {
  std::array<char, 256> rings;
  while (::read(out_.number(), rings.data(), rings.size()) == static_cast<ssize_t>(rings.size())) {}
}

// In another container the number may be that of another process, whose file is not touched. Open for reading
// as well, so that no signal comes from ringing for a process that has ended.
BellRope::BellRope(const BellTicket& ticket) {
  const std::string path = fmt::format("/proc/{}/fd/{}", ticket.pid, ticket.descriptor);
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0 || !S_ISFIFO(there.st_mode) || there.st_ino != ticket.inode) return;
  in_ = wire::Descriptor(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

void BellRope::ring() const { ring_once(in_.number()); }

}  // namespace weft::device
