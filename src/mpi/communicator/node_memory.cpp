// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/node_memory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/waits.hpp"
#include "node/pool.hpp"
#include "node/reach.hpp"
#include "topology/machine.hpp"

namespace weft::mpi {
namespace {

struct ThisNode {
  node::Segment segment;
  std::vector<int> node_of;          // per rank of the world: the lowest rank on its node
  std::vector<MachinePlace> places;  // per rank of the world: where on its node
  std::vector<int> ranks;            // of the world, on this node
  Bytes arena_bytes;
  std::optional<node::Pool> pool;
  bool single_copy = false;  // all ranks here can reach into each other's memory
  std::optional<Topology> pretended;

  bool exists() const { return pool.has_value(); }
  int place_of(int world_rank) const {
    return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), world_rank) - ranks.begin());
  }
  Bytes arena_of(int world_rank) const { return arena_bytes * place_of(world_rank); }
};

ThisNode& node() {
  static ThisNode& the_node = *new ThisNode;
  return the_node;
}

bool everybody(MPI_Comm comm, bool here) {
  int mine = here, all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
  return all != 0;
}

// One rank makes a segment and the others open it; all of them have it, or none.
bool share_segment(MPI_Comm local, Bytes size, node::SegmentKind kind) {
  int rank = 0;
  PMPI_Comm_rank(local, &rank);
  node::SegmentTicket ticket;
  Result<node::Segment> segment = Error{};
  if (rank == 0) {
    segment = node::Segment::make(size, kind);
    if (segment) ticket = segment->ticket();
  }
  PMPI_Bcast(&ticket, sizeof ticket, MPI_BYTE, 0, local);
  if (ticket.bytes == 0) {
    if (rank == 0) log_message(segment.error());
    return false;
  }
  if (rank != 0) segment = node::Segment::open(ticket);
  if (!segment) log_message(segment.error());
  const bool all = everybody(local, segment.ok());
  if (segment && rank == 0) segment->forget_name();
  if (all) node().segment = std::move(*segment);
  return all;
}

void make_arena(int rank) {
  ThisNode& n = node();
  n.pool.emplace(n.segment, n.arena_of(rank), n.arena_bytes);
}

// Everybody tries everybody: a container or a security module may part them (drop_in rule 10).
bool find_out_who_reaches_whom(MPI_Comm local) {
  ThisNode& n = node();
  std::uint64_t mine[2] = {static_cast<std::uint64_t>(node::this_process()), n.segment.mapped_at()};
  std::vector<std::uint64_t> all(2 * n.ranks.size());
  PMPI_Allgather(mine, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, local);
  bool reaches = true;
  for (std::size_t at = 0; at < all.size(); at += 2)
    reaches = reaches && n.segment.reaches(static_cast<node::Process>(all[at]), all[at + 1]);
  return everybody(local, reaches);
}

// The number of the pretended node that each rank of the world is on.
std::vector<int> pretended_nodes(const Topology& topology, int size) {
  std::vector<int> nodes(static_cast<std::size_t>(size), 0);
  const auto groups = topology.groups(Level::kNode);
  for (std::size_t node = 0; node < groups.size(); ++node)
    for (const Rank rank : groups[node]) nodes[static_cast<std::size_t>(rank.value)] = static_cast<int>(node);
  return nodes;
}

// Takes the topology of WEFT_TOPOLOGY for the machine. The text is rank 0's, which has checked that it has a
// place for every rank, so that all ranks do the same.
void pretend(int size) {
  const std::string& text = engine().settings.shared.topology;
  if (!text.empty()) node().pretended = *Topology::parse(text)->with_ranks(size);
}

// Whether ranks outnumber the processors on which some of them may run.
bool is_crowded(MPI_Comm local) {
  int size = 1;
  CpuSet cpus = cpus_of_this_process();
  PMPI_Comm_size(local, &size);
  PMPI_Allreduce(MPI_IN_PLACE, cpus.words.data(), static_cast<int>(cpus.words.size()), MPI_UINT64_T, MPI_BOR,
                 local);
  return cpus.count() > 0 && size > cpus.count();
}

MPI_Comm ranks_that_may_share(int rank, int size) {
  ThisNode& n = node();
  MPI_Comm local = MPI_COMM_NULL;
  PMPI_Comm_split_type(engine().transport_comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
  watch_peers(local);
  most_spins = is_crowded(local) ? kSpinsInACrowd : kSpins;
  if (!n.pretended) return local;
  MPI_Comm part = MPI_COMM_NULL;
  PMPI_Comm_split(local, pretended_nodes(*n.pretended, size)[static_cast<std::size_t>(rank)], rank, &part);
  PMPI_Comm_free(&local);
  return part;
}

// Where on its node this rank is bound. One rank of the node asks hwloc for all of them.
MachinePlace place_within_node(MPI_Comm local) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(local, &rank);
  PMPI_Comm_size(local, &size);
  const CpuSet mine = cpus_of_this_process();
  std::vector<CpuSet> sets(rank == 0 ? static_cast<std::size_t>(size) : 0);
  PMPI_Gather(&mine, sizeof mine, MPI_BYTE, sets.data(), sizeof mine, MPI_BYTE, 0, local);
  std::vector<MachinePlace> places(sets.size(), no_place());
  if (rank == 0) {
    Result<std::vector<MachinePlace>> found = places_of(sets);
    if (found) places = std::move(*found);
    else log_message(found.error());
  }
  MachinePlace place = no_place();
  PMPI_Scatter(places.data(), sizeof place, MPI_BYTE, &place, sizeof place, MPI_BYTE, 0, local);
  return place;
}

// Reports the levels of WEFT_HIERARCHY on which some ranks have no place of their own.
void report_missing_levels(int rank) {
  const ThisNode& n = node();
  const std::string& depth = engine().settings.shared.hierarchy;
  const auto levels = levels_named(depth);
  if (rank != 0 || n.pretended || !levels) return;
  for (const Level level : *levels)
    for (std::size_t who = 0; who < n.places.size() && level > Level::kNode; ++who) {
      if (level == Level::kCore || at(n.places[who], level) != kNowhere) continue;
      note("WEFT_HIERARCHY=" + depth + ": " + std::string(name_of(level)) +
           " is left out of communicators with rank " + std::to_string(who) +
           ", which is not bound to one, or has none: bind ranks to cores if there are some");
      break;
    }
}

}  // namespace

void find_node() {
  ThisNode& n = node();
  Engine& e = engine();
  const int rank = e.world_rank;
  int size = 1, local_size = 1;
  PMPI_Comm_size(e.transport_comm, &size);
  pretend(size);
  MPI_Comm local = ranks_that_may_share(rank, size);
  PMPI_Comm_size(local, &local_size);
  n.ranks.resize(static_cast<std::size_t>(local_size));
  PMPI_Allgather(&rank, 1, MPI_INT, n.ranks.data(), 1, MPI_INT, local);
  const NodeSettings& settings = e.settings.shared.node;
  n.arena_bytes = node::arena_bytes(settings, local_size);
  const Bytes all = n.arena_bytes * local_size;
  const bool has_memory = size > 1 && n.arena_bytes > Bytes(0) &&
                          (share_segment(local, all, node::SegmentKind::kUnnamed) ||
                           share_segment(local, all, node::SegmentKind::kNamed));
  if (has_memory) make_arena(rank);
  n.single_copy = has_memory && find_out_who_reaches_whom(local);
  // Without memory every rank is a node of its own.
  const int first = has_memory ? n.ranks.front() : rank;
  n.node_of.resize(static_cast<std::size_t>(size));
  PMPI_Allgather(&first, 1, MPI_INT, n.node_of.data(), 1, MPI_INT, e.transport_comm);
  const MachinePlace place = n.pretended ? no_place() : place_within_node(local);
  n.places.resize(n.node_of.size());
  PMPI_Allgather(&place, sizeof place, MPI_BYTE, n.places.data(), sizeof place, MPI_BYTE, e.transport_comm);
  PMPI_Comm_free(&local);
  report_missing_levels(rank);
}

Bytes shared_memory_taken() {
  const InEngine inside;
  if (!node().exists()) return Bytes(0);
  return node().pool->taken();
}

void forget_node() {
  node().pool.reset();
  node().segment = node::Segment();
}

bool is_one_node(std::span<const int> world_ranks) {
  return std::all_of(world_ranks.begin(), world_ranks.end(), [&](int rank) {
    return node().node_of[static_cast<std::size_t>(rank)] ==
           node().node_of[static_cast<std::size_t>(world_ranks[0])];
  });
}

namespace {

// Where these ranks of the world sit on the real machine.
Seating seating_over(std::span<const int> world_ranks) {
  const ThisNode& n = node();
  const bool one_node = is_one_node(world_ranks);
  std::vector<MachinePlace> places;
  for (const int rank : world_ranks) {
    places.push_back(n.places[static_cast<std::size_t>(rank)]);
    if (!one_node) at(places.back(), Level::kNode) = n.node_of[static_cast<std::size_t>(rank)];
  }
  return seating_of(places);
}

}  // namespace

std::unique_ptr<Hierarchy> hierarchy_over(std::span<const int> world_ranks, const std::string& depth) {
  const ThisNode& n = node();
  const Seating seating = n.pretended
                              ? Seating{*n.pretended->with_ranks(static_cast<int>(world_ranks.size())),
                                        {world_ranks.begin(), world_ranks.end()}}
                              : seating_over(world_ranks);
  const auto found = hierarchy_for(seating.topology, depth, is_one_node(world_ranks), seating.leaves);
  if (!found) note(found.error() + "; messages go between single ranks");
  return found && *found ? std::make_unique<Hierarchy>(**found) : nullptr;
}

namespace {

// The ranks of this list that are on this node, in the list's order.
std::vector<int> members_here(std::span<const int> world_ranks) {
  const ThisNode& n = node();
  std::vector<int> members;
  for (const int rank : world_ranks)
    if (n.node_of[static_cast<std::size_t>(rank)] == n.ranks.front()) members.push_back(rank);
  return members;
}

}  // namespace

MemoryOffer offer_memory(std::span<const int> world_ranks, int rank) {
  MemoryOffer offer;
  if (!node().exists()) return offer;
  const std::vector<int> members = members_here(world_ranks);
  if (members.front() != world_ranks[static_cast<std::size_t>(rank)]) return offer;
  const NodeSettings& settings = engine().settings.shared.node;
  std::optional<node::Grant> grant;
  for (const node::AreaShape& shape : node::wanted_shapes(settings, static_cast<int>(members.size())))
    if (!grant) grant = node().pool->take(shape);
  offer.exists = grant.has_value();
  if (grant) offer.grant = *grant;
  return offer;
}

void withdraw(const MemoryOffer& offer) {
  if (offer.exists) node().pool->take_back(offer.grant);
}

MemoryOfAll memory_of_all(std::span<const int> world_ranks, const Offers& offers) {
  const std::vector<int>& node_of = node().node_of;
  std::set<int> seen;
  int last_seen = -1;
  MemoryOfAll all;
  for (std::size_t member = 0; member < world_ranks.size(); ++member) {
    const int on = node_of[static_cast<std::size_t>(world_ranks[member])];
    if (std::exchange(last_seen, on) == on || !seen.insert(on).second) continue;
    const auto& [exists, grant] = *offers[member];
    if (!exists) return {};
    const MemoryOfAll here{
        {true, grant.shape.rank_bytes, node().single_copy}, grant.berths.large_count, grant.berths.count};
    if (!all.memory.exists) all = here;
    all.memory.rank_bytes = std::min(all.memory.rank_bytes, here.memory.rank_bytes);
    all.large_berths = std::min(all.large_berths, here.large_berths);
    all.berths = std::min(all.berths, here.berths);
  }
  return all;
}

std::unique_ptr<NodeShare> share_node(std::span<const int> world_ranks, int rank, const Offers& offers) {
  const ThisNode& n = node();
  if (!n.exists()) return nullptr;
  const std::vector<int> members = members_here(world_ranks);
  const auto place_of = [](std::span<const int> ranks, int who) {
    return std::find(ranks.begin(), ranks.end(), who) - ranks.begin();
  };
  const auto& [exists, grant] = *offers[static_cast<std::size_t>(place_of(world_ranks, members.front()))];
  if (!exists) return nullptr;
  const auto self = place_of(members, world_ranks[static_cast<std::size_t>(rank)]);
  return std::make_unique<NodeShare>(grant, grant.areas(n.segment), static_cast<int>(self));
}

std::unique_ptr<node::Port> NodeShare::berth(int which, const node::Steps& steps) {
  const node::Berths& berths = grant_.berths;
  const node::AreaShape& shape = berths.shape_of(which);
  const Bytes needed =
      steps.set_bytes() > Bytes(0) ? shape.size() : shape.consumed_bytes() + shape.all_lines_bytes();
  used_berths_ = std::max(used_berths_, which + 1);
  const node::Segment& segment = node().segment;
  if (!segment.reserve(berths.offset_of(which), needed)) return nullptr;
  return std::make_unique<node::Port>(berths.area(segment, which), self_);
}

void NodeShare::leave(bool went_well) {
  if (!node().exists()) return;
  if (self_ == 0) node().pool->give_back(grant_, used_berths_);
  const std::uint64_t next_block = std::max(ports_[0].next_block(), ports_[1].next_block());
  node::leave(ports_.front().area(), self_, went_well ? std::optional(next_block) : std::nullopt);
}

}  // namespace weft::mpi
