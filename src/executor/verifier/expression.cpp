// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/expression.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace weft::verifier {

Expressions::Expressions() : terms_(2) {}

Expressions::Id Expressions::leaf(Rank rank) {
  const auto place = static_cast<std::size_t>(rank.value);
  if (place >= leaves_.size()) leaves_.resize(place + 1, kUndefined);
  if (leaves_[place] == kUndefined) {
    leaves_[place] = static_cast<Id>(terms_.size());
    terms_.push_back({.first = rank, .last = rank, .in_rank_order = true, .leaf_count = 1});
  }
  return leaves_[place];
}

Expressions::Id Expressions::combine(Id left, Id right) {
  if (!is_value(left) || !is_value(right)) return kSpoiled;
  const auto [at, is_new] =
      combined_.try_emplace(std::uint64_t{left} << 32 | right, static_cast<Id>(terms_.size()));
  if (!is_new) return at->second;
  const Term& l = terms_[left];
  const Term& r = terms_[right];
  constexpr std::int64_t kMany = std::int64_t{1} << 40;  // doubling a value again and again must not overflow
  terms_.push_back({.left = left,
                    .right = right,
                    .first = std::min(l.first, r.first),
                    .last = std::max(l.last, r.last),
                    .in_rank_order = l.in_rank_order && r.in_rank_order && l.last.value + 1 == r.first.value,
                    .leaf_count = std::min(kMany, l.leaf_count + r.leaf_count)});
  return at->second;
}

// Visits the leaves in order. It has a stack of its own, because a chain over all ranks is as deep as it has
// ranks.
template <class Visit>
void Expressions::for_leaves(Id id, std::int64_t limit, Visit visit) const {
  std::vector<Id> open{id};
  while (!open.empty() && limit > 0) {
    const Id top = open.back();
    open.pop_back();
    if (!is_value(top)) continue;
    if (is_leaf(top)) {
      visit(terms_[top].first);
      --limit;
    } else {
      open.push_back(terms_[top].right);
      open.push_back(terms_[top].left);
    }
  }
}

std::vector<int> Expressions::occurrences(Id id, int rank_count, std::int64_t limit) const {
  const int ranks = std::max(rank_count, last(id).value + 1);
  std::vector<int> times(static_cast<std::size_t>(ranks), 0);
  for_leaves(id, limit, [&](Rank rank) { ++times[static_cast<std::size_t>(rank.value)]; });
  return times;
}

RankSet Expressions::ranks(Id id) const {
  std::set<Rank> found;
  std::set<Id> seen;
  std::vector<Id> open{id};
  while (!open.empty()) {
    const Id top = open.back();
    open.pop_back();
    if (!is_value(top) || !seen.insert(top).second) continue;
    const Term& term = terms_[top];
    if (term.in_rank_order)
      for (Rank rank = term.first; rank <= term.last; ++rank.value) found.insert(rank);
    else open.insert(open.end(), {term.left, term.right});
  }
  RankSet set;
  for (const Rank rank : found) set.insert(rank);
  return set;
}

std::string Expressions::text(Id id) const {
  if (!is_value(id)) return id == kUndefined ? "nothing" : "?";
  constexpr std::int64_t kInFull = 64;
  constexpr std::int64_t kShortened = 16;
  return text(id, terms_[id].leaf_count <= kInFull ? kInFull : kShortened);
}

// At most `parts` parts are written; a subtree that gets only one becomes "(0..31)".
std::string Expressions::text(Id id, std::int64_t parts) const {
  const Term& term = terms_[id];
  if (is_leaf(id)) return std::to_string(term.first.value);
  if (parts <= 1) {
    if (!term.in_rank_order) return '(' + std::to_string(term.leaf_count) + " contributions)";
    return '(' + std::to_string(term.first.value) + ".." + std::to_string(term.last.value) + ')';
  }
  const double left_part =
      static_cast<double>(terms_[term.left].leaf_count) / static_cast<double>(term.leaf_count);
  const auto left = std::clamp(std::llround(left_part * static_cast<double>(parts)), 1LL, parts - 1LL);
  return '(' + text(term.left, left) + '+' + text(term.right, parts - left) + ')';
}

}  // namespace weft::verifier
