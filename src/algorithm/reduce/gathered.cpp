// SPDX-License-Identifier: BSD-3-Clause
// Reduce whose order is the same wherever the ranks are: all values go to everybody over the hierarchy, and
// the root combines them. For short messages, of which many fit into one.
#include "algorithm/pattern/gathered.hpp"

namespace weft::reduce {

void gathered(Builder& b, const Parameters& parameters) {
  const Range all = gather_values(b, parameters);
  if (b.self() == b.call().root.value) combine_values(b, parameters, all);
}

Cost gathered_cost(const Call& call, const Parameters& parameters) {
  return gathered_cost_of(call, parameters);
}

}  // namespace weft::reduce
