// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/communicator/this_node.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/notes.hpp"
#include "mpi/engine/waits.hpp"
#include "schedule/schedule.hpp"

namespace weft::mpi {
namespace {

// Per function: calls by Weft, by reason those of the host, what Weft's took, and how many of them were like
// recent ones.
constexpr std::size_t kWidth = 1 + kReasonCount + 3;

std::vector<std::uint64_t> numbers_of(std::span<CallCounter> counters) {
  std::vector<std::uint64_t> numbers;
  for (const CallCounter& counter : counters) {
    numbers.push_back(counter.weft.load());
    for (const auto& count : counter.host) numbers.push_back(count.load());
    numbers.push_back(counter.nanoseconds.load());
    numbers.push_back(counter.waited.load());
    numbers.push_back(counter.recent.load());
  }
  for (const auto& made : communicators_made()) numbers.push_back(made.load());
  for (const MakingCounter* making : {&plans_made, &communicators_constructed}) {
    numbers.push_back(making->number.load());
    numbers.push_back(making->nanoseconds.load());
  }
  const AgentCounts agents = agent_counts();
  numbers.insert(numbers.end(),
                 {agents.wakes, agents.nanoseconds, agents.trigger_wakes, agents.trigger_nanoseconds});
  return numbers;
}

double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

nlohmann::json entry_of(std::span<const std::uint64_t> numbers) {
  nlohmann::json why = nlohmann::json::object();
  std::uint64_t host = 0;
  for (std::size_t reason = 0; reason < kReasonCount; ++reason) {
    const std::uint64_t count = numbers[1 + reason];
    host += count;
    if (count > 0) why[std::string(reason_text(static_cast<Reason>(reason)))] = count;
  }
  return {{"weft", numbers[0]},
          {"host", host},
          {"why", why},
          {"microseconds", microseconds(numbers[1 + kReasonCount])},
          {"waited_microseconds", microseconds(numbers[2 + kReasonCount])},
          {"like_recent", numbers[3 + kReasonCount]}};
}

nlohmann::json given_settings(const Settings& settings) {
  nlohmann::json given = nlohmann::json::object();
  for (const auto& [name, from] : settings.given)
    given[name] = {{"value", value_text(*setting_named(name), settings)}, {"from", from}};
  return given;
}

// Why communicators did not get all that Weft has for ranks of one node, and whom that concerns.
std::string why_not_all_in_memory(Way way, const Settings& settings) {
  const auto value_of = [&](const char* name) {
    return fmt::format("{}={}", name, value_text(*setting_named(name), settings));
  };
  const NodeSettings& node = settings.shared.node;
  const Bytes shared =
      node::bytes_of_arenas(this_node().divided_by, static_cast<int>(this_node().ranks.size()));
  const bool is_less = this_node().exists() && shared < node.memory / 2;
  const std::string memory =
      value_of("WEFT_NODE_MEMORY") +
      (is_less ? fmt::format(" ({} MiB, as more could not be had)", shared.value >> 20) : "");
  if (way == Way::kLines) {
    const bool wanted = node.rank_bytes == Bytes(0);
    return fmt::format(
        "{} no room for blocks above {} bytes: these take about as long as on the host MPI, and move only "
        "while "
        "ranks are inside MPI. Where a program sends such blocks, {}",
        wanted ? value_of("WEFT_NODE_RANK_BYTES") + " leaves"
               : "within " + memory + " earlier communicators left",
        kLineBytes.value, wanted ? "raise it" : "raise it, or free communicators that are not needed");
  }
  if (way != Way::kMessages) return "";
  if (!node.enabled) return value_of("WEFT_NODE") + " switches shared memory off";
  if (settings.shared.hierarchy == "flat")
    return "no two of their ranks are on one node, or they span several and " + value_of("WEFT_HIERARCHY") +
           " has each rank speak for itself";
  return "no two of their ranks are on one node, or earlier communicators left no room within " + memory;
}

}  // namespace

void write_statistics(MPI_Comm comm, const Settings& settings, std::span<CallCounter> counters) {
  const std::string& file = settings.local.statistics_file;
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::uint64_t> sums = numbers_of(counters);
  // To all ranks, though rank 0 alone wants them: MPICH over TCP sometimes hangs in MPI_Finalize if the last
  // message before it went one way only.
  if (allreduce_words(comm, ranks, sums, MPI_SUM) != MPI_SUCCESS)
    return log_message("there are no statistics: a rank ended before MPI_Finalize");
  if (rank != 0) return;
  nlohmann::json collectives = nlohmann::json::object();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const nlohmann::json entry = entry_of(std::span(sums).subspan(i * kWidth, kWidth));
    if (entry["weft"] != 0 || entry["host"] != 0) collectives[counters[i].function] = entry;
  }
  nlohmann::json communicators = nlohmann::json::object(), why = nlohmann::json::object();
  for (std::size_t at = 0; at < kWayCount; ++at) {
    const std::uint64_t made = sums[counters.size() * kWidth + at];
    if (made == 0) continue;
    const Way way = static_cast<Way>(at);
    const std::string text{way_text(way)};
    communicators[text] = made;
    if (const std::string reason = why_not_all_in_memory(way, settings); !reason.empty()) why[text] = reason;
  }
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) calls += sums[i * kWidth];
  const auto making = std::span(sums).subspan(counters.size() * kWidth + kWayCount);
  const auto agents = making.subspan(4);
  std::ofstream out(file);
  nlohmann::json all = {{"ranks", size},
                        {"collectives", collectives},
                        {"communicators", communicators},
                        {"why_communicators", why},
                        {"plans",
                         {{"made", making[0]},
                          {"found", calls - std::min(calls, making[0])},
                          {"making_microseconds", microseconds(making[1])}}},
                        {"constructors", {{"calls", making[2]}, {"microseconds", microseconds(making[3])}}},
                        {"settings", given_settings(settings)},
                        {"notes", notes()}};
  if (const int microseconds = settings.shared.round_trip; microseconds > 0)
    all["nodes"] = {{"round_trip_microseconds", microseconds},
                    {"are_far", settings.shared.nodes_are_far()},
                    {"share_cores", this_node().world_shares_cores}};
  const std::string& copies = settings.shared.node.copies;
  const bool by_kernel = copies == "measured" ? this_node().kernel_is_faster : copies == "kernel";
  all["long_copies_on_first_node"] = by_kernel && this_node().single_copy ? "kernel" : "memory";
  if (settings.shared.device == "agent")
    all["agents"] = {{"wakes", agents[0]},
                     {"microseconds", microseconds(agents[1])},
                     {"trigger_wakes", agents[2]},
                     {"trigger_microseconds", microseconds(agents[3])}};
  out << all.dump(2) << "\n";
  if (!out) log_message("cannot write the statistics to " + file);
}

}  // namespace weft::mpi
