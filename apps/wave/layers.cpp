// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include <cmath>
#include <fmt/format.h>

#include "number_file.hpp"
#include "verdict.hpp"

namespace wave {

void require_sound(const Material& material, const std::string& where) {
  const auto& [vp, vs, density, qp, qs] = material;
  if (!(std::isfinite(vp) && vp > 0 && std::isfinite(density) && density > 0))
    throw app::BadInput(
        fmt::format("{}: vp {:g} m/s and density {:g} kg/m3 must be positive", where, vp, density));
  // Below this the incompressibility, lambda + 2/3 mu, would be negative.
  if (!(vs >= 0 && vs * std::sqrt(4.0 / 3) < vp))
    throw app::BadInput(fmt::format("{}: vs {:g} m/s must be 0 or more, and less than 0.866 vp, {:.4g} m/s",
                                    where, vs, vp * std::sqrt(0.75)));
  constexpr double kLeastQ = 5;
  if (!(qp >= kLeastQ && qs >= kLeastQ))
    throw app::BadInput(
        fmt::format("{}: Qp {:g} and Qs {:g} must be {:g} or more: attenuation is made for what "
                    "loses little per period",
                    where, qp, qs, kLeastQ));
}

std::vector<Layer> read_layers(const std::string& file) {
  std::vector<Layer> layers;
  for (const auto& row : read_number_file("--layers", file, {4, 6})) {
    const std::string where = fmt::format("--layers {}: layer {}", file, layers.size() + 1);
    Layer layer{row[0], {.vp = row[1], .vs = row[2], .density = row[3]}};
    if (row.size() == 6) {
      layer.material.qp = row[4];
      layer.material.qs = row[5];
    }
    if (!(layer.thickness > 0))
      throw app::BadInput(fmt::format("{}: its thickness is {:g} m, and must be positive", where, row[0]));
    require_sound(layer.material, where);
    layers.push_back(layer);
  }
  return layers;
}

const Material& material_at(const std::vector<Layer>& layers, double depth) {
  double bottom = 0;
  for (const Layer& layer : layers) {
    bottom += layer.thickness;
    if (depth < bottom) return layer.material;
  }
  return layers.back().material;
}

}  // namespace wave
