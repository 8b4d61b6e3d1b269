// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/update.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/arguments/reduction.hpp"
#include "mpi/arguments/type_contents.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/progress.hpp"
#include "mpi/window/transfer.hpp"

namespace weft::mpi::window {
namespace {

MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return size;
}

int combine(const Data& origin, const Data& there, MPI_Op op) {
  const MPI_Datatype basic = basic_of(there.type);
  const AsArray left(origin, basic), right(there, basic);
  if (left.code() != MPI_SUCCESS) return left.code();
  if (right.code() != MPI_SUCCESS) return right.code();
  const MPI_Count count = std::min(left.array().count, right.array().count);
  const int code = reduce_by_host(left.array().at, right.array().at, count, basic, op);
  return code != MPI_SUCCESS ? code : right.write();
}

int compare_and_swap(const Access& access) {
  const auto size = static_cast<std::size_t>(size_of(access.there.type));
  std::memcpy(access.result.at, access.there.at, size);
  if (std::memcmp(access.there.at, access.compared, size) == 0)
    std::memcpy(access.there.at, access.origin.at, size);
  return MPI_SUCCESS;
}

}  // namespace

MPI_Datatype basic_of(MPI_Datatype type) {
  if (is_given_by_mpi(type)) return type;
  const TypeContents contents(type);
  return contents.types.empty() ? MPI_BYTE : basic_of(contents.types.front());
}

MPI_Count extent_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  return extent;
}

AsArray::AsArray(const Data& data, MPI_Datatype basic)
    : data_(data),
      array_{nullptr, data.count == 0 ? 0 : data.count * size_of(data.type) / size_of(basic), basic} {
  if (data.type == basic) {
    array_.at = data.at;
    return;
  }
  array_.at = copy_.get(static_cast<std::size_t>(array_.count * extent_of(basic)));
  code_ = copy(data, array_);
}

int reduce_by_host(const std::byte* left, std::byte* into, MPI_Count count, MPI_Datatype basic, MPI_Op op) {
  const Reduction reduction{.op = op, .type = basic, .extent = Bytes(extent_of(basic))};
  Reduction::apply(left, into, reduction.extent * count, &reduction);
  return reduction.error;
}

int update(Window& window, const Access& access) {
  Backoff backoff;
  const Updating updating(window, access.target, [&] {
    drive_host_now_and_then(backoff.yields());
    backoff.pause();
    return some_ended(window.world_ranks);
  });
  if (!updating.is_mine()) return MPI_ERR_OTHER;
  if (access.kind == Kind::kCompareAndSwap) return compare_and_swap(access);
  if (access.kind == Kind::kFetch)
    if (const int code = copy(access.there, access.result); code != MPI_SUCCESS) return code;
  if (access.op == MPI_NO_OP) return MPI_SUCCESS;
  if (access.op == MPI_REPLACE) return copy(access.origin, access.there);
  return combine(access.origin, access.there, access.op);
}

}  // namespace weft::mpi::window
