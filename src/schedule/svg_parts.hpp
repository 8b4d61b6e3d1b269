// SPDX-License-Identifier: BSD-3-Clause
// What pictures have in common: self-contained SVG that follows the reader's light or dark theme.
#pragma once

#include <string>
#include <string_view>

namespace weft::svg_parts {

// The <svg> with a card as large as itself, and the styles of the picture's own classes for both themes. It
// is still to be closed.
struct Frame {
  int width = 0, height = 0;
  std::string_view name;
  std::string_view style, dark_style;
};
std::string begin(const Frame& frame);

// For contents and attributes.
std::string escape(std::string_view text);
// Mid-tones that stand out on white and on black; neighbours differ.
std::string_view colour_of(int rank);

}  // namespace weft::svg_parts
