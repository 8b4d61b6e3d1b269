// SPDX-License-Identifier: BSD-3-Clause
#include "medium.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "blocks.hpp"
#include "npy.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

constexpr double kNoLoss = std::numeric_limits<double>::infinity();

/// So many points of this direction are kept: one more than the box has, unless the grid ends there.
int kept_points(const Stretch& stretch) { return std::min(stretch.count + 1, stretch.whole - stretch.first); }

app::NpyArray require_array(SharedFile& file, const std::string& name, const Box& box) {
  constexpr std::size_t kLongestHeader = 4096;
  const auto array = app::parse_npy_header(file.beginning(kLongestHeader));
  if (!array)
    throw app::BadInput(fmt::format("--medium {}: is no array of NumPy's (.npy, in C's order)", name));
  const std::vector<std::size_t> wanted{0, static_cast<std::size_t>(box[2].whole),
                                        static_cast<std::size_t>(box[1].whole),
                                        static_cast<std::size_t>(box[0].whole)};
  const auto& shape = array->shape;
  const bool fits = shape.size() == 4 && (shape[0] == 3 || shape[0] == 5) &&
                    std::equal(shape.begin() + 1, shape.end(), wanted.begin() + 1);
  const bool is_real = array->type == "<f4" || array->type == "<f8";
  if (!fits || !is_real)
    throw app::BadInput(
        fmt::format("--medium {}: is an array ({}) of '{}', not (3 or 5, {}, {}, {}) (vp, vs, density "
                    "[, Qp, Qs]; z, y, x) of '<f4' or '<f8'",
                    name, fmt::join(shape, ", "), array->type, wanted[1], wanted[2], wanted[3]));
  return *array;
}

}  // namespace

Medium::Medium(std::vector<Layer> layers, double spacing, const Box& box, bool elastic)
    : box_(box), elastic_(elastic) {
  for (int z = 0; z <= box[2].count; ++z) {
    const int global = std::min(box[2].first + z, box[2].whole - 1);
    of_depth_.push_back(material_at(layers, global * spacing));
  }
}

Medium::Medium(const std::string& name, const Box& box, bool elastic, MPI_Comm communicator)
    : box_(box), elastic_(elastic), file_(name) {
  SharedFile file(name, MPI_MODE_RDONLY, communicator);
  app::NpyArray array;
  app::together(communicator, [&] {
    if (!file.is_open())
      throw app::BadInput(fmt::format("--medium {}: cannot be read; check the name and its rights", name));
  });
  const MPI_Offset bytes = file.size();
  app::together(communicator, [&] { array = require_array(file, name, box); });
  quantities_ = static_cast<int>(array.shape[0]);
  for (int d = 0; d < 3; ++d) kept_[d] = kept_points(box[d]);
  Block block{{box[2].whole, box[1].whole, box[0].whole},
              {box[2].first, box[1].first, box[0].first},
              {kept_[2], kept_[1], kept_[0]}};
  const bool is_double = array.type == "<f8";
  const MPI_Offset of_number = is_double ? 8 : 4;
  app::together(communicator, [&] {
    values_.resize(quantities_ * block.values());
    if (bytes < MPI_Offset(array.header_bytes) + quantities_ * block.whole_values() * of_number)
      throw app::BadInput(fmt::format("--medium {}: is cut off; use a complete array", name));
  });
  std::vector<double> doubles(is_double ? block.values() : 0);
  for (int quantity = 0; quantity < quantities_; ++quantity) {
    const MPI_Offset at = MPI_Offset(array.header_bytes) + quantity * block.whole_values() * of_number;
    float* values = values_.data() + quantity * block.values();
    if (is_double) {
      file.read(at, block, MPI_DOUBLE, doubles.data());
      std::copy(doubles.begin(), doubles.end(), values);
    } else {
      file.read(at, block, MPI_FLOAT, values);
    }
  }
  const bool was_read = file.close();
  app::together(communicator, [&] {
    if (!was_read) throw app::BadInput(fmt::format("--medium {}: cannot be read to its end", name));
    for (int z = 0; z < box[2].count; ++z)
      for (int y = 0; y < box[1].count; ++y)
        for (int x = 0; x < box[0].count; ++x) require_sound(at(x, y, z), where(x, y, z));
  });
}

std::size_t Medium::place_of(int x, int y, int z) const {
  x = std::min(x, kept_[0] - 1);
  y = std::min(y, kept_[1] - 1);
  z = std::min(z, kept_[2] - 1);
  return (static_cast<std::size_t>(z) * kept_[1] + y) * kept_[0] + x;
}

std::string Medium::where(int x, int y, int z) const {
  return fmt::format("--medium {}: point [{}][{}][{}] (z, y, x)", file_, box_[2].first + z, box_[1].first + y,
                     box_[0].first + x);
}

Material Medium::at(int x, int y, int z) const {
  Material material;
  if (file_.empty()) {
    material = of_depth_[z];
  } else {
    const std::size_t size = values_.size() / quantities_;
    const float* value = values_.data() + place_of(x, y, z);
    material = {.vp = value[0], .vs = value[size], .density = value[2 * size]};
    if (quantities_ == 5) {
      material.qp = value[3 * size];
      material.qs = value[4 * size];
    }
  }
  if (elastic_) material.qp = material.qs = kNoLoss;
  return material;
}

MediumRange Medium::range(MPI_Comm communicator) const {
  std::array<double, 4> extremes{0, -kNoLoss, -kNoLoss, -kNoLoss};  // vp, -vs, -vp, -Q: the largest of each
  const bool is_layered = file_.empty();                            // then one column says all
  for (int z = 0; z < box_[2].count; ++z)
    for (int y = 0; y < (is_layered ? 1 : box_[1].count); ++y)
      for (int x = 0; x < (is_layered ? 1 : box_[0].count); ++x) {
        const Material material = at(x, y, z);
        extremes[0] = std::max(extremes[0], material.vp);
        if (material.vs > 0) extremes[1] = std::max(extremes[1], -material.vs);
        extremes[2] = std::max(extremes[2], -material.vp);
        extremes[3] = std::max(extremes[3], -std::min(material.qp, material.qs));
      }
  MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 4, MPI_DOUBLE, MPI_MAX, communicator);
  const double slowest = std::isfinite(extremes[1]) ? -extremes[1] : -extremes[2];
  return {extremes[0], slowest, -extremes[3]};
}

}  // namespace wave
