// SPDX-License-Identifier: BSD-3-Clause
// Plan: one shape of call on one communicator, built once: the schedule, and the operations that execute it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mpi/flight/flight.hpp"
#include "schedule/schedule.hpp"

namespace weft {
struct PlanKey;
struct Placement;
struct SharedSettings;
}  // namespace weft

namespace weft::mpi {

struct Plan {
  Plan(const PlanKey& key, Rank self, const SharedSettings& settings, const Placement& placement);

  // A flight that nobody uses; made if there is none, so that later calls of this shape find one.
  Flight& idle_flight() {
    return next < flights.size() && flights[next]->is_idle() ? *flights[next] : another_idle_flight();
  }
  bool is_idle() const;

  bool on_one_node;     // all members are
  bool sends_messages;  // some rank of the call does
  std::string why;      // it was chosen, for people
  Schedule schedule;
  std::vector<std::unique_ptr<Flight>> flights;
  std::size_t next = 0;  // the last one taken

 private:
  Flight& another_idle_flight();
};

}  // namespace weft::mpi
