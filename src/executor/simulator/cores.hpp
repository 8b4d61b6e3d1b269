// SPDX-License-Identifier: BSD-3-Clause
// Cores: those of nodes (or another level's parts, or all together) that have fewer of them than ranks and
// agents. Who has something to do takes one that is idle: its own last one, else the one that has been idle
// for longest. If there is none it waits, and gets one in its turn: first come, first served. It keeps a core
// until it has nothing more to do.
//
//   rank 0   compute ───┐              ┌─ send ┐
//   rank 1     waits    └─ compute ────┘ waits └─ receive ─
//
// An agent never waits for a core of its own: while none is idle it works on its rank's. Nor does a forwarder
// (forwarder.hpp), which is lent an idle one, or works on those of ranks in turn.
//
// Cost: O(cores of a node) to take one, and about 48 bytes per rank; nothing where all have cores enough.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "executor/simulator/event_queue.hpp"
#include "topology/topology.hpp"

namespace weft::simulator {

// Who may have a core.
enum class Thread : std::uint8_t { kRank, kAgent };

class Cores {
 public:
  // Nothing is shared where no number is given (0), or so many suffice for all. Without a topology each rank
  // is on a node of its own.
  Cores(const Topology* topology, int ranks, int cores, Level level, bool have_agents,
        bool have_forwarder = false);

  bool are_shared() const { return !places_.empty(); }
  bool are_shared(std::uint32_t rank) const { return are_shared() && places_[rank].node != kNone; }
  bool has(std::uint32_t rank, Thread thread = Thread::kRank) const {
    return places_[rank].core[index(thread)] != kNone;
  }
  bool waits(std::uint32_t rank) const { return !places_[rank].postponed.empty(); }

  // Whether it got one, and if so, whether somebody else had that last.
  enum class Taken : std::uint8_t { kNone, kOwn, kOthers };
  Taken take(std::uint32_t rank, Thread thread);
  // The rank does this once it has a core, for which it waits if it has none.
  void postpone(const Event& event);
  // Gives it back. Whose turn it is now, who has it from then on;
  struct Turn {
    std::uint32_t rank;
    Taken taken;
  };
  std::optional<Turn> give_back(std::uint32_t rank, Thread thread);
  // and what that one has waited to do.
  std::vector<Event> take_postponed(std::uint32_t rank);
  // Whether a forwarder works on these, one at a time. Whose time that is, if none is idle; and whose turn it
  // is when it is through.
  bool are_lent() const { return are_lent_; }
  struct User {
    std::uint32_t rank = 0xffffffff;  // nobody
    Thread thread = Thread::kRank;
    bool operator==(const User&) const = default;
  };
  std::optional<User> lend();
  std::optional<Turn> end_loan();
  // The rank goes on where its agent has been working.
  void claim_agents(std::uint32_t rank);

  // Whether the thread has done something since somebody asked last.
  void note_work(std::uint32_t rank, Thread thread) { places_[rank].worked[index(thread)] = true; }
  bool take_worked(std::uint32_t rank, Thread thread);
  // Whether somebody will look, from now on, when its core gets free; false: nobody did before.
  bool begin_look(std::uint32_t rank, Thread thread);
  void end_look(std::uint32_t rank, Thread thread) { places_[rank].looked_for[index(thread)] = false; }

  std::size_t bytes() const;

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t index(Thread thread) { return static_cast<std::size_t>(thread); }
  struct Place {
    std::int32_t node = kNone;
    std::int32_t core[2] = {kNone, kNone};  // by thread
    bool worked[2] = {}, looked_for[2] = {};
    std::vector<Event> postponed{};
  };
  struct NodeCores {
    std::vector<User> last;          // by core: whose it is or was
    std::vector<std::int32_t> idle;  // cores, by how long they have been
    std::deque<std::uint32_t> waiting;
  };
  Taken give(NodeCores& node, std::int32_t core, User user);
  std::optional<Turn> pass_on(NodeCores& node, std::int32_t core);

  std::vector<Place> places_;  // by rank
  std::vector<NodeCores> nodes_;
  bool are_lent_ = false;
  std::int32_t lent_ = kNone;  // the core
  std::size_t loser_ = 0;      // the core that loses time next
};

}  // namespace weft::simulator
