// SPDX-License-Identifier: BSD-3-Clause
#include "fingerprint.hpp"

#include <bit>
#include <initializer_list>
#include <type_traits>

namespace wave {
namespace {

/// The finisher of SplitMix64: each bit of the result depends on all bits (Steele, Lea and Flood, OOPSLA
/// 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

template <typename Real>
std::uint64_t bits_of(Real value) {
  using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Word>(value);
}

/// `kind` tells apart values of the same place.
template <typename Real>
std::uint64_t mixed_with(std::uint64_t place, std::uint64_t kind, Real value) {
  return mixed(mixed(place * 64 + kind) + bits_of(value));
}

template <typename Work>
void each_point(const Box& box, const Work& work) {
  for (int z = 0; z < box[2].count; ++z)
    for (int y = 0; y < box[1].count; ++y)
      for (int x = 0; x < box[0].count; ++x) work(x, y, z);
}

std::uint64_t sum_of_all(std::uint64_t own, MPI_Comm communicator) {
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return own;
}

}  // namespace

template <typename Real>
std::uint64_t fingerprint_of(const State<Real>& state, const Seismograms& seismograms, const Box& box,
                             const Layout& layout, MPI_Comm communicator) {
  std::uint64_t sum = 0;
  for (int kind = 0; kind < kComponentCount + kStressCount; ++kind) {
    const Field<Real>& field =
        kind < kComponentCount ? state.fields[kind] : state.memory[kind - kComponentCount];
    if (!field) continue;
    each_point(box, [&](int x, int y, int z) {
      sum += mixed_with(global_index(box, x, y, z), kind, field[layout.at(x, y, z)]);
    });
  }
  constexpr std::uint64_t kSeismogram = 63;
  for (std::size_t i = 0; i < seismograms.values.size(); ++i)
    sum += mixed_with(i, kSeismogram, seismograms.values[i]);
  return sum_of_all(sum, communicator);
}

std::uint64_t fingerprint_of(const Medium& medium, const Box& box, MPI_Comm communicator) {
  std::uint64_t sum = 0;
  each_point(box, [&](int x, int y, int z) {
    const Material material = medium.at(x, y, z);
    std::uint64_t kind = 0;
    for (const double value : {material.vp, material.vs, material.density, material.qp, material.qs})
      sum += mixed_with(global_index(box, x, y, z), kind++, value);
  });
  return sum_of_all(sum, communicator);
}

template std::uint64_t fingerprint_of(const State<float>&, const Seismograms&, const Box&, const Layout&,
                                      MPI_Comm);
template std::uint64_t fingerprint_of(const State<double>&, const Seismograms&, const Box&, const Layout&,
                                      MPI_Comm);

}  // namespace wave
