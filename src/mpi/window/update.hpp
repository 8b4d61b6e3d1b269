// SPDX-License-Identifier: BSD-3-Clause
// Updates: the accesses that read a member's memory and write it again, atomic among themselves.
#pragma once

#include <mpi.h>

#include "base/plain_memory.hpp"
#include "mpi/window/data.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {

struct Access;

// Requires an access that is neither a put nor a get, on this node, in an open epoch. An MPI error code.
int update(Window& window, const Access& access);

// The one who updates a member's memory, as long as it lives. Who ends while it updates leaves the memory as
// nobody knows: then there is no more updating.
class Updating {
 public:
  // `gives_up`: asked now and then while another one updates.
  template <class GivesUp>
  Updating(Window& window, int member, GivesUp gives_up) : word_(window.member(member).board->updated_by) {
    for (std::int32_t nobody = 0;; nobody = 0) {
      is_mine_ = word_.compare_exchange_weak(nobody, window.self + 1, std::memory_order_acquire);
      if (is_mine_ || gives_up()) return;
    }
  }
  ~Updating() {
    if (is_mine_) word_.store(0, std::memory_order_release);
  }
  Updating(const Updating&) = delete;
  bool is_mine() const { return is_mine_; }

 private:
  std::atomic<std::int32_t>& word_;
  bool is_mine_ = false;
};

// One element, nowhere, of the predefined type that all data of an updating access consist of (MPI-4.0,
// section 12.3.4). Takes the engine's lock.
Data one_basic(MPI_Datatype type);

// The data as an array of their basic type: where they lie, or a copy.
class AsArray {
 public:
  AsArray(const Data& data, const Data& basic);
  const Data& array() const { return array_; }
  int code() const { return code_; }
  // Back to where they lie.
  int write() const { return array_.at == data_.at ? MPI_SUCCESS : copy(array_, data_); }

 private:
  Data data_, array_;
  PlainMemory copy_;
  int code_ = MPI_SUCCESS;
};

// into = left (+) into, by the host: inside MPI. So many bytes, of elements of a predefined type with that
// extent. An MPI error code.
int reduce_by_host(const std::byte* left, std::byte* into, Bytes bytes, MPI_Datatype basic, Bytes extent,
                   MPI_Op op);

}  // namespace weft::mpi::window
