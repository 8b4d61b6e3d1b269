// SPDX-License-Identifier: BSD-3-Clause
#include "snapshots.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "npy.hpp"
#include "verdict.hpp"

namespace wave {
namespace {

int plane_of(const SnapshotRequest& request, double spacing, int points) {
  if (!request.position) return points / 2;
  return static_cast<int>(std::lround(*request.position / spacing));
}

bool write_file(const std::string& name, const std::string& content) {
  const std::string part = name + ".part";
  {
    std::ofstream stream(part, std::ios::binary);
    stream << content;
    if (!stream.flush()) return false;
  }
  std::error_code error;
  std::filesystem::rename(part, name, error);
  return !error;
}

}  // namespace

void prepare_snapshots(const SnapshotRequest& request, double spacing, const Triple& points) {
  const int plane = plane_of(request, spacing, points[request.axis]);
  if (plane < 0 || plane >= points[request.axis])
    throw app::BadInput(
        fmt::format("--snapshot: the plane {} = {:g} m is outside the grid: it must be from 0 to {:g} m",
                    "xyz"[request.axis], *request.position, (points[request.axis] - 1) * spacing));
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  const std::string probe = request.folder + "/.probe";
  if (error || !std::ofstream(probe))
    throw app::BadInput(
        fmt::format("--snapshots {}: cannot be written to; check the name and its rights", request.folder));
  std::filesystem::remove(probe, error);
}

template <typename Real>
bool write_snapshot(const SnapshotRequest& request, int step, double spacing, const State<Real>& state,
                    const Box& box, const Layout& layout, MPI_Comm communicator) {
  const int columns_along = request.axis == 0 ? 1 : 0;
  const int rows_along = request.axis == 2 ? 1 : 2;
  const std::size_t columns = box[columns_along].whole;
  const std::size_t rows = box[rows_along].whole;
  std::vector<Real> values(rows * columns);
  Region region = whole_region(box);
  const int plane = plane_of(request, spacing, box[request.axis].whole) - box[request.axis].first;
  region.from[request.axis] = std::max(0, plane);
  region.to[request.axis] = std::min(region.to[request.axis], plane + 1);
  for (int z = region.from[2]; z < region.to[2]; ++z)
    for (int y = region.from[1]; y < region.to[1]; ++y)
      for (int x = region.from[0]; x < region.to[0]; ++x) {
        const Triple global{box[0].first + x, box[1].first + y, box[2].first + z};
        values[global[rows_along] * columns + global[columns_along]] =
            state.fields[request.component][layout.at(x, y, z)];
      }
  const MPI_Datatype type = sizeof(Real) == 4 ? MPI_FLOAT : MPI_DOUBLE;
  std::vector<Real> all(values.size());
  MPI_Reduce(values.data(), all.data(), static_cast<int>(all.size()), type, MPI_SUM, 0, communicator);
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (rank != 0) return true;
  return write_file(fmt::format("{}/{}_{}_{:06}.npy", request.folder, kComponentNames[request.component],
                                "xyz"[request.axis], step),
                    app::as_npy<Real>({rows, columns}, all));
}

template bool write_snapshot(const SnapshotRequest&, int, double, const State<float>&, const Box&,
                             const Layout&, MPI_Comm);
template bool write_snapshot(const SnapshotRequest&, int, double, const State<double>&, const Box&,
                             const Layout&, MPI_Comm);

}  // namespace wave
