// SPDX-License-Identifier: BSD-3-Clause
// Bell: what wakes an agent, from its own process and from others of its node. A pipe: whoever may look at
// the owner's descriptors (as for shared memory without a name) opens the end that is written to.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "transport/wire/socket.hpp"

namespace weft::device {

// By which others find the bell. Plain bytes, so that processes can tell one another.
struct BellTicket {
  std::int32_t pid = 0, descriptor = 0;
  std::uint64_t inode = 0;  // as the pipe is called by the kernel
};

class Bell {
 public:
  // Fails where the process has no descriptor left.
  static Result<Bell> make();

  BellTicket ticket() const;
  // For any thread.
  void ring() const;
  // Readable from its ring on until it is heard.
  int descriptor() const { return out_.number(); }
  void hear() const;

 private:
  wire::Descriptor out_, in_;
};

// The bell of another process; closed if that is not to be reached from here.
class BellRope {
 public:
  BellRope() = default;
  explicit BellRope(const BellTicket& ticket);

  bool is_open() const { return in_.is_open(); }
  void ring() const;  // for any thread

 private:
  wire::Descriptor in_;
};

}  // namespace weft::device
