// SPDX-License-Identifier: BSD-3-Clause
// UsualOrdinals: what a message's ordinal is unless somebody says otherwise: the n-th in its direction with
// its peer has ordinal n (invariant 2 of task.hpp).
#pragma once

#include <map>
#include <utility>

#include "schedule/task.hpp"

namespace weft {

class UsualOrdinals {
 public:
  std::uint32_t next(const Task& message) { return count_[{message.peer, message.kind}]++; }

 private:
  std::map<std::pair<std::int32_t, TaskKind>, std::uint32_t> count_;
};

}  // namespace weft
