// SPDX-License-Identifier: BSD-3-Clause
// Communicator: what Weft keeps for an MPI communicator, from its constructor to the end of its last
// operation.
//
// Its members agree inside the constructor, which is collective and blocking, whether Weft serves it and
// under which number it travels (drop_in rule 4). No collective call ever creates shared state.
//
// The state hangs on an attribute, so that it goes when the communicator goes, whoever frees it.
// MPI_Comm_free does not synchronise: the number is taken again only when this process has no operation left
// on it, and a new communicator gets a number that is free on every member. So two operations of the same
// number between two processes never overlap.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

#include "mpi/check.hpp"
#include "mpi/flight.hpp"
#include "mpi/front_door.hpp"
#include "mpi/hints.hpp"
#include "mpi/neighbors.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/plan.hpp"

namespace weft::mpi {

inline constexpr int kMostCommunicators = 1 << kCommunicatorIdBits;
inline constexpr std::uint32_t kSlots = 1u << kSlotBits;
inline constexpr std::uint32_t kBlockingSlot = kSlots - 1;  // the others are the non-blocking operations'

// The last call of a collective whose arguments alone say what it is: predefined datatypes that travel as
// they lie in memory, and a predefined operator. Its plan is found again by comparing them.
struct RecentCall {
  RecentCall() = default;
  RecentCall(const Arguments& arguments, Plan* made, const Combine& how);

  bool matches(const Arguments& a) const {
    return plan != nullptr && a.sendcount == sendcount && a.sendtype == sendtype &&
           a.recvcount == recvcount && a.recvtype == recvtype && a.op == op && a.root == root &&
           buffers_of(a) == buffers;
  }

  Plan* plan = nullptr;
  Combine combine;

 private:
  // What else of the buffers matters: whether they are there, and which one holds the contribution.
  static unsigned buffers_of(const Arguments& a) {
    return (a.sendbuf == nullptr ? 1u : 0u) | (a.recvbuf == nullptr ? 2u : 0u) |
           (a.sendbuf == MPI_IN_PLACE ? 4u : 0u) | (a.sendbuf == a.recvbuf ? 8u : 0u) |
           (a.recvbuf == MPI_IN_PLACE ? 16u : 0u);
  }

  MPI_Count sendcount = 0, recvcount = 0;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL, recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  unsigned buffers = 0;
};

struct Communicator {
  using Settings = std::shared_ptr<const SharedSettings>;

  Communicator(MPI_Comm comm, int id, std::uint64_t birth, std::vector<int> world_ranks, Settings settings);

  // From now on calls are planned by these. All members do it between the same two operations.
  void plan_by(Settings settings);
  bool all_idle() const;

  // Null without a topology.
  const Neighbors* neighbors();

  MPI_Comm handle;
  Settings settings;  // the job's, or with what its own hints say
  int rank = 0;
  int size = 1;
  int id = -1;  // in the tags; none with one rank
  std::vector<int> world_rank;
  HostTransport transport;
  std::unique_ptr<NodeShare> node;       // null: it has no memory on this node
  std::unique_ptr<Hierarchy> hierarchy;  // null: nobody is grouped
  Placement placement;
  PlanCache<Plan> plans;
  std::vector<PlanCache<Plan>> former_plans;  // by other settings, that operations may still use
  // Per collective; forgotten when a plan is made, since another may go then.
  std::array<RecentCall, kCollectives.size()> recent;

  // Non-blocking operations that send messages take the slots in turn; one whose slot is still in use here is
  // queued. Blocking ones come one at a time and have a slot of their own, so that a program that orders
  // blocking against non-blocking calls differently on different ranks still works, as it does on the hosts
  // (decision 0002). Messages between two ranks arrive in the order sent, so that this local rule keeps both
  // ends in step.
  std::uint32_t next_slot = 0;
  std::array<Flight*, kSlots> in_slot{};
  FlightQueue queued_blocking, queued;
  int in_flight = 0;
  bool had_errors = false;  // some operation ended with one

  FlightQueue& queue_of(const Flight& flight) { return flight.has_request ? queued : queued_blocking; }

  std::unique_ptr<Checker> checker;  // null: nobody asked for checks
  bool has_lines = false;            // all members have memory on their nodes

  std::atomic<bool> freed{false};  // by the attribute's callback; reaped under the engine's lock

 private:
  void follow_hierarchy();

  std::unique_ptr<const Neighbors> neighbors_;
  bool asked_for_neighbors_ = false;
};

// Communicators of which this process was the first rank.
CommunicatorCounters& communicators_made();

void create_communicator_keyval();
// Null for communicators that Weft does not serve. The caller holds the engine's lock.
Communicator* find_communicator(MPI_Comm comm);
// Whether all processes of a communicator, both groups of an inter-communicator, have Weft. The same on all.
bool is_within_world(MPI_Comm comm);
// Deletes the state of freed communicators without operations. The caller holds the engine's lock.
void reap_communicators();
void forget_all_communicators();

// With WEFT_CHECK=1: moves the checks of all communicators, under the engine's lock; says that no more calls
// come.
void progress_checks();
void tell_end_of_checks();

}  // namespace weft::mpi
