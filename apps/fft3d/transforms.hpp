// SPDX-License-Identifier: BSD-3-Clause
// The transform that the options name: a Plan, or FFTW's own.
#pragma once

#include <memory>

#include "plan.hpp"
#include "report.hpp"

namespace fft3d {

/// Notes its planes per message in the report. Collective; throws BadInput where memory is too small.
template <typename Field>
std::unique_ptr<Transform<Field>> make_transform(const Decomposition& decomposition, Report& report);

}  // namespace fft3d
