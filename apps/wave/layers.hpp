// SPDX-License-Identifier: BSD-3-Clause
// Layers: what the ground is made of, as a table of layers from the top downwards.
//
//   # thickness (m)   vp (m/s)   vs (m/s)   density (kg/m3)   [Qp   Qs]
//     500             2000       1000       2200               100   50
//     inf             4000       2300       2600               400  200
//
// The last layer goes on downwards, whatever its thickness. Without Q, nothing is lost.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace wave {

struct Material {
  double vp = 6000, vs = 3464, density = 2700;
  double qp = std::numeric_limits<double>::infinity();
  double qs = std::numeric_limits<double>::infinity();

  bool operator==(const Material&) const = default;
};

struct Layer {
  double thickness = 0;
  Material material;
};

/// Throws BadInput, which begins with `where`, if this is no material.
void require_sound(const Material& material, const std::string& where);

std::vector<Layer> read_layers(const std::string& file);

const Material& material_at(const std::vector<Layer>& layers, double depth);

}  // namespace wave
