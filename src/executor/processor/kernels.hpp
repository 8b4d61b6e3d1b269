// SPDX-License-Identifier: BSD-3-Clause
// Kernels: copies, and the reductions that programs use most, for the processor that they run on. A reduction
// that is not here, the host MPI's MPI_Reduce_local does.
//
// Reductions are bit for bit those of a plain loop in C: integers wrap around, floating point is added and
// multiplied one element at a time. Minimum and maximum of floating point are left to the host, because hosts
// treat NaN and signed zeros each in their own way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace weft {

// Copies so many bytes. The place that they come from and the one that they go to may overlap.
void copy_block(const std::byte* from, std::byte* into, Bytes size);

enum class Operator : std::uint8_t { kSum, kProduct, kMinimum, kMaximum, kAnd, kOr, kXor };
enum class Element : std::uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble
};

// into = left (+) right, on whole elements. `into` may be `right`.
using Kernel = void (*)(const void* left, const void* right, void* into, Bytes bytes);

// Null: there is none.
Kernel kernel_of(Operator op, Element element);

}  // namespace weft
