// SPDX-License-Identifier: BSD-3-Clause
// Hints: what an MPI_Info says about one communicator: values of the settings whose scope that is, under
// their names in lower case (weft_algorithm, weft_hierarchy, …). Other keys are not Weft's.
#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"

namespace weft::mpi {

using Hints = std::vector<std::pair<const Setting*, std::string>>;

Hints hints_in(MPI_Info info);  // none in MPI_INFO_NULL

// Whether they group ranks by where on their nodes they are.
bool ask_for_places(const Hints& hints);
// Equal for equal hints.
std::uint64_t fingerprint_of(const Hints& hints);

// The settings with the hints of a communicator, where all its members give the same; else, and where a hint
// is wrong, the settings, and a note that names the key, the value, and what is allowed.
std::shared_ptr<const SharedSettings> settings_with(const Hints& hints, bool same,
                                                    std::shared_ptr<const SharedSettings> otherwise);

}  // namespace weft::mpi
