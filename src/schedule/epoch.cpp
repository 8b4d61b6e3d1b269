// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/epoch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "schedule/builder.hpp"
#include "schedule/describe.hpp"

namespace weft {
namespace {

constexpr std::size_t kMostTargets = 250;  // each is a buffer

// Each peer but the rank itself once, in the order of the parcels.
std::vector<int> others_of(std::span<const Parcel> parcels, Rank self) {
  std::vector<int> others;
  for (const Parcel& parcel : parcels)
    if (parcel.peer != self && std::find(others.begin(), others.end(), parcel.peer.value) == others.end())
      others.push_back(parcel.peer.value);
  return others;
}

// The places, in the order of the parcels, that `to` has for what comes from `from`.
std::vector<Bytes> places_of(std::span<const Parcel> incoming, Rank from) {
  std::vector<Bytes> places;
  for (const Parcel& parcel : incoming)
    if (parcel.peer == from) places.push_back(parcel.offset);
  return places;
}

class EpochWriter {
 public:
  EpochWriter(const Call& call, std::span<const Parcels> parcels, Rank self)
      : call_(call), parcels_(parcels), self_(self), own_(at(self)), builder_(call, self, false, own_) {}

  Schedule write(const std::vector<int>& targets) {
    const std::vector<int> origins = others_of(own_.incoming, self_);
    if (!origins.empty()) builder_.window(self_.value, builder_.output().size);
    for (const int origin : origins) builder_.signal(origin);
    for (const int target : targets) open(target);
    for (const Parcel& parcel : own_.outgoing) put(parcel);
    for (const int target : targets) close(target);
    for (const int origin : origins) builder_.await_signal(origin);
    return std::move(builder_).finish("put");
  }

 private:
  // What this rank does at one target.
  struct Access {
    Range window;
    std::vector<Bytes> places;  // of the parcels that it gets, in their order
    std::size_t put = 0;        // of them
    std::vector<TaskId> before_close{};
  };

  const Parcels& at(Rank rank) const { return parcels_[static_cast<std::size_t>(rank.value)]; }

  void open(int target) {
    const Rank rank(target);
    const Bytes size = output_bytes({.call = call_, .rank = rank, .parcels = at(rank)});
    Access access{.window = builder_.window(target, size), .places = places_of(at(rank).incoming, self_)};
    access.before_close.push_back(builder_.await_signal(target));
    accesses_[target] = std::move(access);
  }

  void put(const Parcel& parcel) {
    const Range from{kInput, parcel.offset, parcel.size};
    if (parcel.peer == self_) {
      const std::vector<Bytes> places = places_of(own_.incoming, self_);
      builder_.copy(from, builder_.output().part(places[put_to_self_++], parcel.size));
      return;
    }
    Access& access = accesses_[parcel.peer.value];
    const Bytes place = access.places[access.put++];
    if (parcel.size == Bytes(0)) return;
    const TaskId copied = builder_.copy(from, access.window.part(place, parcel.size));
    builder_.after(copied, access.before_close.front());  // the window is the target's until it has posted
    access.before_close.push_back(copied);
  }

  // The word says that all is there.
  void close(int target) {
    const TaskId closed = builder_.signal(target);
    for (const TaskId before : accesses_[target].before_close) builder_.after(closed, before);
  }

  const Call& call_;
  std::span<const Parcels> parcels_;
  Rank self_;
  const Parcels& own_;
  Builder builder_;
  std::map<int, Access> accesses_;
  std::size_t put_to_self_ = 0;
};

}  // namespace

Result<Schedule> epoch_of(const Call& call, std::span<const Parcels> parcels, Rank self) {
  const auto targets = others_of(parcels[static_cast<std::size_t>(self.value)].outgoing, self);
  if (targets.size() > kMostTargets)
    return Error{fmt::format("rank {} of {} puts to {} ranks, and {} are the most in one epoch", self.value,
                             describe(call), targets.size(), kMostTargets)};
  return EpochWriter(call, parcels, self).write(targets);
}

ExamplePuts example_puts(PutsTo whom, int rank_count, Bytes bytes) {
  const bool to_next = whom == PutsTo::kNext;
  ExamplePuts example{{.collective = to_next ? Collective::kNeighborAlltoallv : Collective::kNeighborAlltoall,
                       .rank_count = rank_count,
                       .bytes = bytes},
                      {}};
  for (int rank = 0; rank < rank_count; ++rank) {
    const Rank next((rank + 1) % rank_count), previous((rank + rank_count - 1) % rank_count);
    example.parcels.push_back(to_next ? Parcels{{{next, Bytes(0), bytes}}, {{previous, Bytes(0), bytes}}}
                                      : example_parcels(example.call, Rank(rank), false));
  }
  return example;
}

Result<std::vector<Schedule>> example_epoch(PutsTo whom, int rank_count, Bytes bytes) {
  const ExamplePuts example = example_puts(whom, rank_count, bytes);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < rank_count; ++rank) {
    auto schedule = epoch_of(example.call, example.parcels, Rank(rank));
    if (!schedule) return Error{schedule.error()};
    schedules.push_back(std::move(*schedule));
  }
  return schedules;
}

}  // namespace weft
