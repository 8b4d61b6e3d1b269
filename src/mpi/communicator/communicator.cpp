// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/communicator.hpp"

#include <algorithm>
#include <utility>

#include "mpi/arguments/accelerator.hpp"
#include "mpi/communicator/introduction.hpp"
#include "mpi/communicator/joined_by_device.hpp"
#include "mpi/communicator/neighbors.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/plans.hpp"
#include "mpi/flight/traffic.hpp"
#include "mpi/host/group.hpp"

namespace weft::mpi {

Communicator::Communicator(MPI_Comm comm, std::vector<int> world_ranks, Told told, Settings given)
    : settings(std::move(given)) {
  handle = comm;
  rank = rank_in(comm);
  world_rank = std::move(world_ranks);
  size = static_cast<int>(world_rank.size());
  accelerators = told.empty() ? accelerator_use() : AcceleratorUse::kNone;
  for (const Introduction* member : told) accelerators = std::max(accelerators, member->accelerators);
  share_tags(told);
  if (size > 1 && settings->check && make_checks != nullptr) checker = make_checks(*this);
  if (size > 1) share_memory(told);
  if (size > 1) share_wire(*told.front());
  inherit_plans();
}

Communicator::~Communicator() = default;

void Communicator::share_tags(Told told) {
  ids.reserve(told.size());
  for (const Introduction* member : told) {
    ids.push_back(static_cast<int>(member->id));
    most_persistent = std::min(most_persistent, engine().tags.persistent_of(ids.back()));
  }
  traffic = std::make_unique<Traffic>(*this, ids);
}

void Communicator::share_memory(Told told) {
  const MemoryOfAll all = memory_of_all(world_rank, told);
  node = share_node(world_rank, rank, told);
  if (node != nullptr) {
    traffic->blocking_port = &node->port(true);
    traffic->nonblocking_port = &node->port(false);
    all_are_here = is_one_node(world_rank);
    if (!all_are_here) some_are_here_ = members_here(world_rank);
    traffic->node_mates = all_are_here ? world_rank : some_are_here_;
  }
  memory = all.memory;
  berths = all.berths;
}

// What members with agents on different nodes say to one another goes over the wire. Its number is that of
// the first member's communicators, which no other ever has. Those on one node wake one another's agents.
void Communicator::share_wire(const Introduction& first) {
  if (agent() == nullptr || settings->device != "agent") return;
  traffic->wakes_node_mates = node != nullptr && agents_have_bells();
  if (!is_joined_by_device(world_rank)) return;
  const auto of_first = static_cast<std::uint64_t>(world_rank.front());
  const std::shared_ptr<OverWire> wire = wire_for(of_first << 40 | first.birth, world_rank);
  const std::vector<char> by_host = members_without_device(world_rank);
  traffic->transport.take_wire(wire, by_host);
  traffic->persistent_transport.take_wire(wire, by_host);
}

void Communicator::inherit_plans() {
  Heritage::Origin origin{rank, std::move(world_rank), memory, accelerators, settings};
  Heritage heritage = inherit(origin);
  world_rank = std::move(origin.world_rank);
  hierarchy = std::move(heritage.hierarchy);
  plans_ = std::move(heritage.plans);
  if (plans_ != nullptr) plans_->change_hands();
  else if (hierarchy == nullptr) group();
}

Heritage Communicator::leave_plans() {
  return {
      {rank, std::move(world_rank), memory, accelerators, settings}, std::move(hierarchy), std::move(plans_)};
}

void Communicator::group() {
  const bool says_nothing = all_are_here && is_one_group(size, settings->hierarchy);
  hierarchy = memory.exists && !says_nothing ? hierarchy_over(world_rank, *settings) : nullptr;
}

Plans& Communicator::make_plans() {
  plans_ = std::make_unique<Plans>(Rank(rank));
  update_plans();
  return *plans_;
}

void Communicator::update_plans() {
  const bool on_one_node = is_one_node(world_rank);
  SharedMemory modest = memory, lines = memory;
  modest.rank_bytes = std::min(memory.rank_bytes, node::kModestRoom);
  lines.rank_bytes = Bytes(0);
  const auto place = [&](const SharedMemory& shared, const Hierarchy* groups) {
    return placement_of(shared, on_one_node, groups, *settings, this_node().world_shares_cores);
  };
  plans_->plan_by(settings, {place(memory, hierarchy.get()), place(modest, hierarchy.get()),
                             place(lines, hierarchy.get()), place({}, nullptr)});
}

void Communicator::plan_by(Settings given) {
  settings = std::move(given);
  group();
  if (plans_ != nullptr) update_plans();
}

MemoryUse Communicator::memory_use_of(int number) const {
  static_assert(kMemoryUses == node::kBerthKinds.size() + 1);
  return static_cast<MemoryUse>(std::ranges::upper_bound(berths, number) - berths.begin());
}

bool Communicator::all_idle() const {
  return traffic->in_flight == 0 && (plans_ == nullptr || plans_->all_idle());
}

const Neighbors* Communicator::neighbors() {
  if (!std::exchange(asked_for_neighbors_, true)) neighbors_ = neighbors_on(handle);
  return neighbors_.get();
}

}  // namespace weft::mpi
