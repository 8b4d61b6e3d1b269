// SPDX-License-Identifier: BSD-3-Clause
// Construction: a constructor of communicators, from before the host's part to the end of Weft's.
//
// Where it is collective over a parent whose members share a node's memory, each of these leaves a letter to
// the others there before the host's part, in which all of them meet, so that Weft's part costs no meeting of
// its own. Once the host's part has failed on a member, what this is a member of is made without letters.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

namespace weft::mpi {

struct Communicator;
struct Introduction;

class Construction {
 public:
  // A duplicate of the parent, another one in whose making all its members take part, or only some of them
  // do.
  enum class Kind : std::uint8_t { kDuplicate, kOfAll, kOfSome };
  Construction(MPI_Comm parent, MPI_Info info, Kind kind);
  ~Construction();
  Construction(const Construction&) = delete;
  // After the host's part, if that went well: as weft::mpi::adopt(). `made` is MPI_COMM_NULL where this
  // process is no member.
  void adopt(MPI_Comm made);

 private:
  // To these ranks of the world, of which this is the first.
  void offer_memory_to(std::span<const int> world_ranks);
  std::vector<int> wait_for_letters(MPI_Comm made);
  // By their ranks in the parent.
  std::vector<int> members_of(MPI_Comm made) const;
  // What these members have written, the first of them of the memory as well; who has not does not serve.
  std::vector<Introduction> letters_of(std::span<const int> members) const;

  MPI_Comm parent_;
  MPI_Info info_;
  Kind kind_;
  Communicator* served_ = nullptr;  // the parent, if there are letters
  std::uint64_t number_ = 0;        // of this construction, among the parent's
  Introduction* mine_ = nullptr;    // in this rank's letter
};

}  // namespace weft::mpi
