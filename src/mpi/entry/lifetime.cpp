// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/lifetime.hpp"

#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <thread>

#include "base/log.hpp"
#include "device/agent.hpp"
#include "mpi/arguments/datatype.hpp"
#include "mpi/arguments/reduction.hpp"
#include "mpi/call/check.hpp"
#include "mpi/communicator/adoption.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/round_trip.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/times.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/entry/hook.hpp"
#include "mpi/entry/statistics.hpp"
#include "mpi/flight/launch.hpp"
#include "mpi/flight/persistent_request.hpp"
#include "mpi/flight/request.hpp"
#include "mpi/host/alone.hpp"
#include "mpi/host/handshake.hpp"
#include "mpi/host/host_match.hpp"
#include "mpi/host/polite.hpp"
#include "mpi/host/quiet_errors.hpp"
#include "mpi/window/window.hpp"
#include "observe/timers.hpp"
#include "planner/check_settings.hpp"
#include "topology/machine.hpp"
#include "weft/weft.h"

namespace weft::mpi {
namespace {

using Clock = std::chrono::steady_clock;

Match host_match = Match::kOtherMpi;

Tags tags_of(MPI_Comm comm) {
  int* upper_bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, &upper_bound, &found);
  const unsigned tags = found ? static_cast<unsigned>(*upper_bound) + 1u : 1u << 15;
  return Tags(static_cast<int>(std::bit_width(tags)) - 1);
}

// Reports the settings that were given on this rank and differ from rank 0's, which are used.
void report_differences(const SharedSettings& of_rank_0) {
  const Settings& mine = engine().settings;
  const Settings theirs{.shared = of_rank_0, .local = {}, .given = {}};
  for (const Setting& setting : settings_table()) {
    const std::string here = value_text(setting, mine), there = value_text(setting, theirs);
    if (setting.shared() && mine.given.contains(setting.name) && here != there)
      log_message(fmt::format("{}={} differs from rank 0's {}, which is used", setting.name, here, there));
  }
}

// Rank 0's settings win; a difference is reported (drop_in rule 5). It alone decides about statistics.
void share_settings(int rank) {
  Engine& e = engine();
  SharedSettings& mine = e.settings.shared;
  std::string text = to_text(mine);
  struct {
    std::size_t length;
    bool wants_statistics;
  } of_rank_0 = {text.size(), !e.settings.local.statistics_file.empty()};
  polite::broadcast(&of_rank_0, sizeof of_rank_0, e.transport_comm);
  e.wants_statistics = of_rank_0.wants_statistics;
  text.resize(of_rank_0.length);
  polite::broadcast(text.data(), text.size(), e.transport_comm);
  const Result<SharedSettings> roots = shared_settings_from_text(text);
  if (!roots) {
    log_message(roots.error() + ": Weft steps aside");
    mine.enabled = false;
    return;
  }
  if (rank != 0) report_differences(*roots);
  mine = *roots;
}

// Rank 0's settings hold for all ranks, so that it alone reads the tuning file and says what is wrong with
// it.
void read_settings(int rank, int size) {
  Result<Settings> settings = rank == 0 ? settings_of_rank_0() : settings_from_environment();
  Engine& e = engine();
  if (settings) {
    e.settings = *settings;
  } else {
    e.settings.shared.enabled = false;
    e.settings.local = local_settings_from_environment();
  }
  const LocalSettings& local = e.settings.local;
  set_log(local.log_file, local.log_to_stderr, "rank " + std::to_string(rank) + ": ");
  if (!settings) return note(settings.error() + (rank == 0 ? "; Weft steps aside" : ""));
  if (rank != 0) return;
  if (const std::string problem = problem_with(*settings); !problem.empty()) {
    e.settings.shared.enabled = false;
    note(problem + "; Weft steps aside");
  } else if (const std::string too_small = problem_with_ranks(*settings, size); !too_small.empty()) {
    e.settings.shared.topology.clear();
    note(too_small + "; it is not used");
  }
}

// Whether Weft is wanted, and message tags have room for it. All ranks decide alike: by now their settings
// and tags are the same.
bool is_wanted_and_possible() {
  Engine& e = engine();
  if (!e.settings.shared.enabled) return false;
  if (e.tags.suffice()) return true;
  log_message("this MPI's MPI_TAG_UB leaves too few bits for Weft's tags: Weft steps aside");
  return false;
}

using namespace std::chrono_literals;

void drain() {
  engine().is_finalizing = true;
  const auto began = Clock::now();
  wait_until([&] {
    if (unfinished_operations.load() == 0) return true;
    const auto waited = Clock::now() - began;
    if (waited > 100ms) std::this_thread::sleep_for(1ms);  // somebody else may need the core
    return waited > 5s;
  });
  if (unfinished_operations.load() > 0)
    log_message(std::to_string(unfinished_operations.load()) +
                " collective operations were never completed before MPI_Finalize");
  abandon_operations();
  engine().is_finalizing = false;
  if (const int open = open_requests.load() + open_persistent_requests(); open > 0)
    announce(
        std::to_string(open) +
        " requests of non-blocking collectives were never completed by a Wait or Test before MPI_Finalize");
}

void end() {
  Engine& e = engine();
  if (!e.joined) return;
  if (e.active.load(std::memory_order_acquire)) {
    drain();
    if (e.settings.shared.check) tell_end_of_checks();
    unhook_from_host();
    e.active.store(false, std::memory_order_release);
    host_has_no_hook.store(false, std::memory_order_release);
    window::forget_all();
    end_agent();
    forget_persistent_requests();
    forget_alone();
    forget_all_communicators();
    forget_node();
    stop_checking();
  }
  if (e.wants_statistics) write_statistics(e.transport_comm, e.settings, counters());
  forget_peers();
  // MPICH 5 objects if messages of operations that failed were never received.
  const host::QuietErrors quiet;
  for (MPI_Comm* comm : {&e.persistent_comm, &e.transport_comm})
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
  e.joined = false;
}

// MPI_Finalize begins with the delete callbacks of MPI_COMM_SELF's attributes, the last one set first. Weft's
// is set in MPI_Init, so that it is called last and Weft still serves the program's callbacks (decision 7).
int on_finalize(MPI_Comm, int, void*, void*) {
  end();
  return MPI_SUCCESS;
}
void wait_for_finalize() {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

}  // namespace

int before_init() {
  host_match = compare_with_host();
  return host_match == Match::kOtherMpi ? MPI_ERR_OTHER : MPI_SUCCESS;
}

void after_init() {
  Engine& e = engine();
  if (host_match != Match::kThisHost) return;  // steps aside
  int rank = 0, size = 1, thread_level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  in_a_crowd = size > cpus_of_this_process().count();  // until find_node() knows
  read_settings(rank, size);
  if (!everybody_has_weft(e.settings.local.handshake_seconds)) return;
  e.transport_comm = polite::duplicate(MPI_COMM_WORLD);
  if (e.transport_comm == MPI_COMM_NULL) return;
  PMPI_Comm_set_errhandler(e.transport_comm, MPI_ERRORS_RETURN);
  e.joined = true;
  e.world_rank = rank;
  wait_for_finalize();
  share_settings(rank);
  e.tags = tags_of(e.transport_comm);
  if (!is_wanted_and_possible()) {
    // The settings went one way: MPICH over TCP sometimes hangs in MPI_Finalize after such a message.
    polite::is_anywhere(true, e.transport_comm);
    return;
  }
  e.persistent_comm = polite::duplicate(e.transport_comm);
  if (e.persistent_comm == MPI_COMM_NULL) return;
  PMPI_Query_thread(&thread_level);
  many_threads = thread_level == MPI_THREAD_MULTIPLE;
  learn_predefined_types();
  learn_host_operators(rank, size);
  if (e.settings.shared.check) {
    start_checking();
    e.also_moved.push_back(progress_checks);
  }
  find_node();
  learn_round_trip();
  create_communicator_keyvals();
  const bool outnumber_cores = in_a_crowd || this_node().world_shares_cores;
  begin_agent({this_node().cpus_of_agent, outnumber_cores}, this_node().node_of);
  calls_are_timed = e.wants_statistics;
  if (e.settings.local.take_times) take_times(WEFT_TIMES_OPERATIONS | WEFT_TIMES_PARTS);
  e.hooked = hook_into_host();
  host_has_no_hook.store(!e.hooked, std::memory_order_release);
  e.active.store(true, std::memory_order_release);
  adopt(MPI_COMM_WORLD, MPI_COMM_NULL);
  adopt(MPI_COMM_SELF, MPI_COMM_NULL);
  const Communicator* const world = [] {
    const InEngine inside;
    return find_communicator(MPI_COMM_WORLD);
  }();
  if (world != nullptr && world->node != nullptr) world->node->take_pages();
}

void before_finalize() {
  if (engine().active.load(std::memory_order_acquire)) stop_being_polled();
}

}  // namespace weft::mpi
