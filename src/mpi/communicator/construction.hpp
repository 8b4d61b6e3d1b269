// SPDX-License-Identifier: BSD-3-Clause
// Construction: a constructor of communicators, from before the host's part to the end of Weft's.
//
// Where it is collective over a parent whose members share a node's memory, each of these leaves a letter to
// the others there before the host's part, in which all of them meet, so that Weft's part costs no meeting of
// its own. Once the host's part has failed on a member, what this is a member of is made without letters.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace weft::mpi {

struct Communicator;
struct Introduction;

class Construction {
 public:
  // A duplicate of the parent, what MPI_Comm_split makes of it, another one in whose making all its members
  // take part, or only some of them do.
  enum class Kind : std::uint8_t { kDuplicate, kSplit, kOfAll, kOfSome };
  struct Split {
    int color, key;
  };
  Construction(MPI_Comm parent, MPI_Info info, Kind kind, Split split = {});
  ~Construction();
  Construction(const Construction&) = delete;
  // After the host's part, if that went well: as weft::mpi::adopt(). `made` is MPI_COMM_NULL where this
  // process is no member.
  void adopt(MPI_Comm made);

 private:
  struct Text;  // of a letter
  const Text& text_of(int member) const;
  void offer_memory_ahead();
  // Takes memory for so many members, of whom this process is rank 0, and writes on the second sheet where it
  // lies. What was offered ahead is given back; with 0 members that is all.
  void offer_memory_to(int members);
  // Each returns the members of the new communicator, by their ranks in the parent.
  std::vector<int> wait_for_letters(MPI_Comm made);
  std::vector<int> members_of(MPI_Comm made, bool all_have_written) const;
  std::vector<int> members_of_my_color() const;
  // What these members have said of themselves, when the first of them has also said where the memory lies;
  // empty if it has ended before.
  std::vector<const Introduction*> told_by(const std::vector<int>& members) const;

  MPI_Comm parent_;
  MPI_Info info_;
  Kind kind_;
  Communicator* served_ = nullptr;  // the parent, if there are letters
  std::uint64_t number_ = 0;        // of this construction, among the parent's
  Text* mine_ = nullptr;            // in this rank's letter
};

}  // namespace weft::mpi
