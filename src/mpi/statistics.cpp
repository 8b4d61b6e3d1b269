// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/statistics.hpp"

#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/log.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kWidth = 1 + kReasonCount;  // per function: by Weft, then by reason

std::vector<std::uint64_t> numbers_of(std::span<CallCounter> counters) {
  std::vector<std::uint64_t> numbers;
  for (const CallCounter& counter : counters) {
    numbers.push_back(counter.weft.load());
    for (const auto& count : counter.host) numbers.push_back(count.load());
  }
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
  const std::vector<std::uint64_t> mine = numbers_of(counters);
  std::vector<std::uint64_t> sums(mine.size());
  // To all, though rank 0 alone wants it: MPICH over TCP sometimes hangs in MPI_Finalize if the last message
  // before went one way only.
  PMPI_Allreduce(mine.data(), sums.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM, comm);
  if (rank != 0 || file.empty()) return;
  nlohmann::json collectives = nlohmann::json::object();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const nlohmann::json entry = entry_of(std::span(sums).subspan(i * kWidth, kWidth));
    if (entry["weft"] != 0 || entry["host"] != 0) collectives[counters[i].function] = entry;
  }
  std::ofstream out(file);
  const nlohmann::json all = {{"ranks", size},
                              {"collectives", collectives},
                              {"settings", given_settings(settings)},
                              {"notes", notes().texts}};
  out << all.dump(2) << "\n";
  if (!out) log_message("cannot write the statistics to " + file);
}

}  // namespace weft::mpi
