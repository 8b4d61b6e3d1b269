// SPDX-License-Identifier: BSD-3-Clause
// --test and --decompress: an archive is read from end to end on rank 0.
#pragma once

#include "input.hpp"
#include "options.hpp"

namespace compress {

/// Says what was found. Throws BadInput where the archive is damaged or cut off, or the result cannot be
/// written.
void read_archive(const Options& options, const Input& input);

}  // namespace compress
