// SPDX-License-Identifier: BSD-3-Clause
// Notes: what there was to say in the log that the statistics repeat.
#pragma once

#include <string>
#include <vector>

namespace weft::mpi {

void note(const std::string& message);
std::vector<std::string> notes();

}  // namespace weft::mpi
