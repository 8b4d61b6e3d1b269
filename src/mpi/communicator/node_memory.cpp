// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/node_memory.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "mpi/communicator/joined_by_device.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/host/progress.hpp"
#include "node/steps.hpp"
#include "topology/hierarchy.hpp"

namespace weft::mpi {

Bytes shared_memory_taken() {
  const InEngine inside;
  if (!this_node().exists()) return Bytes(0);
  return this_node().pool->taken();
}

namespace {

bool is_here(int world_rank) {
  const ThisNode& n = this_node();
  return n.node_of[static_cast<std::size_t>(world_rank)] == n.ranks.front();
}

// Where a rank of a communicator stands among those members of this that are on this node.
struct PlaceHere {
  int first = -1;   // the lowest rank of those members
  int self = 0;     // how many of them come before the rank
  int members = 0;  // how many they are
};
PlaceHere place_here(std::span<const int> world_ranks, int rank) {
  PlaceHere place;
  for (int member = 0; member < static_cast<int>(world_ranks.size()); ++member) {
    if (!is_here(world_ranks[static_cast<std::size_t>(member)])) continue;
    if (place.first < 0) place.first = member;
    if (member == rank) place.self = place.members;
    ++place.members;
  }
  return place;
}

}  // namespace

std::vector<int> members_here(std::span<const int> world_ranks) {
  std::vector<int> members;
  members.reserve(world_ranks.size());
  std::ranges::copy_if(world_ranks, std::back_inserter(members), is_here);
  return members;
}

namespace {

// Where that rank of the world sits on the machine that WEFT_TOPOLOGY pretends.
MachinePlace pretended_place(const Topology& topology, int rank) {
  MachinePlace place = no_place();
  for (const Topology::Layer& layer : topology.layers()) at(place, layer.level) = layer.run_of(rank);
  return place;
}

// Where these ranks of the world sit, and on which side of the level `device`, if that joins some of them.
Seating seating_over(std::span<const int> world_ranks, bool joined_by_device) {
  const ThisNode& n = this_node();
  const bool one_node = is_one_node(world_ranks);
  std::vector<MachinePlace> places;
  for (const int rank : world_ranks) {
    const auto who = static_cast<std::size_t>(rank);
    places.push_back(n.pretended ? pretended_place(*n.pretended, rank) : n.places[who]);
    if (!one_node && !n.pretended) at(places.back(), Level::kNode) = n.node_of[who];
  }
  if (joined_by_device) place_on_device(world_ranks, places);
  return seating_of(places);
}

}  // namespace

// Where the device joins some of them and not all, they are grouped by that as well, asked for or not.
std::unique_ptr<Hierarchy> hierarchy_over(std::span<const int> world_ranks, const SharedSettings& settings) {
  const ThisNode& n = this_node();
  const std::string& depth = settings.hierarchy;
  const bool joined = settings.device == "agent" && is_joined_by_device(world_ranks);
  const bool is_mixed = joined && !members_without_device(world_ranks).empty();
  const Seating seating = n.pretended && !is_mixed
                              ? Seating{*n.pretended->with_ranks(static_cast<int>(world_ranks.size())),
                                        {world_ranks.begin(), world_ranks.end()}}
                              : seating_over(world_ranks, joined);
  const auto found = hierarchy_for(seating.topology, is_mixed ? with_device(depth) : depth,
                                   is_one_node(world_ranks), seating.leaves);
  if (!found) note(found.error() + "; messages go between single ranks");
  return found && *found ? std::make_unique<Hierarchy>(**found) : nullptr;
}

namespace {

const std::vector<node::AreaShape>& shapes_wanted_by(int members) {
  std::vector<node::AreaShape>& shapes = this_node().wanted[members];
  if (shapes.empty())
    shapes = node::wanted_shapes(engine().settings.shared.node, members,
                                 node::half_of(this_node().arena_of(engine().world_rank).size), in_a_crowd);
  return shapes;
}

}  // namespace

MemoryOffer offer_memory(std::span<const int> world_ranks, int rank) {
  if (!this_node().exists()) return {};
  const PlaceHere here = place_here(world_ranks, rank);
  return here.first == rank ? offer_memory_for(here.members) : MemoryOffer();
}

MemoryOffer offer_memory_for(int members_here, node::Pool::Choice choice) {
  MemoryOffer offer;
  const std::optional<node::Grant> grant = this_node().pool->take(shapes_wanted_by(members_here), choice);
  offer.exists = grant.has_value();
  if (grant) offer.grant = *grant;
  return offer;
}

void withdraw(const MemoryOffer& offer) {
  if (offer.exists) this_node().pool->give_back_unused(offer.grant);
}

namespace {

BerthNumbers numbers_of(const node::Berths& berths) {
  BerthNumbers numbers{};
  std::partial_sum(berths.count_of.begin(), berths.count_of.end(), numbers.begin());
  return numbers;
}

BerthNumbers least_of(const BerthNumbers& a, const BerthNumbers& b) {
  BerthNumbers least{};
  std::ranges::transform(a, b, least.begin(), [](int one, int other) { return std::min(one, other); });
  return least;
}

}  // namespace

MemoryOfAll memory_of_all(std::span<const int> world_ranks, Told told) {
  const std::vector<int>& node_of = this_node().node_of;
  std::set<int> others;  // nodes behind the first: most communicators have none
  int first = -1, last = -1;
  MemoryOfAll all;
  for (std::size_t member = 0; member < world_ranks.size(); ++member) {
    const int on = node_of[static_cast<std::size_t>(world_ranks[member])];
    if (std::exchange(last, on) == on || on == first) continue;
    if (first < 0) first = on;
    else if (!others.insert(on).second) continue;
    const auto& [exists, grant] = told[member]->memory;
    if (!exists) return {};
    const bool crowded = in_a_crowd && !this_node().pretended;
    const MemoryOfAll here{
        {true, grant.shape.rank_bytes, this_node().single_copy, this_node().kernel_is_faster, crowded},
        numbers_of(grant.berths)};
    if (!all.memory.exists) all = here;
    all.memory.rank_bytes = std::min(all.memory.rank_bytes, here.memory.rank_bytes);
    all.berths = least_of(all.berths, here.berths);
  }
  return all;
}

std::unique_ptr<NodeShare> share_node(std::span<const int> world_ranks, int rank, Told told) {
  if (!this_node().exists()) return nullptr;
  const PlaceHere here = place_here(world_ranks, rank);
  const auto& [exists, grant] = told[static_cast<std::size_t>(here.first)]->memory;
  if (!exists) return nullptr;
  return std::make_unique<NodeShare>(grant, grant.areas(this_node().segment), here.self);
}

node::Letters NodeShare::letters() const { return grant_.letters(this_node().segment); }

namespace {

// Then pages have to lie near who writes them, which is not known before.
bool has_several_memories() {
  static const bool has = ::access("/sys/devices/system/node/node1", F_OK) == 0;
  return has;
}

// Those of an area that a rank writes in one turn after the other: whole rooms where they are short, and its
// own part of the large ones.
void take_pages_of(Bytes area, const node::AreaShape& shape,
                   const std::array<node::Steps::Extent, kRooms.size()>& written) {
  const node::Segment& segment = this_node().segment;
  Bytes end_of_short = shape.rooms_begin();
  for (const Room room : {Room::kSmall, Room::kMiddle})
    if (written[static_cast<std::size_t>(room)].end > Bytes(0)) end_of_short = shape.end_of(room);
  if (!has_several_memories()) segment.take_pages(area, end_of_short);
  const auto& [begin, end] = written[static_cast<std::size_t>(Room::kLarge)];
  for (int turn = 0; turn < shape.count_of(Room::kLarge); ++turn)
    segment.take_pages(area + shape.begin_of(Room::kLarge) + shape.bytes_of(Room::kLarge) * turn + begin,
                       end - begin);
}

}  // namespace

std::unique_ptr<node::Port> NodeShare::berth(int which, const node::Steps& steps, const Schedule& schedule) {
  const node::Berths& berths = grant_.berths;
  const auto& [kind, begin] = berths.place_of(which);
  const node::AreaShape shape = berths.shape_of(kind);
  Bytes needed = shape.rooms_begin();
  for (const Room room : kRooms)
    if (steps.rooms().taken(room) > Bytes(0)) needed = shape.end_of(room);
  const node::Segment& segment = this_node().segment;
  if (!segment.reserve(begin, needed)) return nullptr;
  take_pages_of(begin, shape, steps.written_in_rooms(schedule));
  return std::make_unique<node::Port>(berths.area(segment, which), self_);
}

void NodeShare::take_pages() const {
  if (grant_.shape.members == 1 || has_several_memories()) return;
  const node::Segment& segment = this_node().segment;
  const Bytes begin(ports_.front().area().begin() - segment.memory());
  grant_.shape.for_parts_of(self_,
                            [&](Bytes offset, Bytes size) { segment.take_pages(begin + offset, size); });
}

void NodeShare::tell_end() {
  if (!this_node().exists()) return;
  for (node::Port& port : ports_) port.tell_end();
}

void NodeShare::leave(bool went_well, int persistent_made) {
  if (!this_node().exists()) return;
  tell_end();
  for ([[maybe_unused]] const node::Port& port : ports_)
    assert(!went_well || port.area().sleeping(self_).load() == 0);
  if (self_ == 0) this_node().pool->give_back(grant_, std::min(persistent_made, grant_.berths.count()));
  const std::uint64_t next_number =
      std::max({ports_[0].next_number(), ports_[1].next_number(), last_letter_ + 1});
  node::leave(ports_.front().area(), self_, went_well ? std::optional(next_number) : std::nullopt);
}

}  // namespace weft::mpi
