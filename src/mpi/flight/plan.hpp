// SPDX-License-Identifier: BSD-3-Clause
// Plan: one shape of call on one communicator, or all that differ in their sizes alone, built once: the
// schedule, and the operations that execute it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/flight/flight.hpp"
#include "schedule/schedule.hpp"

namespace weft {
struct NearerPlace;
struct PlanKey;
struct Placement;
struct SharedSettings;
}  // namespace weft

namespace weft::mpi {

struct Plan {
  // `ways`: by which the blocks of its class go, where these decide what it serves.
  Plan(const PlanKey& key, Rank self, const SharedSettings& settings, const Placement& placement,
       const std::optional<Ways>& ways);
  ~Plan();

  // Whether it serves its call; if not, calls of each size have plans of their own.
  bool is_made() const { return !schedule.buffers.empty(); }
  // A flight that nobody uses, for a call of this size or with these parcels, of which no others have this
  // number; made if there is none, so that later calls find one.
  Flight& idle_flight(Bytes bytes, const Parcels& parcels, std::uint64_t number_of_parcels = 0) {
    Flight& flight =
        next < flights.size() && flights[next]->is_idle() ? *flights[next] : another_idle_flight();
    if (has_parcels(schedule.call.collective)) flight.take_parcels(parcels, number_of_parcels);
    else flight.take_size(bytes);
    return flight;
  }
  bool is_idle() const;

  bool for_class;               // for all sizes of a class
  bool on_one_node;             // all members are
  bool sends_messages = false;  // some rank of the call does
  std::optional<Ways> ways;
  std::string why;  // it was chosen, for people
  Schedule schedule;
  std::vector<NearerPlace> nearer;  // of the class (see SizedSchedule)
  std::vector<std::unique_ptr<Flight>> flights;
  std::size_t next = 0;  // the last one taken

 private:
  Flight& another_idle_flight();
};

}  // namespace weft::mpi
