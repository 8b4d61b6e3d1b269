// SPDX-License-Identifier: BSD-3-Clause
#include "executor/verifier/memory.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace weft::verifier {

Memory::Memory(Bytes size) : size_(size) {
  if (size > Bytes(0)) runs_[Bytes(0)] = {size, {}};
}

// What lies behind `offset` becomes a run of its own.
Memory::Runs::iterator Memory::cut(Runs::iterator at, Bytes offset) {
  const Tail tail = at->second;
  at->second.end = offset;
  return runs_.emplace_hint(std::next(at), offset, tail);
}

void Memory::assign(Bytes begin, Bytes end, Value value) {
  assert(Bytes(0) <= begin && begin <= end && end <= size_);
  if (begin == end) return;
  if (!Expressions::is_value(value.what)) value.shift = Bytes(0);
  auto first = std::prev(runs_.upper_bound(begin));
  if (first->first < begin) first = cut(first, begin);
  auto last = first;  // that is no part of it any more
  for (; last != runs_.end() && last->first < end; ++last)
    if (last->second.end > end) cut(last, end);
  if (last != runs_.end() && last->second.value == value) {
    end = last->second.end;
    ++last;
  }
  runs_.erase(std::next(first), last);
  first->second = {end, value};
  if (first == runs_.begin()) return;
  const auto before = std::prev(first);
  if (before->second.value != value) return;
  before->second.end = end;
  runs_.erase(first);
}

void Memory::read(Bytes begin, Bytes end, std::vector<Run>& runs) const {
  assert(Bytes(0) <= begin && begin <= end && end <= size_);
  if (begin == end) return;
  for (auto at = std::prev(runs_.upper_bound(begin)); at != runs_.end() && at->first < end; ++at)
    runs.push_back({std::max(begin, at->first), std::min(end, at->second.end), at->second.value});
}

std::vector<Run> Memory::runs() const {
  std::vector<Run> all;
  read(Bytes(0), size_, all);
  return all;
}

}  // namespace weft::verifier
