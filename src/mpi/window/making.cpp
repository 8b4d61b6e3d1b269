// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/group.hpp"
#include "mpi/window/calls.hpp"
#include "mpi/window/far_end.hpp"
#include "mpi/window/transfer.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

// What each member tells the others before there is a window.
struct Wish {
  std::int64_t size = 0, unit = 0;
  std::uint64_t number = 0;  // never used again in the job; the first member's is the window's
  bool is_good() const { return size >= 0 && unit > 0; }
};

int node_of(int world_rank) { return this_node().node_of[static_cast<std::size_t>(world_rank)]; }

// The ranks in the world of a communicator whose windows Weft makes, and none of one whose windows are the
// host's: those over several nodes where some rank has no agent. The same on all members.
std::vector<int> members_to_serve(MPI_Comm comm) {
  if (!engine().active.load(std::memory_order_acquire) || !engine().settings.shared.windows) return {};
  if (comm == MPI_COMM_NULL || is_inter(comm)) return {};
  {
    const InEngine inside;
    if (find_communicator(comm) == nullptr) return {};
  }
  std::vector<int> ranks = world_ranks_of(comm);
  if (ranks.size() < 2 || this_node().node_of.empty()) return {};
  if (!is_one_node(ranks) && !std::all_of(ranks.begin(), ranks.end(), has_agent)) return {};
  return ranks;
}

int tell_wishes(const Wish& mine, std::vector<Wish>& all, std::span<const int> world_ranks, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request);
  return code != MPI_SUCCESS ? code : finish_among(world_ranks, &request);
}
int meet(std::span<const int> world_ranks, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ibarrier(comm, &request);
  return code != MPI_SUCCESS ? code : finish_among(world_ranks, &request);
}

// The parts of the memory need not follow one another: each lies near its rank.
class SharedInfo {
 public:
  explicit SharedInfo(MPI_Info given) {
    if (given == MPI_INFO_NULL) PMPI_Info_create(&info_);
    else PMPI_Info_dup(given, &info_);
    PMPI_Info_set(info_, "alloc_shared_noncontig", "true");
  }
  ~SharedInfo() { PMPI_Info_free(&info_); }
  SharedInfo(const SharedInfo&) = delete;
  MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

std::int64_t rounded(std::int64_t size, std::int64_t unit) { return (size + unit - 1) / unit * unit; }
constexpr auto kAlignment = static_cast<std::int64_t>(alignof(Board));
// On a cache line, which the host's memory does not begin with. Wherever a process has mapped it, it lies
// alike in its pages.
Board* board_behind(std::byte* memory, std::int64_t size) {
  const auto lies = reinterpret_cast<std::intptr_t>(memory) % kAlignment;
  return reinterpret_cast<Board*>(memory + (rounded(lies + size, kAlignment) - lies));
}
// Whole pages: MPICH 4.0 mistakes the places of others.
std::int64_t shared_bytes(std::int64_t size, std::size_t members) {
  return rounded(size + kAlignment + Board::bytes_for(static_cast<int>(members)).value, 4096);
}

// The host's two windows: the memory that the ranks of a node share, and what the program sees.
int make_memory(Window& window, const Wish& wish, MPI_Info info, MPI_Comm comm) {
  const bool is_one = is_one_node(window.world_ranks);
  MPI_Comm node = comm;
  const int own_node = node_of(window.member(window.self).world_rank);
  if (!is_one)
    if (const int code = PMPI_Comm_split(comm, own_node, window.self, &node); code != MPI_SUCCESS)
      return code;
  const std::int64_t all = shared_bytes(wish.size, window.members.size());
  void* memory = nullptr;
  int code = PMPI_Win_allocate_shared(all, static_cast<int>(wish.unit), SharedInfo(info).get(), node, &memory,
                                      &window.shared);
  window.handle = window.shared;
  if (!is_one) PMPI_Comm_free(&node);
  if (code != MPI_SUCCESS || is_one) return code;
  code = PMPI_Win_create(memory, wish.size, static_cast<int>(wish.unit), info, comm, &window.handle);
  if (code != MPI_SUCCESS) PMPI_Win_free(&window.shared);
  return code;
}

void find_members_memory(Window& window) {
  const int own_node = node_of(window.member(window.self).world_rank);
  int here = 0;  // those on this node, in the order of their ranks
  for (Member& one : window.members) {
    if (node_of(one.world_rank) != own_node) continue;
    MPI_Aint size = 0;
    int unit = 1;
    void* memory = nullptr;
    PMPI_Win_shared_query(window.shared, here++, &size, &unit, &memory);
    one.memory = static_cast<std::byte*>(memory);
    one.board = board_behind(one.memory, one.size);
  }
}

void prepare_board(Window& window) {
  auto* const board = new (window.member(window.self).board) Board;
  for (std::size_t member = 0; member < window.members.size(); ++member)
    new (&board->from(static_cast<int>(member))) Notes;
}

std::uint64_t another_number() {
  static std::atomic<std::uint64_t> made{0};
  return static_cast<std::uint64_t>(engine().world_rank) << 32 | ++made;
}

}  // namespace

bool allocate(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made,
              int* code) {
  auto window = std::make_unique<Window>();
  window->world_ranks = members_to_serve(comm);
  if (window->world_ranks.empty()) return false;
  std::vector<Wish> wishes(window->world_ranks.size());
  const Wish mine{size, base == nullptr || made == nullptr ? 0 : unit, another_number()};
  *code = tell_wishes(mine, wishes, window->world_ranks, comm);
  if (*code != MPI_SUCCESS) return true;
  if (!std::all_of(wishes.begin(), wishes.end(), [](const Wish& one) { return one.is_good(); })) return false;
  window->self = rank_in(comm);
  window->size = size;
  window->told = std::vector<Window::Told>(wishes.size());
  for (std::size_t rank = 0; rank < wishes.size(); ++rank) {
    Member& one = window->members.emplace_back();
    one.world_rank = window->world_ranks[rank];
    one.size = wishes[rank].size;
    one.unit = wishes[rank].unit;
  }
  *code = make_memory(*window, mine, info, comm);
  if (*code != MPI_SUCCESS) return true;
  find_members_memory(*window);
  prepare_board(*window);
  PMPI_Win_get_group(window->handle, &window->group);
  if (window->handle != window->shared) window->far = std::make_shared<FarEnd>(*window, wishes[0].number);
  *code = meet(window->world_ranks, comm);
  if (*code != MPI_SUCCESS) return true;
  std::memcpy(base, &window->member(window->self).memory, sizeof(void*));
  *made = window->handle;
  keep(std::move(window));
  return true;
}

int free(MPI_Win* window) {
  if (window == nullptr) return PMPI_Win_free(window);
  const std::unique_ptr<Window> gone = take(*window);
  if (gone == nullptr) return PMPI_Win_free(window);
  MPI_Win shared = gone->shared;
  const bool is_one = shared == *window;
  int code = PMPI_Win_free(window);
  if (!is_one && code == MPI_SUCCESS) code = PMPI_Win_free(&shared);
  return code;
}

bool get_attribute(MPI_Win handle, int key, void* value, int* is_there) {
  if (key != MPI_WIN_CREATE_FLAVOR && key != MPI_WIN_SIZE) return false;
  Window* const window = find(handle);
  if (window == nullptr) return false;
  static int flavor = MPI_WIN_FLAVOR_ALLOCATE;
  void* const answer = key == MPI_WIN_SIZE ? static_cast<void*>(&window->size) : &flavor;
  std::memcpy(value, &answer, sizeof answer);
  *is_there = 1;
  return true;
}

void correct_attribute(MPI_Win handle, int key, MPI_Aint* value) {
  const Window* const window = find(handle);
  if (window == nullptr) return;
  if (key == MPI_WIN_SIZE) *value = window->size;
  if (key == MPI_WIN_CREATE_FLAVOR) *value = MPI_WIN_FLAVOR_ALLOCATE;
}

}  // namespace weft::mpi::window
