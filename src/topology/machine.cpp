// SPDX-License-Identifier: BSD-3-Clause
#include "topology/machine.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <memory>
#include <sched.h>

#include "base/library_functions.hpp"

namespace weft {
namespace {

constexpr const char* kLibrary = "libhwloc.so.15";  // the ABI of all hwloc 2 releases

// The functions of hwloc that are used. Its inline helpers would need the library at link time.
struct Hwloc {
  decltype(&hwloc_get_api_version) api_version = nullptr;
  decltype(&hwloc_topology_init) init = nullptr;
  decltype(&hwloc_topology_load) load = nullptr;
  decltype(&hwloc_topology_destroy) destroy = nullptr;
  decltype(&hwloc_get_type_depth) type_depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) count_at_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) object_at_depth = nullptr;
  decltype(&hwloc_topology_set_flags) set_flags = nullptr;
  decltype(&hwloc_bitmap_next) next = nullptr;
};

Result<Hwloc> open_hwloc() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{
        fmt::format("{} is not on this machine, so its topology is unknown: install hwloc (Debian: "
                    "libhwloc15) or describe the machine as text (`node:1 socket:2 core:8`)",
                    kLibrary)};
  Hwloc hwloc;
  LibraryFunctions found(library);
  found.find(hwloc.api_version, "hwloc_get_api_version");
  found.find(hwloc.init, "hwloc_topology_init");
  found.find(hwloc.load, "hwloc_topology_load");
  found.find(hwloc.destroy, "hwloc_topology_destroy");
  found.find(hwloc.type_depth, "hwloc_get_type_depth");
  found.find(hwloc.count_at_depth, "hwloc_get_nbobjs_by_depth");
  found.find(hwloc.object_at_depth, "hwloc_get_obj_by_depth");
  found.find(hwloc.set_flags, "hwloc_topology_set_flags");
  found.find(hwloc.next, "hwloc_bitmap_next");
  if (found.missing() != nullptr)
    return Error{fmt::format("{} has no {}: hwloc 2.0 or newer is needed", kLibrary, found.missing())};
  return hwloc;
}

// The machine as hwloc has it.
using Loaded = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Result<Loaded> load(const Hwloc& hwloc, unsigned long flags) {
  hwloc_topology_t machine = nullptr;
  if (hwloc.init(&machine) != 0) return Error{"hwloc cannot start: hwloc_topology_init failed"};
  Loaded owner(machine, hwloc.destroy);
  if (hwloc.set_flags(machine, flags) != 0 || hwloc.load(machine) != 0)
    return Error{"hwloc cannot read this machine: hwloc_topology_load failed"};
  return Result<Loaded>(std::move(owner));
}

struct Kind {
  Level level;
  hwloc_obj_type_t type;
};
constexpr std::array kKinds = {Kind{Level::kSocket, HWLOC_OBJ_PACKAGE},
                               Kind{Level::kNuma, HWLOC_OBJ_NUMANODE}, Kind{Level::kL3, HWLOC_OBJ_L3CACHE},
                               Kind{Level::kL2, HWLOC_OBJ_L2CACHE}, Kind{Level::kCore, HWLOC_OBJ_CORE}};

// Per processor, by the system's number: the thing of each level that it is in.
std::vector<MachinePlace> places_of_cpus(const Hwloc& hwloc, hwloc_topology_t machine) {
  std::vector<MachinePlace> places;
  for (const Kind& kind : kKinds) {
    const int depth = hwloc.type_depth(machine, kind.type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) continue;
    for (unsigned thing = 0; thing < hwloc.count_at_depth(machine, depth); ++thing) {
      const hwloc_obj_t object = hwloc.object_at_depth(machine, depth, thing);
      for (int cpu = hwloc.next(object->cpuset, -1); cpu >= 0; cpu = hwloc.next(object->cpuset, cpu)) {
        if (places.size() <= static_cast<std::size_t>(cpu))
          places.resize(static_cast<std::size_t>(cpu) + 1, no_place());
        int& number = at(places[static_cast<std::size_t>(cpu)], kind.level);
        if (number == kNowhere) number = static_cast<int>(thing);  // of memories of several kinds the first
      }
    }
  }
  return places;
}

// The first processor of each core; where a virtual machine shows no cores, each processor.
std::vector<int> cpus_of_cores(const Hwloc& hwloc, hwloc_topology_t machine) {
  int depth = hwloc.type_depth(machine, HWLOC_OBJ_CORE);
  if (depth < 0) depth = hwloc.type_depth(machine, HWLOC_OBJ_PU);
  std::vector<int> cpus;
  for (unsigned core = 0; core < hwloc.count_at_depth(machine, depth); ++core) {
    const int cpu = hwloc.next(hwloc.object_at_depth(machine, depth, core)->cpuset, -1);
    if (cpu >= 0) cpus.push_back(cpu);
  }
  return cpus;
}

// What all processors of the set have in common.
MachinePlace place_of(const CpuSet& set, std::span<const MachinePlace> of_cpus) {
  MachinePlace place = no_place();
  bool is_first = true;
  for (std::size_t cpu = 0; cpu < of_cpus.size(); ++cpu) {
    if (!set.has(cpu)) continue;
    if (is_first) place = of_cpus[cpu];
    for (const Level level : kLevels)
      if (at(place, level) != at(of_cpus[cpu], level)) at(place, level) = kNowhere;
    is_first = false;
  }
  return place;
}

}  // namespace

Result<Machine> detect_machine() {
  const Result<Hwloc> hwloc = open_hwloc();
  if (!hwloc) return Error{hwloc.error()};
  const Result<Loaded> machine = load(*hwloc, 0);
  if (!machine) return Error{machine.error()};
  const std::vector<int> cpus = cpus_of_cores(*hwloc, machine->get());
  if (cpus.empty()) return Error{"hwloc shows no processor on this machine"};
  std::vector<MachinePlace> of_cpus = places_of_cpus(*hwloc, machine->get());
  of_cpus.resize(std::max(of_cpus.size(), static_cast<std::size_t>(std::ranges::max(cpus)) + 1), no_place());
  std::vector<MachinePlace> cores;
  for (const int cpu : cpus) cores.push_back(of_cpus[static_cast<std::size_t>(cpu)]);
  const Seating seating = seating_of(cores);
  std::vector<int> cpus_by_place(cpus.size());
  for (std::size_t core = 0; core < cpus.size(); ++core)
    cpus_by_place[static_cast<std::size_t>(seating.leaves[core])] = cpus[core];
  const unsigned version = hwloc->api_version();
  return Machine{seating.topology, std::move(cpus_by_place),
                 fmt::format("{}.{}.{}", version >> 16, (version >> 8) & 0xff, version & 0xff)};
}

CpuSet cpus_of_this_process() {
  CpuSet set;
  cpu_set_t* const bits = reinterpret_cast<cpu_set_t*>(set.words.data());
  if (::sched_getaffinity(0, sizeof set.words, bits) != 0) set = {};
  return set;
}

void run_on(const CpuSet& cpus) {
  ::sched_setaffinity(0, sizeof cpus.words, reinterpret_cast<const cpu_set_t*>(cpus.words.data()));
}

CpuSet union_of(std::span<const CpuSet> sets) {
  CpuSet all;
  for (const CpuSet& set : sets)
    for (std::size_t word = 0; word < all.words.size(); ++word) all.words[word] |= set.words[word];
  return all;
}

namespace {

// Every so-manyth processor of the set, beginning with that one.
CpuSet share_of(const CpuSet& set, std::ptrdiff_t sharers, std::ptrdiff_t which) {
  CpuSet share;
  std::ptrdiff_t seen = 0;
  for (std::size_t cpu = 0; cpu < 64 * set.words.size(); ++cpu)
    if (set.has(cpu) && seen++ % sharers == which) share.add(cpu);
  return share;
}

}  // namespace

std::vector<CpuSet> cpus_beside_others(std::span<const CpuSet> sets) {
  const CpuSet taken = union_of(sets);
  std::vector<CpuSet> beside(sets.size());
  for (std::size_t who = 0; who < sets.size(); ++who) {
    const auto sharers = std::count(sets.begin(), sets.end(), sets[who]);
    const auto which = std::count(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(who), sets[who]);
    const bool is_short = sets[who].count() < sharers;
    const CpuSet own = is_short ? taken : share_of(sets[who], sharers, which);
    for (std::size_t word = 0; word < own.words.size(); ++word)
      beside[who].words[word] = ~taken.words[word] | own.words[word];
  }
  return beside;
}

Result<std::vector<MachinePlace>> places_of(std::span<const CpuSet> sets) {
  const Result<Hwloc> hwloc = open_hwloc();
  if (!hwloc) return Error{hwloc.error()};
  // The whole machine is loaded, since other processes may be allowed to run where this one is not.
  const Result<Loaded> machine = load(*hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (!machine) return Error{machine.error()};
  const std::vector<MachinePlace> of_cpus = places_of_cpus(*hwloc, machine->get());
  std::vector<MachinePlace> places;
  for (const CpuSet& set : sets) places.push_back(place_of(set, of_cpus));
  return places;
}

}  // namespace weft
