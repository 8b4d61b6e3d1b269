// SPDX-License-Identifier: BSD-3-Clause
// Partial: a rank's partial result, to which other ranks' are added on its right or on its left, so that rank
// order is kept with two places for any number of operands.
//
//   on the right    recv -> other place;  other = value (+) other;  the value is now there
//   on the left     recv -> other place;  value = other (+) value
//
// What the caller owns is only read: the first operand leaves it for one of the two places.
#pragma once

#include <array>
#include <optional>

#include "schedule/builder.hpp"

namespace weft {

class Partial {
 public:
  // `own` is the value at first; `home` one of the two places, if the rank has one of its own. Both of the
  // same size. In place they are the same.
  Partial(Builder& b, Range own, std::optional<Range> home) : b_(b), value_(own), places_{home, {}} {}

  Range value() const { return value_; }
  // Where other parts of the result may be put beside this one: not with the caller.
  Range home() { return is_at(0) || is_at(1) ? value_ : place(0); }

  // The bytes [at, at + size) of what `peer` sends, or has: all other bytes of the value are lost.
  void add_right(int peer, Bytes at, Bytes size) {
    const Range into = place(is_at(0) ? 1 : 0);
    b_.recv(peer, into.part(at, size));
    b_.reduce(value_.part(at, size), into.part(at, size));
    value_ = into;
  }
  void add_left(int peer, Bytes at, Bytes size) {
    if (!is_at(0) && !is_at(1)) {
      b_.copy(value_.part(at, size), place(0).part(at, size));
      value_ = place(0);
    }
    const Range left = place(is_at(0) ? 1 : 0).part(at, size);
    b_.recv(peer, left);
    b_.reduce(left, value_.part(at, size));
  }
  void add_right(int peer) { add_right(peer, Bytes(0), value_.size); }
  void add_left(int peer) { add_left(peer, Bytes(0), value_.size); }

 private:
  bool is_at(std::size_t number) const { return places_[number] == value_; }
  Range place(std::size_t number) {
    if (!places_[number]) places_[number] = b_.scratch(value_.size);
    return *places_[number];
  }

  Builder& b_;
  Range value_;
  std::array<std::optional<Range>, 2> places_;
};

}  // namespace weft
