// SPDX-License-Identifier: BSD-3-Clause
// Exposed: memory that others of the job may write to and read without its process taking part, as long as
// that is known on the wire (Wire::expose). What is said about it, and what goes there, are frames of their
// own, which wait for nobody: they are there as soon as they have come. Over a fabric a long one may come
// after short ones that were sent behind it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "transport/wire/frame.hpp"

namespace weft::wire {

// Called while the wire is driven. May send, but neither drive nor conceal.
class Exposed {
 public:
  // Where the payload of such a frame goes; null: nowhere.
  virtual std::byte* place(const MessageAddress& address, Bytes size) = 0;
  // It is there; one without a payload, at once.
  virtual void arrived(const MessageAddress& address, Bytes size) = 0;
  // Whether something is expected from that process.
  virtual bool needs(int process) const = 0;

 protected:
  ~Exposed() = default;
};

}  // namespace weft::wire
