// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/window.hpp"

#include <algorithm>
#include <utility>

#include "device/agent.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/handle.hpp"
#include "mpi/window/calls.hpp"
#include "mpi/window/transfer.hpp"

namespace weft::mpi::window {
namespace {

// Used under the engine's lock.
struct Windows {
  HandleTable<MPI_Win, Window, 6> by_handle;
  std::vector<std::unique_ptr<Window>> all;
};
Windows& windows() {
  static Windows& all = *new Windows;
  return all;
}
// Where there is none, nobody has to take the lock in order to know.
std::atomic<int> window_count{0};

}  // namespace

Window::Window() = default;
Window::~Window() {
  if (is_accessing) open_access_epochs.fetch_sub(1, std::memory_order_relaxed);
  transfers.clear();
  far.reset();  // the agent asks it about what members have told
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
}

bool Window::is_open(int target) {
  const Member& its = member(target);
  const std::atomic<std::uint64_t>& opened =
      its.is_near() ? member(self).board->from(target).opened : told[static_cast<std::size_t>(target)].opened;
  return opened.load(std::memory_order_acquire) >= its.to_be_opened;
}

bool Window::has_closed(int origin) {
  const Member& its = member(origin);
  const std::atomic<std::uint64_t>& closed =
      its.is_near() ? member(self).board->from(origin).closed : told[static_cast<std::size_t>(origin)].closed;
  return closed.load(std::memory_order_acquire) >= its.to_be_closed;
}

bool Window::has_lost_any() {
  if (some_ended(world_ranks)) return true;
  constexpr unsigned kBetweenLooks = 256;
  if (far == nullptr || ++looks_ % kBetweenLooks != 0) return false;
  const auto lock = agent()->lock();
  const auto is_lost = [this](int rank) {
    return !member(rank).is_near() && !agent()->wire().reaches(member(rank).world_rank);
  };
  return (is_accessing && std::any_of(targets.begin(), targets.end(), is_lost)) ||
         (is_exposed && std::any_of(origins.begin(), origins.end(), is_lost));
}

Window* find(MPI_Win handle) {
  if (window_count.load(std::memory_order_acquire) == 0) return nullptr;
  const InEngine inside;
  return windows().by_handle.find(handle);
}

void keep(std::unique_ptr<Window> window) {
  const InEngine inside;
  windows().by_handle.add(window->handle, window.get());
  windows().all.push_back(std::move(window));
  window_count.fetch_add(1, std::memory_order_release);
}

void for_each(void (*visit)(Window&)) {
  for (const auto& window : windows().all) visit(*window);
}

std::unique_ptr<Window> take(MPI_Win handle) {
  if (find(handle) == nullptr) return nullptr;
  const InEngine inside;
  const Window* const wanted = windows().by_handle.find(handle);
  auto& all = windows().all;
  const auto at =
      std::find_if(all.begin(), all.end(), [wanted](const auto& one) { return one.get() == wanted; });
  std::unique_ptr<Window> taken = std::move(*at);
  all.erase(at);
  windows().by_handle.remove(handle);
  window_count.fetch_sub(1, std::memory_order_release);
  return taken;
}

void forget_all() {
  std::vector<std::unique_ptr<Window>> gone;
  const InEngine inside;
  window_count.store(0, std::memory_order_release);
  windows().by_handle.clear();
  gone.swap(windows().all);
}

}  // namespace weft::mpi::window
