// SPDX-License-Identifier: BSD-3-Clause
// The matrix, as the solver sees it: q = A p, and p . q with it.
//
// All forms of the exchange go the same way (pack, start, inner points, finish, boundary points), so that
// they add up p . q in the same order and get the same bits.
#pragma once

#include <utility>

#include "halo.hpp"
#include "timers.hpp"
#include "vector.hpp"

namespace poisson {

class Operator {
 public:
  explicit Operator(Halo halo) : halo_(std::move(halo)) {}
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  /// q = A p; returns this rank's part of p . q. Collective.
  double apply(const Vector& p, Vector& q, Times& times);

 protected:
  Halo halo_;

 private:
  virtual void pack(const Vector& p) = 0;
  // At the points that need nothing of others, and at those that do. Return their part of p . q.
  virtual double inner(const Vector& p, Vector& q) const = 0;
  virtual double boundary(const Vector& p, Vector& q) const = 0;
};

}  // namespace poisson
