// SPDX-License-Identifier: BSD-3-Clause
// Run: one simulation under way. See simulation.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/simulator/cores.hpp"
#include "executor/simulator/distance.hpp"
#include "executor/simulator/event_queue.hpp"
#include "executor/simulator/forwarder.hpp"
#include "executor/simulator/players.hpp"
#include "executor/simulator/simulation.hpp"

namespace weft::simulator {

class Run {
 public:
  Run(const Setting& setting, const Program& program, std::vector<Scripts>& operations, Observer* observer);
  Outcome take_outcome();
  void go();

 private:
  static constexpr Time kNever{-1};
  // One member at a step of a group, or the rank that does an errand for it.
  struct Visit {
    Time at = kNever;
    std::uint32_t rank = 0, task = 0;
  };
  // A step of a group, while it is under way.
  struct Meeting {
    std::vector<Time> came;      // by place; kNever: not yet
    std::vector<Visit> waiting;  // for others
    std::size_t come = 0, expected = 0;
    Visit last;        // whoever came last so far,
    Time before_last;  // and when the one before did
    Visit opener;      // of a fan_out: whoever leads
    Time line;         // until the others see who has come
  };
  // The members name a group, by the first one and the shape; the rest says which step of which operation.
  struct MeetingName {
    std::uint64_t shape = 0;
    std::uint32_t first = 0, instance = 0, turn = 0;
    std::uint16_t slot = 0;
    std::uint8_t lines = 0;
    bool operator==(const MeetingName&) const = default;
  };
  struct HashOfName {
    std::size_t operator()(const MeetingName& name) const;
  };
  // A message for an operation that its receiver has not come to.
  struct Early {
    std::uint32_t instance, task;
  };

  bool is_adapters(std::uint16_t slot) const { return movers_[slot] == MovedBy::kAdapter; }
  bool has_mover(MovedBy mover) const {
    return std::find(movers_.begin(), movers_.end(), mover) != movers_.end();
  }
  // From when on whoever does the task has nothing to do.
  Time& free_of(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) {
    return is_adapters(slot) ? adapter_of(rank).lists : unit(rank, units_of(rank, slot, task).cpu).free;
  }
  bool is_away(std::uint32_t rank, Time at) const {
    return !computations_.empty() && at < computations_[rank].until;
  }
  // What is told about each rank, if anybody wants to know.
  void note(std::vector<Time>& sums, std::uint32_t rank, Time time) {
    if (setting_.details) sums[rank] += time;
  }

  void begin_roles();
  void restart(Role& role, std::uint16_t slot);
  void begin_ranks();
  void handle(const Event& event) {
    if (cores_.are_shared()) [[unlikely]]
      return act_on_core(event);
    act(event);
  }
  void act(const Event& event);

  // run_cores.cpp
  void act_on_core(const Event& event);
  bool needs_processor(const Event& event);
  void begin_on_core(std::uint32_t rank, Cores::Taken taken, Time at);
  void look_at_cores(std::uint32_t rank, Time at);
  void push_look(std::uint32_t rank, Thread thread, Time at);
  void give_back(std::uint32_t rank, Thread thread, Time at);
  Time busy_until(std::uint32_t rank, Thread thread) const;
  // What an agent does is lost to its rank's computation.
  bool shares_core(std::uint32_t rank) const {
    return setting_.agent_shares_core || (cores_.are_shared(rank) && !cores_.has(rank, Thread::kAgent));
  }

  // run_units.cpp
  void make_units();
  void let_units_begin(std::uint32_t rank, std::uint16_t slot, Time at);
  Time units_end(std::uint32_t rank, std::uint16_t slot);
  void tell_that_it_begins(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  bool tell_by_event(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, std::uint32_t next);
  void push_release(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, std::uint32_t next);
  void release(const Event& event);

  // run_problems.cpp
  std::string trouble() const;
  std::string who_waits() const;
  std::string what_waits(std::uint32_t rank, std::uint16_t slot) const;

  // run_program.cpp
  void resume(std::uint32_t rank, Time at);
  void go_on(std::uint32_t rank, Time at);
  bool compute(std::uint32_t rank, Time duration);
  void start(std::uint32_t rank, std::uint16_t slot);
  void end_wait(std::uint32_t rank, std::uint16_t slot, Time at);
  bool sleeps_until_over(std::uint32_t rank, std::uint16_t slot);
  void end_role(std::uint32_t rank, std::uint16_t slot);
  Time free_for_program(std::uint32_t rank) const;

  // run_tasks.cpp. Whoever moves the rank's operations begins at that time, if it is free,
  void begin_work(std::uint32_t rank, std::uint16_t slot, Time at, std::uint8_t cpu = 0);
  Time next_test(std::uint32_t rank, Time at) const;
  Time test_cost(std::uint32_t rank) const;
  // does what is in ready_,
  void work_on(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, Time at);
  void work(std::uint32_t rank, std::uint16_t slot);
  void do_task(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  void complete(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  // and takes so long: for a task, or its part in the request of a long message and the answer.
  void spend(std::uint32_t rank, std::uint16_t slot, Time duration, std::uint8_t cpu = 0);
  void spend_on(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, Time duration);
  void spend_on_request(std::uint32_t rank, std::uint16_t slot, std::uint32_t task, const Link& link,
                        int messages);
  void steal(std::uint32_t rank, Time duration);
  Time local_work(std::uint16_t slot, const ScriptTask& task) const;

  // run_messages.cpp
  void send(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  void take_leave(const Event& event);
  void leave(const Event& sent, const ScriptTask& what, std::uint32_t to, std::uint32_t other,
             const Link& link);
  Time pass_adapter(const Event& event, const Link& link, Bytes size, std::uint8_t nic = 0);
  void take_message(const Event& event);
  void write(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  void take_write(const Event& event);
  void end_write(const Event& event);
  void deliver(const Event& event);
  void receive(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  void take_early(std::uint32_t rank, std::uint16_t slot);
  void take_answer(const Event& event);
  bool is_long(const Event& event) const;
  Time overhead(std::uint16_t slot, const Link& link, Bytes size) const;
  Bytes sent_bytes(Bytes size) const;
  Bytes paid_bytes(Bytes size) const;

  // run_forwarder.cpp
  // What that rank sends to another one, and leaves then.
  void send_off(const Event& arrives, std::uint32_t from, Time leaves, const Link& link, Bytes paid) {
    if (has_forwarder_ && are_apart(from, arrives.rank)) [[unlikely]]
      return send_to_forwarder(arrives, leaves, link, paid);
    queue_.push(arrives);
  }
  bool are_apart(std::uint32_t a, std::uint32_t b) const {
    return distance_.nearest(static_cast<int>(a), static_cast<int>(b)) <= Level::kDevice;
  }
  void send_to_forwarder(const Event& arrives, Time leaves, const Link& link, Bytes paid);
  void come_to_forwarder(const Event& event);
  void begin_to_forward(Time at, Time wake);
  void end_to_forward(const Event& event);
  void lose(Cores::User user, Time at, Time duration);

  // run_steps.cpp
  void come_to_step(std::uint32_t rank, std::uint16_t slot, std::uint32_t task);
  void arrive(const Event& event);
  MeetingName name_of(std::uint32_t rank, std::uint16_t slot, const ScriptTask& task,
                      const ScriptStep& step) const;
  void tell_those_who_wait(Meeting& meeting, std::uint16_t slot);
  Time over_for(const Visit& visit, std::uint16_t slot, const Meeting& meeting) const;
  void end_step(const Visit& visit, std::uint16_t slot, Time at);

  // What the adapter moves goes through it, to ranks of the same node as well: its loop-back.
  Level level_between(std::uint16_t slot, std::uint32_t a, std::uint32_t b) const {
    return is_adapters(slot) ? Level::kNetwork : distance_.nearest(static_cast<int>(a), static_cast<int>(b));
  }
  const Link& link_between(std::uint16_t slot, std::uint32_t a, std::uint32_t b) const {
    return setting_.machine.link(level_between(slot, a, b));
  }
  bool has_adapter_between(std::uint16_t slot, std::uint32_t a, std::uint32_t b) const {
    return level_between(slot, a, b) <= Level::kDevice;
  }
  Player& adapter_of(std::uint32_t rank, std::uint8_t nic = 0) {
    return unit(distance_.adapter_of(rank), nic);
  }
  // With that number: its processor, as far as `free` says, and its adapter.
  Player& unit(std::uint32_t rank, std::uint8_t number) {
    if (number == 0) [[likely]]
      return players_[rank];
    return further_[further_begin_[rank] + number - 1u];
  }
  std::span<Player> further_of(std::uint32_t rank) {
    if (further_.empty()) return {};
    const std::size_t next = rank + 1u;
    const std::size_t end = next < further_begin_.size() ? further_begin_[next] : further_.size();
    return std::span(further_).subspan(further_begin_[rank], end - further_begin_[rank]);
  }
  Units units_of(std::uint32_t rank, std::uint16_t slot, std::uint32_t task) const {
    return further_.empty() ? Units{} : script_of(rank, slot).units_of(task);
  }
  const Script& script_of(std::uint32_t rank, std::uint16_t slot) const {
    return operations_[slot][role(rank, slot).script];
  }
  // Who is in no group of the operation does not call it.
  bool takes_part(std::uint32_t rank, std::uint16_t slot) const {
    return !script_of(rank, slot).tasks.empty();
  }
  Role& role(std::uint32_t rank, std::uint16_t slot) { return roles_[slot][rank]; }
  const Role& role(std::uint32_t rank, std::uint16_t slot) const { return roles_[slot][rank]; }
  Counter& counter(const Role& role, std::uint16_t slot, std::uint32_t task) {
    return counters_[slot][role.counters + task];
  }
  std::uint32_t named(std::uint32_t rank, std::uint16_t slot, std::int32_t name) const {
    return static_cast<std::uint32_t>(
        operations_[slot].named(script_of(rank, slot), static_cast<int>(rank), name));
  }
  double drawn(std::uint32_t rank, std::uint64_t what) const;

  const Setting& setting_;
  const Program& program_;
  std::vector<Scripts>& operations_;
  Observer* observer_;
  Distance distance_;
  std::vector<MovedBy> movers_;  // by operation
  bool is_host_;                 // some are the host's
  bool has_forwarder_;           // between nodes

  Cores cores_;
  Time spin_;  // of a rank that begins to wait
  Forwarder forwarder_;
  EventQueue queue_;
  std::vector<Player> players_;
  std::vector<Player> further_;                 // processors and adapters of ranks, beside the first ones
  std::vector<std::uint32_t> further_begin_;    // by rank, if there are any
  std::vector<Computation> computations_;       // by rank; none where the program computes nothing
  std::vector<std::vector<Role>> roles_;        // by operation and rank
  std::vector<std::vector<Counter>> counters_;  // by operation
  std::vector<std::uint32_t> ready_;  // of one rank's operation, in the order in which they became it
  std::unordered_map<std::uint64_t, std::vector<Early>> early_;  // by operation and rank
  std::unordered_map<MeetingName, Meeting, HashOfName> meetings_;
  std::size_t most_meetings_ = 0, most_early_ = 0;
  std::size_t ended_ = 0;
  Outcome outcome_;
};

}  // namespace weft::simulator
