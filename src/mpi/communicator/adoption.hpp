// SPDX-License-Identifier: BSD-3-Clause
// Adoption: how a new communicator becomes one that Weft serves.
#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <span>
#include <vector>

#include "mpi/communicator/hints.hpp"
#include "node/letters.hpp"

namespace weft::mpi {

class Introductions;
struct Communicator;
struct Introduction;

// After a constructor: the members agree whether Weft serves the new communicator, and on the hints that the
// info gives for it. Collective over it. MPI_Init's own have no parent.
void adopt(MPI_Comm comm, MPI_Comm parent, MPI_Info info = MPI_INFO_NULL);

// A constructor that is collective over the parent, from before the host's part to its end. Where the
// parent's members share a node's memory, each leaves a letter to the others there before the host's part, in
// which all of them meet, so that Weft's part costs no meeting of its own.
class Construction {
 public:
  enum class Makes : std::uint8_t { kDuplicate, kWhatever };
  Construction(MPI_Comm parent, MPI_Info info, Makes makes);
  ~Construction();
  Construction(const Construction&) = delete;
  // After the host's part, if that went well: as weft::mpi::adopt(). `made` is MPI_COMM_NULL where this
  // process is no member.
  void adopt(MPI_Comm made);

 private:
  using Part = node::Letters::Part;
  // To these ranks of the world, of which this is the first; and so if it is and has not done it yet.
  void offer_memory_to(std::span<const int> world_ranks);
  void offer_memory_as_first(int first, std::span<const int> world_ranks);
  // Waits for the letter of a member of the parent; false if that ended before.
  bool has_come(int member, Part part) const;
  // What these members have written, the first of them of the memory as well; who has not does not serve.
  std::vector<Introduction> letters_of(std::span<const int> members) const;

  MPI_Comm parent_;
  MPI_Info info_;
  Communicator* served_ = nullptr;  // the parent, if there are letters
  std::uint64_t number_ = 0;        // of this construction, among the parent's
  Introduction* mine_ = nullptr;    // in this rank's letter
};

// For a duplicate that MPI_Comm_idup is still making: its introductions, of which nothing is told yet. Null
// where the members have nothing to tell: one rank, or an inter-communicator.
std::unique_ptr<Introductions> introductions_for(MPI_Comm parent, const Hints& hints);
// Takes a duplicate into service, when it is made and its members have told one another. The caller holds the
// engine's lock.
void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions);

// After MPI_Comm_set_info, and collective like it: the hints hold from now on, if all members give the same.
void take_hints(MPI_Comm comm, MPI_Info info);

}  // namespace weft::mpi
