// SPDX-License-Identifier: BSD-3-Clause
// Communicator: what Weft keeps for an MPI communicator, from its constructor to the end of its last
// operation.
//
// Inside the constructor, which is collective and blocking, its members introduce themselves to one another
// (drop_in rule 4). No collective call ever creates shared state.
//
// The state hangs on an attribute, so that it goes when the communicator goes, whoever frees it.
// MPI_Comm_free does not synchronise: a process takes its number for another communicator only when it has no
// operation left on this one. So two operations of the same number at one process never overlap.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mpi.h>
#include <span>
#include <vector>

#include "mpi/flight.hpp"
#include "mpi/front_door.hpp"
#include "mpi/hints.hpp"
#include "mpi/introduction.hpp"
#include "mpi/neighbors.hpp"
#include "mpi/node_memory.hpp"
#include "mpi/overlap.hpp"
#include "mpi/plan.hpp"
#include "mpi/tags.hpp"

namespace weft::mpi {

// The last call of a collective whose arguments alone say what it is: predefined datatypes that travel as
// they lie in memory, and a predefined operator. Its plan is found again by comparing them.
struct RecentCall {
  RecentCall() = default;
  RecentCall(const Arguments& arguments, Plan* made, const Combine& how, Distance not_this);

  bool matches(const Arguments& a) const {
    return plan != nullptr && a.sendcount == sendcount && a.sendtype == sendtype &&
           a.recvcount == recvcount && a.recvtype == recvtype && a.op == op && a.root == root &&
           buffers_of(a) == buffers && distance_of(a) != refused;
  }

  Plan* plan = nullptr;
  Combine combine;

 private:
  // What matters of the two addresses: whether they are null, and whether one is MPI_IN_PLACE or both are
  // equal.
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
  Distance refused = kNoDistance;  // the distance of buffers at which the host refuses the call
};

// What `weft run --check` does with the calls on one communicator (check.hpp). The caller holds the engine's
// lock.
class CallChecks {
 public:
  virtual ~CallChecks() = default;
  virtual void tell(const char* function, const Arguments& arguments) = 0;
  virtual void tell_end(const char* function) = 0;  // that no more calls come, once
  virtual void progress() = 0;
  virtual bool is_done() const = 0;  // everything that was told has been compared
};
struct Communicator;
// Set while somebody asks for checks.
inline std::unique_ptr<CallChecks> (*make_checks)(Communicator& communicator) = nullptr;

// How much of the nodes' memory an operation may use: lines and pieces of long messages, lines alone, or
// none. Calls are planned for each of these apart.
enum class Room : std::uint8_t { kLarge, kLines, kNone };
struct Planning {
  Placement placement;
  PlanCache<Plan> plans;
};

struct Communicator {
  using Settings = std::shared_ptr<const SharedSettings>;

  // `members`: what they have told, none where there is but one.
  Communicator(MPI_Comm comm, std::vector<int> world_ranks, std::span<const Introduction> members,
               Settings settings);

  // Calls are planned by these settings from now on. All members change them between the same two operations.
  void plan_by(Settings settings);
  bool all_idle() const;

  // This rank's neighbours; null if the communicator has no topology.
  const Neighbors* neighbors();

  MPI_Comm handle;
  Settings settings;  // the job's, or with what its own hints say
  int rank = 0;
  int size = 1;
  std::vector<int> world_rank;
  std::vector<int> ids;  // by member: its own number for the communicator; empty with one rank
  // By member: where in the host's communicators its messages go.
  std::vector<Address> addresses, persistent_addresses;
  HostTransport transport, persistent_transport;
  std::unique_ptr<NodeShare> node;            // null: it has no memory on this node
  std::unique_ptr<Hierarchy> hierarchy;       // null: nobody is grouped
  std::array<Planning, 3> planning;           // by Room
  std::vector<PlanCache<Plan>> former_plans;  // made by former settings; operations may still use them
  // By collective, the last call. Forgotten whenever a plan is made, since that may remove another plan.
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

  FlightQueue& queue_of(const Flight& flight) { return flight.has_request() ? queued : queued_blocking; }

  Planning& planning_by(Room room) { return planning[static_cast<std::size_t>(room)]; }
  const Placement& placement() const { return planning.front().placement; }
  int id() const { return ids.empty() ? -1 : ids[static_cast<std::size_t>(rank)]; }

  // Persistent operations match by the order in which they are made, and start in any. So each has a number
  // of its own, which is never used again, and alone decides what the operation gets: a room in the nodes'
  // memory and tags, only tags, or nothing: then it is the host's.
  int persistent_made = 0;
  int most_persistent = std::numeric_limits<int>::max(), rooms = 0, large_rooms = 0;
  Room room_of(int number) const {
    return number < large_rooms ? Room::kLarge : number < rooms ? Room::kLines : Room::kNone;
  }

  std::unique_ptr<CallChecks> checker;  // null: nobody asked for checks
  SharedMemory memory;

  std::atomic<bool> freed{false};  // set by the attribute's callback; reaped under the engine's lock

 private:
  void share_tags(std::span<const Introduction> members);
  void share_memory(std::span<const Introduction> members);
  void place();

  std::unique_ptr<const Neighbors> neighbors_;
  bool asked_for_neighbors_ = false;
};

// How the communicators were served of which this process is rank 0.
CommunicatorCounters& communicators_made();

void create_communicator_keyval();
// Null for communicators that Weft does not serve. The caller holds the engine's lock.
Communicator* find_communicator(MPI_Comm comm);
// Whether Weft serves the communicator; for an inter-communicator, whether it served those that it was made
// of.
bool is_served(MPI_Comm comm);
// Starts the introductions for a duplicate that MPI_Comm_idup is still making: the members tell one another
// on its parent. Null where they have nothing to tell: one rank, or an inter-communicator.
std::unique_ptr<Introductions> introduce_on(MPI_Comm parent, const Hints& hints);
// Takes a duplicate into service, when it is made and its members have told one another. The caller holds the
// engine's lock.
void adopt_duplicate(MPI_Comm comm, const Hints& hints, const Introductions* introductions);
// Looks once at all duplicates under way. The caller holds the engine's lock.
void move_duplicates();
// Whether all processes of a communicator, both groups of an inter-communicator, have Weft. The same on all.
bool is_within_world(MPI_Comm comm);
// Deletes the state of freed communicators without operations. The caller holds the engine's lock.
void reap_communicators();
void forget_all_communicators();

// With WEFT_CHECK=1: moves the checks of all communicators, under the engine's lock; and tells all neighbours
// that no more calls come.
void progress_checks();
void tell_end_of_checks();

}  // namespace weft::mpi
