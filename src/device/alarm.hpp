// SPDX-License-Identifier: BSD-3-Clause
// Alarm: what wakes an agent at a time, whatever the threads of its process do until then.
#pragma once

#include "base/result.hpp"
#include "base/types.hpp"
#include "transport/wire/socket.hpp"

namespace weft::device {

class Alarm {
 public:
  // Fails where the process has no descriptor left.
  static Result<Alarm> make();

  // Goes off once, so long from now (more than 0), and not when it was set for before. For any thread.
  void set(Nanoseconds from_now) const;
  // Readable from then on until it is heard.
  int descriptor() const { return timer_.number(); }
  void hear() const;

 private:
  wire::Descriptor timer_;
};

}  // namespace weft::device
