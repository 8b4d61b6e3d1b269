// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/layout.hpp"

#include <fmt/format.h>

namespace weft::simulator {

Result<Layout> Layout::make(std::string_view kind, int size, int ranks) {
  Layout layout;
  layout.ranks_ = ranks;
  layout.size_ = size;
  if (ranks < 1) return Error{fmt::format("a program of {} ranks: at least 1 is needed", ranks)};
  if (kind == "all") {
    layout.members_ = ranks;
    return layout;
  }
  if (size < 1 || ranks % size != 0)
    return Error{fmt::format("{} of {} among {} ranks: choose a size that divides them", kind, size, ranks)};
  if (kind == "blocks") layout.kind_ = Kind::kBlocks;
  else if (kind == "columns") layout.kind_ = Kind::kColumns;
  else if (kind == "leaders") layout.kind_ = Kind::kLeaders;
  else return Error{fmt::format("there is no layout \"{}\": choose all, blocks, columns or leaders", kind)};
  layout.members_ = layout.kind_ == Kind::kBlocks ? size : ranks / size;
  return layout;
}

std::optional<int> Layout::member_of(int rank) const {
  switch (kind_) {
    case Kind::kAll: return rank;
    case Kind::kBlocks: return rank % size_;
    case Kind::kColumns: return rank / size_;
    case Kind::kLeaders: return rank % size_ == 0 ? std::optional(rank / size_) : std::nullopt;
  }
  return std::nullopt;
}

int Layout::rank_of(int member, int beside) const {
  switch (kind_) {
    case Kind::kAll: return member;
    case Kind::kBlocks: return beside - beside % size_ + member;
    case Kind::kColumns:
    case Kind::kLeaders: return member * size_ + beside % size_;
  }
  return member;
}

Part Layout::part_of(int rank, const std::function<Part(int member)>& part) const {
  const auto member = member_of(rank);
  if (!member) return {};
  Part own = part(*member);
  for (ScriptTask& task : own.tasks)
    if (is_message(task.kind)) task.peer = rank_of(task.peer, rank);
  for (ScriptStep& step : own.steps)
    for (std::int32_t& other : step.members) other = rank_of(other, rank);
  return own;
}

}  // namespace weft::simulator
