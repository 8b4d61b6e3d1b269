// SPDX-License-Identifier: BSD-3-Clause
// Where the tasks of one list stand in a picture: in which queue's column, and in which row. Receives have
// rows of their own, from the line upwards; below it everything stands under what it has to follow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/task_list.hpp"

namespace weft {

struct TaskListLayout {
  struct Place {
    std::size_t column = 0;
    int row = 0;  // receives: counted from the top
  };
  std::uint32_t begin = 0;             // the list's first task
  std::vector<std::uint32_t> columns;  // queues, those without a peer first; none that is empty
  std::vector<Place> places;           // per task of the list
  // What a wait waits for, or what an enabling lets begin: the last task that counts, if it is in this list.
  std::vector<std::optional<std::uint32_t>> points_to;  // per task of the list
  int receive_rows = 0, rows = 0;

  const Place& of(std::uint32_t task) const { return places[task - begin]; }
};

// `part`: the how-manyth of those that the tasks are cut into.
TaskListLayout layout_of(const TaskList& list, std::size_t part);

}  // namespace weft
