// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/deaths.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"
#include "node/peers.hpp"
#include "schedule/describe.hpp"

namespace weft::mpi {
namespace {

// What a rank has said before it ends may still be on its way, as MPI_Finalize's last messages are.
constexpr Nanoseconds kTimeToArrive{1'000'000'000};

struct Watch {
  node::Peers peers;       // under the engine's lock
  std::vector<int> ended;  // ranks of the world; under the engine's lock
  std::atomic<bool> some_ended{false};
};

Watch& the_watch() {
  static Watch& watch = *new Watch;
  return watch;
}

// Those of the ranks that have ended. Under the engine's lock.
std::vector<int> ended_among(std::span<const int> world_ranks) {
  std::vector<int> found;
  for (const int rank : the_watch().ended)
    if (std::find(world_ranks.begin(), world_ranks.end(), rank) != world_ranks.end()) found.push_back(rank);
  return found;
}

std::string name_of(const Communicator& communicator) {
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  if (!communicator.freed.load(std::memory_order_acquire))
    PMPI_Comm_get_name(communicator.handle, name, &length);
  const std::string number = "communicator " + std::to_string(communicator.id);
  return length > 0 ? fmt::format("{} ({})", name, number) : number;
}

void fail_operations_with(const std::vector<int>& dead, const Flight& flight) {
  Communicator& communicator = *flight.communicator;
  announce(fmt::format(
      "rank{} {} of MPI_COMM_WORLD ended before MPI_Finalize: killed, crashed or exited. The {} of {} cannot "
      "complete and fails, as will every operation with a rank that has ended",
      dead.size() > 1 ? "s" : "", fmt::join(dead, ", "), describe(flight.operation.schedule().call),
      name_of(communicator)));
  fail_operations(communicator, MPI_ERR_OTHER);
}

// Operations whose data had arrived by then have ended well.
void fail_what_waits_for_the_dead() {
  Engine& e = engine();
  for (std::size_t i = e.flights.size(); i-- > 0;) {
    if (i >= e.flights.size()) continue;  // failing a communicator's operations ends several at once
    const std::vector<int> dead = ended_among(e.flights[i]->communicator->world_rank);
    if (!dead.empty()) fail_operations_with(dead, *e.flights[i]);
  }
}

}  // namespace

void watch_peers(MPI_Comm machine) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(machine, &rank);
  PMPI_Comm_size(machine, &size);
  struct Greeting {
    node::ProcessTicket process;
    int world_rank;
  };
  const Greeting mine{node::ProcessTicket::mine(), engine().world_rank};
  std::vector<Greeting> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, machine);
  std::vector<int> unseen;
  for (const Greeting& one : all)
    if (one.world_rank != mine.world_rank && !the_watch().peers.watch(one.world_rank, one.process))
      unseen.push_back(one.world_rank);
  if (!unseen.empty())
    log_message(
        fmt::format("the processes of ranks {} are in other containers (pid namespaces): whether they "
                    "live cannot be seen from here",
                    fmt::join(unseen, ", ")));
  if (!the_watch().peers.none()) next_look.store(0, std::memory_order_relaxed);
}

void forget_peers() {
  next_look.store(kNever.value, std::memory_order_relaxed);
  const InEngine inside;
  the_watch().peers.forget();
}

void look_for_deaths(Nanoseconds now) {
  progress();
  if (!engine().lock.try_lock()) return;
  Watch& watch = the_watch();
  if (!watch.peers.none() || !watch.ended.empty())
    next_look.store((now + kBetweenLooks).value, std::memory_order_relaxed);
  const std::vector<int> ended = watch.peers.ended();
  watch.ended.insert(watch.ended.end(), ended.begin(), ended.end());
  if (!watch.ended.empty()) {
    watch.some_ended.store(true, std::memory_order_release);
    fail_what_waits_for_the_dead();
  }
  leave_engine();
}

bool some_ended(std::span<const int> world_ranks) {
  if (!the_watch().some_ended.load(std::memory_order_acquire)) return false;
  const InEngine inside;
  return !ended_among(world_ranks).empty();
}

int allreduce_words(MPI_Comm comm, std::span<const int> world_ranks, std::span<std::uint64_t> words,
                    MPI_Op op) {
  auto room = std::make_unique<std::vector<std::uint64_t>>(words.begin(), words.end());
  MPI_Request request = MPI_REQUEST_NULL;
  int code = PMPI_Iallreduce(MPI_IN_PLACE, room->data(), static_cast<int>(words.size()), MPI_UINT64_T, op,
                             comm, &request);
  if (code != MPI_SUCCESS) return code;
  Nanoseconds since{0};
  bool is_hopeless = false;
  wait_until([&] {
    int done = 0;
    code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || code != MPI_SUCCESS) return true;
    if (!some_ended(world_ranks)) return false;
    if (since == Nanoseconds(0)) since = elapsed_time();
    return is_hopeless = elapsed_time() - since > kTimeToArrive;
  });
  if (is_hopeless) {
    [[maybe_unused]] const auto* host_may_write_here = room.release();
    return MPI_ERR_OTHER;
  }
  std::copy(room->begin(), room->end(), words.begin());
  return code;
}

}  // namespace weft::mpi
