// SPDX-License-Identifier: BSD-3-Clause
// Absorbing layers: a convolutional perfectly matched layer inside the grid's edges.
//
// In a layer of W points along direction d each derivative along d gets an addend psi,
//
//   psi' = b psi + a D f,    b = exp(-(damping + shift) dt),    a = (b - 1) damping / (damping + shift)
//
// where damping grows with the square of the distance from the layer's inner face, and shift falls linearly
// from pi f to 0 (Roden and Gedney 2000; Komatitsch and Martin, "An unsplit convolutional perfectly matched
// layer improved at grazing incidence for the seismic wave equation", Geophysics 72, 2007; here with kappa =
// 1). Since the updates are linear, what psi adds is added behind them, in a pass of its own over the layers
// alone.
//
// At a free surface the derivative of vz along z is that which leaves no zz (edges.hpp), and so is what psi
// adds.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "coefficients.hpp"
#include "field.hpp"

namespace wave {

/// Which edges of the grid do what.
enum class Boundaries {
  kSurface,    ///< a free surface at the top, all else absorbs
  kAbsorbing,  ///< all edges absorb
  kRigid       ///< rigid walls without friction, half a spacing outside the grid's points
};

struct AbsorbingLayers {
  int width = 10;  ///< points; 0: none
  bool at_top = false;
  double fastest = 0;    ///< m/s
  double frequency = 0;  ///< Hz, of the source
  double spacing = 0, time_step = 0;
};

template <typename Real>
class Absorbing {
 public:
  Absorbing(const AbsorbingLayers& layers, const Box& box);

  /// What the layers add to a group that has just been updated at the points of `region`.
  void add(int group, State<Real>& state, const Coefficients<Real>& coefficients, const Layout& layout,
           const Region& region);

  /// psi of one derivative in one layer.
  struct Slab {
    int group = 0, direction = 0;
    bool is_upper = false;
    Component from{}, to{};  ///< derivative of `from`; `to` of normal stresses: all three
    Region region;           ///< of this box
    Real* psi = nullptr;     ///< point by point of the region
  };
  std::vector<Slab>& slabs() {
    return slabs_;
  }  // for checkpoints; all ranks have the same, some of them empty
  int width() const { return layers_.width; }
  /// Where a slab lies along its direction, in the whole grid.
  static std::array<int, 2> stretch_of(int direction, bool is_upper, int width, int whole);

 private:
  struct Profile {
    std::vector<Real> a, b, kept;  // by point of the box
  };

  void make_profiles(const Box& box);
  void make_sponge(const Box& box);
  void add_slab(int group, int direction, Component from, Component to, const Box& box);
  void make_psi();
  void add_to(Slab& slab, State<Real>& state, const Coefficients<Real>& coefficients, const Layout& layout,
              const Region& region);
  void dampen(Component component, State<Real>& state, const Layout& layout, const Region& region) const;
  struct Row;
  void relax_shear(const Row& row, State<Real>& state, const Coefficients<Real>& coefficients) const;
  void add_to_normal(const Row& row, State<Real>& state, const Coefficients<Real>& coefficients);

  AbsorbingLayers layers_;
  bool has_surface_;                                // the box's top is a free surface
  std::array<std::array<Profile, 2>, 3> profiles_;  // by direction; on points, and half a spacing beyond
  std::vector<Slab> slabs_;
  Field<Real> psi_;  // of all slabs
  std::vector<Region> sponge_;
  std::vector<Real> across_, sum_;  // of a row at the surface
};

/// Throws BadInput where the grid has no room for its layers.
void require_room(int width, bool at_top, const Triple& points);

}  // namespace wave
