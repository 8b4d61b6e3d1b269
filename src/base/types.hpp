// SPDX-License-Identifier: BSD-3-Clause
// The vocabulary of sizes and names: distinct types, so that an index and a count cannot be swapped.
#pragma once

#include <compare>
#include <cstdint>

namespace weft {

// An amount with a unit: adds to its own kind, scales by plain numbers.
template <class Unit>
struct Quantity {
  std::int64_t value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t amount) : value(amount) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator*(Quantity a, std::int64_t times) { return Quantity(a.value * times); }
  friend constexpr Quantity operator*(std::int64_t times, Quantity a) { return Quantity(a.value * times); }
  friend constexpr Quantity operator/(Quantity a, std::int64_t parts) { return Quantity(a.value / parts); }
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

// A name by number: compares, and says its number only when asked.
template <class Kind, class Number>
struct Index {
  Number value = 0;

  constexpr Index() = default;
  constexpr explicit Index(Number number) : value(number) {}
  constexpr auto operator<=>(const Index&) const = default;
};

using Bytes = Quantity<struct BytesUnit>;
using Nanoseconds = Quantity<struct NanosecondsUnit>;
using Rank = Index<struct RankKind, std::int32_t>;           // within the communicator of the call
using TaskId = Index<struct TaskKindTag, std::uint32_t>;     // position in Schedule::tasks
using BufferId = Index<struct BufferKindTag, std::uint8_t>;  // position in Schedule::buffers
using GroupId = Index<struct GroupKindTag, std::uint32_t>;   // position in Schedule::groups

}  // namespace weft
