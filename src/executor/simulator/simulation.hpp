// SPDX-License-Identifier: BSD-3-Clause
// Simulation: how long a program of computation and collectives takes on a machine, from the schedules that
// are run, proved and printed. A discrete-event simulation under LogGOPS, in which processor and adapter of a
// rank are two.
//
//   Program   start 0, compute 500 us, wait 0         each rank's, as often as it says
//   who moves an operation while its rank computes
//     host      nobody, but for calls of MPI_Test every so often
//     agent     a thread beside the rank, which has to be woken
//     adapter   the adapter, by task lists: schedules raised from those (transform/raise.hpp)
//
// A processor does what has become ready before it looks for what has come, as executors do, and takes in
// what comes in its order, whether the schedule has a place for it yet or not. Of rank and agent one at a
// time does so. Whoever arrives last at a step of a group is decided by simulated time. Times are exact, and
// the same seed gives the same run.
//
// Cost: one event per message, and one for each computation and step of a group.
// LogGOPSim (Hoefler, Schneider, Lumsdaine 2010) is the field's reference for the model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executor/simulator/machine.hpp"
#include "executor/simulator/noise.hpp"
#include "executor/simulator/script.hpp"

namespace weft::simulator {

enum class MovedBy : std::uint8_t { kHost, kAgent, kAdapter };

struct Step {
  enum class Kind : std::uint8_t { kCompute, kStart, kWait } kind = Kind::kCompute;
  int operation = 0;  // start, wait: which; each is under way once at a time
  Time time{};        // compute: for so long, on a processor without noise; then it looks after operations
};

// So many steps and operations may one program have.
inline constexpr std::size_t kMostOperations = 32767;

struct Program {
  std::vector<Step> steps;
  std::int64_t repetitions = 1;
};

struct Setting {
  Machine machine;
  const Topology* topology = nullptr;  // where ranks sit; null: each on a node of its own
  MovedBy moved_by = MovedBy::kHost;
  std::vector<MovedBy> movers{};   // of each operation, where they differ: the adapter, and one of the others
  Time test_every{};               // in computations of the host's; 0: no tests
  bool agent_shares_core = false;  // what the agent does, the rank's computation loses
  Noise noise{};                   // of the processors of ranks; an agent's own has none
  Time skew{};                     // ranks begin at times from 0 to that, evenly drawn
  double slowest = 1.0;  // computations of a rank take from 1 to so many times as long, evenly drawn,
  double spread = 1.0;   // and, beside that, each computation, drawn anew
  // By rank, instead of what skew and slowest would draw, unless they are empty.
  std::vector<Time> begins{};
  std::vector<double> slow_down{};
  Bytes signal_bytes{};  // of a message without a payload
  std::uint64_t seed = 1;
  bool details = true;                                  // of each rank, what it has done how long
  std::int64_t most_events = std::int64_t{1} << 62;     // then it gives up
  std::function<void(std::uint64_t tasks)> progress{};  // told now and then how many are done
};

// Who wants to know what happens, task by task: in an order in which causes come before effects, but not in
// the order of time.
class Observer {
 public:
  virtual ~Observer() = default;
  // One task, once, on its rank's processor, or the adapter; of joins nothing, nor of errands that another
  // rank does. A step of a group: from when the rank has come to it until it is over for it.
  virtual void did(int rank, int operation, std::uint32_t task, Time begin, Time end) = 0;
  // The same for what a long message costs before: its request and the answer.
  virtual void requested(int /*rank*/, int /*operation*/, std::uint32_t /*task*/, Time /*begin*/,
                         Time /*end*/) {}
  virtual void computed(int rank, Time begin, Time end) = 0;
  virtual void waited(int rank, int operation, Time begin, Time end) = 0;
};

struct Outcome {
  std::string problem;         // "" or what is wrong with the program, or who waits for whom for ever
  Time finish;                 // of the last rank
  std::vector<Time> finished;  // by rank
  // With details, by rank: when it began, and how long it was in MPI_I… calls, computing, noise included, and
  // in MPI_Wait.
  std::vector<Time> begun, started, computed, waited;
  // Tasks: as an Observer is told, and how many of them are steps of groups; bytes: as they are paid for.
  std::uint64_t tasks = 0, steps = 0, messages = 0, bytes = 0;
  std::size_t state_bytes = 0, queue_bytes = 0;  // at most
  std::size_t scripts = 0;
};

// `operations`: the scripts of each operation of the program, for as many ranks as the first.
Outcome simulate(const Setting& setting, const Program& program, std::vector<Scripts>& operations,
                 Observer* observer = nullptr);

}  // namespace weft::simulator
