// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/goal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/scanner.hpp"
#include "executor/simulator/goal_messages.hpp"
#include "executor/simulator/goal_order.hpp"

namespace weft::simulator {
namespace {

// Each rank takes memory, whether it is in the text or not.
constexpr std::int64_t kMostRanks = std::int64_t{1} << 24;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostNanoseconds = 100'000'000'000'000;  // a day
constexpr std::int64_t kMostTag = 0xfffffffe;                   // 0xffffffff is any tag in LogGOPSim
constexpr std::int64_t kMostUnit = 255;                         // of a cpu and a nic, as in LogGOPSim
constexpr std::string_view kStatements =
    "`send`, `recv`, `calc`, a label (`l1: send …`), `… requires …`, `… irequires …` or `}`";

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text, Scanner::Comments::kHashAndCpp) {}

  Result<GoalProgram> all() {
    in_.skip_empty_lines();
    in_.expect_word("num_ranks");
    const std::int64_t ranks = in_.number("a number of ranks", 1, kMostRanks);
    if (in_.failed()) return Error{in_.error()};
    parts_.resize(static_cast<std::size_t>(ranks));
    places_.resize(parts_.size());
    is_there_.resize(parts_.size());
    for (in_.skip_empty_lines(); !in_.at_end(); in_.skip_empty_lines()) parse_rank();
    if (!in_.failed())
      if (const auto problem = match_messages(parts_, labels_))
        in_.fail(places_[static_cast<std::size_t>(problem->rank)][problem->task], problem->what);
    if (in_.failed()) return Error{in_.error()};
    return GoalProgram{std::move(parts_), std::move(places_)};
  }

 private:
  // `after requires before`, whose labels may follow.
  struct Wish {
    std::string_view after, before;
    Scanner::Offset after_at, before_at;
    bool is_begun_enough;
  };

  void parse_rank() {
    in_.expect_word("rank");
    const Scanner::Offset at = in_.next_token();
    rank_ = in_.number("a rank", 0, static_cast<std::int64_t>(parts_.size()) - 1);
    if (is_there_[static_cast<std::size_t>(rank_)])
      in_.fail(at, fmt::format("rank {} is there twice: put all that it does into one", rank_));
    is_there_[static_cast<std::size_t>(rank_)] = true;
    in_.expect("{");
    tasks_.clear();
    units_.clear();
    names_.clear();
    at_.clear();
    by_name_.clear();
    wishes_.clear();
    labels_.begin_rank();
    while (!in_.failed()) {
      in_.skip_empty_lines();
      if (in_.accept("}")) return finish_rank();
      parse_statement();
    }
  }

  void parse_statement() {
    const Scanner::Offset at = in_.next_token();
    Scanner::Offset task_at = at;
    std::string_view word = in_.word();
    std::string_view name;
    if (!is_task(word)) {
      if (word.empty()) return in_.fail_expecting(kStatements);
      if (word == "rank") return in_.fail(at, fmt::format("rank {} is not closed: expected `}}`", rank_));
      if (!in_.accept(":")) return parse_wish(word, at);
      name = word;
      task_at = in_.next_token();
      word = in_.word();
    }
    if (word == "send") parse_message(TaskKind::kSend);
    else if (word == "recv") parse_message(TaskKind::kRecv);
    else if (word == "calc") parse_calculation();
    else return in_.fail(task_at, "expected `send`, `recv` or `calc` behind the label");
    at_.push_back(at);
    names_.push_back(name);
    if (name.empty()) return;
    if (!by_name_.try_emplace(name, static_cast<std::uint32_t>(at_.size() - 1)).second)
      in_.fail(at, fmt::format("rank {} has the label `{}` twice: choose another one", rank_, name));
  }

  static bool is_task(std::string_view word) { return word == "send" || word == "recv" || word == "calc"; }

  void parse_message(TaskKind kind) {
    ScriptTask task;
    task.kind = kind;
    task.size = Bytes(in_.number("a size in bytes", 0, kMostBytes));
    in_.expect_word("b");
    in_.expect_word(kind == TaskKind::kSend ? "to" : "from");
    if (kind == TaskKind::kRecv) refuse_any("a rank");
    const auto most = static_cast<std::int64_t>(parts_.size()) - 1;
    task.peer = static_cast<std::int32_t>(in_.number("a rank", 0, most));
    std::int64_t tag = 0;
    if (in_.accept_word("tag")) {
      refuse_any("a tag");
      tag = in_.number("a tag", 0, kMostTag);
    }
    Units units;
    units.cpu = unit("cpu", "the number of a processor");
    units.nic = unit("nic", "the number of an adapter");
    in_.expect_line_end("`tag`, `cpu`, `nic` in this order, or ");
    if (in_.failed()) return;
    task.label = labels_.next(kind, task.peer, static_cast<std::uint32_t>(tag));
    tasks_.push_back(task);
    units_.push_back(units);
  }

  // 0 if it is not named.
  std::uint8_t unit(std::string_view word, std::string_view what) {
    return static_cast<std::uint8_t>(in_.accept_word(word) ? in_.number(what, 0, kMostUnit) : 0);
  }

  void refuse_any(std::string_view what) {
    if (const Scanner::Offset at = in_.next_token(); in_.accept("-1"))
      in_.fail(at,
               fmt::format("expected {}, found -1, which in GOAL is any: who meets whom is settled before "
                           "the simulation, so name the one that it is",
                           what));
  }

  // What takes no time is a join, which costs nothing on an adapter either.
  void parse_calculation() {
    const std::int64_t duration = in_.number("a time in nanoseconds", 0, kMostNanoseconds);
    const std::uint8_t cpu = unit("cpu", "the number of a processor");
    in_.expect_line_end("`cpu`, or ");
    ScriptTask task;
    if (duration > 0) task.kind = TaskKind::kCopy;
    task.work = Time(duration * 1000);
    tasks_.push_back(task);
    units_.push_back({.cpu = cpu});
  }

  void parse_wish(std::string_view after, Scanner::Offset at) {
    const bool is_begun_enough = in_.accept_word("irequires");
    if (!is_begun_enough && !in_.accept_word("requires"))
      return in_.fail_expecting("`:`, `requires` or `irequires`");
    const Scanner::Offset before_at = in_.next_token();
    const std::string_view before = in_.word();
    if (before.empty()) return in_.fail_expecting("a label");
    in_.expect_line_end("");
    wishes_.push_back({after, before, at, before_at, is_begun_enough});
  }

  std::uint32_t task_named(std::string_view name, Scanner::Offset at) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    in_.fail(at, fmt::format("rank {} has no label `{}`: expected one of its own", rank_, name));
    return 0;
  }

  void finish_rank() {
    std::vector<Requirement> requirements;
    for (const Wish& wish : wishes_) {
      const std::uint32_t after = task_named(wish.after, wish.after_at);
      const std::uint32_t before = task_named(wish.before, wish.before_at);
      if (in_.failed()) return;
      // A recv begins on no processor.
      const bool is_elsewhere =
          units_[before].cpu != units_[after].cpu && tasks_[before].kind != TaskKind::kRecv;
      requirements.push_back({before, after, wish.is_begun_enough, is_elsewhere});
    }
    GoalOrder order = order_of(tasks_.size(), std::move(requirements));
    if (!order.circle.empty()) return in_.fail(at_[order.circle.front()], text_of(order.circle));
    Part& part = parts_[static_cast<std::size_t>(rank_)];
    std::vector<Scanner::Offset>& places = places_[static_cast<std::size_t>(rank_)];
    part.tasks.reserve(order.tasks.size() + order.joins.size());
    places.reserve(order.tasks.size());
    for (const std::uint32_t task : order.tasks) {
      part.tasks.push_back(tasks_[task]);
      part.units.push_back(units_[task]);
      places.push_back(at_[task]);
    }
    part.tasks.resize(part.tasks.size() + order.joins.size());
    for (const std::uint32_t task : order.joins) part.units.push_back({.cpu = part.units[task].cpu});
    if (std::all_of(part.units.begin(), part.units.end(), [](Units one) { return one == Units{}; }))
      part.units = {};
    part.edges = std::move(order.edges);
    part.begun = std::move(order.begun);
  }

  std::string text_of(const std::vector<std::uint32_t>& circle) const {
    constexpr std::size_t kMostNamed = 8;
    std::string text = fmt::format("`{}`", names_[circle.front()]);
    for (std::size_t i = 1; i <= circle.size(); ++i) {
      if (i == kMostNamed && i < circle.size()) {
        text += fmt::format(" and so on over {} more", circle.size() - i);
        i = circle.size();
      }
      text += fmt::format(" requires `{}`", names_[circle[i % circle.size()]]);
    }
    return fmt::format("in rank {} {}, so that none of them ever begins: expected no circle", rank_, text);
  }

  Scanner in_;
  std::vector<Part> parts_;
  std::vector<std::vector<Scanner::Offset>> places_;  // by rank and task
  std::vector<bool> is_there_;
  GoalLabels labels_;

  // The rank that is being read, and for each of its tasks, in the order of the text, what is known of it.
  std::int64_t rank_ = 0;
  std::vector<ScriptTask> tasks_;
  std::vector<Units> units_;
  std::vector<std::string_view> names_;  // empty: it has none
  std::vector<Scanner::Offset> at_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<Wish> wishes_;
};

// Its line from there on, without comments.
std::string statement_at(std::string_view text, Scanner::Offset begin) {
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  std::string statement;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    if (rest.starts_with("#") || rest.starts_with("//")) break;
    if (rest.starts_with("/*")) {
      const std::size_t end = line.find("*/", at + 2);
      if (end == std::string_view::npos) break;
      at = end + 1;
    } else {
      statement += line[at];
    }
  }
  statement.erase(statement.find_last_not_of(" \t\r") + 1);
  return statement;
}

}  // namespace

Result<GoalProgram> parse_goal(std::string_view text) { return Parser(text).all(); }

Scripts scripts_of(GoalProgram program, std::string text, std::string file) {
  const int ranks = static_cast<int>(program.parts.size());
  const auto shared = std::make_shared<const GoalProgram>(std::move(program));
  Scripts scripts(ranks, [shared](int rank) { return shared->parts[static_cast<std::size_t>(rank)]; });
  scripts.set_task_names(
      [shared, text = std::move(text), file = std::move(file)](int rank, std::uint32_t task) {
        const std::vector<std::size_t>& places = shared->places[static_cast<std::size_t>(rank)];
        if (task >= places.size()) return fmt::format("{}, rank {},", file, rank);
        return fmt::format("{}, {}, `{}`,", file, line_and_column(text, places[task]),
                           statement_at(text, places[task]));
      });
  return scripts;
}

}  // namespace weft::simulator
