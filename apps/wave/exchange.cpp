// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

namespace wave {
namespace {

class Skipped : public Exchange {
 public:
  Skipped(const FacePlan& plan, MPI_Comm cartesian) : Exchange(plan, cartesian) { allocate_in(); }
  void start(int) override {}
  void finish(int) override {}
};

}  // namespace

const char* name_of(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::kBlocking: return "blocking";
    case ExchangeKind::kNonblocking: return "nonblocking";
    case ExchangeKind::kOneSided: return "one-sided";
    case ExchangeKind::kNoCheck: return "nocheck";
    case ExchangeKind::kNeighbour: return "neighbour";
    case ExchangeKind::kFence: return "fence";
    case ExchangeKind::kLock: return "lock";
    case ExchangeKind::kSkipped: return "skipped";
  }
  return "?";
}

// One byte more, unused: where nothing is sent the buffers still are two, as MPI wants them.
Exchange::Exchange(const FacePlan& plan, MPI_Comm cartesian) : plan_(plan), cartesian_(cartesian) {
  for (int group = 0; group < kGroupCount; ++group) out_[group].resize(plan_.buffer_bytes[group] + 1);
}

void Exchange::allocate_in() {
  for (int group = 0; group < kGroupCount; ++group) {
    in_memory_[group].resize(plan_.buffer_bytes[group] + 1);
    in_[group] = in_memory_[group].data();
  }
}

std::unique_ptr<Exchange> make_exchange(ExchangeKind kind, const FacePlan& plan, MPI_Comm cartesian) {
  if (kind == ExchangeKind::kSkipped) return std::make_unique<Skipped>(plan, cartesian);
  if (auto two_sided = make_two_sided(kind, plan, cartesian)) return two_sided;
  return make_one_sided(kind, plan, cartesian);
}

}  // namespace wave
