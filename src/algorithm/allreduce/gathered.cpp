// SPDX-License-Identifier: BSD-3-Clause
// Allreduce whose order is the same wherever the ranks are: all values go to everybody over the hierarchy,
// and everybody combines them. For short messages, of which many fit into one.
//
//   2 nodes of 2     gather  a b ◄─► c d     everybody: (a + b) + (c + d)
#include "algorithm/pattern/gathered.hpp"

namespace weft::allreduce {

void gathered(Builder& b, const Parameters& parameters) {
  combine_values(b, parameters, gather_values(b, parameters));
}

Cost gathered_cost(const Call& call, const Parameters& parameters) {
  return gathered_cost_of(call, parameters);
}

}  // namespace weft::allreduce
