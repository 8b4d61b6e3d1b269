// SPDX-License-Identifier: BSD-3-Clause
// Whether two schedules are the same in every field; says which one differs.
#pragma once

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"

namespace weft::tests {

inline void expect_same(const Task& a, const Task& b, std::size_t task) {
  SCOPED_TRACE("task " + std::to_string(task));
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.errand, b.errand);
  EXPECT_EQ(a.peer, b.peer);
  EXPECT_EQ(a.ordinal, b.ordinal);
  EXPECT_EQ(a.successor_begin, b.successor_begin);
  EXPECT_EQ(a.source_offset, b.source_offset);
  EXPECT_EQ(a.target_offset, b.target_offset);
  EXPECT_EQ(a.size, b.size);
}

inline void expect_same(const Schedule& a, const Schedule& b) {
  EXPECT_EQ(a.call, b.call);
  EXPECT_EQ(a.self, b.self);
  EXPECT_EQ(a.in_place, b.in_place);
  EXPECT_EQ(a.parcels, b.parcels);
  EXPECT_EQ(a.algorithm, b.algorithm);
  EXPECT_EQ(a.buffers, b.buffers);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.successors, b.successors);
  EXPECT_EQ(a.predecessor_count, b.predecessor_count);
  ASSERT_EQ(a.tasks.size(), b.tasks.size());
  for (std::size_t task = 0; task < a.tasks.size(); ++task) expect_same(a.tasks[task], b.tasks[task], task);
}

}  // namespace weft::tests
