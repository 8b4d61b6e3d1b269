// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compress {
namespace {

using Json = nlohmann::ordered_json;

double ratio(const Report& report) {
  const std::uint64_t bytes_out = report.median().bytes_out;
  return bytes_out == 0 ? 0 : static_cast<double>(report.bytes_in()) / static_cast<double>(bytes_out);
}

double megabytes_per_second(const Report& report) {
  return 1e-6 * static_cast<double>(report.bytes_in()) / report.median().seconds;
}

std::string answer(const Report& report) {
  const std::optional<bool> right = report.right();
  return !right ? "not checked" : *right ? "right" : "wrong";
}

std::string row(const char* label, const std::string& value) {
  return fmt::format("  {:<28}{:>16}\n", label, value);
}

Json or_null(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(nullptr); }

std::string hexadecimal(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace

std::optional<bool> Report::right() const {
  if (!median().checksum_back) return std::nullopt;
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.is_right(); });
}

std::string as_text(const Report& report) {
  const Run& run = report.median();
  const bool skipped = report.options.exchange == Exchange::kSkipped;
  std::string text = fmt::format(
      "compress: {}, {}, ranks {}, block {}, depth {}, level {}, exchange {}{}\n",
      report.options.reads_standard_input() ? "standard input" : report.options.input,
      name_of(report.options.format), report.rank_count, report.options.block_bytes, report.options.depth,
      report.options.level, name_of(report.options.exchange),
      report.runs.size() > 1 ? fmt::format(", run of median time out of {}", report.runs.size()) : "");
  text += row("bytes in", std::to_string(report.bytes_in()));
  if (skipped) {
    text += row("bytes out", "skipped");
  } else {
    text +=
        row("bytes out", std::to_string(run.bytes_out)) + row("ratio", fmt::format("{:.3f}", ratio(report)));
    text += row("blocks", std::to_string(run.totals.blocks));
  }
  text += row("rounds", std::to_string(run.rounds));
  text += row("seconds, slowest rank", fmt::format("{:.6f}", run.seconds));
  text += row("MB/s", fmt::format("{:.2f}", megabytes_per_second(report)));
  text += row("compressing, mean of ranks", fmt::format("{:.6f}", run.mean.compressing));
  text += row("waiting, mean of ranks", fmt::format("{:.6f}", run.mean.waiting));
  text += row("reading, mean of ranks", fmt::format("{:.6f}", run.mean.reading));
  text += row("writing, rank 0", fmt::format("{:.6f}", run.mean.writing));
  return text + row("answer", answer(report));
}

std::string as_json(const Report& report) {
  const Run& run = report.median();
  const Options& options = report.options;
  const std::optional<bool> right = report.right();
  std::vector<double> seconds;
  for (const Run& one : report.runs) seconds.push_back(one.seconds);
  Json error(
      nullptr);  // plain bytes too many (or too few, negative) in what was read back, and the two checksums
  if (right)
    error = {{"sound", run.sound},
             {"bytes", static_cast<std::int64_t>(*run.plain_bytes_back - run.totals.plain_bytes)},
             {"checksum_in", hexadecimal(run.totals.checksum.sum())},
             {"checksum_back", hexadecimal(*run.checksum_back)}};
  const bool skipped = options.exchange == Exchange::kSkipped;
  Json json{{"program", "compress"},
            {"ranks", report.rank_count},
            {"input", options.reads_standard_input() ? "-" : options.input},
            {"format", name_of(options.format)},
            {"level", options.level},
            {"block", options.block_bytes},
            {"depth", options.depth},
            {"repeat", options.repeat_count},
            {"exchange", name_of(options.exchange)},
            {"bytes_in", report.bytes_in()},
            {"bytes_out", skipped ? Json(nullptr) : Json(run.bytes_out)},
            {"ratio", skipped ? Json(nullptr) : Json(ratio(report))},
            {"blocks", skipped ? Json(nullptr) : Json(run.totals.blocks)},
            {"rounds", run.rounds},
            {"seconds", run.seconds},
            {"seconds_all", seconds},
            {"megabytes_per_second", megabytes_per_second(report)},
            {"compressing_seconds", run.mean.compressing},
            {"waiting_seconds", run.mean.waiting},
            {"reading_seconds", run.mean.reading},
            {"writing_seconds", run.mean.writing},
            {"answer", answer(report)},
            {"right", right ? Json(*right) : Json(nullptr)},
            {"plain_bytes_back", or_null(run.plain_bytes_back)},
            {"error", error}};
  return json.dump(2) + "\n";
}

}  // namespace compress
