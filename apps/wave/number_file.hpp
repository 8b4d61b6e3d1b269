// SPDX-License-Identifier: BSD-3-Clause
// Text files of numbers: a row a line, numbers apart by blanks or commas, # before comments.
#pragma once

#include <string>
#include <vector>

namespace wave {

using Rows = std::vector<std::vector<double>>;

/// Throws BadInput, which names `option`, the file and the line, where the file cannot be read, is empty, or
/// a row has another number of numbers than one of `widths`. `inf` is a number too.
Rows read_number_file(const std::string& option, const std::string& file,
                      const std::vector<std::size_t>& widths);

}  // namespace wave
