// SPDX-License-Identifier: BSD-3-Clause
#include "operator.hpp"

namespace poisson {

double Operator::apply(const Vector& p, Vector& q, Times& times) {
  {
    const Timed timed(times[Part::kPacking]);
    pack(p);
  }
  halo_.start(times);
  double product = 0;
  {
    const Timed timed(times[Part::kInner]);
    product = inner(p, q);
  }
  halo_.finish(times);
  const Timed timed(times[Part::kBoundary]);
  return product + boundary(p, q);
}

}  // namespace poisson
