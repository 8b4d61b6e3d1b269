// SPDX-License-Identifier: BSD-3-Clause
#include "topology/machine.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <map>
#include <memory>
#include <set>

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
  decltype(&hwloc_bitmap_first) first = nullptr;
};

Result<Hwloc> open_hwloc() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{
        fmt::format("{} is not on this machine, so its topology is unknown: install hwloc (Debian: "
                    "libhwloc15) or describe the machine as text (`node:1 socket:2 core:8`)",
                    kLibrary)};
  Hwloc hwloc;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find(hwloc.api_version, "hwloc_get_api_version");
  find(hwloc.init, "hwloc_topology_init");
  find(hwloc.load, "hwloc_topology_load");
  find(hwloc.destroy, "hwloc_topology_destroy");
  find(hwloc.type_depth, "hwloc_get_type_depth");
  find(hwloc.count_at_depth, "hwloc_get_nbobjs_by_depth");
  find(hwloc.object_at_depth, "hwloc_get_obj_by_depth");
  find(hwloc.first, "hwloc_bitmap_first");
  if (missing != nullptr)
    return Error{fmt::format("{} has no {}: hwloc 2.0 or newer is needed", kLibrary, missing)};
  return hwloc;
}

// Where a core lies: the number of the thing it is in, per level; -1 where the machine has no such thing.
using Path = std::map<Level, int>;

std::optional<Level> level_of(hwloc_obj_type_t type) {
  switch (type) {
    case HWLOC_OBJ_PACKAGE: return Level::kSocket;
    case HWLOC_OBJ_L3CACHE: return Level::kL3;
    case HWLOC_OBJ_L2CACHE: return Level::kL2;
    case HWLOC_OBJ_CORE: return Level::kCore;
    default: return std::nullopt;
  }
}

std::vector<Path> paths_of_cores(const Hwloc& hwloc, hwloc_topology_t machine) {
  int depth = hwloc.type_depth(machine, HWLOC_OBJ_CORE);
  if (depth < 0) depth = hwloc.type_depth(machine, HWLOC_OBJ_PU);  // some virtual machines show no cores
  std::vector<Path> paths;
  for (unsigned core = 0; core < hwloc.count_at_depth(machine, depth); ++core) {
    const hwloc_obj_t place = hwloc.object_at_depth(machine, depth, core);
    Path path = {{Level::kCore, static_cast<int>(core)}};
    for (hwloc_obj_t around = place->parent; around != nullptr; around = around->parent)
      if (const auto level = level_of(around->type)) path[*level] = static_cast<int>(around->logical_index);
    if (place->nodeset != nullptr) path[Level::kNuma] = hwloc.first(place->nodeset);
    paths.push_back(std::move(path));
  }
  return paths;
}

// The levels that all cores have, from far to near: usually a NUMA domain holds L3 caches, but where memory
// is divided below a shared L3 it is the other way round. Written topologies keep one order, so the finer one
// goes.
std::vector<Level> common_levels(const std::vector<Path>& paths) {
  std::vector<Level> levels;
  std::map<Level, std::set<int>> things;
  for (const Path& path : paths)
    for (const auto& [level, thing] : path) things[level].insert(thing);
  for (const Level level : kLevels)
    if (std::all_of(paths.begin(), paths.end(), [&](const Path& path) { return path.contains(level); }))
      levels.push_back(level);
  if (things[Level::kL3].size() < things[Level::kNuma].size()) std::erase(levels, Level::kL3);
  return levels;
}

Topology topology_of(std::vector<Path> paths) {
  const std::vector<Level> levels = common_levels(paths);
  const auto prefix = [&](const Path& path, std::size_t length) {
    std::vector<int> things;
    for (std::size_t l = 0; l < length; ++l) things.push_back(path.at(levels[l]));
    return things;
  };
  std::sort(paths.begin(), paths.end(), [&](const Path& a, const Path& b) {
    return prefix(a, levels.size()) < prefix(b, levels.size());
  });
  std::vector<Topology::Layer> layers;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Topology::Layer layer{levels[l], {}};
    for (std::size_t core = 0; core < paths.size(); ++core)
      if (core == 0 || prefix(paths[core], l + 1) != prefix(paths[core - 1], l + 1))
        layer.begin.push_back(static_cast<int>(core));
    layer.begin.push_back(static_cast<int>(paths.size()));
    layers.push_back(std::move(layer));
  }
  return Topology(std::move(layers));
}

}  // namespace

Result<Machine> detect_machine() {
  const Result<Hwloc> opened = open_hwloc();
  if (!opened) return Error{opened.error()};
  const Hwloc& hwloc = *opened;
  hwloc_topology_t machine = nullptr;
  if (hwloc.init(&machine) != 0) return Error{"hwloc cannot start: hwloc_topology_init failed"};
  const std::unique_ptr<hwloc_topology, decltype(hwloc.destroy)> owner(machine, hwloc.destroy);
  if (hwloc.load(machine) != 0) return Error{"hwloc cannot read this machine: hwloc_topology_load failed"};
  std::vector<Path> paths = paths_of_cores(hwloc, machine);
  if (paths.empty()) return Error{"hwloc shows no processor on this machine"};
  const unsigned version = hwloc.api_version();
  return Machine{topology_of(std::move(paths)),
                 fmt::format("{}.{}.{}", version >> 16, (version >> 8) & 0xff, version & 0xff)};
}

}  // namespace weft
