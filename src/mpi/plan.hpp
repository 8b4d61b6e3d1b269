// SPDX-License-Identifier: BSD-3-Clause
// Plan: one shape of call on one communicator, built once: the schedule, and the operations that execute it.
#pragma once

#include <memory>
#include <vector>

#include "base/config.hpp"
#include "collective/call.hpp"
#include "mpi/flight.hpp"
#include "schedule/schedule.hpp"

namespace weft::mpi {

struct Plan {
  Plan(const Call& call, bool in_place, Rank self, const SharedSettings& settings);

  // A flight that nobody uses; made if there is none, so that later calls of this shape find one.
  Flight& idle_flight();
  bool is_idle() const;

  Call call;
  bool in_place;
  Schedule schedule;
  std::vector<std::unique_ptr<Flight>> flights;
  std::size_t next = 0;  // where to look first: the one after the last taken is the likeliest to be idle
  std::uint64_t last_use = 0;
};

// The plans of one communicator. A lookup compares one word of hash per plan at first; beyond kMostPlans the
// least recently used idle one goes.
class PlanCache {
 public:
  Plan& find_or_build(const Call& call, bool in_place, Rank self, const SharedSettings& settings);
  bool all_idle() const;

 private:
  static constexpr std::size_t kMostPlans = 256;
  struct Slot {
    std::uint64_t hash = 0;
    std::unique_ptr<Plan> plan;  // empty slots have none
  };

  Slot& slot_for(std::uint64_t hash, const Call& call, bool in_place);
  void make_room();
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two, at most half full, open addressing
  std::size_t used_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace weft::mpi
