// SPDX-License-Identifier: BSD-3-Clause
// Machine: what everything costs in a simulation: LogGOPS between any two ranks, by the nearest thing that
// they share, the lines and copies of a node's memory, an adapter that executes task lists, and an agent.
//
//   loggops:L=2500,o=1500,g=1000,G=6,S=65535          a network, in ns, ns per byte, bytes
//   loggops:L=2500,o=1500,g=1000,G=6;node:L=300,o=100,G=0.2
//
// One message of s bytes, with b = s - 1 of them to pay for, as in LogGP:
//
//   sender's processor   o + b O
//   sender's adapter              g + b G until the next message may begin
//   network                       L
//   receiver's adapter                b G until the last byte is there; g + b G until the next may come in
//   receiver's processor                  o + b O
//
// Longer messages than S wait for a request and its answer, each of which costs o, L and o, and no time of
// adapters. Between ranks of one node there is no adapter in the way. A processor is one, and so are the two
// sides of an adapter: each does one thing at a time, in the order in which things come. Where a node has
// fewer cores than ranks these take turns on them (cores.hpp). Where nodes are virtual hosts, somebody
// forwards their messages on the same cores (forwarder.hpp).
//
// Alexandrov, Ionescu, Schauser, Scheiman 1995 (LogGP); Ino, Fujimoto, Hagihara 2001 (S); Hoefler, Schneider,
// Lumsdaine 2010 (O).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "executor/simulator/time.hpp"
#include "topology/topology.hpp"

namespace weft::simulator {

// Between two ranks.
struct Link {
  Time latency;            // L
  Time overhead;           // o, of sender and receiver
  Time gap;                // g
  Time per_byte;           // G
  Time overhead_per_byte;  // O
  Bytes eager{1LL << 40};  // S

  bool operator==(const Link&) const = default;
};

// What one processor does in memory.
struct Memory {
  Time line;             // l: until another core sees what a line says; per level
  Time copy_per_byte;    // c
  Time reduce_per_byte;  // gamma

  bool operator==(const Memory&) const = default;
};

// An adapter that executes task lists.
struct Adapter {
  Time post;           // of the processor, to hand over an operation
  Time poll;           // of the processor, to find that it is over
  Time task;           // to begin a send, or to find that something has come
  Time loop_back;      // then: until what is sent to oneself has arrived
  Time calc;           // a calculation
  Time calc_per_byte;  //

  bool operator==(const Adapter&) const = default;
};

inline constexpr int kMostCores = 65536;

struct Machine {
  std::string name = "loggops";
  std::array<Link, kLevels.size()> links{};  // by the level of the nearest thing that two ranks share
  std::array<Memory, kLevels.size()> memory{};
  Adapter adapter;
  bool adapter_per_node = false;  // else each rank has one of its own
  Time wake;                      // until an agent that sleeps runs
  Time start, test;               // MPI_I…, MPI_Test: the call itself,
  Time start_per_rank;            // and what it takes to make the part of an operation of so many ranks,
  Time test_per_operation;        // and to look after each one that the host moves
  int cores = 0;                  // for ranks and agents of each part of that level; 0: each has its own
  Level cores_of = Level::kNode;
  Time spin;           // a rank that begins to wait keeps its core for so long, before others get it,
  Time spin_per_rank;  // and for that, for each of all ranks
  Time switching;      // until a core that was another's works for a rank
  // What forwarding a message between nodes takes of a core (forwarder.hpp); all 0: nobody forwards.
  Time forward;           // for each message,
  Time forward_per_byte;  // and for each of its bytes but the first
  Time forward_wake;      // and to wake the forwarder, if it has nothing to do when the message comes

  const Link& link(Level level) const { return links[static_cast<std::size_t>(level)]; }
  Link& link(Level level) { return links[static_cast<std::size_t>(level)]; }
  // The longest message that waits for nobody, whoever sends it.
  Bytes eager() const;
  const Memory& memory_at(Level level) const { return memory[static_cast<std::size_t>(level)]; }

  // From text as above. After the network's parameters levels may follow, each once, whose own are what
  // differs from those of the next farther one. Keys of a level: L o g G O S l c gamma; of the network alone:
  // wake start start_rank test test_op post poll task loop calc calc_byte nic (rank or node) switch spin
  // spin_rank forward forward_byte forward_wake. The number of cores stands at the level whose parts have so
  // many. Errors name what is wrong, and what is allowed.
  static Result<Machine> parse(std::string_view text);
  // The same, as text that parses to it, unless nothing costs anything.
  std::string text() const;
  // In what a parameter is given: "ns", "ns_per_byte", "bytes"; "is" for a word or a number.
  static Result<std::string_view> unit_of(std::string_view name);
  // Whether what ranks of a node do together in memory takes time.
  bool has_lines() const;
  bool has_forwarder() const {
    return forward > Time(0) || forward_per_byte > Time(0) || forward_wake > Time(0);
  }

  bool operator==(const Machine&) const = default;
};

}  // namespace weft::simulator
