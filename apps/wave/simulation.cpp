// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.hpp"

#include <algorithm>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "kernels.hpp"

namespace wave {

namespace {
/// Of one array, in a tile of a plane.
constexpr std::ptrdiff_t kTileBytes = std::ptrdiff_t{1} << 19;
}  // namespace

void flush_denormals() {
#if defined(__SSE2__)
  constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushResults | kFlushOperands);
#endif
}

template <typename Real>
Simulation<Real>::Simulation(const Problem& problem, const Medium& medium, ExchangeKind exchange,
                             const Box& box, MPI_Comm cartesian)
    : box_(box),
      layout_(box),
      state_(layout_, problem.attenuation.has_value()),
      coefficients_(medium, problem.attenuation ? &*problem.attenuation : nullptr, problem.time_step,
                    problem.spacing, box, layout_),
      absorbing_(problem.layers, box),
      edges_(problem.boundaries, box),
      sources_(problem.sources, problem.spacing, problem.time_step, box, layout_, coefficients_),
      receivers_(problem.receivers, problem.spacing, box, layout_, cartesian),
      exchange_(make_exchange(exchange, FacePlan(box, sizeof(Real), cartesian), cartesian)) {
  flush_denormals();
  for (int group = 0; group < kGroupCount; ++group) divide(group);
}

/// Slabs of two layers; across x of a cache line, of which nothing less is moved.
template <typename Real>
void Simulation<Real>::divide(int group) {
  Region rest = whole_region(box_);
  if (exchange_->overlaps())
    for (const int direction : {2, 1, 0})
      for (const int side : {2 * direction, 2 * direction + 1}) {
        if (!exchange_->sends(group, side)) continue;
        const int thickness = direction == 0 ? static_cast<int>(Layout::kLine) : kGhostLayers;
        Region slab = rest;
        if (side % 2 == 0) {
          slab.to[direction] = std::min(rest.from[direction] + thickness, rest.to[direction]);
          rest.from[direction] = slab.to[direction];
        } else {
          slab.from[direction] = std::max(rest.to[direction] - thickness, rest.from[direction]);
          rest.to[direction] = slab.from[direction];
        }
        if (!slab.empty()) boundary_[group].push_back(slab);
      }
  inner_[group] = rest;
}

template <typename Real>
void Simulation<Real>::step(Times& times) {
  for (const Group group : kVelocityGroups) advance(group, times);
  {
    const Timed timed(times[Part::kRecording]);
    receivers_.record(state_);
  }
  for (const Group group : kStressGroups) advance(group, times);
  ++steps_done_;
}

template <typename Real>
void Simulation<Real>::advance(int group, Times& times) {
  for (const Group input : inputs_of(group)) receive(input, times);
  if (group == kGroupNormal) {
    const Timed timed(times[Part::kEdges]);
    free_surface_before_normal(edges_, state_, coefficients_, layout_);
  }
  {
    const Timed timed(times[Part::kRecording]);
    sources_.add(group, steps_done_, state_);
  }
  for (const Region& slab : boundary_[group]) compute(group, slab, times);
  if (!exchange_->overlaps()) {
    compute(group, inner_[group], times);
    return send(group, times);
  }
  send(group, times);
  Region first = inner_[group], second = first;
  first.to[2] = second.from[2] = first.from[2] + (first.to[2] - first.from[2]) / 2;
  compute(group, first, times);
  {
    const Timed timed(times[Part::kHaloStart]);
    exchange_->hand_off(group);
  }
  compute(group, second, times);
}

/// Some rows of a plane at a time, so that what the layers add finds everything in the second cache, and so
/// does the next plane, of which each derivative along z needs four.
template <typename Real>
void Simulation<Real>::compute(int group, const Region& region, Times& times) {
  const Part part = is_velocity(group) ? Part::kVelocity : Part::kStress;
  const int rows =
      static_cast<int>(std::max<std::ptrdiff_t>(1, kTileBytes / (layout_.stride[1] * sizeof(Real))));
  for (int y = region.from[1]; y < region.to[1]; y += rows)
    for (int z = region.from[2]; z < region.to[2]; ++z) {
      Region tile = region;
      tile.from[1] = y;
      tile.to[1] = std::min(y + rows, region.to[1]);
      tile.from[2] = z;
      tile.to[2] = z + 1;
      {
        const Timed timed(times[part]);
        update(group, state_, coefficients_, layout_, tile);
      }
      const Timed timed(times[Part::kEdges]);
      absorbing_.add(group, state_, coefficients_, layout_, tile);
      if (group == kGroupNormal) free_surface_behind_normal(edges_, state_, layout_, tile);
    }
}

template <typename Real>
void Simulation<Real>::send(int group, Times& times) {
  {
    const Timed timed(times[Part::kPacking]);
    for (int side = 0; side < kSideCount; ++side)
      if (exchange_->sends(group, side))
        pack(state_.fields[sent_over(group, side)], layout_, side, exchange_->out(group, side));
  }
  const Timed timed(times[Part::kHaloStart]);
  exchange_->start(group);
  under_way_[group] = true;
}

template <typename Real>
void Simulation<Real>::receive(int group, Times& times) {
  if (!under_way_[group]) return;
  under_way_[group] = false;
  {
    const Timed timed(times[Part::kHaloWait]);
    exchange_->finish(group);
  }
  {
    const Timed timed(times[Part::kPacking]);
    for (int side = 0; side < kSideCount; ++side)
      if (exchange_->sends(group, side))
        unpack(state_.fields[sent_over(group, side)], layout_, side, exchange_->in(group, side));
  }
  {
    const Timed timed(times[Part::kHaloStart]);
    exchange_->consumed(group);
  }
  const Timed timed(times[Part::kEdges]);
  fill_edges(group, edges_, state_, layout_);
}

template <typename Real>
void Simulation<Real>::settle() {
  Times untimed;
  for (int group = 0; group < kGroupCount; ++group) receive(group, untimed);
}

template <typename Real>
void Simulation<Real>::exchange_all() {
  settle();
  Times untimed;
  for (int group = 0; group < kGroupCount; ++group) send(group, untimed);
  settle();
  exchange_->all_consumed();
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace wave
