// SPDX-License-Identifier: BSD-3-Clause
// Builder: what an algorithm writes with. It issues tasks in a natural order; who waits for whom follows from
// what they read and write.
//
//   b.recv(left, block);      // 0
//   b.send(right, block);     // 1  waits for 0: it reads what 0 writes
//   b.recv(left, block);      // 2  waits for 1: it overwrites what 1 reads
//
// Rules: a task waits for the last writer of all that it reads (read after write), and for the last writer
// and all later readers of what it writes (write after write, write after read). Nothing else orders tasks,
// unless the author asks: join() for a round, after() for a single edge with a reason beside it.
//
// Cost: O(log n) per task in the number of pieces that the buffers have been cut into.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

class Builder {
 public:
  Builder(const Call& call, Rank self, bool in_place);

  const Call& call() const { return schedule_.call; }
  int self() const { return schedule_.self.value; }
  int rank_count() const { return schedule_.call.rank_count; }
  Bytes bytes() const { return schedule_.call.bytes; }
  bool in_place() const { return schedule_.in_place; }

  Range input() const { return {kInput, Bytes(0), schedule_.buffers[kInput.value].size}; }
  Range output() const { return {kOutput, Bytes(0), schedule_.buffers[kOutput.value].size}; }
  // What this rank contributes, wherever the caller put it: input, or its place in output (MPI_IN_PLACE).
  Range contribution() const;
  Range scratch(Bytes size);

  TaskId send(int peer, Range from);
  TaskId recv(int peer, Range into);
  TaskId copy(Range from, Range into);    // nothing if they are the same range
  TaskId reduce(Range left, Range into);  // into = left (+) into

  GroupId group(std::vector<Rank> members);
  Range shared(GroupId group, Bytes size);
  Range lines(GroupId group);  // line i, at i * kLineStride, is member i's

  // Steps of a group, which may be fewer than those who share the memory. They wait for what this rank wrote
  // and read before, and later accesses wait for them, in the lines and in what else the step `covers`.
  // leader: place in the group.
  TaskId exchange(Range lines, GroupId group, Range covers = {});
  TaskId fan_in(Range lines, GroupId group, int leader, Range covers = {});
  TaskId fan_out(Range lines, GroupId group, int leader, Range covers = {});

  TaskId join();                             // all later tasks wait for all earlier ones
  void after(TaskId later, TaskId earlier);  // one more edge

  Schedule finish(std::string algorithm) &&;

 private:
  // What happened last to a piece of a buffer: who wrote it, and who has read it since.
  struct Piece {
    Bytes end;
    std::vector<TaskId> writers;  // none or one; empty means the caller's data
    std::vector<TaskId> readers;
  };
  using Pieces = std::map<Bytes, Piece>;

  TaskId issue(Task task);
  void note_read(TaskId task, Range range);
  void note_write(TaskId task, Range range);
  Pieces::iterator split_at(Pieces& pieces, Bytes offset);
  template <class Visit>
  void for_pieces(Range range, Visit visit);
  TaskId node_level(TaskKind kind, Range lines, GroupId group, int leader, Range covers);
  BufferId add_buffer(Buffer buffer);

  Schedule schedule_;
  std::vector<Pieces> pieces_;  // per buffer
  std::vector<std::pair<TaskId, TaskId>> edges_;
  std::map<std::pair<int, TaskKind>, std::uint32_t> messages_;  // per peer and direction: issued so far
  std::uint32_t last_join_ = 0;                                 // tasks from here on follow the last join
  bool joined_ = false;
};

}  // namespace weft
