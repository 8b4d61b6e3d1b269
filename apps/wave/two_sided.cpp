// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in which both sides name what they send and receive; exchange.hpp says what each of them is.
#include <vector>

#include "exchange.hpp"

namespace wave {
namespace {

/// Of the message that leaves over a side.
int tag_of(int group, int side) { return group * kSideCount + side; }

class Blocking : public Exchange {
 public:
  Blocking(const FacePlan& plan, MPI_Comm cartesian) : Exchange(plan, cartesian) { allocate_in(); }

  void start(int group) override {
    for (int side = 0; side < kSideCount; ++side) {
      const int across = side ^ 1;  // what goes down comes in from above
      if (!sends(group, side) && !sends(group, across)) continue;
      const auto& bytes = plan_.bytes[group];
      MPI_Sendrecv(out(group, side), bytes[side], MPI_BYTE, plan_.neighbours[side], tag_of(group, side),
                   in_[group] + plan_.offset[group][across], bytes[across], MPI_BYTE,
                   plan_.neighbours[across], tag_of(group, side), cartesian_, MPI_STATUS_IGNORE);
    }
  }
  void finish(int) override {}
  bool overlaps() const override { return false; }
};

class Nonblocking : public Exchange {
 public:
  Nonblocking(const FacePlan& plan, MPI_Comm cartesian) : Exchange(plan, cartesian) { allocate_in(); }

  void start(int group) override {
    auto& requests = requests_[group];
    const auto& bytes = plan_.bytes[group];
    for (int side = 0; side < kSideCount; ++side)
      if (sends(group, side))
        MPI_Irecv(in_[group] + plan_.offset[group][side], bytes[side], MPI_BYTE, plan_.neighbours[side],
                  tag_of(group, side ^ 1), cartesian_, &requests.emplace_back());
    for (int side = 0; side < kSideCount; ++side)
      if (sends(group, side))
        MPI_Isend(out(group, side), bytes[side], MPI_BYTE, plan_.neighbours[side], tag_of(group, side),
                  cartesian_, &requests.emplace_back());
  }

  void finish(int group) override {
    auto& requests = requests_[group];
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }

 private:
  std::array<std::vector<MPI_Request>, kGroupCount> requests_;
};

class Neighbour : public Exchange {
 public:
  Neighbour(const FacePlan& plan, MPI_Comm cartesian) : Exchange(plan, cartesian) {
    allocate_in();
    types_.fill(MPI_BYTE);
    for (int group = 0; group < kGroupCount; ++group)
      for (int side = 0; side < kSideCount; ++side) offsets_[group][side] = plan_.offset[group][side];
  }

  void start(int group) override {
    const int* bytes = plan_.bytes[group].data();
    const MPI_Aint* offsets = offsets_[group].data();
    MPI_Ineighbor_alltoallw(out_[group].data(), bytes, offsets, types_.data(), in_[group], bytes, offsets,
                            types_.data(), cartesian_, &requests_[group]);
  }

  void finish(int group) override { MPI_Wait(&requests_[group], MPI_STATUS_IGNORE); }

 private:
  std::array<MPI_Datatype, kSideCount> types_;
  std::array<std::array<MPI_Aint, kSideCount>, kGroupCount> offsets_;
  std::array<MPI_Request, kGroupCount> requests_{};
};

}  // namespace

std::unique_ptr<Exchange> make_two_sided(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian) {
  switch (kind) {
    case ExchangeKind::kBlocking: return std::make_unique<Blocking>(plan, cartesian);
    case ExchangeKind::kNonblocking: return std::make_unique<Nonblocking>(plan, cartesian);
    case ExchangeKind::kNeighbour: return std::make_unique<Neighbour>(plan, cartesian);
    default: return nullptr;
  }
}

}  // namespace wave
