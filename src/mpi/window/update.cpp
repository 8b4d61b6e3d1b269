// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/update.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "mpi/arguments/reduction.hpp"
#include "mpi/arguments/type_contents.hpp"
#include "mpi/engine/waits.hpp"
#include "mpi/host/progress.hpp"
#include "mpi/window/transfer.hpp"

namespace weft::mpi::window {
namespace {

int combine(const Data& left, const Data& there, MPI_Op op) {
  const AsArray right(there, left);
  if (right.code() != MPI_SUCCESS) return right.code();
  const MPI_Count count = std::min(left.count, right.array().count);
  const Bytes extent(left.facts.extent);
  const int code = reduce_by_host(left.at, right.array().at, extent * count, left.type, extent, op);
  return code != MPI_SUCCESS ? code : right.write();
}

int compare_and_swap(const Access& access) {
  const auto size = static_cast<std::size_t>(access.there.facts.size);
  std::memcpy(access.result.at, access.there.at, size);
  if (std::memcmp(access.there.at, access.compared, size) == 0)
    std::memcpy(access.there.at, access.origin.at, size);
  return MPI_SUCCESS;
}

}  // namespace

Data one_basic(MPI_Datatype type) {
  if (!is_given_by_mpi(type)) {
    const TypeContents contents(type);
    return one_basic(contents.types.empty() ? MPI_BYTE : contents.types.front());
  }
  Data one{nullptr, 1, type};
  learn_facts({&one});
  return one;
}

AsArray::AsArray(const Data& data, const Data& basic)
    : data_(data),
      array_{nullptr, data.count == 0 ? 0 : data.bytes() / Bytes(basic.facts.size), basic.type, basic.facts} {
  if (data.type == basic.type) {
    array_.at = data.at;
    return;
  }
  array_.at = copy_.get(static_cast<std::size_t>(array_.count * basic.facts.extent));
  code_ = copy(data, array_);
}

int reduce_by_host(const std::byte* left, std::byte* into, Bytes bytes, MPI_Datatype basic, Bytes extent,
                   MPI_Op op) {
  const Reduction reduction{.op = op, .type = basic, .extent = extent};
  Reduction::apply(left, into, bytes, &reduction);
  return reduction.error;
}

int update(Window& window, const Access& access) {
  // All that may take the engine's lock comes before: who has that may wait for the agent, and that for this.
  const bool combines =
      access.kind != Kind::kCompareAndSwap && access.op != MPI_NO_OP && access.op != MPI_REPLACE;
  std::optional<AsArray> left;
  if (combines) {
    left.emplace(access.origin, one_basic(access.there.type));
    if (left->code() != MPI_SUCCESS) return left->code();
  }
  Backoff backoff;
  const Updating updating(window, access.target, [&] {
    drive_host_now_and_then(backoff.is_slow());
    backoff.pause();
    return some_ended(window.world_ranks);
  });
  if (!updating.is_mine()) return MPI_ERR_OTHER;
  if (access.kind == Kind::kCompareAndSwap) return compare_and_swap(access);
  if (access.kind == Kind::kFetch)
    if (const int code = copy(access.there, access.result); code != MPI_SUCCESS) return code;
  if (access.op == MPI_REPLACE) return copy(access.origin, access.there);
  return combines ? combine(left->array(), access.there, access.op) : MPI_SUCCESS;
}

}  // namespace weft::mpi::window
