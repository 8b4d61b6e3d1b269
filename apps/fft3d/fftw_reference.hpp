// SPDX-License-Identifier: BSD-3-Clause
// FftwReference: FFTW's own MPI transform as a Transform, to compare with.
//
// Ranks have slabs of z, their spectra slabs of y (FFTW_MPI_TRANSPOSED_OUT), so that there is one exchange
// per transform, as Plan has on one column. Lines of real fields are padded to 2 (nx / 2 + 1). Variables go
// one after the other. FFTW's transform to real destroys what it reads: there the spectrum is copied first,
// in the timed part.
//
// Not in every build: Debian's FFTW-MPI works with Open MPI only.
#pragma once

#include <memory>

#include "form.hpp"
#include "plan.hpp"

namespace fft3d {

bool has_fftw_reference();

/// Collective; the grid is real if Field is. Null where there is none in this build.
template <typename Field>
std::unique_ptr<Transform<Field>> make_fftw_reference(const Grid& grid, Effort effort, MPI_Comm communicator);

}  // namespace fft3d
