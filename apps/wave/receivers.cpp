// SPDX-License-Identifier: BSD-3-Clause
#include "receivers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "npy.hpp"

namespace wave {

template <typename Real>
Receivers<Real>::Receivers(const std::vector<Position>& positions, double spacing, const Box& box,
                           const Layout& layout, MPI_Comm communicator)
    : communicator_(communicator) {
  MPI_Comm_rank(communicator, &rank_);
  seismograms_.receivers = positions.size();
  const Triple points{box[0].whole, box[1].whole, box[2].whole};
  for (const Position& position : positions)
    for (const Component component : {kVx, kVy, kVz}) {
      const std::size_t first = places_.size();
      for (const auto& [point, weight] : points_around(position, component, spacing, points)) {
        Triple own{};
        const bool is_own = is_inside(box, point, own);
        places_.push_back({is_own ? layout.at(own[0], own[1], own[2]) : -1, weight});
      }
      traces_.push_back({component, first, places_.size()});
    }
}

template <typename Real>
void Receivers<Real>::record(const State<Real>& state) {
  if (traces_.empty()) return;
  for (const Trace& trace : traces_)
    for (std::size_t i = trace.first; i < trace.behind; ++i)
      kept_.push_back(places_[i].at < 0 ? Real(0) : state.fields[trace.component][places_[i].at]);
  ++kept_steps_;
  if (kept_.size() + places_.size() > kMostKept) collect();
}

template <typename Real>
void Receivers<Real>::collect() {
  if (kept_steps_ == 0) return;
  const MPI_Datatype type = sizeof(Real) == 4 ? MPI_FLOAT : MPI_DOUBLE;
  const int count = static_cast<int>(kept_.size());
  std::vector<Real> all(rank_ == 0 ? kept_.size() : 0);
  MPI_Reduce(kept_.data(), all.data(), count, type, MPI_SUM, 0, communicator_);
  if (rank_ == 0) {
    const Real* of_step = all.data();
    for (std::size_t step = 0; step < kept_steps_; ++step, of_step += places_.size())
      for (const Trace& trace : traces_) {
        double value = 0;
        for (std::size_t i = trace.first; i < trace.behind; ++i)
          value += places_[i].weight * static_cast<double>(of_step[i]);
        seismograms_.values.push_back(value);
      }
  }
  seismograms_.steps += kept_steps_;
  kept_.clear();
  kept_steps_ = 0;
}

std::string as_npy(const Seismograms& seismograms, double time_step) {
  std::string bytes = app::npy_header("[('t', '<f8'), ('vx', '<f8'), ('vy', '<f8'), ('vz', '<f8')]",
                                      {seismograms.receivers, seismograms.steps});
  for (std::size_t receiver = 0; receiver < seismograms.receivers; ++receiver)
    for (std::size_t step = 0; step < seismograms.steps; ++step) {
      const std::array<double, 4> row{(static_cast<double>(step) + 0.5) * time_step,
                                      seismograms.at(receiver, step, 0), seismograms.at(receiver, step, 1),
                                      seismograms.at(receiver, step, 2)};
      bytes.append(reinterpret_cast<const char*>(row.data()), sizeof row);
    }
  return bytes;
}

std::string as_csv(const Seismograms& seismograms, double time_step) {
  std::string text = "t";
  for (std::size_t receiver = 0; receiver < seismograms.receivers; ++receiver)
    for (const char* name : {"vx", "vy", "vz"}) text += fmt::format(",{}_{}", name, receiver);
  for (std::size_t step = 0; step < seismograms.steps; ++step) {
    fmt::format_to(std::back_inserter(text), "\n{}", (static_cast<double>(step) + 0.5) * time_step);
    for (std::size_t receiver = 0; receiver < seismograms.receivers; ++receiver)
      for (int c = 0; c < 3; ++c)
        fmt::format_to(std::back_inserter(text), ",{}", seismograms.at(receiver, step, c));
  }
  return text + "\n";
}

template class Receivers<float>;
template class Receivers<double>;

}  // namespace wave
