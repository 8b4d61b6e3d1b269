// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/result.hpp"

#include <algorithm>
#include <unordered_map>

#include "executor/verifier/checks.hpp"
#include "schedule/describe.hpp"

namespace weft::verifier {
namespace {

// Each of first..last exactly once? Walks the tree only where the order does not tell already.
bool has_each_once(const Expressions& expressions, Expressions::Id id, Rank first, Rank last) {
  const std::int64_t count = last.value - first.value + 1;
  if (expressions.leaf_count(id) != count || expressions.first(id) != first || expressions.last(id) != last)
    return false;
  if (expressions.in_rank_order(id)) return true;
  const std::vector<int> times = expressions.occurrences(id, last.value + 1, count);
  return std::all_of(times.begin() + first.value, times.end(), [](int n) { return n == 1; });
}

std::string what_is_wrong(const Expressions& expressions, Expressions::Id id, Rank first, Rank last) {
  constexpr std::int64_t kEnough = 1 << 20;
  const std::vector<int> times = expressions.occurrences(id, last.value + 1, kEnough);
  for (int rank = first.value; rank <= last.value; ++rank) {
    const int n = times[static_cast<std::size_t>(rank)];
    if (n == 0) return fmt::format("rank {}'s contribution is missing", rank);
    if (n > 1) return fmt::format("rank {}'s contribution is in it {} times", rank, n);
  }
  return "another rank's contribution is in it";
}

class ResultCheck {
 public:
  ResultCheck(const Simulation& run, const Pairing& pairing, Findings& findings)
      : simulation_(run), expressions_(run.expressions()), pairing_(pairing), findings_(findings) {}

  void check(const Schedule& schedule) {
    const Oracle& oracle = oracle_of(schedule.call.collective);
    if (oracle.waits_for_all) check_entries(schedule);
    const bool first_holder = bracket_.empty();
    // Only in an allreduce do several ranks hold the same combination.
    const bool is_shared = schedule.call.collective == Collective::kAllreduce;
    const std::vector<Piece> pieces = oracle.result(participant_of(schedule), pairing_);
    check_rest(schedule, pieces);
    for (const Piece& piece : pieces) {
      runs_.clear();
      simulation_.memory(schedule.self, kOutput).read(piece.offset, piece.offset + piece.size, runs_);
      for (const Run& run : runs_) {
        if (!check_run(schedule, piece, run) || !is_shared) continue;
        if (first_holder) bracket_.push_back({run, schedule.self});
        else compare_bracket(schedule, run);
      }
    }
  }

 private:
  struct Reference {
    Run run;
    Rank rank;
  };

  void check_entries(const Schedule& schedule) {
    const int missing = simulation_.entered(schedule.self).first_missing(schedule.call.rank_count);
    if (missing < schedule.call.rank_count)
      findings_.add(Rule::kWrongResult, schedule.self, {},
                    "may leave the barrier before rank {} has entered it: no "
                    "chain of messages leads from there; it knows of {}",
                    missing, simulation_.entered(schedule.self).text());
  }

  // Nothing may be written where no piece of the result lies: between the blocks of a v form, say, the output
  // is the caller's.
  void check_rest(const Schedule& schedule, std::vector<Piece> pieces) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    Bytes end;
    for (const Piece& piece : pieces) {
      check_untouched(schedule, end, piece.offset);
      end = std::max(end, piece.offset + piece.size);
    }
    check_untouched(schedule, end, schedule.buffers[kOutput.value].size);
  }

  void check_untouched(const Schedule& schedule, Bytes begin, Bytes end) {
    if (begin >= end) return;
    const Place own = oracle_of(schedule.call.collective).contribution(participant_of(schedule));
    runs_.clear();
    simulation_.memory(schedule.self, kOutput).read(begin, end, runs_);
    for (const Run& run : runs_) {
      const Expressions::Id what = run.value.what;
      if (!Expressions::is_value(what)) continue;  // nobody wrote it, or the cause is reported
      const bool is_own = own.in_output && expressions_.is_leaf(what) &&
                          expressions_.first(what) == schedule.self &&
                          run.value.shift == Bytes(0) - own.offset;
      if (is_own) continue;
      findings_.add(Rule::kWrongResult, schedule.self, {},
                    "{} holds {}, but is no part of the result: it must stay as it was", place(schedule, run),
                    expressions_.text(what));
    }
  }

  bool check_run(const Schedule& schedule, const Piece& piece, const Run& run) {
    if (run.value.what == Expressions::kSpoiled) return false;  // its cause is reported
    const bool in_order_needed = !schedule.call.commutative && is_reduction(schedule.call.collective);
    if (!is_required_memoized(piece, run)) {
      report_wrong(schedule, piece, run);
      return false;
    }
    if (!in_order_needed || expressions_.in_rank_order(run.value.what)) return true;
    findings_.add(Rule::kOrderBroken, schedule.self, {},
                  "{} is {}; the operator does not commute, so operands must "
                  "stay in rank order",
                  place(schedule, run), expressions_.text(run.value.what));
    return true;
  }

  void report_wrong(const Schedule& schedule, const Piece& piece, const Run& run) {
    const Bytes from = piece.from + run.begin - piece.offset;
    const std::string wanted =
        piece.first == piece.last
            ? fmt::format("bytes from {} of rank {}'s contribution", from.value, piece.first.value)
            : fmt::format("bytes from {} of all contributions of ranks {} to {}, combined", from.value,
                          piece.first.value, piece.last.value);
    if (run.value.what == Expressions::kUndefined) {
      findings_.add(Rule::kWrongResult, schedule.self, {}, "{} is never written; it must become {}",
                    place(schedule, run), wanted);
      return;
    }
    const bool right_ranks = has_each_once(expressions_, run.value.what, piece.first, piece.last);
    findings_.add(Rule::kWrongResult, schedule.self, {},
                  "{} holds bytes from {} of {}; it must become {}{}{}", place(schedule, run),
                  (run.begin + run.value.shift).value, expressions_.text(run.value.what), wanted,
                  right_ranks ? "" : ": ",
                  right_ranks ? "" : what_is_wrong(expressions_, run.value.what, piece.first, piece.last));
  }

  // All ranks ask for the same few expressions, and of one call all pieces that combine begin at the same
  // rank.
  bool is_required_memoized(const Piece& piece, const Run& run) {
    if (piece.first == piece.last || !Expressions::is_value(run.value.what))
      return is_required(expressions_, piece, run);
    const auto [at, is_new] = complete_.try_emplace(static_cast<std::uint64_t>(run.value.what) << 32 |
                                                    static_cast<std::uint32_t>(piece.last.value));
    if (is_new) at->second = has_each_once(expressions_, run.value.what, piece.first, piece.last);
    return at->second && run.value.shift == piece.from - piece.offset;
  }

  void compare_bracket(const Schedule& schedule, const Run& run) {
    auto at = std::partition_point(bracket_.begin(), bracket_.end(),
                                   [&](const Reference& r) { return r.run.end <= run.begin; });
    for (; at != bracket_.end() && at->run.begin < run.end; ++at) {
      if (at->run.value.what == run.value.what) continue;
      findings_.add(Rule::kBracketDiffers, schedule.self, {},
                    "{} is evaluated as {}, but on rank {} as {}: all ranks "
                    "must combine an element alike, or their results differ in the last bits",
                    place(schedule, run), expressions_.text(run.value.what), at->rank.value,
                    expressions_.text(at->run.value.what));
      return;
    }
  }

  static std::string place(const Schedule& schedule, const Run& run) {
    return describe(schedule, Range{kOutput, run.begin, run.end - run.begin});
  }

  const Simulation& simulation_;
  const Expressions& expressions_;
  const Pairing& pairing_;
  Findings& findings_;
  std::vector<Reference> bracket_;  // of the first rank that holds a result, in the order of its bytes
  std::unordered_map<std::uint64_t, bool> complete_;  // by expression and last rank
  std::vector<Run> runs_;
};

}  // namespace

bool is_required(const Expressions& expressions, const Piece& piece, const Run& run) {
  return Expressions::is_value(run.value.what) && run.value.shift == piece.from - piece.offset &&
         has_each_once(expressions, run.value.what, piece.first, piece.last);
}

void check_results(std::span<const Schedule> schedules, const Simulation& run, Findings& findings) {
  const Pairing pairing = pairing_of(schedules);
  ResultCheck check(run, pairing, findings);
  for (const Schedule& schedule : schedules) check.check(schedule);
}

std::string bracket_of(std::span<const Schedule> schedules, const Simulation& run) {
  const Call& call = schedules.front().call;
  if (!is_reduction(call.collective) || call.bytes == Bytes(0)) return "";
  const bool is_scan = call.collective == Collective::kScan || call.collective == Collective::kExscan;
  const Rank holder = is_scan ? Rank(call.rank_count - 1) : call.root;
  const std::vector<Run> runs = run.memory(holder, kOutput).runs();
  return runs.empty() ? "" : run.expressions().text(runs.front().value.what);
}

}  // namespace weft::verifier
