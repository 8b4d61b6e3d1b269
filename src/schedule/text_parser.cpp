// SPDX-License-Identifier: BSD-3-Clause
// Reads what text.cpp prints. Only the form is judged here: edges, ranges, peers and groups may be wrong, so
// that damaged schedules can be written down and shown to the verifier.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/scanner.hpp"
#include "schedule/describe.hpp"
#include "schedule/text.hpp"
#include "schedule/usual_ordinals.hpp"

namespace weft {
namespace {

// Far beyond any machine, and low enough that an offset and a size can always be added.
constexpr std::int64_t kMostCallBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 61;
constexpr std::int64_t kMostRanks = std::int64_t{1} << 30;
constexpr std::int64_t kMostTasks = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kLeastRank = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMostRank = std::numeric_limits<std::int32_t>::max();

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Result<std::vector<Schedule>> all() {
    std::vector<Schedule> schedules;
    in_.skip_empty_lines();
    if (in_.at_end()) in_.fail_expecting("`schedule`");
    while (!in_.at_end()) {
      schedules.push_back(one());
      in_.skip_empty_lines();
    }
    if (in_.failed()) return Error{in_.error()};
    return schedules;
  }

 private:
  struct Edge {
    TaskId earlier, later;
    Scanner::Offset where;
  };

  Schedule one() {
    schedule_ = {};
    edges_.clear();
    usual_ = {};
    parse_header();
    while (!in_.failed()) {
      in_.skip_empty_lines();
      if (in_.accept_word("end")) break;
      parse_line();
    }
    in_.expect_line_end("");
    for (const Edge& edge : edges_)
      if (edge.earlier.value >= schedule_.tasks.size())
        in_.fail(edge.where,
                 fmt::format("expected a task from 0 to {}, found {}",
                             static_cast<std::int64_t>(schedule_.tasks.size()) - 1, edge.earlier.value));
    if (in_.failed()) return {};
    std::vector<std::pair<TaskId, TaskId>> edges;
    for (const Edge& edge : edges_) edges.emplace_back(edge.earlier, edge.later);
    set_edges(schedule_, edges);
    return std::move(schedule_);
  }

  void parse_header() {
    Call& call = schedule_.call;
    in_.expect_word("schedule");
    const Scanner::Offset where = in_.next_token();
    const std::string_view name = in_.word();
    if (const auto collective = collective_named(name)) call.collective = *collective;
    else in_.fail(where, fmt::format("expected a collective ({}), found `{}`", collective_list(), name));
    in_.expect_word("rank");
    const Scanner::Offset self_at = in_.next_token();
    schedule_.self = Rank(rank("a rank"));
    in_.expect_word("of");
    call.rank_count = static_cast<int>(in_.number("a number of ranks", 1, kMostRanks));
    if (schedule_.self.value < 0 || schedule_.self.value >= call.rank_count)
      in_.fail(self_at, fmt::format("expected a rank from 0 to {}, found {}", call.rank_count - 1,
                                    schedule_.self.value));
    if (in_.accept_word("root")) call.root = Rank(rank("a root"));
    in_.expect_word("bytes");
    call.bytes = Bytes(in_.number("a size in bytes", 0, kMostCallBytes));
    if (in_.accept_word("element"))
      call.element_bytes = Bytes(in_.number("a size in bytes", 1, kMostCallBytes));
    call.commutative = !in_.accept_word("non_commutative");
    call.user_defined = in_.accept_word("user_defined");
    schedule_.in_place = in_.accept_word("in_place");
    in_.expect_line_end(
        "`root`, `bytes`, `element`, `non_commutative`, `user_defined`, `in_place` in this order, or ");
  }

  void parse_line() {
    if (in_.accept_word("algorithm")) schedule_.algorithm = in_.quoted("the algorithm in double quotes");
    else if (in_.accept_word("outgoing")) schedule_.parcels.outgoing.push_back(parcel());
    else if (in_.accept_word("incoming")) schedule_.parcels.incoming.push_back(parcel());
    else if (in_.accept_word("buffer")) parse_buffer();
    else if (in_.accept_word("group")) parse_group();
    else if (in_.at_number()) return parse_task();
    else
      in_.fail_expecting(
          "`algorithm`, `outgoing`, `incoming`, `buffer`, `group`, a task (`0: send …`) or `end`");
    in_.expect_line_end("");
  }

  void parse_buffer() {
    const Scanner::Offset where = in_.next_token();
    const std::string_view name = in_.word();
    Buffer buffer;
    if (name == "input") buffer.role = BufferRole::kInput;
    else if (name == "output") buffer.role = BufferRole::kOutput;
    else if (name == "scratch") buffer.role = BufferRole::kScratch;
    else if (name == "window") buffer.role = BufferRole::kWindow;
    else if (name == "exposed") buffer.role = BufferRole::kExposed;
    else if (name == "shared") buffer.role = BufferRole::kShared;
    else if (name == "lines") buffer.role = BufferRole::kLines;
    else
      in_.fail(where,
               "expected `input`, `output`, `scratch.N`, `window.N`, `exposed.N`, `shared.N` or `lines.N`");
    if (buffer.role == BufferRole::kWindow) {
      in_.expect(".");
      buffer.owner = Rank(rank("whose window it is"));
    } else if (buffer.role >= BufferRole::kScratch) {
      const auto place = std::count_if(schedule_.buffers.begin(), schedule_.buffers.end(),
                                       [&](const Buffer& b) { return b.role == buffer.role; });
      in_.expect(".");
      if (in_.number("the buffer's number", 0, 255) != place)
        in_.fail(where, fmt::format("expected `{}.{}`: buffers are numbered in order", name, place));
    }
    if (schedule_.buffers.size() == 255) in_.fail(where, "a schedule has at most 255 buffers");
    buffer.size = Bytes(in_.number("a size in bytes", 0, kMostBytes));
    if (in_.accept_word("group")) buffer.group = GroupId(group_number());
    if (buffer.role == BufferRole::kExposed) parse_owner(buffer);
    schedule_.buffers.push_back(buffer);
  }

  void parse_owner(Buffer& buffer) {
    in_.expect_word("owner");
    buffer.owner = Rank(rank("a rank"));
    if (buffer.owner != schedule_.self) return;
    in_.expect_word("is");
    const Scanner::Offset where = in_.next_token();
    const Range own = range();
    if (own.size != buffer.size)
      in_.fail(where, fmt::format("expected a range of {} bytes as the buffer has, found {}",
                                  buffer.size.value, own.size.value));
    buffer.of = own.buffer;
    buffer.offset = own.offset;
  }

  void parse_group() {
    const Scanner::Offset where = in_.next_token();
    if (group_number() != schedule_.groups.size())
      in_.fail(where,
               fmt::format("expected group {}: groups are numbered in order", schedule_.groups.size()));
    in_.expect(":");
    Group group;
    while (in_.at_number()) group.members.push_back(Rank(rank("a rank")));
    if (group.members.empty()) in_.fail_expecting("the ranks of the group");
    schedule_.groups.push_back(std::move(group));
  }

  void parse_task() {
    const Scanner::Offset where = in_.next_token();
    if (in_.number("a task", 0, kMostTasks) != static_cast<std::int64_t>(schedule_.tasks.size()))
      in_.fail(where, fmt::format("expected task {}: tasks are numbered in order", schedule_.tasks.size()));
    in_.expect(":");
    Task task = parse_action();
    if (in_.accept_word("errand")) task.errand = buffer_reference();
    if (is_message(task.kind)) {
      task.ordinal = usual_.next(task);
      if (in_.accept_word("ordinal"))
        task.ordinal = static_cast<std::uint32_t>(in_.number("an ordinal", 0, kMostTasks));
    }
    const TaskId self(static_cast<std::uint32_t>(schedule_.tasks.size()));
    schedule_.tasks.push_back(task);
    if (in_.accept_word("after")) parse_after(self);
    in_.expect_line_end("`after` and tasks, or ");
  }

  void parse_after(TaskId self) {
    if (!in_.at_number()) in_.fail_expecting("the tasks that this one waits for");
    while (in_.at_number()) {
      const Scanner::Offset where = in_.next_token();
      const TaskId earlier(static_cast<std::uint32_t>(in_.number("a task", 0, kMostTasks)));
      edges_.push_back({earlier, self, where});
    }
  }

  Task parse_action() {
    Task task;
    if (in_.accept_word("send")) {
      task.kind = TaskKind::kSend;
      set_source(task, range());
      in_.expect("->");
      task.peer = rank("a rank");
    } else if (in_.accept_word("recv")) {
      task.kind = TaskKind::kRecv;
      task.peer = rank("a rank");
      in_.expect("->");
      set_target(task, range());
    } else if (in_.accept_word("copy")) {
      task.kind = TaskKind::kCopy;
      parse_source_and_target(task);
    } else if (in_.accept_word("reduce")) {
      task.kind = TaskKind::kReduce;
      parse_source_and_target(task);
    } else if (in_.accept_word("exchange")) {
      task.kind = TaskKind::kExchange;
      parse_node_level(task);
    } else if (in_.accept_word("deliver")) {
      task.kind = TaskKind::kDeliver;
      parse_node_level(task);
    } else if (in_.accept_word("prefix")) {
      task.kind = TaskKind::kPrefix;
      parse_node_level(task);
    } else if (in_.accept_word("fan_in")) {
      task.kind = TaskKind::kFanIn;
      parse_node_level(task);
    } else if (in_.accept_word("fan_out")) {
      task.kind = TaskKind::kFanOut;
      parse_node_level(task);
    } else if (!in_.accept_word("join")) {
      in_.fail_expecting(
          "`send`, `recv`, `copy`, `reduce`, `join`, `exchange`, `deliver`, `prefix`, `fan_in` or `fan_out`");
    }
    return task;
  }

  void parse_source_and_target(Task& task) {
    const Range source = range();
    in_.expect("->");
    const Scanner::Offset where = in_.next_token();
    const Range target = range();
    if (source.size != target.size)
      in_.fail(where, fmt::format("expected a range of {} bytes as on the left, found {}", source.size.value,
                                  target.size.value));
    set_source(task, source);
    set_target(task, target);
  }

  void parse_node_level(Task& task) {
    set_source(task, range());
    in_.expect_word("group");
    task.ordinal = group_number();
    if (task.kind == TaskKind::kDeliver && in_.accept_word("beyond")) set_moved(task);
    if (!has_leader(task.kind)) return;
    in_.expect_word("leader");
    task.peer = in_.accept_word("last") ? kLast : rank("the leader's place in the group, or `last`");
  }

  void set_moved(Task& task) {
    const Scanner::Offset where = in_.next_token();
    constexpr std::int64_t kLine = kLineStride.value;
    const std::int64_t moved = in_.number("a size in bytes", kLine * INT32_MIN, kLine * INT32_MAX);
    if (moved % kLine != 0) in_.fail(where, fmt::format("expected a multiple of {}, found {}", kLine, moved));
    task.peer = static_cast<std::int32_t>(moved / kLine);
  }

  static void set_source(Task& task, Range range) {
    task.source = range.buffer;
    task.source_offset = range.offset;
    task.size = range.size;
  }
  static void set_target(Task& task, Range range) {
    task.target = range.buffer;
    task.target_offset = range.offset;
    task.size = range.size;
  }

  Range range() { return extent(buffer_reference()); }

  Range extent(BufferId buffer) {
    Range range{buffer, {}, {}};
    in_.expect("[");
    range.offset = Bytes(in_.number("an offset", -kMostBytes, kMostBytes));
    in_.expect("+");
    range.size = Bytes(in_.number("a size in bytes", -kMostBytes, kMostBytes));
    in_.expect("]");
    return range;
  }

  Parcel parcel() {
    const Rank peer(rank("a rank"));
    const Range where = extent({});
    return {peer, where.offset, where.size};
  }

  BufferId buffer_reference() {
    const Scanner::Offset where = in_.next_token();
    std::string name(in_.word());
    if (name.empty()) in_.fail_expecting("a range such as `output[0+8]`");
    std::int64_t place = 0;
    if (name != "input" && name != "output") {
      in_.expect(".");
      if (name == "window") return window(where, Rank(rank("whose window it is")));
      place = in_.number("the buffer's number", 0, 255);
      if (name == "buffer") return BufferId(static_cast<std::uint8_t>(place));
    }
    for (std::size_t b = 0; b < schedule_.buffers.size(); ++b)
      if (name_of(schedule_.buffers[b].role) == name && place-- == 0)
        return BufferId(static_cast<std::uint8_t>(b));
    in_.fail(where, fmt::format("expected a buffer declared above, found `{}`", name));
    return {};
  }

  BufferId window(Scanner::Offset where, Rank owner) {
    for (std::size_t b = 0; b < schedule_.buffers.size(); ++b)
      if (schedule_.buffers[b].role == BufferRole::kWindow && schedule_.buffers[b].owner == owner)
        return BufferId(static_cast<std::uint8_t>(b));
    in_.fail(where, fmt::format("expected a buffer declared above, found `window.{}`", owner.value));
    return {};
  }

  std::int32_t rank(std::string_view what) {
    return static_cast<std::int32_t>(in_.number(what, kLeastRank, kMostRank));
  }
  std::uint32_t group_number() { return static_cast<std::uint32_t>(in_.number("a group", 0, kMostTasks)); }

  static std::string collective_list() {
    std::string list;
    for (const Collective c : kCollectives) list += (list.empty() ? "" : ", ") + std::string(name_of(c));
    return list;
  }

  Scanner in_;
  Schedule schedule_;
  std::vector<Edge> edges_;
  UsualOrdinals usual_;
};

}  // namespace

Result<std::vector<Schedule>> parse_schedules(std::string_view text) { return Parser(text).all(); }

}  // namespace weft
