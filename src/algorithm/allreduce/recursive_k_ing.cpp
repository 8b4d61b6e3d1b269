// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by recursive k-ing: in each round groups of k exchange what they have, so that everyone then
// knows k times as much; recursive doubling for any k. Cheetah (2013), section IV, with aligned groups.
//
//   k = 3, 9 ranks     round 0: (0,1,2) (3,4,5) (6,7,8)      everyone evaluates, in rank order,
//                      round 1: (0,3,6) (1,4,7) (2,5,8)      (0+(1+2)) + ((3+(4+5)) + (6+(7+8)))
//
//   k = 3, 11 ranks    before:  1 -> 0, 3 -> 2 (extra ranks to their proxies); after:  0 -> 1, 2 -> 3
//
// Memory: at most 2k + 1 messages for any number of ranks, and yet the receives of a round wait for the round
// before last only: they are posted before their messages arrive.
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/pattern/aligned_groups.hpp"
#include "algorithm/pattern/fold.hpp"

namespace weft::allreduce {

namespace {

// A proxy's steps: first its block, if there are extra ranks in it, then one group per round.
std::vector<Fold> steps_of(const AlignedGroups& groups, int block) {
  std::vector<Fold> steps;
  if (groups.block_size(block) > 1) steps.emplace_back(groups.block_members(block), 0);
  for (int round = 0; round < groups.rounds(); ++round)
    steps.emplace_back(groups.group_proxies(block, round), groups.place(block, round));
  return steps;
}

// Where values live, so that at most one is ever copied: a step whose own value is last folds on top of it,
// the others move to a new home, and the last move is to the output.
class Homes {
 public:
  Homes(Builder& b, const std::vector<Fold>& steps) : builder_(b), value_(b.contribution()) {
    for (const Fold& step : steps) {
      moves_left_ += moves(step, &step == steps.data() && !b.in_place()) ? 1 : 0;
      landings_ = std::max(landings_, step.landing_count());
    }
    const bool output_is_taken = b.in_place() && moves_left_ == 1;
    homes_ = std::clamp(output_is_taken ? 1 : moves_left_ - 1, 0, 3);
    const int sets = std::min(2, static_cast<int>(steps.size()));
    if (homes_ + sets * landings_ > 0) scratch_ = b.scratch(b.bytes() * (homes_ + sets * landings_));
  }

  Range value() const { return value_; }
  void settle(Range home) { value_ = home; }
  Range next_home(const Fold& step) {
    const bool is_callers = value_ == builder_.contribution() && !builder_.in_place();
    if (!moves(step, is_callers)) return value_;
    if (--moves_left_ == 0 && value_ != builder_.output()) return builder_.output();
    return scratch_.part(builder_.bytes() * (used_++ % homes_), builder_.bytes());
  }
  Range next_landings() {
    return scratch_.part(builder_.bytes() * (homes_ + step_++ % 2 * landings_), builder_.bytes() * landings_);
  }

 private:
  static bool moves(const Fold& step, bool read_only) { return read_only || !step.own_is_last(); }

  Builder& builder_;
  Range value_, scratch_;
  int homes_ = 0, landings_ = 0, moves_left_ = 0, used_ = 0, step_ = 0;
};

void build_recursive_k_ing(Builder& b, const Parameters& parameters) {
  const AlignedGroups groups(b.rank_count(), parameters.radix);
  const int block = groups.block_of(b.self());
  const int proxy = groups.proxy(block);
  if (b.self() != proxy) {
    b.send(proxy, b.contribution());
    b.recv(proxy, b.output());
    return;
  }

  const std::vector<Fold> steps = steps_of(groups, block);
  const std::size_t exchanges_from = steps.size() - static_cast<std::size_t>(groups.rounds());
  Homes homes(b, steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Range value = homes.value();
    const Range landings = homes.next_landings();
    const Range home = homes.next_home(steps[i]);
    steps[i].receive(b, home, landings);
    if (i >= exchanges_from) steps[i].send_to_others(b, value);
    steps[i].combine(b, value, home, landings);
    homes.settle(home);
  }
  b.copy(homes.value(), b.output());
  for (const int extra : groups.extras(block)) b.send(extra, b.output());
}

Cost recursive_k_ing_cost(const Call& call, const Parameters& parameters) {
  const AlignedGroups groups(call.rank_count, parameters.radix);
  const int messages = groups.rounds() * (parameters.radix - 1) + groups.block_size(0) - 1;
  return {.rounds = groups.rounds() + (groups.has_extras() ? 2 : 0),
          .messages = messages,
          .sent = call.bytes * messages,
          .reduced = call.bytes * messages};
}

}  // namespace

extern constinit const Algorithm recursive_k_ing{
    .collective = Collective::kAllreduce,
    .name = "recursive_k_ing",
    .summary = "exchange in aligned groups of k, then of groups; extra ranks through proxies",
    .formula = "(floor(log_k n) + 2 [n != k^i]) (L + 2o + (k-1) m (G + g))",
    .source = "Cheetah 2013, section IV",
    .has_radix = true,
    .scales = always,
    .build = build_recursive_k_ing,
    .cost = recursive_k_ing_cost,
};

}  // namespace weft::allreduce
