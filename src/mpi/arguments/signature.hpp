// SPDX-License-Identifier: BSD-3-Clause
// Signatures: what two datatypes must have in common to match: the sequence of their basic types. A hash of
// it that is made of parts: W. Gropp, "Runtime checking of datatype signatures in MPI", EuroPVM/MPI 2000: (a,
// n) followed by (b, m) is (a ^ rotate(b, n), n + m).
#pragma once

#include <bit>
#include <cstdint>
#include <mpi.h>

namespace weft::mpi {

struct Signature {
  std::uint64_t hash = 0;
  std::uint64_t length = 0;  // basic types
  bool is_known = true;      // false: packed data match anything

  friend Signature operator+(const Signature& a, const Signature& b) {
    return {a.hash ^ std::rotl(b.hash, static_cast<int>(a.length % 64)), a.length + b.length,
            a.is_known && b.is_known};
  }
};

// `count` times the same.
Signature operator*(MPI_Count count, Signature each);

Signature signature_of(MPI_Datatype type);

}  // namespace weft::mpi
