// SPDX-License-Identifier: BSD-3-Clause
// Transfer: one access to a member's memory that has not been carried out in its call. It begins when the
// member has opened its epoch for this rank. Those that the agent moves are carried out while the program
// computes, the others when the rank completes its epoch.
#pragma once

#include <mpi.h>

#include "device/work.hpp"
#include "mpi/window/data.hpp"

namespace weft::mpi::window {

enum class Kind : std::uint8_t { kPut, kGet, kAccumulate, kFetch, kCompareAndSwap };

struct Access {
  Kind kind = Kind::kPut;
  int target = 0;
  Data origin;          // of a get, where it goes
  Data result;          // what was there before
  Data there;           // in the target's memory
  std::int64_t at = 0;  // and where that begins in its part of the window, in bytes
  const void* compared = nullptr;
  MPI_Op op = MPI_OP_NULL;
};

// The same plain bytes on both sides, so that anybody may copy them; 0: no.
inline Bytes plain_bytes(const Access& access) {
  if (access.kind != Kind::kPut && access.kind != Kind::kGet) return Bytes(0);
  const Bytes here = plain_bytes(access.origin), there = plain_bytes(access.there);
  return here == there ? here : Bytes(0);
}

class Transfer : public device::Work {
 public:
  explicit Transfer(int target) : target_(target) {}
  // Whether it is over. By the rank, inside MPI.
  virtual bool advance() = 0;

  int target() const { return target_; }
  bool is_agents() const { return is_agents_; }
  int error() const { return error_; }

 protected:
  bool is_agents_ = false;
  int error_ = MPI_SUCCESS;

 private:
  int target_;
};

}  // namespace weft::mpi::window
