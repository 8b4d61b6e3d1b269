// SPDX-License-Identifier: BSD-3-Clause
// Two operators whose results can be compared exactly: one commutes, the other does not.
#pragma once

#include <cstdint>
#include <cstring>

#include "executor/processor/operation.hpp"

namespace weft::tests {

// x -> scale * x + shift modulo a prime. Composition is associative and does not commute.
struct AffineMap {
  std::uint64_t scale;
  std::uint64_t shift;

  static constexpr std::uint64_t kPrime = 2147483647;
  friend AffineMap operator*(const AffineMap& left, const AffineMap& right) {
    return {left.scale * right.scale % kPrime, (left.scale * right.shift + left.shift) % kPrime};
  }
};

template <class Element, class Operator>
void combine_elements(const void* left, void* into, Bytes bytes, const void*) {
  auto* to = static_cast<std::byte*>(into);
  const auto* from = static_cast<const std::byte*>(left);
  for (std::int64_t at = 0; at < bytes.value; at += static_cast<std::int64_t>(sizeof(Element))) {
    Element a, b;
    std::memcpy(&a, from + at, sizeof a);
    std::memcpy(&b, to + at, sizeof b);
    b = Operator()(a, b);
    std::memcpy(to + at, &b, sizeof b);
  }
}

struct Sum {
  std::uint32_t operator()(std::uint32_t left, std::uint32_t right) const { return left + right; }
};
struct Compose {
  AffineMap operator()(const AffineMap& left, const AffineMap& right) const { return left * right; }
};

inline constexpr Combine kSum{combine_elements<std::uint32_t, Sum>, nullptr};
inline constexpr Combine kCompose{combine_elements<AffineMap, Compose>, nullptr};

inline Combine combine_of(bool commutative) { return commutative ? kSum : kCompose; }
inline Bytes element_of(bool commutative) {
  return Bytes(commutative ? sizeof(std::uint32_t) : sizeof(AffineMap));
}

}  // namespace weft::tests
