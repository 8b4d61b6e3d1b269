// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/svg_parts.hpp"

#include <array>
#include <cstddef>
#include <fmt/format.h>

namespace weft::svg_parts {
namespace {

constexpr std::string_view kStyle = R"(  .card { fill: #ffffff; stroke: #d8dee4; }
  text { font-family: ui-sans-serif, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #24292f; }
  .title { font-size: 16px; font-weight: 600; }
  .quiet { font-size: 12px; fill: #6e7781; }
  .label { font-size: 13px; font-weight: 500; }
  .note { font-size: 10.5px; fill: #6e7781; font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
)";
constexpr std::string_view kDarkStyle = R"(    .card { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; }
    .quiet, .note { fill: #8b949e; }
)";

}  // namespace

std::string begin(const Frame& frame) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" aria-label=\"{2}\">\n<style>\n{3}{4}  @media (prefers-color-scheme: dark) {{\n{5}{6}  "
      "}}\n"
      "</style>\n<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{7}\" height=\"{8}\" rx=\"10\"/>\n",
      frame.width, frame.height, frame.name, kStyle, frame.style, kDarkStyle, frame.dark_style,
      frame.width - 1, frame.height - 1);
}

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') escaped += "&amp;";
    else if (c == '<') escaped += "&lt;";
    else if (c == '>') escaped += "&gt;";
    else if (c == '"') escaped += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20) escaped += c;
  }
  return escaped;
}

std::string_view colour_of(int rank) {
  constexpr std::array kColours = {"#2f81f7", "#e5632b", "#2da44e", "#bf3989", "#bb8009",
                                   "#1b9aaa", "#8957e5", "#d1454f", "#6e8b3d", "#7a6a5a"};
  return kColours[static_cast<std::size_t>(rank) % kColours.size()];
}

}  // namespace weft::svg_parts
