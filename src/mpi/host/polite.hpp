// SPDX-License-Identifier: BSD-3-Clause
// Polite: what ranks tell one another in MPI_Init, before Weft serves anything. Who waits gives its core
// away, since the rank that it waits for may need it. The blocking calls of a host that never does (MPICH)
// last as long as other ranks' time slices where ranks outnumber cores: MPI_Comm_split_type of 8 ranks on 2
// cores takes a quarter of a second.
//
// The host's errors are its own: the communicator's error handler says what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <type_traits>
#include <vector>

namespace weft::mpi::polite {

// Waits for all of them.
void wait(std::span<MPI_Request> requests);

// MPI_COMM_NULL if there is none.
MPI_Comm duplicate(MPI_Comm comm);
// From rank 0.
void broadcast(void* data, std::size_t bytes, MPI_Comm comm);
// Whether it is so on one of the ranks.
bool is_anywhere(bool here, MPI_Comm comm);
// Every bit that is set on one of the ranks, on all of them, which have as many words.
void join_bits(std::span<std::uint32_t> words, MPI_Comm comm);

namespace bytes {
void allgather(const void* mine, std::size_t bytes, void* all, MPI_Comm comm);
}
// By rank.
template <class T>
std::vector<T> allgather(const T& mine, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<T>);
  int size = 1;
  PMPI_Comm_size(comm, &size);
  std::vector<T> all(static_cast<std::size_t>(size));
  bytes::allgather(&mine, sizeof mine, all.data(), comm);
  return all;
}

// Some ranks of a communicator, this one among them, of whom the first hears from all and answers each: by
// messages, so that they need no communicator of their own.
class Circle {
 public:
  Circle(MPI_Comm comm, std::span<const int> ranks);

  bool is_first() const { return self_ == 0; }
  // At the first rank: what each of them has given, in their order. Elsewhere: nothing.
  template <class T>
  std::vector<T> gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(is_first() ? ranks_.size() : 0);
    if (is_first()) all.front() = mine;
    gather_bytes(&mine, sizeof mine, all.data());
    return all;
  }
  // What the first rank has for this one, out of what it has for each in their order.
  template <class T>
  T scatter(const std::vector<T>& all) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T mine{};
    if (is_first()) mine = all.front();
    scatter_bytes(all.data(), sizeof mine, &mine);
    return mine;
  }

 private:
  void gather_bytes(const void* mine, std::size_t bytes, void* all) const;
  void scatter_bytes(const void* all, std::size_t bytes, void* mine) const;

  MPI_Comm comm_;
  std::span<const int> ranks_;
  std::size_t self_ = 0;
};

}  // namespace weft::mpi::polite
