// SPDX-License-Identifier: BSD-3-Clause
#include "feed.hpp"

#include <algorithm>

#include "verdict.hpp"

namespace compress {

Feed::Feed(Input& input, const Options& options, MPI_Comm communicator, Times& times)
    : input_(input),
      communicator_(communicator),
      times_(times),
      exchange_(options.exchange),
      block_bytes_(options.block_bytes),
      ahead_(options.exchange == Exchange::kBlocking ? 0 : options.depth + 1) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &rank_count_);
  rounds_.resize(static_cast<std::size_t>(ahead_) + 1);
  for (Round& round : rounds_) {
    round.own.resize(block_bytes_);
    if (!input_.is_stream()) continue;
    round.counts.resize(static_cast<std::size_t>(rank_count_));
    round.offsets.resize(static_cast<std::size_t>(rank_count_));
    if (rank_ == 0) round.all.resize(block_bytes_ * static_cast<std::uint64_t>(rank_count_));
  }
}

bool Feed::next(std::span<const std::uint8_t>& block) {
  const std::int64_t k = taken_++;
  const std::int64_t last = std::min(2 * k + 1, k + ahead_);
  while (ordered_ <= std::max(last, k)) order(ordered_++);
  while (scattered_ <= std::max(last - 1, k)) scatter(scattered_++);
  Round& now = round(k);
  wait(now.ordering);
  if (now.bytes == 0) {
    for (Round& rest : rounds_) wait(rest.ordering);
    return false;
  }
  wait(now.scattering);
  if (!input_.is_stream()) read_own(now, k);
  block = std::span(now.own).first(problem_.empty() ? bytes_of(now, rank_) : 0);
  return true;
}

std::uint64_t Feed::bytes_of(const Round& round, int rank) const {
  const std::uint64_t before = block_bytes_ * static_cast<std::uint64_t>(rank);
  return round.bytes <= before ? 0 : std::min(block_bytes_, round.bytes - before);
}

/// Rank 0, and all ranks where the length of a file is known and nobody says when to stop.
std::uint64_t Feed::read_round(Round& round, std::int64_t number) {
  if (stopped_ || !problem_.empty()) return 0;
  const std::uint64_t most = block_bytes_ * static_cast<std::uint64_t>(rank_count_);
  if (!input_.is_stream()) {
    const std::uint64_t before = most * static_cast<std::uint64_t>(number);
    return before >= input_.bytes() ? 0 : std::min(most, input_.bytes() - before);
  }
  Timed timed(times_.reading);
  try {
    const std::uint64_t bytes = input_.read(round.all);
    stopped_ = bytes < most;
    return bytes;
  } catch (const app::BadInput& error) {
    problem_ = error.what();
    return 0;
  }
}

void Feed::order(std::int64_t number) {
  Round& next = round(number);
  const bool everybody_knows = exchange_ == Exchange::kSkipped && !input_.is_stream();
  if (rank_ == 0 || everybody_knows) next.bytes = read_round(next, number);
  if (everybody_knows) return;
  Timed timed(times_.waiting);
  if (exchange_ == Exchange::kBlocking) MPI_Bcast(&next.bytes, 1, MPI_UINT64_T, 0, communicator_);
  else MPI_Ibcast(&next.bytes, 1, MPI_UINT64_T, 0, communicator_, &next.ordering);
}

void Feed::scatter(std::int64_t number) {
  if (!input_.is_stream()) return;
  Round& next = round(number);
  wait(next.ordering);
  if (next.bytes == 0) return;
  for (int rank = 0; rank < rank_count_; ++rank) {
    next.counts[static_cast<std::size_t>(rank)] = static_cast<int>(bytes_of(next, rank));
    next.offsets[static_cast<std::size_t>(rank)] =
        static_cast<int>(block_bytes_ * static_cast<std::uint64_t>(rank));
  }
  const int own = next.counts[static_cast<std::size_t>(rank_)];
  Timed timed(times_.waiting);
  if (exchange_ == Exchange::kBlocking)
    MPI_Scatterv(next.all.data(), next.counts.data(), next.offsets.data(), MPI_BYTE, next.own.data(), own,
                 MPI_BYTE, 0, communicator_);
  else
    MPI_Iscatterv(next.all.data(), next.counts.data(), next.offsets.data(), MPI_BYTE, next.own.data(), own,
                  MPI_BYTE, 0, communicator_, &next.scattering);
}

void Feed::read_own(Round& round, std::int64_t number) {
  const std::uint64_t blocks_before =
      static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(rank_count_) +
      static_cast<std::uint64_t>(rank_);
  Timed timed(times_.reading);
  try {
    input_.read_at(block_bytes_ * blocks_before, std::span(round.own).first(bytes_of(round, rank_)));
  } catch (const app::BadInput& error) { problem_ = error.what(); }
}

void Feed::wait(MPI_Request& request) {
  Timed timed(times_.waiting);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace compress
