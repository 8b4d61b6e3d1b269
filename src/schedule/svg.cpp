// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/svg.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "schedule/describe.hpp"
#include "schedule/rounds.hpp"
#include "schedule/svg_parts.hpp"

namespace weft {
namespace {

using svg_parts::colour_of;
using svg_parts::escape;

// All lengths in pixels.
constexpr int kMargin = 24;
constexpr int kTitle = 74;     // above the first lane: title, algorithm, names of the rounds
constexpr int kLabel = 74;     // left of the lanes: "rank 3"
constexpr int kLane = 50;      // from lane to lane
constexpr int kBox = 20;       // a local task
constexpr int kGap = 6;        // between boxes
constexpr int kRound = 116;    // the width of a round
constexpr int kCharacter = 6;  // the width of a character in the small notes, on average
constexpr int kLegend = 46;    // below the last lane
constexpr int kLongestNote = 22;

constexpr std::string_view kStyle = R"(  .lane { stroke: #d0d7de; stroke-width: 2; }
  .band { fill: #f6f8fa; }
  .message { fill: none; stroke-width: 2; opacity: 0.85; }
  .head { fill: #57606a; }
  .box { fill: #ffffff; stroke: #57606a; stroke-width: 1.4; }
  .combine { fill: #57606a; stroke: #57606a; }
  .sign { font-size: 14px; font-weight: 600; text-anchor: middle; }
  .combine + .sign { fill: #ffffff; }
  .meeting { stroke: #8250df; stroke-width: 3; opacity: 0.6; }
  .never { fill: #cf222e; font-size: 12px; }
)";
constexpr std::string_view kDarkStyle = R"(    .lane { stroke: #30363d; }
    .band { fill: #161b22; }
    .head { fill: #adbac7; }
    .box { fill: #0d1117; stroke: #adbac7; }
    .combine { fill: #adbac7; stroke: #adbac7; }
    .combine + .sign { fill: #0d1117; }
    .meeting { stroke: #a371f7; }
    .never { fill: #ff7b72; }
)";

std::string_view sign_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::kCopy: return "=";
    case TaskKind::kReduce: return "+";
    case TaskKind::kJoin: return "|";
    case TaskKind::kExchange: return "⇄";
    case TaskKind::kDeliver: return "⇉";
    case TaskKind::kPrefix: return "⇶";
    case TaskKind::kFanIn: return "⇥";
    case TaskKind::kFanOut: return "↦";
    default: return "?";
  }
}

class Picture {
 public:
  Picture(std::span<const Schedule> schedules, const SvgOptions& options)
      : schedules_(schedules), options_(options), rounds_(rounds_of(schedules)) {
    place_columns();
    list_what_never_happens();
  }

  std::string draw() {
    const int lanes = static_cast<int>(schedules_.size());
    const int bottom = kTitle + kMargin + lanes * kLane;
    const int height = bottom + kLegend + 18 * static_cast<int>(never_.size());
    const int width = std::max(column_end_.back() + kMargin, 560);
    const std::string name = schedules_.empty() ? "empty" : escape(describe(schedules_.front().call));
    out_ = svg_parts::begin(
        {.width = width, .height = height, .name = name, .style = kStyle, .dark_style = kDarkStyle});
    text("title", kMargin, kMargin + 12, name);
    if (!schedules_.empty()) text("quiet", kMargin, kMargin + 31, escape(schedules_.front().algorithm));
    draw_rounds(bottom);
    draw_lanes();
    for (const Meeting& meeting : rounds_.meetings) draw_meeting(meeting);
    for (const Message& message : rounds_.messages) draw_message(message);
    for (int rank = 0; rank < lanes; ++rank) draw_local_tasks(rank);
    draw_notes();
    draw_legend(bottom);
    return out_ + "</svg>\n";
  }

 private:
  // A column is as wide as the most local tasks or the longest note in it.
  void place_columns() {
    std::vector<int> boxes(static_cast<std::size_t>(rounds_.count) + 1, 0);
    box_place_.resize(schedules_.size());
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
      std::vector<int> here(boxes.size(), 0);
      box_place_[rank].assign(schedules_[rank].tasks.size(), 0);
      for (std::size_t t = 0; t < schedules_[rank].tasks.size(); ++t) {
        const int column = rounds_.start[rank][t];
        if (column == kNever || is_message(schedules_[rank].tasks[t].kind)) continue;
        box_place_[rank][t] = here[column]++;
        boxes[column] = std::max(boxes[column], here[column]);
      }
    }
    int x = kMargin + kLabel;
    for (std::size_t column = 0; column < boxes.size(); ++column) {
      int width = boxes[column] * (kBox + kGap) + kGap;
      if (column < options_.holds.size())
        for (const std::string& note : options_.holds[column])
          width = std::max(width, static_cast<int>(shorten(note).size()) * kCharacter + 2 * kGap);
      column_begin_.push_back(x);
      column_end_.push_back(x + width);
      x += width + kRound;
    }
  }

  void list_what_never_happens() {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank)
      for (std::size_t t = 0; t < schedules_[rank].tasks.size() && never_.size() < 20; ++t)
        if (rounds_.start[rank][t] == kNever)
          never_.push_back(fmt::format("never happens: rank {}, task {}: {}", rank, t,
                                       describe(schedules_[rank], schedules_[rank].tasks[t])));
  }

  static std::string shorten(std::string_view note) {
    if (note.size() <= kLongestNote) return std::string(note);
    return std::string(note.substr(0, kLongestNote - 2)) + "..";
  }

  static int lane(int rank) { return kMargin + kTitle + kLane / 2 + rank * kLane - 6; }

  void text(std::string_view kind, int x, int y, std::string_view content) {
    out_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", kind, x, y, content);
  }

  void draw_rounds(int bottom) {
    for (int round = 0; round < rounds_.count; ++round) {
      out_ += fmt::format("<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
                          column_end_[round], kMargin + kTitle - 24, kRound, bottom - kMargin - kTitle + 24);
      out_ += fmt::format("<text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">round {}</text>\n",
                          column_end_[round] + kRound / 2, kMargin + kTitle - 9, round);
    }
  }

  void draw_lanes() {
    for (int rank = 0; rank < static_cast<int>(schedules_.size()); ++rank) {
      out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n", kMargin + 4, lane(rank),
                          colour_of(rank));
      text("label", kMargin + 16, lane(rank) + 4, fmt::format("rank {}", rank));
      out_ += fmt::format("<line class=\"lane\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                          column_begin_.front() - kGap, lane(rank), column_end_.back(), lane(rank));
    }
  }

  // A curve that leaves and arrives along the lanes.
  void draw_message(const Message& message) {
    if (message.round == kNever) return;
    const int x = column_end_[message.round];
    const int to_x = x + kRound - 3;
    const int y = lane(message.from.value);
    const int to_y = lane(message.to.value);
    const std::string_view colour = colour_of(message.from.value);
    out_ += fmt::format("<g><title>rank {} to rank {}: {} bytes; {}</title>", message.from.value,
                        message.to.value, message.size.value,
                        escape(task_text(message.from.value, message.send.value)));
    out_ += fmt::format("<path class=\"message\" stroke=\"{}\" d=\"M{} {} C{} {} {} {} {} {}\"/>", colour, x,
                        y, x + kRound / 2, y, to_x - kRound / 2, to_y, to_x - 6, to_y);
    out_ += fmt::format("<path class=\"head\" d=\"M{} {} l-9 -5 v10 z\"/></g>\n", to_x, to_y);
  }

  std::string task_text(int rank, std::uint32_t task) const {
    return fmt::format("task {}: {}", task, describe(schedules_[rank], schedules_[rank].tasks[task]));
  }

  int box_x(int rank, std::uint32_t task) const {
    return column_begin_[rounds_.start[rank][task]] + box_place_[rank][task] * (kBox + kGap) + kGap;
  }

  void draw_local_tasks(int rank) {
    for (std::uint32_t t = 0; t < schedules_[rank].tasks.size(); ++t) {
      const TaskKind kind = schedules_[rank].tasks[t].kind;
      if (is_message(kind) || rounds_.start[rank][t] == kNever) continue;
      const int x = box_x(rank, t);
      out_ += fmt::format(
          "<g><title>rank {}, {}</title><rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
          "rx=\"{}\"/><text class=\"sign\" x=\"{}\" y=\"{}\">{}</text></g>\n",
          rank, escape(task_text(rank, t)), kind == TaskKind::kReduce ? "combine" : "box", x,
          lane(rank) - kBox / 2, kBox, kBox, kind == TaskKind::kReduce ? kBox / 2 : 4, x + kBox / 2,
          lane(rank) + 5, sign_of(kind));
    }
  }

  void draw_meeting(const Meeting& meeting) {
    const auto [first, last] = std::minmax_element(meeting.tasks.begin(), meeting.tasks.end());
    if (rounds_.start[first->first.value][first->second.value] == kNever) return;
    const int x = box_x(first->first.value, first->second.value) + kBox / 2;
    out_ += fmt::format("<line class=\"meeting\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", x,
                        lane(first->first.value), x, lane(last->first.value));
  }

  void draw_notes() {
    for (std::size_t column = 0; column < std::min(options_.holds.size(), column_begin_.size()); ++column)
      for (std::size_t rank = 0; rank < std::min(options_.holds[column].size(), schedules_.size()); ++rank)
        text("note", column_begin_[column] + kGap, lane(static_cast<int>(rank)) + kBox / 2 + 13,
             escape(shorten(options_.holds[column][rank])));
  }

  void draw_legend(int bottom) {
    std::string legend = "→ message";
    for (const TaskKind kind : {TaskKind::kCopy, TaskKind::kReduce, TaskKind::kJoin, TaskKind::kExchange,
                                TaskKind::kDeliver, TaskKind::kPrefix, TaskKind::kFanIn, TaskKind::kFanOut}) {
      const bool used = std::any_of(schedules_.begin(), schedules_.end(), [&](const Schedule& schedule) {
        return std::any_of(schedule.tasks.begin(), schedule.tasks.end(),
                           [&](const Task& t) { return t.kind == kind; });
      });
      if (used) legend += fmt::format("    {} {}", sign_of(kind), name_of(kind));
    }
    if (!options_.holds.empty()) legend += "    below a lane: the contributions held";
    out_ += fmt::format("<text class=\"quiet\" xml:space=\"preserve\" x=\"{}\" y=\"{}\">{}</text>\n", kMargin,
                        bottom + 22, legend);
    for (std::size_t n = 0; n < never_.size(); ++n)
      text("never", kMargin, bottom + 42 + 18 * static_cast<int>(n), escape(never_[n]));
  }

  std::span<const Schedule> schedules_;
  const SvgOptions& options_;
  Rounds rounds_;
  std::vector<int> column_begin_, column_end_;
  std::vector<std::vector<int>> box_place_;  // [rank][task]: how many boxes stand before it in its column
  std::vector<std::string> never_;
  std::string out_;
};

}  // namespace

std::string svg(std::span<const Schedule> schedules, const SvgOptions& options) {
  return Picture(schedules, options).draw();
}

}  // namespace weft
