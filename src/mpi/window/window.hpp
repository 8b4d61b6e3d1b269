// SPDX-License-Identifier: BSD-3-Clause
// Window: what Weft keeps for a window that MPI_Win_allocate made.
//
// Its memory is the host's own, which the ranks of a node share, and so is the window that the program sees:
// fence and lock epochs are the host's, as if Weft were not there. Weft's are the epochs of post, start,
// complete and wait (MPI-4.0, section 12.5.2), and what is accessed in them.
#pragma once

#include <atomic>
#include <memory>
#include <mpi.h>
#include <vector>

#include "base/types.hpp"
#include "mpi/window/board.hpp"

namespace weft::mpi::window {

class FarEnd;
class Transfer;

// A member of a window, this rank among them.
struct Member {
  int world_rank = 0;
  std::byte* memory = nullptr;  // its part of the window; null: it is on another node
  std::int64_t size = 0;        // bytes
  std::int64_t unit = 1;        // of displacements, in bytes
  Board* board = nullptr;       // behind its memory
  // Epochs between the two, so far: what this rank has told, and what it has to hear.
  std::uint64_t opened = 0, closed = 0;
  std::uint64_t to_be_opened = 0, to_be_closed = 0;
  bool is_target = false;  // of the access epoch that is open
  bool was_late = false;   // at this look at the transfers

  bool is_near() const { return memory != nullptr; }
};

struct Window {
  Window();
  ~Window();
  Window(const Window&) = delete;

  Member& member(int rank) { return members[static_cast<std::size_t>(rank)]; }
  // Whether the member has opened the epoch that this rank accesses, or accesses next.
  bool is_open(int target);
  // Whether the member has closed the epoch on this rank's memory that is open.
  bool has_closed(int origin);
  // Whether a member will not say any more what it has not said.
  bool has_lost_any();

  MPI_Win handle = MPI_WIN_NULL;
  MPI_Win shared = MPI_WIN_NULL;  // on this node; the same where all members are here
  MPI_Group group = MPI_GROUP_NULL;
  int self = 0;
  std::int64_t size = 0;  // of this rank's part, as the program asked for it
  std::vector<Member> members;
  std::vector<int> world_ranks;
  std::shared_ptr<FarEnd> far;  // null: all members are here
  // What members on other nodes have told, by rank. For any thread.
  struct Told {
    std::atomic<std::uint64_t> opened{0}, closed{0};
    std::atomic<int> needed{0};  // how many epochs wait for it
  };
  std::vector<Told> told;

  bool is_accessing = false, is_exposed = false;
  std::vector<int> targets, origins;                 // of the open epochs
  std::vector<std::unique_ptr<Transfer>> transfers;  // of the access epoch, which may not be over

 private:
  unsigned looks_ = 0;
};

// Null: the window is the host's alone.
Window* find(MPI_Win handle);
void keep(std::unique_ptr<Window> window);
// What Weft keeps goes; the host's windows stay.
std::unique_ptr<Window> take(MPI_Win handle);
void forget_all();
// Under the engine's lock.
void for_each(void (*visit)(Window&));

}  // namespace weft::mpi::window
