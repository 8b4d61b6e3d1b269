// SPDX-License-Identifier: BSD-3-Clause
// The topology of this machine, as hwloc sees it. hwloc is opened at run time, if it is there: no program
// that carries Weft depends on it, and a program that brings its own copy keeps it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "topology/places.hpp"

namespace weft {

struct Machine {
  Topology topology;      // one place per core that this process may use
  std::vector<int> cpus;  // by place: the first processor of its core, as the system numbers it
  std::string hwloc_version;
};

// Fails with a clear message where hwloc is missing or too old.
Result<Machine> detect_machine();

// Processors as the system numbers them, as many as Linux can have.
struct CpuSet {
  std::array<std::uint64_t, 128> words{};

  bool has(std::size_t cpu) const {
    return cpu < 64 * words.size() && (words[cpu / 64] >> (cpu % 64) & 1) != 0;
  }
  void add(std::size_t cpu) { words[cpu / 64] |= std::uint64_t{1} << (cpu % 64); }
  int count() const {
    return std::accumulate(words.begin(), words.end(), 0,
                           [](int sum, std::uint64_t word) { return sum + std::popcount(word); });
  }

  bool operator==(const CpuSet&) const = default;
};

// Where this process may run; empty if the system does not tell.
CpuSet cpus_of_this_process();

// From now on this thread runs there, as far as the system lets it.
void run_on(const CpuSet& cpus);
// All processors that are in any of the sets.
CpuSet union_of(std::span<const CpuSet> sets);
// For processes that may run on these processors, by process: where a further thread of it can run without
// taking time from the other processes. That is on processors that no process has, and on its own ones. Where
// several processes have the same set, they share it out; if it has too few for that, the thread may run
// anywhere.
std::vector<CpuSet> cpus_beside_others(std::span<const CpuSet> sets);

// The places of processes that may run on these processors: each is in the socket, cache, … that holds all of
// its processors, and nowhere on levels over which they are spread. Fails as detect_machine does.
Result<std::vector<MachinePlace>> places_of(std::span<const CpuSet> sets);

}  // namespace weft
