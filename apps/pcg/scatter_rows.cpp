// SPDX-License-Identifier: BSD-3-Clause
#include "scatter_rows.hpp"

#include <climits>
#include <fmt/format.h>
#include <limits>

#include "verdict.hpp"

namespace pcg {
namespace {

constexpr int kTag = 0;

/// First row of `rank`; the first (rows mod ranks) ranks have one row more.
HYPRE_BigInt first_row_of(int rank, HYPRE_BigInt rows, int rank_count) {
  const HYPRE_BigInt extra = rows % rank_count;
  return rank * (rows / rank_count) + std::min<HYPRE_BigInt>(rank, extra);
}

void require_size(const MatrixFile& file, int rank_count) {
  const std::int64_t rows = file.rows;
  const auto entries = static_cast<std::int64_t>(file.entries.size());
  if (rows > std::numeric_limits<HYPRE_BigInt>::max() || entries > INT_MAX)
    throw app::BadInput(
        fmt::format("{}: {} rows with {} entries are more than this program's integers can count ({}); use a "
                    "smaller matrix",
                    file.path, rows, entries, INT_MAX));
  if (rows < rank_count)
    throw app::BadInput(
        fmt::format("{}: the matrix has {} rows, fewer than the {} ranks; start at most {} ranks", file.path,
                    rows, rank_count, rows));
}

/// Rows [first, end), cut out of the file; `position` walks along its entries.
RowBlock cut_block(const MatrixFile& file, HYPRE_BigInt first, HYPRE_BigInt end, std::size_t& position) {
  RowBlock block;
  block.global_rows = static_cast<HYPRE_BigInt>(file.rows);
  block.first_row = first;
  block.row_sizes.assign(end - first, 0);
  for (; position < file.entries.size() && file.entries[position].row < end; ++position) {
    const MatrixEntry& entry = file.entries[position];
    ++block.row_sizes[entry.row - first];
    block.columns.push_back(static_cast<HYPRE_BigInt>(entry.column));
    block.values.push_back(entry.value);
  }
  return block;
}

void send_block(const RowBlock& block, int to, MPI_Comm communicator) {
  HYPRE_BigInt sizes[4] = {block.global_rows, block.first_row, block.row_count(),
                           static_cast<HYPRE_BigInt>(block.values.size())};
  MPI_Send(sizes, 4, HYPRE_MPI_BIG_INT, to, kTag, communicator);
  MPI_Send(block.row_sizes.data(), static_cast<int>(sizes[2]), HYPRE_MPI_INT, to, kTag, communicator);
  MPI_Send(block.columns.data(), static_cast<int>(sizes[3]), HYPRE_MPI_BIG_INT, to, kTag, communicator);
  MPI_Send(block.values.data(), static_cast<int>(sizes[3]), MPI_DOUBLE, to, kTag, communicator);
}

RowBlock receive_block(MPI_Comm communicator) {
  HYPRE_BigInt sizes[4];
  MPI_Recv(sizes, 4, HYPRE_MPI_BIG_INT, 0, kTag, communicator, MPI_STATUS_IGNORE);
  RowBlock block;
  block.global_rows = sizes[0];
  block.first_row = sizes[1];
  block.row_sizes.resize(sizes[2]);
  block.columns.resize(sizes[3]);
  block.values.resize(sizes[3]);
  MPI_Recv(block.row_sizes.data(), static_cast<int>(sizes[2]), HYPRE_MPI_INT, 0, kTag, communicator,
           MPI_STATUS_IGNORE);
  MPI_Recv(block.columns.data(), static_cast<int>(sizes[3]), HYPRE_MPI_BIG_INT, 0, kTag, communicator,
           MPI_STATUS_IGNORE);
  MPI_Recv(block.values.data(), static_cast<int>(sizes[3]), MPI_DOUBLE, 0, kTag, communicator,
           MPI_STATUS_IGNORE);
  return block;
}

}  // namespace

RowBlock scatter_rows(const MatrixFile& file, MPI_Comm communicator) {
  int rank = 0;
  int rank_count = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &rank_count);
  app::together(communicator, [&] {
    if (rank == 0) require_size(file, rank_count);
  });
  if (rank != 0) return receive_block(communicator);

  const auto rows = static_cast<HYPRE_BigInt>(file.rows);
  std::size_t position = 0;
  RowBlock own = cut_block(file, 0, first_row_of(1, rows, rank_count), position);
  for (int to = 1; to < rank_count; ++to)
    send_block(
        cut_block(file, first_row_of(to, rows, rank_count), first_row_of(to + 1, rows, rank_count), position),
        to, communicator);
  return own;
}

}  // namespace pcg
