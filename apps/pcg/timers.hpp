// SPDX-License-Identifier: BSD-3-Clause
// Where the time of one solve went.
//
// Two views of the same time. By operation, the rows of the paper's Table I: matvec, the inner products, the
// preconditioner, axpy and scale, and the whole solve. By what the processor did, its figure 11: halo (MPI
// calls of the boundary exchange), allreduce (MPI_Allreduce, MPI_Iallreduce, MPI_Wait); the rest is
// computation. And for every MPI_Iallreduce of the overlapping algorithms what happened from there to
// MPI_Wait. All in seconds.
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>

#include "timed.hpp"

namespace pcg {

/// The three inner products of one iteration, s.p, gamma (r.C^-1 r) and r.r; and several by one reduction.
enum class InnerProduct { kSdotp, kGamma, kIprod, kTogether };
inline constexpr std::array kInnerProducts{InnerProduct::kSdotp, InnerProduct::kGamma, InnerProduct::kIprod,
                                           InnerProduct::kTogether};

const char* name_of(InnerProduct product);

enum class Part {
  kSdotp,
  kGamma,
  kIprod,
  kTogether,
  kMatvec,
  kPrecond,
  kAxpy,
  kScale,
  kSolver,
  kHalo,
  kAllreduce
};
inline constexpr std::size_t kPartCount = 11;

inline Part part_of(InnerProduct product) { return static_cast<Part>(product); }
static_assert(static_cast<int>(Part::kTogether) == static_cast<int>(InnerProduct::kTogether));

/// One kind of MPI_Iallreduce: sums over all its calls. Doubles throughout, so that ranks can be
/// averaged.
struct IallreduceTimes {
  double count = 0;
  double starting = 0;   ///< inside MPI_Iallreduce
  double available = 0;  ///< from there to MPI_Wait: computation that can hide the operation
  double waiting = 0;    ///< inside MPI_Wait
};

struct Times {
  std::array<double, kPartCount> parts{};
  std::array<IallreduceTimes, kInnerProducts.size()> iallreduce{};
  double bytes = 0;  ///< read from vectors and matrix, and written to them; NaN: not known

  double& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
  IallreduceTimes& operator[](InnerProduct product) { return iallreduce[static_cast<std::size_t>(product)]; }
  const IallreduceTimes& operator[](InnerProduct product) const {
    return iallreduce[static_cast<std::size_t>(product)];
  }

  double inner_products() const {
    double sum = 0;
    for (const InnerProduct product : kInnerProducts) sum += (*this)[part_of(product)];
    return sum;
  }
};

/// Over all ranks, element by element. Collective.
Times mean_of(const Times& times, MPI_Comm communicator);
Times maximum_of(const Times& times, MPI_Comm communicator);

inline double now() { return MPI_Wtime(); }

using app::Timed;

}  // namespace pcg
