// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/this_node.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/polite.hpp"
#include "node/copy_trial.hpp"
#include "node/home.hpp"
#include "node/peers.hpp"
#include "node/reach.hpp"
#include "topology/hierarchy.hpp"
#include "topology/machine.hpp"

namespace weft::mpi {
namespace {

// What a rank says of its process before anything is shared.
struct Card {
  std::uint64_t home;
  node::ProcessTicket process;
  long processors;  // of the machine, whether this process may use them or not
};

Card card_of_this_process() {
  return {node::home_of_this_process(), node::ProcessTicket::mine(), ::sysconf(_SC_NPROCESSORS_ONLN)};
}

// Whether a rank has mapped its node's segment, and what others need to reach into its memory.
struct Mapping {
  bool has_memory;
  std::uint64_t process, mapped_at;
};

// What all others must know of a rank in the end.
struct Standing {
  int first_of_node;
  bool reaches_all;  // of its node
  bool kernel_is_faster;
  MachinePlace place;
};

// Also where containers or namespaces of one machine are nodes to one another. All ranks find the same.
bool is_one_crowded_machine(const std::vector<Card>& cards) {
  const Card& first = cards.front();
  const bool is_known = first.processors > 0 && first.process.boot.front() != '\0';
  return is_known && static_cast<long>(cards.size()) > first.processors &&
         std::all_of(cards.begin(), cards.end(),
                     [&](const Card& one) { return one.process.boot == first.process.boot; });
}

std::vector<int> ranks_of_this_home(const std::vector<Card>& cards, int rank) {
  std::vector<int> ranks;
  for (std::size_t who = 0; who < cards.size(); ++who)
    if (cards[who].home == cards[static_cast<std::size_t>(rank)].home) ranks.push_back(static_cast<int>(who));
  return ranks;
}

// Takes the topology of WEFT_TOPOLOGY for the machine. The text is rank 0's, which has checked that it has a
// place for every rank, so that all ranks do the same.
void pretend(int size) {
  const std::string& text = engine().settings.shared.topology;
  if (!text.empty()) this_node().pretended = *Topology::parse(text)->with_ranks(size);
}

// The number of the pretended node that each rank of the world is on.
std::vector<int> pretended_nodes(const Topology& topology, std::size_t size) {
  std::vector<int> nodes(size, 0);
  const auto groups = topology.groups(Level::kNode);
  for (std::size_t node = 0; node < groups.size(); ++node)
    for (const Rank rank : groups[node]) nodes[static_cast<std::size_t>(rank.value)] = static_cast<int>(node);
  return nodes;
}

std::vector<int> ranks_of_this_node(const std::vector<int>& of_home, std::size_t size, int rank) {
  if (!this_node().pretended) return of_home;
  const std::vector<int> nodes = pretended_nodes(*this_node().pretended, size);
  std::vector<int> ranks;
  for (const int who : of_home)
    if (nodes[static_cast<std::size_t>(who)] == nodes[static_cast<std::size_t>(rank)]) ranks.push_back(who);
  return ranks;
}

// Whether ranks outnumber the processors on which some of them may run.
bool is_crowded(const std::vector<CpuSet>& sets) {
  const int processors = union_of(sets).count();
  return processors > 0 && static_cast<int>(sets.size()) > processors;
}

// Where this rank is bound, if WEFT_HIERARCHY asks for it: one rank of its home asks hwloc for all of them.
// Whether there are more ranks than processors, and where agents may run, if there will be some.
MachinePlace find_place(const polite::Circle& home) {
  struct Answer {
    MachinePlace place;
    bool is_crowded;
  };
  this_node().cpus = cpus_of_this_process();
  const std::vector<CpuSet> sets = home.gather(this_node().cpus);
  std::vector<Answer> answers(sets.size(), {no_place(), is_crowded(sets)});
  if (home.is_first() && this_node().knows_places) {
    const Result<std::vector<MachinePlace>> places = places_of(sets);
    if (!places) log_message(places.error());
    for (std::size_t who = 0; places && who < answers.size(); ++who) answers[who].place = (*places)[who];
  }
  const Answer mine = home.scatter(answers);
  in_a_crowd = mine.is_crowded;
  if (engine().settings.shared.device == "agent")
    this_node().cpus_of_agent = home.scatter(cpus_beside_others(sets));
  return mine.place;
}

// One rank makes a segment and the others open it.
Result<node::Segment> share_segment(const polite::Circle& node, std::size_t members, Bytes size,
                                    node::SegmentKind kind) {
  Result<node::Segment> segment = Error{};
  std::vector<node::SegmentTicket> tickets;
  if (node.is_first()) {
    segment = node::Segment::make(size, kind);
    tickets.assign(members, segment ? segment->ticket() : node::SegmentTicket{});
  }
  const node::SegmentTicket ticket = node.scatter(tickets);
  if (!node.is_first()) segment = ticket.bytes > 0 ? node::Segment::open(ticket) : Error{};
  if (!segment && !segment.error().empty()) log_message(segment.error());
  return segment;
}

bool all_have_memory(const std::vector<Mapping>& mappings, const std::vector<int>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return mappings[static_cast<std::size_t>(rank)].has_memory; });
}

// What the ranks of a node try to share, until all of them have mapped it: memory that has no name; less of
// it, where their limits do not leave room for so much; then memory that has a name until then.
struct Attempt {
  node::SegmentKind kind;
  int part;  // of the settings' memory: one of so many
};
constexpr std::array<Attempt, 6> kAttempts{{{node::SegmentKind::kUnnamed, 1},
                                            {node::SegmentKind::kUnnamed, 8},
                                            {node::SegmentKind::kUnnamed, 64},
                                            {node::SegmentKind::kNamed, 1},
                                            {node::SegmentKind::kNamed, 8},
                                            {node::SegmentKind::kNamed, 64}}};

// Shares memory among the ranks of this node. Returns what every rank of the world has in the end.
std::vector<Mapping> share_memory(const polite::Circle& node, std::size_t world_size) {
  ThisNode& n = this_node();
  Engine& e = engine();
  NodeSettings settings = e.settings.shared.node;
  std::vector<Mapping> mappings(world_size);
  if (world_size == 1 || !settings.enabled) return mappings;
  for (const auto& [kind, part] : kAttempts) {
    settings.memory = e.settings.shared.node.memory / part;
    const Bytes arenas = node::bytes_of_arenas(settings, static_cast<int>(n.ranks.size()));
    Mapping mine = mappings[static_cast<std::size_t>(e.world_rank)];
    Result<node::Segment> segment = Error{};
    if (arenas > Bytes(0) && !all_have_memory(mappings, n.ranks)) {
      n.divided_by = settings;
      segment = share_segment(node, n.ranks.size(), arenas, kind);
      mine = {segment.ok(), static_cast<std::uint64_t>(node::this_process()),
              segment ? segment->mapped_at() : 0};
    }
    mappings = polite::allgather(mine, e.transport_comm);
    if (segment && node.is_first()) segment->forget_name();
    if (segment && all_have_memory(mappings, n.ranks)) n.segment = std::move(*segment);
    if (std::all_of(mappings.begin(), mappings.end(), [](const Mapping& one) { return one.has_memory; }))
      break;
  }
  return mappings;
}

// Everybody tries everybody: a container or a security module may part them (drop_in rule 10).
bool reaches_all(const std::vector<Mapping>& mappings) {
  const ThisNode& n = this_node();
  return std::all_of(n.ranks.begin(), n.ranks.end(), [&](int rank) {
    const Mapping& there = mappings[static_cast<std::size_t>(rank)];
    return n.segment.reaches(static_cast<node::Process>(there.process), there.mapped_at);
  });
}

// Whether the kernel copies long blocks faster than two ranks of this node through shared memory: found by
// the first and the last one here, who tells the others. They use the place where the first communicator's
// memory will be.
bool finds_kernel_faster(int rank) {
  constexpr Nanoseconds kPatience{20'000'000};
  const ThisNode& n = this_node();
  const bool is_writer = rank == n.ranks.front(), is_reader = rank == n.ranks.back();
  if (is_writer == is_reader || n.pretended || engine().settings.shared.node.copies != "measured")
    return false;
  const Bytes at = n.arena_of(n.ranks.front()).begin;
  if (!n.segment.reserve(at, node::kTrialBytes)) return false;
  const auto part = is_writer ? node::TrialPart::kWriter : node::TrialPart::kReader;
  const auto found = node::is_kernel_faster(n.segment.memory() + at.value, part, kPatience);
  return found.value_or(false);
}

// Reports the levels of WEFT_HIERARCHY on which some ranks have no place of their own.
void report_missing_levels(int rank) {
  const ThisNode& n = this_node();
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

ThisNode& this_node() {
  static ThisNode& the_node = *new ThisNode;
  return the_node;
}

bool is_one_node(std::span<const int> world_ranks) {
  return std::all_of(world_ranks.begin(), world_ranks.end(), [&](int rank) {
    return this_node().node_of[static_cast<std::size_t>(rank)] ==
           this_node().node_of[static_cast<std::size_t>(world_ranks[0])];
  });
}

MachinePlace place_of_this_rank() {
  const ThisNode& n = this_node();
  if (n.pretended || n.knows_places) return n.places[static_cast<std::size_t>(engine().world_rank)];
  static const MachinePlace place = [&n] {
    const std::array mine = {n.cpus};
    const Result<std::vector<MachinePlace>> found = places_of(mine);
    if (!found) log_message(found.error());
    return found ? found->front() : no_place();
  }();
  return place;
}

void find_node() {
  ThisNode& n = this_node();
  Engine& e = engine();
  const int rank = e.world_rank;
  const auto cards = polite::allgather(card_of_this_process(), e.transport_comm);
  pretend(static_cast<int>(cards.size()));
  n.world_shares_cores = !n.pretended && is_one_crowded_machine(cards);
  n.knows_places = !n.pretended && names_levels_within_node(e.settings.shared.hierarchy);
  const std::vector<int> of_home = ranks_of_this_home(cards, rank);
  std::vector<node::ProcessTicket> processes;
  processes.reserve(of_home.size());
  for (const int who : of_home) processes.push_back(cards[static_cast<std::size_t>(who)].process);
  watch_peers(of_home, processes);
  const MachinePlace place = find_place(polite::Circle(e.transport_comm, of_home));
  n.ranks = ranks_of_this_node(of_home, cards.size(), rank);
  const std::vector<Mapping> mappings = share_memory(polite::Circle(e.transport_comm, n.ranks), cards.size());
  const bool has_memory = all_have_memory(mappings, n.ranks);
  if (has_memory) n.pool.emplace(n.segment, n.arena_of(rank));
  const Standing mine{has_memory ? n.ranks.front() : rank, has_memory && reaches_all(mappings),
                      has_memory && finds_kernel_faster(rank), place};
  n.single_copy = has_memory;
  for (const Standing& one : polite::allgather(mine, e.transport_comm)) {
    n.node_of.push_back(one.first_of_node);
    n.places.push_back(one.place);
    if (one.first_of_node != mine.first_of_node) continue;
    n.single_copy = n.single_copy && one.reaches_all;
    n.kernel_is_faster = n.kernel_is_faster || one.kernel_is_faster;
  }
  if (has_memory && rank == n.ranks.front()) n.segment.release(n.arena_of(rank).begin, node::kTrialBytes);
  report_missing_levels(rank);
}

void forget_node() {
  this_node().pool.reset();
  this_node().wanted.clear();
  this_node().segment = node::Segment();
}

}  // namespace weft::mpi
