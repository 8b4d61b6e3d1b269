// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/progress.hpp"
#include "mpi/window/calls.hpp"
#include "mpi/window/far_end.hpp"
#include "mpi/window/transfer.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

// The window's own handler says what becomes of an error.
bool raise(const Window& window, int error, int* code) {
  *code = error;
  if (error != MPI_SUCCESS) PMPI_Win_call_errhandler(window.handle, error);
  return true;
}

// Where the rank waits, it does what its agent would, and what only it can do.
void move_far_end(Window& window) {
  if (window.far == nullptr) return;
  agent()->drive();
  if (!window.far->has_any_waiting()) return;
  const auto lock = agent()->lock();
  window.far->carry_out_what_waits();
}

// The group's ranks in the window. An MPI error code.
int members_of(MPI_Group group, const Window& window, std::vector<int>& members) {
  int size = 0;
  if (const int code = PMPI_Group_size(group, &size); code != MPI_SUCCESS) return code;
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  members.resize(ranks.size());
  const int code = PMPI_Group_translate_ranks(group, size, ranks.data(), window.group, members.data());
  if (code != MPI_SUCCESS) return code;
  const bool all_there = std::find(members.begin(), members.end(), MPI_UNDEFINED) == members.end();
  return all_there ? MPI_SUCCESS : MPI_ERR_GROUP;
}

// Until it holds. MPI_ERR_OTHER where it never will: what a member had said before it ended is there.
template <class Holds>
int wait_until_or_loss(Window& window, Holds holds) {
  bool is_lost = false;
  wait_until([&] {
    move_far_end(window);
    if (holds()) return true;
    is_lost = window.has_lost_any() && !holds();
    return is_lost;
  });
  return is_lost ? MPI_ERR_OTHER : MPI_SUCCESS;
}

bool have_all_closed(Window& window) {
  return std::all_of(window.origins.begin(), window.origins.end(),
                     [&](int origin) { return window.has_closed(origin); });
}

bool are_transfers_over(Window& window) {
  const auto is_agents = [](const auto& transfer) { return transfer->is_agents(); };
  if (window.far == nullptr && std::any_of(window.transfers.begin(), window.transfers.end(), is_agents))
    agent()->drive();
  // A target that opens in between is open for none that come behind one that has found it closed.
  for (const int target : window.targets) window.member(target).was_late = false;
  bool all = true;
  for (const auto& transfer : window.transfers) {
    bool& was_late = window.member(transfer->target()).was_late;
    const bool is_over = (transfer->is_agents() || !was_late) && transfer->advance();
    if (!transfer->is_agents()) was_late |= !is_over;
    all &= is_over;
  }
  return all;
}

// Either this rank sees that the agent sleeps, or the agent sees the epoch: it looks once more.
void wake_sleeping_agent(const Member& of) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (of.board->sleeping.load(std::memory_order_relaxed) > 0) ring_agent_of(of.world_rank);
}

// What waits for the member: its agent looks now and then whether the other one still lives.
void need(Window& window, int rank, int by) {
  if (window.member(rank).is_near()) return;
  window.told[static_cast<std::size_t>(rank)].needed.fetch_add(by, std::memory_order_relaxed);
}

void tell_opened(Window& window, int rank, bool knows) {
  Member& origin = window.member(rank);
  ++origin.opened;
  if (!origin.is_near()) {
    const auto lock = agent()->lock();
    if (!knows) window.far->tell(rank, Saying::kOpened, origin.opened);
    agent()->watch();
    return;
  }
  origin.board->from(window.self).opened.store(origin.opened, std::memory_order_release);
  wake_sleeping_agent(origin);
}

void tell_closed(Window& window, int rank) {
  Member& target = window.member(rank);
  ++target.closed;
  if (target.is_near()) {
    target.board->from(window.self).closed.store(target.closed, std::memory_order_release);
    return;
  }
  const auto lock = agent()->lock();
  window.far->tell(rank, Saying::kClosed, target.closed);
}

// What has come from other nodes and needs the host. Under the engine's lock: who updates the memory, or has
// the agent's lock, may be waiting for that one.
void carry_out_what_waits(Window& window) {
  if (window.far == nullptr || !window.far->has_any_waiting()) return;
  const auto lock = agent()->try_lock();
  if (lock.owns_lock()) window.far->carry_out_what_waits(false);
}

// While others may say what this rank's agent has to hear, and what only this rank can do in any call of its.
void expect_far_accesses(Window& window, int by) {
  const auto is_far = [&](int rank) { return !window.member(rank).is_near(); };
  if (std::none_of(window.origins.begin(), window.origins.end(), is_far)) return;
  {
    const InEngine inside;
    static bool are_moved = false;
    if (!std::exchange(are_moved, true))
      engine().also_moved.push_back([] { for_each(carry_out_what_waits); });
    change_unfinished(by);
  }
  const auto lock = agent()->lock();
  agent()->expect_others(by);
}

void end_exposure(Window& window) {
  if (window.far != nullptr && window.far->has_any_waiting()) move_far_end(window);
  window.is_exposed = false;
  expect_far_accesses(window, -1);
  for (const int rank : window.origins) need(window, rank, -1);
}

}  // namespace

// With MPI_MODE_NOCHECK no origin starts before it knows, from the program, that this has been called: a word
// and the waking that it costs are saved (MPI-4.0, section 12.5.5).
bool post(MPI_Group origins, int assertion, MPI_Win handle, int* code) {
  Window* const window = find(handle);
  if (window == nullptr) return false;
  if (window->is_exposed) return raise(*window, MPI_ERR_RMA_SYNC, code);
  if (const int error = members_of(origins, *window, window->origins); error != MPI_SUCCESS)
    return raise(*window, error, code);
  window->is_exposed = true;
  expect_far_accesses(*window, +1);
  for (const int rank : window->origins) {
    ++window->member(rank).to_be_closed;
    need(*window, rank, 1);
    tell_opened(*window, rank, (assertion & MPI_MODE_NOCHECK) != 0);
  }
  *code = MPI_SUCCESS;
  return true;
}

bool start(MPI_Group targets, int assertion, MPI_Win handle, int* code) {
  Window* const window = find(handle);
  if (window == nullptr) return false;
  if (window->is_accessing) return raise(*window, MPI_ERR_RMA_SYNC, code);
  if (const int error = members_of(targets, *window, window->targets); error != MPI_SUCCESS)
    return raise(*window, error, code);
  window->is_accessing = true;
  open_access_epochs.fetch_add(1, std::memory_order_relaxed);
  for (const int rank : window->targets) {
    Member& target = window->member(rank);
    ++target.to_be_opened;
    target.is_target = true;
    need(*window, rank, 1);
    if ((assertion & MPI_MODE_NOCHECK) == 0 || target.is_near()) continue;
    const auto lock = agent()->lock();
    window->far->has_opened(rank, target.to_be_opened);
  }
  *code = MPI_SUCCESS;
  return true;
}

bool complete(MPI_Win handle, int* code) {
  Window* const window = find(handle);
  if (window == nullptr || !window->is_accessing) return false;
  int error = MPI_SUCCESS;
  if (!window->transfers.empty())
    error = wait_until_or_loss(*window, [&] { return are_transfers_over(*window); });
  for (const auto& transfer : window->transfers)
    if (error == MPI_SUCCESS) error = transfer->error();
  window->transfers.clear();
  window->is_accessing = false;
  open_access_epochs.fetch_sub(1, std::memory_order_relaxed);
  for (const int rank : window->targets) {
    window->member(rank).is_target = false;
    need(*window, rank, -1);
    tell_closed(*window, rank);
  }
  return raise(*window, error, code);
}

bool wait(MPI_Win handle, int* code) {
  Window* const window = find(handle);
  if (window == nullptr || !window->is_exposed) return false;
  const int error = wait_until_or_loss(*window, [&] { return have_all_closed(*window); });
  end_exposure(*window);
  return raise(*window, error, code);
}

bool test(MPI_Win handle, int* is_over, int* code) {
  Window* const window = find(handle);
  if (window == nullptr || !window->is_exposed) return false;
  progress();
  move_far_end(*window);
  *is_over = have_all_closed(*window) ? 1 : 0;
  const bool is_lost = *is_over == 0 && window->has_lost_any() && !have_all_closed(*window);
  if (*is_over != 0 || is_lost) end_exposure(*window);
  return raise(*window, is_lost ? MPI_ERR_OTHER : MPI_SUCCESS, code);
}

}  // namespace weft::mpi::window
