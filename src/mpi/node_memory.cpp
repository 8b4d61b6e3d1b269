// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/node_memory.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/communicator.hpp"
#include "mpi/deaths.hpp"
#include "mpi/engine.hpp"
#include "mpi/statistics.hpp"
#include "node/pool.hpp"
#include "node/reach.hpp"
#include "topology/machine.hpp"

namespace weft::mpi {
namespace {

// Where a communicator's memory lies, told by the rank that took it.
struct Entry {
  node::Word birth;
  node::Word readers;  // who have read it; until all have, nothing else may be written here
  bool exists = false;
  node::Grant grant;
};
constexpr Bytes kTableBytes{static_cast<std::int64_t>(sizeof(Entry)) * kMostCommunicators};

struct Node {
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
  Entry& entry(int world_rank, int id) const {
    return reinterpret_cast<Entry*>(segment.memory() + arena_of(world_rank).value)[id];
  }
};

Node& node() {
  static Node& the_node = *new Node;
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

// Each rank takes the page of its own table; its memory is near the one who writes it first.
bool make_arena(MPI_Comm local, int rank) {
  Node& n = node();
  const Bytes begin = n.arena_of(rank);
  const bool reserved = n.segment.reserve(begin, kTableBytes);
  if (!reserved)
    log_message("there is no shared memory left for this rank: its node communicates by messages");
  if (!everybody(local, reserved)) return false;
  n.pool.emplace(n.segment, begin + kTableBytes, n.arena_bytes - kTableBytes);
  return true;
}

// Everybody tries everybody: a container or a security module may part them (drop_in rule 10).
bool find_out_who_reaches_whom(MPI_Comm local) {
  Node& n = node();
  std::uint64_t mine[2] = {static_cast<std::uint64_t>(node::this_process()), n.segment.mapped_at()};
  std::vector<std::uint64_t> all(2 * n.ranks.size());
  PMPI_Allgather(mine, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, local);
  bool reaches = true;
  for (std::size_t at = 0; at < all.size(); at += 2)
    reaches = reaches && n.segment.reaches(static_cast<node::Process>(all[at]), all[at + 1]);
  return everybody(local, reaches);
}

// The first rank's part: memory with room for large slots, or else for lines only, or none.
void take_and_tell(Entry& entry, int members, std::uint64_t birth) {
  const NodeSettings& settings = engine().settings.shared.node;
  entry.readers.store(0, std::memory_order_relaxed);
  std::optional<node::Grant> grant;
  for (const Bytes slot_bytes : {settings.slot_bytes, Bytes(0)})
    if (!grant) grant = node().pool->take({members, settings.slots, slot_bytes});
  entry.exists = grant.has_value();
  if (grant) entry.grant = *grant;
  entry.birth.store(birth, std::memory_order_release);
}

// The number of the pretended node that each rank of the world is on.
std::vector<int> pretended_nodes(const Topology& topology, int size) {
  std::vector<int> nodes(static_cast<std::size_t>(size), 0);
  const auto groups = topology.groups(Level::kNode);
  for (std::size_t node = 0; node < groups.size(); ++node)
    for (const Rank rank : groups[node]) nodes[static_cast<std::size_t>(rank.value)] = static_cast<int>(node);
  return nodes;
}

// The same on all ranks, since the setting is rank 0's, which has made sure that it is a topology of this
// size.
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
  Node& n = node();
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

// Where this rank is bound within its node. One rank asks hwloc for all.
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

// Levels of WEFT_HIERARCHY for which some ranks have no place.
void report_missing_levels(int rank) {
  const Node& n = node();
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
  Node& n = node();
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
  n.arena_bytes = settings.memory / local_size / kTableBytes * kTableBytes;
  const Bytes all = n.arena_bytes * local_size;
  const bool has_memory = size > 1 && settings.enabled && n.arena_bytes > kTableBytes &&
                          (share_segment(local, all, node::SegmentKind::kUnnamed) ||
                           share_segment(local, all, node::SegmentKind::kNamed)) &&
                          make_arena(local, rank);
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

bool reach_each_other() { return node().single_copy; }

namespace {

// Ranks of the world on the machine that is there.
Seating seating_over(std::span<const int> world_ranks) {
  const Node& n = node();
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
  const Node& n = node();
  const Seating seating = n.pretended
                              ? Seating{*n.pretended->with_ranks(static_cast<int>(world_ranks.size())),
                                        {world_ranks.begin(), world_ranks.end()}}
                              : seating_over(world_ranks);
  const auto made = Hierarchy::make_from_what_is_there(seating.topology, depth, seating.leaves);
  if (!made) {
    note(made.error() + "; messages go between single ranks");
    return nullptr;
  }
  return made->memory_tiers() > 0 ? std::make_unique<Hierarchy>(made->in_narrow_groups()) : nullptr;
}

namespace {

// Those of the ranks that are on this node, in their order.
std::vector<int> members_here(std::span<const int> world_ranks) {
  const Node& n = node();
  std::vector<int> members;
  for (const int rank : world_ranks)
    if (n.node_of[static_cast<std::size_t>(rank)] == n.ranks.front()) members.push_back(rank);
  return members;
}

}  // namespace

bool is_told_to_all(std::span<const int> world_ranks, int rank, int id) {
  if (!node().exists()) return true;
  const std::vector<int> members = members_here(world_ranks);
  if (members.front() != world_ranks[static_cast<std::size_t>(rank)]) return true;
  return node().entry(members.front(), id).readers.load(std::memory_order_acquire) + 1 == members.size();
}

std::unique_ptr<NodeShare> share_node(std::span<const int> world_ranks, int rank, int id,
                                      std::uint64_t birth) {
  Node& n = node();
  if (!n.exists()) return nullptr;
  const std::vector<int> members = members_here(world_ranks);
  const auto me = std::find(members.begin(), members.end(), world_ranks[static_cast<std::size_t>(rank)]);
  const int self = static_cast<int>(me - members.begin());
  Entry& entry = n.entry(members.front(), id);
  if (self == 0) {
    const InEngine inside;
    take_and_tell(entry, static_cast<int>(members.size()), birth);
  } else {
    const std::span first(members.data(), 1);
    const auto is_told = [&] { return entry.birth.load(std::memory_order_acquire) == birth; };
    wait_until([&] { return is_told() || some_ended(first); });
    if (!is_told()) return nullptr;  // and no operation of this communicator will get far
  }
  const bool exists = entry.exists;
  const node::Grant grant = entry.grant;
  if (self != 0) entry.readers.fetch_add(1, std::memory_order_release);
  if (!exists) return nullptr;
  return std::make_unique<NodeShare>(grant, grant.areas(n.segment), self);
}

void NodeShare::leave(bool went_well) {
  if (!node().exists()) return;
  if (self_ == 0) node().pool->give_back(grant_);
  const std::uint64_t next_block = std::max(ports_[0].next_block(), ports_[1].next_block());
  node::leave(ports_.front().area(), self_, went_well ? std::optional(next_block) : std::nullopt);
}

}  // namespace weft::mpi
