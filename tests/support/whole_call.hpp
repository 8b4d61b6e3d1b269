// SPDX-License-Identifier: BSD-3-Clause
// The schedules of all ranks of one call, by an algorithm named as in the catalog.
#pragma once

#include <gtest/gtest.h>

#include "algorithm/build.hpp"
#include "algorithm/catalog.hpp"

namespace weft::tests {

inline std::vector<Schedule> build_all(const Call& call, std::string_view algorithm,
                                       const Parameters& parameters, bool in_place = false) {
  const auto found = find_algorithm(call.collective, algorithm);
  if (!found) {
    ADD_FAILURE() << found.error();
    return {};
  }
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < call.rank_count; ++rank)
    schedules.push_back(build_example(**found, call, parameters, Rank(rank), in_place));
  return schedules;
}
inline std::vector<Schedule> build_all(const Call& call, std::string_view algorithm, int radix = 2,
                                       bool in_place = false) {
  return build_all(call, algorithm, Parameters{.radix = radix}, in_place);
}

// The schedules of all ranks over the hierarchy of a written topology with as many ranks.
inline std::vector<Schedule> build_over(std::string_view topology, std::string_view depth, const Call& call,
                                        Parameters parameters, std::string_view algorithm = "hierarchical") {
  const auto machine = Topology::parse(topology)->with_ranks(call.rank_count);
  if (!machine) {
    ADD_FAILURE() << machine.error();
    return {};
  }
  const auto hierarchy = Hierarchy::make(*machine, depth);
  if (!hierarchy) {
    ADD_FAILURE() << hierarchy.error();
    return {};
  }
  parameters.hierarchy = &*hierarchy;
  return build_all(call, algorithm, parameters);
}
inline std::vector<Schedule> build_over(std::string_view topology, std::string_view depth, const Call& call,
                                        Leader leader = Leader::kFixed) {
  return build_over(topology, depth, call, Parameters{.leader = leader});
}

inline Call allreduce_of(int ranks, Bytes bytes = Bytes(8)) {
  return {
      .collective = Collective::kAllreduce, .rank_count = ranks, .bytes = bytes, .element_bytes = Bytes(8)};
}

// A call with nodes in it: two ranks that share memory, one operation of each kind on it.
inline std::vector<Schedule> node_level_schedules() {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < 2; ++rank) {
    Builder b(allreduce_of(2), Rank(rank), false);
    const GroupId group = b.group({Rank(0), Rank(1)});
    const Range lines = b.lines(group);
    const Range slots = b.shared(group, Bytes(16));
    b.copy(b.contribution(), slots.part(Bytes(8 * rank), Bytes(8)));
    b.exchange(lines, group, slots);
    b.fan_in(lines, group, 1);
    b.fan_out(lines, group, 1);
    b.copy(slots.part(Bytes(8), Bytes(8)), b.output());
    b.reduce(slots.part(Bytes(0), Bytes(8)), b.output());
    schedules.push_back(std::move(b).finish("by hand"));
  }
  return schedules;
}

}  // namespace weft::tests
