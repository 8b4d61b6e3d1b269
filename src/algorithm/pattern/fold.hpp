// SPDX-License-Identifier: BSD-3-Clause
// Fold: combines the values of a group in the order of its members, one of which is this rank's own.
//
//   v0 (+) (v1 (+) (v2 (+) v3))      into = v3; into = v2 (+) into; into = v1 (+) into; into = v0 (+) into
//
// This right fold is what the one form of reduce gives without any copy: the last value is received straight
// into the result. Every member evaluates the same bracket, whatever its place. Only a rank in the last place
// has its own value at the bottom: it folds on top of it (into == own) or copies it first.
#pragma once

#include <utility>
#include <vector>

#include "schedule/builder.hpp"

namespace weft {

class Fold {
 public:
  Fold(std::vector<int> members, int place) : members_(std::move(members)), place_(place) {}

  int size() const { return static_cast<int>(members_.size()); }
  bool own_is_last() const { return place_ + 1 == size(); }
  // Values that wait in scratch: all but the own one and the one that is received into the result.
  int landing_count() const { return size() - (own_is_last() ? 1 : 2); }

  // Unless own_is_last(), `into` must not be where the own value is.
  void receive(Builder& b, Range into, Range landings) const {
    for (int place = 0; place < size(); ++place)
      if (place != place_) b.recv(member(place), place + 1 == size() ? into : landing(b, landings, place));
  }
  // Each member begins with the next one, so that no two send to the same one at the same time.
  void send_to_others(Builder& b, Range own) const {
    for (int step = 1; step < size(); ++step) b.send(member((place_ + step) % size()), own);
  }
  void combine(Builder& b, Range own, Range into, Range landings) const {
    if (own_is_last()) b.copy(own, into);
    for (int place = size() - 2; place >= 0; --place)
      b.reduce(place == place_ ? own : landing(b, landings, place), into);
  }

 private:
  int member(int place) const { return members_[static_cast<std::size_t>(place)]; }
  Range landing(const Builder& b, Range landings, int place) const {
    return landings.part(b.bytes() * (place > place_ ? place - 1 : place), b.bytes());
  }

  std::vector<int> members_;
  int place_;
};

}  // namespace weft
