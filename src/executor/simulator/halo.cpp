// SPDX-License-Identifier: BSD-3-Clause
#include "executor/simulator/halo.hpp"

#include <fmt/format.h>
#include <utility>

namespace weft::simulator {

Result<Halo> Halo::make(std::vector<int> dims, std::vector<std::int64_t> bytes, bool periodic) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  if (dims.empty() || dims.size() != bytes.size())
    return Error{fmt::format("a grid of {} dimensions with {} sizes of faces: give one size for each",
                             dims.size(), bytes.size())};
  std::int64_t ranks = 1;
  for (const int dim : dims) {
    if (dim < 1 || (ranks *= dim) > kMost)
      return Error{
          fmt::format("a grid with {} ranks along one side: from 1 on, and up to {} altogether", dim, kMost)};
  }
  for (const std::int64_t face : bytes)
    if (face < 0 || face > (std::int64_t{1} << 40))
      return Error{fmt::format("a face of {} bytes: from 0 to 2^40", face)};
  Halo halo;
  halo.dims_ = std::move(dims);
  halo.bytes_ = std::move(bytes);
  halo.periodic_ = periodic;
  halo.rank_count_ = static_cast<int>(ranks);
  return halo;
}

// A message is known by the way it goes: two in a dimension.
Part Halo::part_of(int rank) const {
  Part part;
  int stride = rank_count_;
  const auto add = [&](TaskKind kind, int peer, std::uint32_t way, std::size_t dim) {
    ScriptTask task;
    task.kind = kind;
    task.peer = peer;
    task.label = way;
    task.size = Bytes(bytes_[dim]);
    part.tasks.push_back(task);
  };
  std::vector<std::pair<int, int>> neighbours;  // before and behind, or -1
  for (const int dim : dims_) {
    stride /= dim;
    const int place = rank / stride % dim;
    const int before = place > 0 ? rank - stride : periodic_ ? rank + stride * (dim - 1) : -1;
    const int behind = place < dim - 1 ? rank + stride : periodic_ ? rank - stride * (dim - 1) : -1;
    neighbours.emplace_back(dim > 1 ? before : -1, dim > 1 ? behind : -1);
  }
  for (const TaskKind kind : {TaskKind::kRecv, TaskKind::kSend})
    for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
      const auto way = static_cast<std::uint32_t>(2 * dim);
      const auto& [before, behind] = neighbours[dim];
      const bool sends = kind == TaskKind::kSend;
      if (before >= 0) add(kind, before, sends ? way : way + 1, dim);
      if (behind >= 0) add(kind, behind, sends ? way + 1 : way, dim);
    }
  return part;
}

}  // namespace weft::simulator
