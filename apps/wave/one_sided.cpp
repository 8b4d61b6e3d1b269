// SPDX-License-Identifier: BSD-3-Clause
// Exchanges in which a rank puts its faces into windows of its neighbours; exchange.hpp says what each of
// them is.
#include <algorithm>
#include <utility>
#include <vector>

#include "exchange.hpp"

namespace wave {
namespace {

/// Sizes of windows are multiples of this: with others, MPICH 4.0 puts into places that are not the window's.
constexpr MPI_Aint kWindowUnit = 4096;

class OneSided : public Exchange {
 protected:
  OneSided(const FacePlan& plan, MPI_Comm cartesian, bool with_locks) : Exchange(plan, cartesian) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", with_locks ? "false" : "true");
    for (int group = 0; group < kGroupCount; ++group) {
      void* memory = nullptr;
      const MPI_Aint size = (plan_.buffer_bytes[group] + kWindowUnit) / kWindowUnit * kWindowUnit;
      MPI_Win_allocate(size, 1, info, cartesian, &memory, &windows_[group]);
      in_[group] = static_cast<std::byte*>(memory);
      std::fill_n(in_[group], size, std::byte{});
    }
    MPI_Info_free(&info);
    learn_offsets();
  }
  ~OneSided() override {
    for (MPI_Win& window : windows_) MPI_Win_free(&window);
  }

  void put(int group, int side) {
    const int bytes = plan_.bytes[group][side];
    MPI_Put(out(group, side), bytes, MPI_BYTE, plan_.neighbours[side], there_[group][side], bytes, MPI_BYTE,
            windows_[group]);
  }
  void put_all(int group) {
    for (int side = 0; side < kSideCount; ++side)
      if (sends(group, side)) put(group, side);
  }

  std::array<MPI_Win, kGroupCount> windows_{};

 private:
  /// Where in the neighbours' windows the faces of this rank belong.
  void learn_offsets() {
    for (int side = 0; side < kSideCount; ++side) {
      std::array<int, kGroupCount> mine{}, theirs{};
      const int across = side ^ 1;
      for (int group = 0; group < kGroupCount; ++group) mine[group] = plan_.offset[group][across];
      MPI_Sendrecv(mine.data(), kGroupCount, MPI_INT, plan_.neighbours[across], side, theirs.data(),
                   kGroupCount, MPI_INT, plan_.neighbours[side], side, cartesian_, MPI_STATUS_IGNORE);
      for (int group = 0; group < kGroupCount; ++group) there_[group][side] = theirs[group];
    }
  }

  std::array<std::array<MPI_Aint, kSideCount>, kGroupCount> there_{};
};

class PostStart : public OneSided {
 public:
  /// `assertion`: 0, or MPI_MODE_NOCHECK.
  PostStart(const FacePlan& plan, MPI_Comm cartesian, int assertion)
      : OneSided(plan, cartesian, false), assertion_(assertion) {
    MPI_Group everybody = MPI_GROUP_NULL;
    MPI_Comm_group(cartesian, &everybody);
    for (int group = 0; group < kGroupCount; ++group) {
      std::vector<int> ranks;
      for (int side = 0; side < kSideCount; ++side)
        if (sends(group, side)) ranks.push_back(plan_.neighbours[side]);
      has_any_[group] = !ranks.empty();
      MPI_Group_incl(everybody, static_cast<int>(ranks.size()), ranks.data(), &neighbours_[group]);
      consumed(group);
    }
    MPI_Group_free(&everybody);
    all_consumed();
  }

  /// What has been posted must come to an end: an epoch in which nothing is put.
  ~PostStart() override {
    all_consumed();
    for (int group = 0; group < kGroupCount; ++group) {
      if (has_any_[group]) {
        MPI_Win_start(neighbours_[group], assertion_, windows_[group]);
        is_accessing_[group] = true;
        finish(group);
      }
      MPI_Group_free(&neighbours_[group]);
    }
  }

  void start(int group) override {
    if (!has_any_[group]) return;
    MPI_Win_start(neighbours_[group], assertion_, windows_[group]);
    is_accessing_[group] = true;
    put_all(group);
  }
  void hand_off(int group) override {
    if (has_any_[group] && std::exchange(is_accessing_[group], false)) MPI_Win_complete(windows_[group]);
  }
  void finish(int group) override {
    hand_off(group);
    if (has_any_[group]) MPI_Win_wait(windows_[group]);
  }
  void consumed(int group) override {
    if (has_any_[group]) MPI_Win_post(neighbours_[group], assertion_, windows_[group]);
  }
  void all_consumed() final {
    if (assertion_ == MPI_MODE_NOCHECK) MPI_Barrier(cartesian_);
  }

 private:
  int assertion_;
  std::array<MPI_Group, kGroupCount> neighbours_{};
  std::array<bool, kGroupCount> has_any_{}, is_accessing_{};
};

class Fence : public OneSided {
 public:
  Fence(const FacePlan& plan, MPI_Comm cartesian) : OneSided(plan, cartesian, false) {
    for (const MPI_Win window : windows_) MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  }
  ~Fence() override {
    for (const MPI_Win window : windows_) MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  }

  void start(int group) override { put_all(group); }
  /// Ends one epoch, and begins the next.
  void finish(int group) override { MPI_Win_fence(0, windows_[group]); }
};

class Lock : public OneSided {
 public:
  Lock(const FacePlan& plan, MPI_Comm cartesian) : OneSided(plan, cartesian, true) {}

  void start(int group) override {
    auto& notes = notes_[group];
    for (int side = 0; side < kSideCount; ++side)
      if (sends(group, side))
        MPI_Irecv(nullptr, 0, MPI_BYTE, plan_.neighbours[side], tag_of_note(group, side ^ 1), cartesian_,
                  &notes.emplace_back());
    for (int side = 0; side < kSideCount; ++side) {
      if (!sends(group, side)) continue;
      const int neighbour = plan_.neighbours[side];
      MPI_Win_lock(MPI_LOCK_SHARED, neighbour, 0, windows_[group]);
      put(group, side);
      MPI_Win_unlock(neighbour, windows_[group]);
      MPI_Isend(nullptr, 0, MPI_BYTE, neighbour, tag_of_note(group, side), cartesian_, &notes.emplace_back());
    }
  }

  /// What was put is in the window; the own lock makes it visible, and stays until it has been read.
  void finish(int group) override {
    auto& notes = notes_[group];
    MPI_Waitall(static_cast<int>(notes.size()), notes.data(), MPI_STATUSES_IGNORE);
    notes.clear();
    int rank = 0;
    MPI_Comm_rank(cartesian_, &rank);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, windows_[group]);
  }
  void consumed(int group) override {
    int rank = 0;
    MPI_Comm_rank(cartesian_, &rank);
    MPI_Win_unlock(rank, windows_[group]);
  }

 private:
  static int tag_of_note(int group, int side) { return group * kSideCount + side; }

  std::array<std::vector<MPI_Request>, kGroupCount> notes_;
};

}  // namespace

std::unique_ptr<Exchange> make_one_sided(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian) {
  switch (kind) {
    case ExchangeKind::kOneSided: return std::make_unique<PostStart>(plan, cartesian, 0);
    case ExchangeKind::kNoCheck: return std::make_unique<PostStart>(plan, cartesian, MPI_MODE_NOCHECK);
    case ExchangeKind::kFence: return std::make_unique<Fence>(plan, cartesian);
    case ExchangeKind::kLock: return std::make_unique<Lock>(plan, cartesian);
    default: return nullptr;
  }
}

}  // namespace wave
