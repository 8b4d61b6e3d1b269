// SPDX-License-Identifier: BSD-3-Clause
#include "dealer.hpp"

#include <algorithm>

#include "verdict.hpp"

namespace compress {
namespace {

// The counts and offsets of MPI_Iscatterv are ints, and so is a piece of more than this small.
constexpr std::size_t kRoundBytes = 256 << 20;

}  // namespace

Dealer::Dealer(const Options& options, Chain* chain, MPI_Comm communicator)
    : chain_(chain),
      communicator_(communicator),
      blocking_(options.exchange == Exchange::kBlocking),
      ahead_(blocking_ ? 0 : options.depth + 1),
      rounds_(static_cast<std::size_t>(ahead_) + 1) {
  if (chain_ == nullptr) return;
  int rank_count = 0;
  MPI_Comm_size(communicator, &rank_count);
  for (Round& round : rounds_) {
    round.orders.resize(static_cast<std::size_t>(rank_count));
    round.counts.resize(static_cast<std::size_t>(rank_count));
    round.offsets.resize(static_cast<std::size_t>(rank_count));
  }
}

bool Dealer::next(PieceOrder& own, std::span<const std::uint8_t>& piece) {
  const std::int64_t k = taken_++;
  const std::int64_t last = std::min(2 * k + 1, k + ahead_);
  while (ordered_ <= std::max(last, k)) order(round(ordered_++));
  while (scattered_ <= std::max(last - 1, k)) scatter(round(scattered_++));
  Round& now = round(k);
  if (now.order.last != 0) {
    for (Round& rest : rounds_) MPI_Wait(&rest.ordering, MPI_STATUS_IGNORE);
    return false;
  }
  MPI_Wait(&now.scattering, MPI_STATUS_IGNORE);
  own = now.order;
  piece = std::span(now.own).first(static_cast<std::size_t>(own.bytes));
  return true;
}

/// Rank 0. After a problem, and after the last piece, rounds are empty.
void Dealer::cut(Round& round) {
  round.all.clear();
  for (PieceOrder& order : round.orders) {
    order = {};
    try {
      const bool is_full = round.all.size() > kRoundBytes / 2;
      if (stopped_ || is_full || !chain_->cut(order)) order = {};
    } catch (const app::BadInput& error) {
      problem_ = error.what();
      stopped_ = true;
      order = {};
    }
    if (order.bytes == 0) {
      if (round.all.size() <= kRoundBytes / 2) stopped_ = true;
      continue;
    }
    const auto bytes = static_cast<std::size_t>(order.bytes);
    const auto from = chain_->window().from(order.first_bit / 8, bytes).first(bytes);
    round.all.insert(round.all.end(), from.begin(), from.end());
  }
  if (round.all.empty())
    for (PieceOrder& order : round.orders) order.last = 1;
}

void Dealer::order(Round& round) {
  if (chain_ != nullptr) cut(round);
  constexpr int kBytes = sizeof(PieceOrder);
  if (blocking_)
    MPI_Scatter(round.orders.data(), kBytes, MPI_BYTE, &round.order, kBytes, MPI_BYTE, 0, communicator_);
  else
    MPI_Iscatter(round.orders.data(), kBytes, MPI_BYTE, &round.order, kBytes, MPI_BYTE, 0, communicator_,
                 &round.ordering);
}

void Dealer::scatter(Round& round) {
  MPI_Wait(&round.ordering, MPI_STATUS_IGNORE);
  ended_ = ended_ || round.order.last != 0;
  if (ended_) return;
  const auto own = static_cast<std::size_t>(round.order.bytes);
  if (round.own.size() < own) round.own.resize(own);
  for (std::size_t rank = 0, offset = 0; rank < round.orders.size(); ++rank) {
    round.counts[rank] = static_cast<int>(round.orders[rank].bytes);
    round.offsets[rank] = static_cast<int>(offset);
    offset += static_cast<std::size_t>(round.orders[rank].bytes);
  }
  if (blocking_)
    MPI_Scatterv(round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE, round.own.data(),
                 static_cast<int>(own), MPI_BYTE, 0, communicator_);
  else
    MPI_Iscatterv(round.all.data(), round.counts.data(), round.offsets.data(), MPI_BYTE, round.own.data(),
                  static_cast<int>(own), MPI_BYTE, 0, communicator_, &round.scattering);
}

}  // namespace compress
