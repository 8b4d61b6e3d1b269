// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/statistics.hpp"

#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "base/log.hpp"
#include "mpi/communicator.hpp"
#include "mpi/deaths.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kWidth = 1 + kReasonCount;  // per function: by Weft, then by reason

std::vector<std::uint64_t> numbers_of(std::span<CallCounter> counters) {
  std::vector<std::uint64_t> numbers;
  for (const CallCounter& counter : counters) {
    numbers.push_back(counter.weft.load());
    for (const auto& count : counter.host) numbers.push_back(count.load());
  }
  for (const auto& made : communicators_made()) numbers.push_back(made.load());
  return numbers;
}

nlohmann::json entry_of(std::span<const std::uint64_t> numbers) {
  nlohmann::json why = nlohmann::json::object();
  std::uint64_t host = 0;
  for (std::size_t reason = 0; reason < kReasonCount; ++reason) {
    const std::uint64_t count = numbers[1 + reason];
    host += count;
    if (count > 0) why[std::string(reason_text(static_cast<Reason>(reason)))] = count;
  }
  return {{"weft", numbers[0]}, {"host", host}, {"why", why}};
}

nlohmann::json given_settings(const Settings& settings) {
  nlohmann::json given = nlohmann::json::object();
  for (const auto& [name, from] : settings.given)
    given[name] = {{"value", value_text(*setting_named(name), settings)}, {"from", from}};
  return given;
}

struct Notes {
  std::mutex mutex;
  std::vector<std::string> texts;
};

Notes& notes() {
  static Notes& the_notes = *new Notes;
  return the_notes;
}

}  // namespace

void note(const std::string& message) {
  log_message(message);
  const std::lock_guard lock(notes().mutex);
  notes().texts.push_back(message);
}

void write_statistics(MPI_Comm comm, const Settings& settings, std::span<CallCounter> counters) {
  const std::string& file = settings.local.statistics_file;
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::uint64_t> sums = numbers_of(counters);
  // To all, though rank 0 alone wants it: MPICH over TCP sometimes hangs in MPI_Finalize if the last message
  // before went one way only.
  if (allreduce_words(comm, ranks, sums, MPI_SUM) != MPI_SUCCESS)
    return log_message("there are no statistics: a rank ended before MPI_Finalize");
  if (rank != 0 || file.empty()) return;
  nlohmann::json collectives = nlohmann::json::object();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const nlohmann::json entry = entry_of(std::span(sums).subspan(i * kWidth, kWidth));
    if (entry["weft"] != 0 || entry["host"] != 0) collectives[counters[i].function] = entry;
  }
  nlohmann::json communicators = nlohmann::json::object();
  for (std::size_t way = 0; way < kWayCount; ++way)
    if (const std::uint64_t made = sums[counters.size() * kWidth + way]; made > 0)
      communicators[std::string(way_text(static_cast<Way>(way)))] = made;
  std::ofstream out(file);
  const nlohmann::json all = {{"ranks", size},
                              {"collectives", collectives},
                              {"communicators", communicators},
                              {"settings", given_settings(settings)},
                              {"notes", notes().texts}};
  out << all.dump(2) << "\n";
  if (!out) log_message("cannot write the statistics to " + file);
}

}  // namespace weft::mpi
