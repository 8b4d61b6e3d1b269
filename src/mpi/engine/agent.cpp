// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/agent.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <pthread.h>
#include <sys/random.h>
#include <vector>

#include "device/agent.hpp"
#include "device/copies.hpp"
#include "device/trigger.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/whereabouts.hpp"
#include "mpi/host/polite.hpp"
#include "mpi/host/progress.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

std::unique_ptr<device::Agent>& the_agent() {
  static auto& one = *new std::unique_ptr<device::Agent>;
  return one;
}

std::unique_ptr<device::Trigger>& the_trigger() {
  static auto& one = *new std::unique_ptr<device::Trigger>;
  return one;
}

AgentCounts counts_at_end;

// What all have told, by rank.
std::vector<Whereabouts>& all_whereabouts() {
  static auto& all = *new std::vector<Whereabouts>;
  return all;
}

// The bells of this node, by rank of the world, if all of them are to be reached; else none, everywhere.
std::vector<device::BellRope>& all_ropes() {
  static auto& all = *new std::vector<device::BellRope>;
  return all;
}

wire::JobKey key_of_job(MPI_Comm comm) {
  wire::JobKey key;
  if (engine().world_rank == 0 && ::getrandom(&key, sizeof key, 0) != ssize_t{sizeof key}) key = {};
  polite::broadcast(&key, sizeof key, comm);
  return key;
}

Result<std::unique_ptr<device::Agent>> connect(const wire::JobKey& key, Result<Post>& here,
                                               const std::vector<Whereabouts>& all,
                                               const wire::Partners& partners, const CpuSet& cpus) {
  if (!here) return Error{here.error()};
  if (key == wire::JobKey{}) return Error{"rank 0 has no random numbers for the job's key"};
  auto carrier = meet_partners(key, *here, all, partners);
  if (!carrier) return Error{carrier.error()};
  return device::Agent::make(std::make_unique<wire::Wire>(key, engine().world_rank, std::move(*carrier)),
                             std::move(here->bell), cpus);
}

// Where nobody speaks for the ranks of a node, plans send from rank to rank as if each had one for itself.
wire::Partners find_partners(std::span<const int> node_of) {
  std::vector<int> own(node_of.begin(), node_of.end());
  if (engine().settings.shared.hierarchy == "flat") std::iota(own.begin(), own.end(), 0);
  return wire::partners_of(engine().world_rank, own, engine().settings.shared.wire_proved);
}

// What is unproved is found out when it is needed, and not now.
void note_unproved_pairs(const wire::Partners& partners, std::size_t ranks) {
  if (partners.are_all || engine().world_rank != 0) return;
  const std::string have_met =
      partners.met.empty()
          ? "nobody meets anybody"
          : fmt::format(
                "rank 0 has met {} of the {} other ranks, those at distances of 1, 2, 4 and so on among the "
                "nodes and on its own, and so has each",
                partners.met.size(), ranks - 1);
  note(fmt::format(
      "WEFT_DEVICE=agent: in MPI_Init {}. All other pairs meet when there is something to say: whether they "
      "can is unproved (WEFT_WIRE_PROVED={})",
      have_met, engine().settings.shared.wire_proved));
}

void find_bells(std::span<const int> node) {
  std::vector<device::BellRope> ropes(all_whereabouts().size());
  bool are_missing = false;
  for (const int rank : node) {
    const auto at = static_cast<std::size_t>(rank);
    ropes[at] = device::BellRope(all_whereabouts()[at].bell);
    are_missing |= !ropes[at].is_open();
  }
  if (polite::is_anywhere(are_missing, engine().transport_comm))
    return note(
        "WEFT_DEVICE=agent: some rank cannot wake the agent of another one on its node, whose files it "
        "may not open. The ranks themselves move what goes through a node's memory");
  all_ropes() = std::move(ropes);
}

// The child of a fork has neither the thread nor a use for the connections, which would outlive the parent.
void leave_agent_to_parent() {
  close_door();
  static_cast<void>(the_trigger().release());
  if (device::Agent* const parents = the_agent().release()) parents->leave_to_parent();
}

void begin_trigger(const CpuSet& cpus) {
  if (engine().settings.local.list_trigger != "thread") return;
  auto made = device::Trigger::make(*the_agent(), cpus);
  if (made) the_trigger() = std::move(*made);
  else note("WEFT_LIST_TRIGGER=thread: " + made.error() + ". The ends of lists begin the next");
}

std::uint64_t number_of(Nanoseconds time) { return static_cast<std::uint64_t>(time.value); }

}  // namespace

void begin_agent(const CpuSet& cpus, std::span<const int> node, std::span<const int> node_of) {
  if (engine().settings.shared.device != "agent") return;
  const MPI_Comm comm = engine().transport_comm;
  Result<Post> here = open_post();
  std::vector<Whereabouts>& all = all_whereabouts();
  all = polite::allgather(here ? here->mine : Whereabouts{}, comm);
  if (all.size() == 1) return;
  const wire::Partners partners = find_partners(node_of);
  auto made = connect(key_of_job(comm), here, all, partners, cpus);
  if (polite::is_anywhere(!made, comm)) {
    close_door();
    const std::string why = made ? "another rank has no connections" : made.error();
    return note("WEFT_DEVICE=agent: " + why + ". The ranks themselves move messages between nodes");
  }
  note_unproved_pairs(partners, all.size());
  the_agent() = std::move(*made);
  begin_trigger(cpus);
  engine().has_wire = true;
  find_bells(node);
  static const int once = ::pthread_atfork(nullptr, nullptr, leave_agent_to_parent);
  static_cast<void>(once);
}

void end_agent() {
  engine().has_wire = false;
  if (agent() != nullptr) agent()->say_goodbye();
  counts_at_end = agent_counts();
  the_trigger().reset();
  the_agent().reset();
  all_ropes().clear();
}

Bytes agent_copies_from() {
  static const Bytes from = device::agent_copies_from(engine().settings, in_a_crowd);
  return from;
}

bool agents_have_bells() { return !all_ropes().empty(); }
void ring_agent_of(int world_rank) { all_ropes()[static_cast<std::size_t>(world_rank)].ring(); }

device::Agent* agent() { return the_agent().get(); }
device::Trigger* trigger() { return the_trigger().get(); }

AgentCounts agent_counts() {
  if (agent() == nullptr) return counts_at_end;
  AgentCounts counts{.wakes = agent()->wakes(), .nanoseconds = number_of(agent()->cpu_time())};
  if (trigger() == nullptr) return counts;
  counts.trigger_wakes = trigger()->wakes();
  counts.trigger_nanoseconds = number_of(trigger()->cpu_time());
  return counts;
}

std::shared_ptr<OverWire> wire_for(std::uint64_t communicator, std::span<const int> world_ranks) {
  const auto let_go = [](OverWire* one) {
    if (agent() != nullptr) {
      const auto lock = agent()->lock();
      one->leave();
    }
    delete one;
  };
  return {new OverWire(agent()->wire(), communicator, world_ranks), let_go};
}

std::string trouble_with(int world_rank) {
  if (world_rank == engine().world_rank) return "others do not reach it any more";
  const std::string& seen = agent()->wire().trouble_with(world_rank);
  return seen.empty() ? "others have lost it" : seen;
}

std::string host_of(int world_rank) {
  const auto& all = all_whereabouts();
  const auto at = static_cast<std::size_t>(world_rank);
  if (at >= all.size() || all[at].host.front() == '\0') return "";
  return std::string(" on ") + all[at].host.data();
}

}  // namespace weft::mpi
