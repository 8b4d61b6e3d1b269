// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/rank_set.hpp"

#include <algorithm>

namespace weft::verifier {

int RankSet::size() const {
  int ranks = 0;
  for (const Run& run : runs_) ranks += run.end - run.begin;
  return ranks;
}

bool RankSet::contains(Rank rank) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const Run& run) { return run.begin <= rank.value && rank.value < run.end; });
}

void RankSet::insert(const RankSet& other) {
  if (other.empty() || *this == other) return;
  std::vector<Run> all(runs_.size() + other.runs_.size());
  std::merge(runs_.begin(), runs_.end(), other.runs_.begin(), other.runs_.end(), all.begin(),
             [](const Run& a, const Run& b) { return a.begin < b.begin; });
  runs_.clear();
  for (const Run& run : all) {
    if (!runs_.empty() && run.begin <= runs_.back().end)
      runs_.back().end = std::max(runs_.back().end, run.end);
    else runs_.push_back(run);
  }
}

int RankSet::first_missing(int rank_count) const {
  if (runs_.empty() || runs_.front().begin > 0) return 0;
  return std::min(runs_.front().end, rank_count);
}

std::string RankSet::text() const {
  if (runs_.empty()) return "-";
  std::string list;
  for (const Run& run : runs_) {
    if (!list.empty()) list += ',';
    list += std::to_string(run.begin);
    if (run.end - run.begin == 2 && runs_.size() > 1) list += ',' + std::to_string(run.end - 1);
    else if (run.end - run.begin > 1) list += '-' + std::to_string(run.end - 1);
  }
  return runs_.size() == 1 ? list : '{' + list + '}';
}

}  // namespace weft::verifier
