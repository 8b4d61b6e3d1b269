// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/introductions.hpp"

#include <array>
#include <bit>
#include <utility>

#include "mpi/arguments/accelerator.hpp"
#include "mpi/arguments/arguments.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/tags.hpp"
#include "mpi/engine/waits.hpp"

namespace weft::mpi {
namespace {

// The numbers that this process may still give to a communicator, a bit each. Used under the engine's lock.
using FreeIds = std::array<std::uint64_t, kMostCommunicators / 64>;
FreeIds& free_ids() {
  static FreeIds& ids = *[] {
    auto* all = new FreeIds;
    all->fill(~std::uint64_t{0});
    all->back() = ~std::uint64_t{0} >> 1;  // without kLettersId
    return all;
  }();
  return ids;
}

// Takes the lowest number that is free; -1 if none is.
int take_id() {
  for (std::size_t word = 0; word < free_ids().size(); ++word) {
    std::uint64_t& free = free_ids()[word];
    if (free == 0) continue;
    const int bit = std::countr_zero(free);
    free &= free - 1;
    return static_cast<int>(word * 64) + bit;
  }
  return -1;
}

}  // namespace

void give_back_id(int id) {
  if (id >= 0) free_ids()[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
}

Introduction introduce_myself(const Hints& hints) {
  static std::uint64_t births = 0;
  Introduction mine{.serves = 0,
                    .id = take_id(),
                    .birth = ++births,
                    .hints = fingerprint_of(hints),
                    .accelerators = accelerator_use(),
                    .place = ask_for_places(hints) ? place_of_this_rank() : no_place(),
                    .memory = {}};
  mine.serves = mine.id >= 0 ? 1 : 0;
  return mine;
}

void withdraw(const Introduction& mine) {
  give_back_id(static_cast<int>(mine.id));
  withdraw(mine.memory);
}

Introductions::Introductions(std::vector<int> world_ranks, const Introduction& mine)
    : world_ranks_(std::move(world_ranks)),
      letters_(std::make_unique<Letters>(Letters{mine, std::vector<Introduction>(world_ranks_.size())})) {}

void Introductions::tell_by_host(MPI_Comm comm) {
  code_ = PMPI_Iallgather(&letters_->mine, sizeof(Introduction), MPI_BYTE, letters_->all.data(),
                          sizeof(Introduction), MPI_BYTE, comm, &request_);
}

namespace {

Arguments allgather_of(const Introduction& mine, std::vector<Introduction>& all, MPI_Comm comm) {
  return {.collective = Collective::kAllgather,
          .sendbuf = &mine,
          .sendcount = sizeof(Introduction),
          .sendtype = MPI_BYTE,
          .recvbuf = all.data(),
          .recvcount = sizeof(Introduction),
          .recvtype = MPI_BYTE,
          .comm = comm};
}

}  // namespace

void Introductions::tell_by_weft(MPI_Comm parent, Start* start) {
  if (!start(allgather_of(letters_->mine, letters_->all, parent), &request_, &code_)) tell_by_host(parent);
}

Introductions::~Introductions() {
  if (request_ != MPI_REQUEST_NULL || code_ != MPI_SUCCESS) [[maybe_unused]]
    const auto* host_may_write_here = letters_.release();
}

bool Introductions::are_over() {
  int done = 1;
  if (request_ != MPI_REQUEST_NULL) code_ = PMPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  return done != 0 || code_ != MPI_SUCCESS;
}

void Introductions::wait() {
  if (request_ != MPI_REQUEST_NULL) code_ = finish_among(world_ranks_, &request_);
}

std::vector<const Introduction*> Introductions::told() const {
  if (code_ != MPI_SUCCESS) return {};
  std::vector<const Introduction*> all;
  all.reserve(letters_->all.size());
  for (const Introduction& one : letters_->all) all.push_back(&one);
  return all;
}

}  // namespace weft::mpi
