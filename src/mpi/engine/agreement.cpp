// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

#include "device/nodes_with_device.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/whereabouts.hpp"
#include "mpi/host/polite.hpp"

namespace weft::mpi {
namespace {

// What one process tells: a text, as far as it fits, and a bit for each process that it misses.
constexpr std::size_t kText = 512;

std::vector<unsigned char> in_bytes(const std::string& text, std::span<const int> missing,
                                    std::size_t ranks) {
  std::vector<unsigned char> told(kText + (ranks + 7) / 8, 0);
  std::memcpy(told.data(), text.data(), std::min(text.size(), kText - 1));
  for (const int rank : missing)
    told[kText + static_cast<std::size_t>(rank) / 8] |= static_cast<unsigned char>(1 << rank % 8);
  return told;
}
std::string text_in(const unsigned char* told) { return reinterpret_cast<const char*>(told); }
bool misses(const unsigned char* told, std::size_t rank) {
  return (told[kText + rank / 8] >> rank % 8 & 1) != 0;
}

// "rank 3", "ranks 4-7", "ranks 0, 2, 4".
std::string in_words(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  const bool are_neighbours = ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
  return are_neighbours ? fmt::format("ranks {}-{}", ranks.front(), ranks.back())
                        : fmt::format("ranks {}", fmt::join(ranks, ", "));
}

}  // namespace

// What every rank has told.
struct Agreement::Troubles {
  std::vector<std::string> texts;
  std::vector<device::Parted> parted;
};

Agreement::Agreement(std::span<const int> node_of, const std::vector<Whereabouts>& all)
    : node_of_(node_of), all_(all), why_not_met_(mpi::why_not_met(all)) {
  find({});
}

void Agreement::find(std::span<const device::Parted> parted) {
  std::vector<char> have_wire;
  have_wire.reserve(why_not_met_.size());
  for (const std::string& why : why_not_met_) have_wire.push_back(why.empty() ? 1 : 0);
  have_device_ = device::processes_with_device(node_of_, have_wire, parted);
}

void Agreement::settle(const std::string& trouble, std::span<const int> missing, MPI_Comm comm) {
  if (!polite::is_anywhere(!trouble.empty(), comm)) return;
  const std::size_t ranks = all_.size();
  const std::vector<unsigned char> mine = in_bytes(trouble, missing, ranks);
  std::vector<unsigned char> of_all(mine.size() * ranks);
  polite::bytes::allgather(mine.data(), mine.size(), of_all.data(), comm);
  Troubles troubles;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const unsigned char* const told = of_all.data() + rank * mine.size();
    troubles.texts.push_back(text_in(told));
    for (std::size_t other = 0; other < ranks; ++other)
      if (misses(told, other)) troubles.parted.push_back({static_cast<int>(rank), static_cast<int>(other)});
  }
  find(troubles.parted);
  if (engine().world_rank == 0) say_who_has_none(troubles);
}

// Why a node has no device: what one of its own processes has told, or a process of another node that misses
// one of them. "" where all is well but for there being nobody left to reach.
std::string Agreement::cause_for(int node, const Troubles& troubles) const {
  const auto is_on_it = [&](int rank) { return node_of_[static_cast<std::size_t>(rank)] == node; };
  for (std::size_t rank = 0; rank < all_.size(); ++rank)
    if (node_of_[rank] == node && !troubles.texts[rank].empty()) return troubles.texts[rank];
  for (const auto& [one, other] : troubles.parted)
    if (is_on_it(other)) return troubles.texts[static_cast<std::size_t>(one)];
  return "";
}

// Its host, and its ranks.
std::string Agreement::name_of(int node) const {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < all_.size(); ++rank)
    if (node_of_[rank] == node) ranks.push_back(static_cast<int>(rank));
  return fmt::format("{} ({})", all_[static_cast<std::size_t>(ranks.front())].host.data(), in_words(ranks));
}

void Agreement::say_who_has_none(const Troubles& troubles) const {
  std::set<int> nodes;
  for (std::size_t rank = 0; rank < all_.size(); ++rank)
    if (have_device_[rank] == 0) nodes.insert(node_of_[rank]);
  std::map<std::string, std::string> by_cause;  // the nodes
  for (const int node : nodes) {
    std::string& names = by_cause[cause_for(node, troubles)];
    names += (names.empty() ? "" : ", ") + name_of(node);
  }
  by_cause.erase("");
  const bool is_anybody_left = std::count(have_device_.begin(), have_device_.end(), 1) > 0;
  for (const auto& [cause, names] : by_cause)
    note(fmt::format("WEFT_DEVICE=agent: {}: no agent, for {}. {}", names, cause,
                     is_anybody_left ? "The ranks themselves move what goes there or comes from there"
                                     : "The ranks themselves move messages between nodes"));
}

}  // namespace weft::mpi
