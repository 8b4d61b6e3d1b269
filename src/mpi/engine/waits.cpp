// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/waits.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"

namespace weft::mpi {
namespace {

// What a rank has said before it ends may still be on its way, as MPI_Finalize's last messages are.
constexpr Nanoseconds kTimeToArrive{1'000'000'000};
// Who has waited for so long and has nothing to move sleeps between two looks.
constexpr Nanoseconds kLong{100'000'000};

struct Watch {
  node::Peers peers;       // under the engine's lock
  std::vector<int> ended;  // ranks of the world; under the engine's lock
  std::atomic<bool> some_ended{false};
};

Watch& the_watch() {
  static Watch& watch = *new Watch;
  return watch;
}

}  // namespace

std::vector<int> ended_among(std::span<const int> world_ranks) {
  std::vector<int> found;
  for (const int rank : the_watch().ended)
    if (std::find(world_ranks.begin(), world_ranks.end(), rank) != world_ranks.end()) found.push_back(rank);
  return found;
}

void watch_peers(std::span<const int> world_ranks, std::span<const node::ProcessTicket> processes) {
  std::vector<int> unseen;
  for (std::size_t who = 0; who < world_ranks.size(); ++who)
    if (world_ranks[who] != engine().world_rank && !the_watch().peers.watch(world_ranks[who], processes[who]))
      unseen.push_back(world_ranks[who]);
  if (!unseen.empty())
    log_message(
        fmt::format("the processes of ranks {} are in other containers (pid namespaces): whether they "
                    "live cannot be seen from here",
                    fmt::join(unseen, ", ")));
  next_look.store(0, std::memory_order_relaxed);
}

void forget_peers() {
  next_look.store(kNever.value, std::memory_order_relaxed);
  const InEngine inside;
  the_watch().peers.forget();
}

void look_at_peers(Nanoseconds now) {
  Watch& watch = the_watch();
  next_look.store((now + kBetweenLooks).value, std::memory_order_relaxed);
  const std::vector<int> ended = watch.peers.ended();
  watch.ended.insert(watch.ended.end(), ended.begin(), ended.end());
  if (!watch.ended.empty()) watch.some_ended.store(true, std::memory_order_release);
}

bool some_ended(std::span<const int> world_ranks) {
  if (!the_watch().some_ended.load(std::memory_order_acquire)) return false;
  const InEngine inside;
  return !ended_among(world_ranks).empty();
}

int finish_among(std::span<const int> world_ranks, MPI_Request* request) {
  int code = MPI_SUCCESS;
  const Nanoseconds begin = elapsed_time();
  Nanoseconds since{0};
  wait_until([&] {
    int done = 0;
    code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || code != MPI_SUCCESS) return true;
    if (unfinished_operations.load(std::memory_order_relaxed) == 0 && elapsed_time() - begin > kLong)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (!some_ended(world_ranks)) return false;
    if (since == Nanoseconds(0)) since = elapsed_time();
    if (elapsed_time() - since <= kTimeToArrive) return false;
    code = MPI_ERR_OTHER;
    return true;
  });
  return code;
}

int allreduce_words(MPI_Comm comm, std::span<const int> world_ranks, std::span<std::uint64_t> words,
                    MPI_Op op) {
  auto room = std::make_unique<std::vector<std::uint64_t>>(words.begin(), words.end());
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Iallreduce(MPI_IN_PLACE, room->data(), static_cast<int>(words.size()), MPI_UINT64_T, op,
                             comm, &request);
  if (code == MPI_SUCCESS) code = finish_among(world_ranks, &request);
  std::copy(room->begin(), room->end(), words.begin());
  if (request != MPI_REQUEST_NULL) [[maybe_unused]]
    const auto* host_may_write_here = room.release();
  return code;
}

}  // namespace weft::mpi
