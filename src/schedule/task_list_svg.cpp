// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/task_list_svg.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "schedule/describe.hpp"
#include "schedule/svg_parts.hpp"
#include "schedule/task_list_layout.hpp"

namespace weft {
namespace list_picture {
namespace {

using svg_parts::escape;

// All lengths in pixels.
constexpr int kMargin = 24;
constexpr int kTitle = 62;        // above the first panel
constexpr int kHead = 58;         // of a panel, above its receives: rank and names of queues
constexpr int kBox = 22;          // the height of a task
constexpr int kRow = 32;          // from task to task
constexpr int kColumnGap = 34;    // between queues: room for arrows
constexpr int kPanelGap = 40;     // between ranks
constexpr int kCharacter = 7;     // the width of a character, at most
constexpr int kLegend = 64;       // below the last panel
constexpr int kLeastWidth = 640;  // of the picture: room for its legend
constexpr int kMostWidth = 1800;  // of panels side by side, if there are several
constexpr std::size_t kPanelsAbreast = 4;

constexpr std::string_view kStyle = R"(  .panel { fill: #f6f8fa; }
  .line { stroke: #57606a; stroke-width: 2; }
  .task { stroke-width: 1.3; }
  .disabled { stroke-dasharray: 4 3; }
  .post_recv { fill: #ddf4ff; stroke: #218bff; }
  .send { fill: #dafbe1; stroke: #2da44e; }
  .calc { fill: #fbefff; stroke: #a475f9; }
  .write { fill: #d5f5f0; stroke: #1b998b; }
  .wait { fill: #fff8c5; stroke: #bf8700; }
  .enable { fill: #ffeee8; stroke: #e5632b; }
  .what { font-size: 11px; text-anchor: middle; }
  .queue { font-size: 12px; font-weight: 600; text-anchor: middle; }
  .arrow { fill: none; stroke-width: 1.5; }
  .waits { stroke: #bf8700; }
  .enables { stroke: #e5632b; }
  .message { stroke-width: 1.8; opacity: 0.55; }
)";
constexpr std::string_view kDarkStyle = R"(    .panel { fill: #161b22; }
    .line { stroke: #adbac7; }
    .post_recv { fill: #0c2d4d; }
    .send { fill: #12361f; }
    .calc { fill: #2e1f4d; }
    .write { fill: #0d3b36; }
    .wait { fill: #3d2e00; }
    .enable { fill: #4a2213; }
)";

std::string_view class_of(ListTaskKind kind) { return is_enable(kind) ? "enable" : name_of(kind); }

// Without sizes and places, which the title of the box has.
std::string short_text(const TaskList& list, ListTask task) {
  task.disabled = false;
  const std::string whole = describe(list, task);
  std::string text;
  int depth = 0;
  for (const char c : whole) {
    depth += c == '[';
    if (depth == 0) text += c;
    depth -= c == ']';
  }
  return text;
}

struct Box {
  int x = 0, y = 0, width = 0;

  int right() const { return x + width; }
  int middle() const { return y + kBox / 2; }
};

// One list of one rank.
class Panel {
 public:
  Panel(const TaskList& list, std::size_t part) : list_(list), part_(part), layout_(layout_of(list, part)) {
    for (const std::uint32_t queue : layout_.columns)
      widths_.push_back(width_of(name_of(list.queues[queue])));
    for (std::uint32_t id = begin(); id < end(); ++id) {
      int& width = widths_[layout_.of(id).column];
      width = std::max(width, width_of(short_text(list, list.tasks[id])));
    }
    width_ = kColumnGap;
    for (const int width : widths_) width_ += width + kColumnGap;
    width_ = std::max(width_, width_of(title()) + kColumnGap);
  }

  int width() const { return width_; }
  int height() const { return line_y() + 8 + kRow * layout_.rows + 8; }
  void put(int x, int y) {
    x_ = x;
    y_ = y;
  }
  const TaskList& list() const { return list_; }
  std::uint32_t begin() const { return list_.begin_of(part_); }
  std::uint32_t end() const { return list_.ends[part_]; }

  Box box(std::uint32_t id) const {
    const auto& place = layout_.of(id);
    const bool is_received = list_.tasks[id].kind == ListTaskKind::kPostRecv;
    const int top = is_received ? kHead : line_y() + 12;
    return {column_x(place.column), y_ + top + kRow * place.row, widths_[place.column]};
  }

  std::string draw_frame() const {
    std::string out = fmt::format(
        "<rect class=\"panel\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n"
        "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n<text class=\"label\" x=\"{}\" "
        "y=\"{}\">{}</text>\n",
        x_, y_, width_, height(), x_ + 16, y_ + 18, svg_parts::colour_of(list_.self.value), x_ + 26, y_ + 22,
        title());
    for (std::size_t column = 0; column < widths_.size(); ++column)
      out += fmt::format("<text class=\"queue\" x=\"{}\" y=\"{}\">{}</text>\n",
                         column_x(column) + widths_[column] / 2, y_ + 46,
                         name_of(list_.queues[layout_.columns[column]]));
    return out + fmt::format("<line class=\"line\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", x_ + 12,
                             y_ + line_y(), x_ + width_ - 12, y_ + line_y());
  }
  std::string draw_arrows() const;
  std::string draw_boxes() const {
    std::string out;
    for (std::uint32_t id = begin(); id < end(); ++id) {
      const ListTask& task = list_.tasks[id];
      const Box at = box(id);
      out += fmt::format(
          "<g><title>rank {}, {}: {}</title><rect class=\"task {}{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\" rx=\"4\"/><text class=\"what\" x=\"{}\" y=\"{}\">{}</text></g>\n",
          list_.self.value, name_of(list_.queues[task.queue]), escape(describe(list_, task)),
          class_of(task.kind), task.disabled ? " disabled" : "", at.x, at.y, at.width, kBox,
          at.x + at.width / 2, at.y + 15, escape(short_text(list_, task)));
    }
    return out;
  }

 private:
  static int width_of(std::string_view text) { return static_cast<int>(text.size()) * kCharacter + 12; }
  std::string title() const {
    const std::string rank = fmt::format("rank {}", list_.self.value);
    return list_.ends.size() > 1 ? fmt::format("{}, list {}", rank, part_) : rank;
  }
  int line_y() const { return kHead + kRow * layout_.receive_rows; }
  int column_x(std::size_t column) const {
    int x = x_ + kColumnGap;
    for (std::size_t before = 0; before < column; ++before) x += widths_[before] + kColumnGap;
    return x;
  }

  const TaskList& list_;
  const std::size_t part_;
  const TaskListLayout layout_;
  std::vector<int> widths_;  // by column
  int width_ = 0, x_ = 0, y_ = 0;
};

struct Arrow {
  std::string_view kind;  // waits, enables, message
  std::string_view colour;
  std::string title;
};

// From the side of one box to that of the other, or, in one column, around by its right side.
std::string draw_arrow(const Box& from, const Box& to, const Arrow& arrow) {
  const bool is_in_column = from.x == to.x;
  const bool goes_right = is_in_column || to.x > from.x;
  const int x = goes_right ? from.right() : from.x;
  const int at = is_in_column ? to.right() + 7 : goes_right ? to.x - 7 : to.right() + 7;
  const int bend = is_in_column ? 18 : std::clamp(std::abs(at - x) / 2, 12, 90);
  const int to_bend = goes_right != is_in_column ? at - bend : at + bend;
  const std::string_view head = goes_right != is_in_column ? "l-8 -4 v8 z" : "l8 -4 v8 z";
  const int tip = goes_right != is_in_column ? at + 7 : at - 7;
  return fmt::format(
      "<g><title>{}</title><path class=\"arrow {}\" stroke=\"{}\" d=\"M{} {} C{} {} {} {} {} {}\"/>"
      "<path fill=\"{}\" d=\"M{} {} {}\"/></g>\n",
      escape(arrow.title), arrow.kind, arrow.colour, x, from.middle(), goes_right ? x + bend : x - bend,
      from.middle(), to_bend, to.middle(), at, to.middle(), arrow.colour, tip, to.middle(), head);
}

std::string Panel::draw_arrows() const {
  std::string out;
  for (std::uint32_t id = begin(); id < end(); ++id) {
    const auto other = layout_.points_to[id - begin()];
    if (!other) continue;
    const bool is_wait = list_.tasks[id].kind == ListTaskKind::kWait;
    out += draw_arrow(box(id), box(*other),
                      {is_wait ? "waits" : "enables", is_wait ? "#bf8700" : "#e5632b",
                       fmt::format("rank {}: {}", list_.self.value, describe(list_, list_.tasks[id]))});
  }
  return out;
}

class Picture {
 public:
  explicit Picture(std::span<const TaskList> lists) {
    for (const TaskList& list : lists)
      for (std::size_t part = 0; part < list.ends.size(); ++part)
        if (list.begin_of(part) < list.ends[part]) panels_.emplace_back(list, part);
    place_panels();
  }

  std::string draw(const TaskList& first) const {
    const std::string name = escape(describe(first.call));
    std::string out = svg_parts::begin({.width = width_,
                                        .height = bottom_ + kLegend,
                                        .name = name,
                                        .style = kStyle,
                                        .dark_style = kDarkStyle});
    out += fmt::format(
        "<text class=\"title\" x=\"{0}\" y=\"36\">{1}</text>\n<text class=\"quiet\" x=\"{0}\" y=\"55\">{2}: "
        "{3}</text>\n",
        kMargin, name, escape(first.algorithm),
        first.form == QueueForm::kManagementQueue ? "waits in a management queue" : "waits in send queues");
    for (const Panel& panel : panels_) out += panel.draw_frame();
    out += draw_messages();
    for (const Panel& panel : panels_) out += panel.draw_arrows();
    for (const Panel& panel : panels_) out += panel.draw_boxes();
    return out + draw_legend() + "</svg>\n";
  }

 private:
  std::size_t panels_abreast() const {
    int widest = 0;
    for (const Panel& panel : panels_) widest = std::max(widest, panel.width() + kPanelGap);
    std::size_t abreast = kPanelsAbreast;
    while (abreast > 1 && static_cast<int>(abreast) * widest > kMostWidth) abreast /= 2;
    return abreast;
  }
  void place_panels() {
    const std::size_t abreast = panels_abreast();
    int y = kMargin + kTitle;
    for (std::size_t first = 0; first < panels_.size(); first += abreast) {
      int x = kMargin, height = 0;
      for (std::size_t p = first; p < std::min(first + abreast, panels_.size()); ++p) {
        panels_[p].put(x, y);
        x += panels_[p].width() + kPanelGap;
        height = std::max(height, panels_[p].height());
      }
      width_ = std::max(width_, x - kPanelGap + kMargin);
      y += height + kPanelGap;
    }
    bottom_ = panels_.empty() ? y : y - kPanelGap;
  }

  // From a send to the receive with its ordinal.
  std::string draw_messages() const {
    using Address = std::tuple<int, int, std::uint32_t>;  // sender, receiver, ordinal
    std::map<Address, Box> received;
    const auto for_each = [&](const auto& visit) {
      for (const Panel& panel : panels_)
        for (std::uint32_t id = panel.begin(); id < panel.end(); ++id) {
          const ListTask& task = panel.list().tasks[id];
          const ListQueue& queue = panel.list().queues[task.queue];
          if (queue.kind == QueueKind::kPeer) visit(panel, id, task, queue.peer.value);
        }
    };
    for_each([&](const Panel& panel, std::uint32_t id, const ListTask& task, int peer) {
      if (task.kind == ListTaskKind::kPostRecv)
        received[{peer, panel.list().self.value, task.count}] = panel.box(id);
    });
    std::string out;
    for_each([&](const Panel& panel, std::uint32_t id, const ListTask& task, int peer) {
      const int self = panel.list().self.value;
      const auto to = received.find({self, peer, task.count});
      if (!is_sent(task.kind) || task.kind == ListTaskKind::kWrite || to == received.end()) return;
      out += draw_arrow(panel.box(id), to->second,
                        {"message", svg_parts::colour_of(self),
                         fmt::format("rank {} to rank {}: {} bytes", self, peer, task.size.value)});
    });
    return out;
  }

  std::string draw_legend() const {
    constexpr std::array<std::string_view, 2> kLines = {
        "above the line: receives    dashed: until it is enabled",
        "arrows: from a wait to what ends it, from an enabling to what may begin, from a send to its "
        "receive"};
    std::string out;
    for (std::size_t line = 0; line < kLines.size(); ++line)
      out += fmt::format("<text class=\"quiet\" xml:space=\"preserve\" x=\"{}\" y=\"{}\">{}</text>\n",
                         kMargin, bottom_ + 28 + 18 * static_cast<int>(line), kLines[line]);
    return out;
  }

  std::vector<Panel> panels_;
  int width_ = kLeastWidth, bottom_ = 0;
};

}  // namespace
}  // namespace list_picture

std::string svg(std::span<const TaskList> lists) {
  return lists.empty() ? std::string() : list_picture::Picture(lists).draw(lists.front());
}

}  // namespace weft
