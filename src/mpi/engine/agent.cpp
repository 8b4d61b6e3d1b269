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
#include "mpi/engine/agreement.hpp"
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

// Where nobody speaks for the ranks of a node, plans send from rank to rank as if each had one for itself.
wire::Partners find_partners(std::span<const int> node_of, std::span<const char> have_device) {
  std::vector<int> own(node_of.begin(), node_of.end());
  if (engine().settings.shared.hierarchy == "flat") std::iota(own.begin(), own.end(), 0);
  return wire::partners_of(engine().world_rank, own, engine().settings.shared.wire_proved, have_device);
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

// By rank.
std::vector<char>& all_with_agent() {
  static auto& all = *new std::vector<char>;
  return all;
}

// Collective: what became of this process's wire.
std::unique_ptr<wire::Carrier> meet_and_agree(const wire::JobKey& key, Result<Post>& here,
                                              std::span<const int> node_of, MPI_Comm comm) {
  const int self = engine().world_rank;
  const std::vector<Whereabouts>& all = all_whereabouts();
  Agreement agreement(node_of, all);
  Encounter met;
  if (agreement.has_device(self)) {
    const wire::Partners partners = find_partners(node_of, agreement.have_device());
    met = meet_partners(key, *here, all, node_of, agreement.have_device(), partners);
    note_unproved_pairs(partners, all.size());
  }
  const std::string trouble = !here ? here.error() : agreement.why_not_met(self) + met.problem;
  agreement.settle(trouble, met.missing, comm);
  all_with_agent() = agreement.have_device();
  if (!has_agent(self)) {
    close_door();
    return nullptr;
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!has_agent(static_cast<int>(rank))) met.carrier->leave_out(static_cast<int>(rank));
  return std::move(met.carrier);
}

void find_bells(std::span<const int> node_of) {
  const int self = engine().world_rank;
  std::vector<device::BellRope> ropes(all_whereabouts().size());
  bool are_missing = false;
  for (std::size_t at = 0; at < ropes.size() && has_agent(self); ++at) {
    if (node_of[at] != node_of[static_cast<std::size_t>(self)]) continue;
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

void begin_trigger(const std::optional<CpuSet>& cpus) {
  if (engine().settings.local.list_trigger != "thread") return;
  auto made = device::Trigger::make(*the_agent(), cpus);
  if (made) the_trigger() = std::move(*made);
  else note("WEFT_LIST_TRIGGER=thread: " + made.error() + ". The ends of lists begin the next");
}

// On all ranks.
void give_up(const std::string& why) {
  close_door();
  all_with_agent().clear();
  note("WEFT_DEVICE=agent: " + why + ". The ranks themselves move messages between nodes");
}

std::uint64_t number_of(Nanoseconds time) { return static_cast<std::uint64_t>(time.value); }

}  // namespace

void begin_agent(const device::AgentCores& cores, std::span<const int> node_of) {
  if (engine().settings.shared.device != "agent") return;
  const MPI_Comm comm = engine().transport_comm;
  Result<Post> here = open_post();
  all_whereabouts() = polite::allgather(here ? here->mine : without_post(), comm);
  if (all_whereabouts().size() == 1) return;
  const wire::JobKey key = key_of_job(comm);
  if (key == wire::JobKey{}) return give_up("rank 0 has no random numbers for the job's key");
  std::unique_ptr<wire::Carrier> carrier = meet_and_agree(key, here, node_of, comm);
  Result<std::unique_ptr<device::Agent>> made = Error{};
  if (carrier != nullptr)
    made = device::Agent::make(std::make_unique<wire::Wire>(key, engine().world_rank, std::move(carrier)),
                               std::move(here->bell), cores);
  const bool lacks_one = has_agent(engine().world_rank) && !made;
  if (polite::is_anywhere(lacks_one, comm))
    return give_up(lacks_one ? made.error() : "another rank's cannot begin");
  find_bells(node_of);
  if (!made) return;
  the_agent() = std::move(*made);
  begin_trigger(cores.cpus);
  engine().has_wire = true;
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
  all_with_agent().clear();
}

Bytes agent_copies_from() {
  static const Bytes from = device::agent_copies_from(engine().settings, in_a_crowd);
  return from;
}

bool agents_have_bells() { return !all_ropes().empty(); }
void ring_agent_of(int world_rank) { all_ropes()[static_cast<std::size_t>(world_rank)].ring(); }

device::Agent* agent() { return the_agent().get(); }
bool has_agent(int world_rank) {
  const auto at = static_cast<std::size_t>(world_rank);
  return at < all_with_agent().size() && all_with_agent()[at] != 0;
}
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
