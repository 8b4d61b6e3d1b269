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
// Inside a Frame a builder of the whole call writes the part of a subgroup: its ranks are the members'
// places, its buffers are the ranges that the frame names. So hierarchies are compositions of what there is.
//
//   Builder::Frame frame(b, {.members = leaders, .call = their_call, .contribution = sum, .output = result});
//   allreduce::recursive_k_ing(b, parameters);      its rank 1 is leaders[1]
//
// Inside an Errand it writes what whoever arrives last at a fan_in does for all. Errands nest: a value
// climbs.
//
//   b.fan_in(lines, group, kLast);
//   Builder::Errand errand(b, lines);
//   …                                               every member writes the same, on shared memory
//
// Cost: O(log n) per task in the number of pieces that the buffers have been cut into.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/message_counts.hpp"
#include "schedule/schedule.hpp"

namespace weft {

// The ranks of a subgroup in the communicator, in the order of their places, and which of them this one is.
// As a list, or, where they may be very many, as a rule that says who is at a place.
class Members {
 public:
  Members(std::vector<Rank> list) : list_(std::move(list)) {}
  Members(std::initializer_list<Rank> list) : list_(list) {}
  Members(std::function<Rank(int place)> rule, int own) : rule_(std::move(rule)), own_(own) {}

  Rank at(int place) const { return rule_ ? rule_(place) : list_[static_cast<std::size_t>(place)]; }
  int place_of(Rank self) const;

 private:
  std::vector<Rank> list_;
  std::function<Rank(int place)> rule_;
  int own_ = 0;
};

// What stands for the call inside a frame.
struct Subgroup {
  Members members;
  Call call;             // the members': root and number of ranks are places
  Range contribution{};  // of this rank
  Range output{};        // of this rank
  // Blocks of different sizes: where each begins, and, behind the last, where that ends.
  std::function<Bytes(int block)> block_begin{};
};

class Builder {
 public:
  class Frame;
  class Errand;

  // kNone: the tasks get no edges, for whoever runs them in the order in which they are written.
  enum class Edges : bool { kNone, kByAccess };

  Builder(const Call& call, Rank self, bool in_place, Parcels parcels = {}, Edges edges = Edges::kByAccess);

  // Inside a frame these say the subgroup's call, rank, number of ranks and bytes.
  const Call& call() const { return frame_ ? frame_->call : schedule_.call; }
  int self() const { return frame_ ? place_ : schedule_.self.value; }
  int rank_count() const { return call().rank_count; }
  Bytes bytes() const { return call().bytes; }
  bool in_place() const;  // the contribution lies in the output
  Rank member(int place) const;
  std::vector<Rank> members() const;                            // all of them in a list
  Members everybody() const;                                    // the same
  const Parcels& parcels() const { return schedule_.parcels; }  // the whole call's, also inside a frame

  // What this rank contributes, wherever the caller put it: input, or its place in output (MPI_IN_PLACE).
  Range contribution() const;
  Range output() const;
  Range blocks(Range whole, int first, int end) const;  // the blocks of places first to before end

  Range input() const { return {kInput, Bytes(0), schedule_.buffers[kInput.value].size}; }
  Range scratch(Bytes size);

  // With empty ranges these make no task.
  TaskId send(int peer, Range from);
  TaskId recv(int peer, Range into);
  TaskId copy(Range from, Range into);    // no task either if both are the same range
  TaskId reduce(Range left, Range into);  // into = left (+) into

  // A barrier's message, which has no bytes and travels all the same. It reads and writes nothing, so that
  // only join() and after() order it.
  TaskId signal(int peer);
  TaskId await_signal(int peer);

  GroupId group(std::vector<Rank> members);            // a new one
  GroupId group_of(const std::vector<Rank>& members);  // the first one of them, made if there is none
  const std::vector<Rank>& members_of(GroupId group) const { return schedule_.groups[group.value].members; }
  Range shared(GroupId group, Bytes size);
  Range lines(GroupId group);  // line i, at i * kLineStride, is member i's
  // Memory of one member's own, `own` there, for the others to reach into; all of them declare it. What they
  // copy from and to it, the steps have to order that cover it; the owner's range is its own name for it.
  Range exposed(GroupId group, int owner, Bytes size, Range own);

  // A rank's output as far as it lets others write into it, who only copy there. The owner declares it as
  // well. Messages order that: one of the owner's that comes before, and a later one to it.
  Range window(int owner, Bytes size);

  // Steps of a group, whose members may be fewer than the ranks that share the memory. A step waits for what
  // this rank wrote and read before, and later accesses wait for the step, in the lines and in what it
  // `covers`. leader: a place in the group, or kLast.
  TaskId exchange(Range lines, GroupId group, Range covers = {});
  // moved: by the rounds before, of what any rank has for another; whole kLineStrides.
  TaskId deliver(Range lines, GroupId group, Range covers = {}, Bytes moved = {});
  TaskId prefix(Range lines, GroupId group, Range covers = {});
  TaskId fan_in(Range lines, GroupId group, int leader, Range covers = {});
  TaskId fan_out(Range lines, GroupId group, int leader, Range covers = {});
  void cover(TaskId step, Range range);  // the step also orders accesses to this range; called right after it

  TaskId join();                             // all later tasks wait for all earlier ones
  void after(TaskId later, TaskId earlier);  // makes one task wait for another

  Schedule finish(std::string algorithm) &&;

 private:
  // What happened last to a piece of a buffer: who wrote it, and who has read it since.
  struct Piece {
    Bytes end;
    std::optional<TaskId> writer;  // none: the caller's data
    std::uint32_t readers = 0;     // the last one's place in readers_
  };
  // Pieces that were cut from one share those who read both, so that a cut copies no list.
  struct Reader {
    TaskId task;
    std::uint32_t before;  // the place of the one before it; 0: it is the first
  };
  using Pieces = std::pmr::map<Bytes, Piece>;

  TaskId issue(const Task& wanted);
  void note_read(TaskId task, const Range& range);
  void note_write(TaskId task, const Range& range);
  static Pieces::iterator cut(Pieces& pieces, Pieces::iterator at, Bytes offset);
  template <class Visit>
  void for_pieces(const Range& range, Visit visit);
  TaskId node_level(TaskKind kind, Range lines, GroupId group, int leader, Range covers);
  BufferId add_buffer(Buffer buffer);

  // What is needed only while the builder writes lies in one block, and goes with it.
  std::array<std::byte, 4096> first_memory_;
  std::pmr::monotonic_buffer_resource memory_{first_memory_.data(), first_memory_.size()};

  Schedule schedule_;
  const Subgroup* frame_ = nullptr;
  int place_ = 0;  // in the frame
  BufferId errand_{};
  std::pmr::vector<Pieces> pieces_{&memory_};                   // per buffer
  std::pmr::vector<Reader> readers_{std::size_t{1}, &memory_};  // 0 is nobody
  std::pmr::vector<Edge> edges_{&memory_};
  MessageCounts messages_{&memory_};
  const bool has_edges_;
  std::uint32_t last_join_ = 0;  // tasks from here on follow the last join
  bool joined_ = false;
};

// For as long as it lives, the builder writes for the subgroup. Frames nest.
class Builder::Frame {
 public:
  Frame(Builder& builder, Subgroup subgroup);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  Builder& builder_;
  const Subgroup subgroup_;
  const Subgroup* const outer_;
  const int outer_place_;
};

// For as long as it lives, the builder writes the errand of the fan_in on these lines.
class Builder::Errand {
 public:
  Errand(Builder& builder, Range lines) : builder_(builder), outer_(builder.errand_) {
    builder.errand_ = lines.buffer;
  }
  ~Errand() { builder_.errand_ = outer_; }
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;

 private:
  Builder& builder_;
  const BufferId outer_;
};

}  // namespace weft
