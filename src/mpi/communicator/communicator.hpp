// SPDX-License-Identifier: BSD-3-Clause
// Communicator: what Weft keeps for an MPI communicator, from its constructor to the end of its last
// operation.
//
// Inside the constructor, which is collective and blocking, its members introduce themselves to one another
// (drop_in rule 4). No collective call ever creates shared state.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <mpi.h>
#include <vector>

#include "collective/parcels.hpp"
#include "mpi/communicator/heritage.hpp"
#include "mpi/communicator/told.hpp"
#include "mpi/flight/members.hpp"
#include "planner/placement.hpp"
#include "topology/hierarchy.hpp"

namespace weft::mpi {

struct Arguments;
enum class AcceleratorUse : std::uint64_t;
struct Traffic;
class NodeShare;
class Plans;
enum class MemoryUse : std::uint8_t;

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

struct Communicator : Members {
  using Settings = std::shared_ptr<const SharedSettings>;

  // `told`: what the members have told, nothing where there is but one.
  Communicator(MPI_Comm comm, std::vector<int> world_ranks, Told told, Settings settings);
  ~Communicator();

  // Calls are planned by these settings from now on. All members change them between the same two operations.
  void plan_by(Settings settings);
  // The plans of its calls. Made for the first of these: many communicators never see one.
  Plans& plans() { return plans_ != nullptr ? *plans_ : make_plans(); }
  // Leaves them, when it is freed and all are idle.
  Heritage leave_plans();
  bool all_idle() const;

  // This rank's neighbours; null if the communicator has no topology.
  const Neighbors* neighbors();

  // By member: its own number for the communicator; empty with one rank.
  std::vector<int> ids;
  int id() const { return ids.empty() ? -1 : ids[static_cast<std::size_t>(rank)]; }

  AcceleratorUse accelerators{};         // of its members: the greatest
  Settings settings;                     // the job's, or with what its own hints say
  std::unique_ptr<Traffic> traffic;      // of its operations
  std::unique_ptr<NodeShare> node;       // null: it has no memory on this node
  SharedMemory memory;                   // what each member has of that
  bool all_are_here = false;             // all members share it
  std::unique_ptr<Hierarchy> hierarchy;  // null: nobody is grouped
  std::unique_ptr<CallChecks> checker;   // null: nobody asked for checks

  // Persistent operations match by the order in which they are made, and start in any. So each has a number
  // of its own, which is never used again, and alone decides what the operation gets: a berth in the nodes'
  // memory and tags, only tags, or nothing: then it is the host's.
  int persistent_made = 0;
  int most_persistent = std::numeric_limits<int>::max();
  std::array<int, 3> berths{};  // by MemoryUse: up to which number there are berths for it
  MemoryUse memory_use_of(int number) const;

  // Constructions of others in which all its members take part: whether there is one now, and whether this
  // member writes letters for them, until one fails.
  bool is_constructing = false, constructs_by_letters = true;
  // The sizes of the last two communicators that were made of this one by letters and are no duplicates; 0
  // where this process is not rank 0 of it.
  std::array<int, 2> was_first_of{};

  // The registry's.
  std::size_t place = 0;
  Communicator* next_freed = nullptr;

 private:
  void share_tags(Told told);
  void share_memory(Told told);
  void share_wire(const Introduction& first);
  void inherit_plans();
  Plans& make_plans();
  void update_plans();
  void group();

  std::vector<int> some_are_here_;  // members on this node, where others are not
  std::unique_ptr<Plans> plans_;
  std::unique_ptr<const Neighbors> neighbors_;
  bool asked_for_neighbors_ = false;
};

}  // namespace weft::mpi
