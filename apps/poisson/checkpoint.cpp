// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "npy.hpp"
#include "verdict.hpp"

namespace poisson {
namespace {

constexpr std::size_t kHeaderBytes = 128;  // whatever the numbers of points are

std::string header_of(const Box& box) {
  std::vector<std::size_t> shape;
  for (int d = 2; d >= 0; --d) shape.push_back(static_cast<std::size_t>(box[d].whole));
  return app::npy_header(fmt::format("'{}'", app::npy_type<double>()), shape);
}

/// What of a whole file in MPI-IO's terms belongs to this box.
class View {
 public:
  explicit View(const Box& box) {
    std::array<int, 3> whole{}, own{}, first{};
    for (int d = 0; d < 3; ++d) {
      whole[2 - d] = box[d].whole;
      own[2 - d] = box[d].count;
      first[2 - d] = box[d].first;
    }
    MPI_Type_create_subarray(3, whole.data(), own.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &type_);
    MPI_Type_commit(&type_);
  }
  ~View() { MPI_Type_free(&type_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  void set(MPI_File file) const {
    MPI_File_set_view(file, kHeaderBytes, MPI_DOUBLE, type_, "native", MPI_INFO_NULL);
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

bool holds_on_all(bool holds, MPI_Comm communicator) {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator);
  return all == 1;
}

/// All of the file, header and boxes; false on all ranks if any rank failed.
bool write_all(const std::string& name, const Box& box, const Vector& x, MPI_Comm communicator) {
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  const int opened = MPI_File_open(communicator, name.c_str(), mode, MPI_INFO_NULL, &file);
  if (!holds_on_all(opened == MPI_SUCCESS, communicator)) {
    if (opened == MPI_SUCCESS) MPI_File_close(&file);
    return false;
  }
  bool written = MPI_File_set_size(file, 0) == MPI_SUCCESS;
  if (app::is_rank_0(communicator)) {
    const std::string header = header_of(box);
    written =
        MPI_File_write_at(file, 0, header.data(), kHeaderBytes, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        written;
  }
  const View view(box);
  view.set(file);
  MPI_Status status;
  const int count = static_cast<int>(x.size());
  int done = 0;
  written = MPI_File_write_all(file, x.data(), count, MPI_DOUBLE, &status) == MPI_SUCCESS && written;
  MPI_Get_count(&status, MPI_DOUBLE, &done);
  const bool closed = MPI_File_close(&file) == MPI_SUCCESS;
  return holds_on_all(written && done == count && closed, communicator);
}

/// Compares with what would have been written here.
void require_header(const std::string& name, const std::string& header, const Box& box) {
  if (header == header_of(box)) return;
  const auto shape = header.find("'shape': ");
  if (!header.starts_with("\x93NUMPY") || shape == std::string::npos)
    throw app::BadInput(
        fmt::format("--restart {}: is no checkpoint; give a file that --checkpoint wrote", name));
  const auto end = header.find(')', shape);
  throw app::BadInput(fmt::format(
      "--restart {}: is of another grid or type, {}, not 'shape': ({}, {}, {}) (z, y, x) of doubles; use the "
      "grid that it was written with",
      name, header.substr(shape, end == std::string::npos ? end : end + 1 - shape), box[2].whole,
      box[1].whole, box[0].whole));
}

std::string cut_off(const std::string& name) {
  return fmt::format("--restart {}: is cut off; use a complete checkpoint", name);
}

}  // namespace

void write_checkpoint(const std::string& file, const Box& box, const Vector& x, MPI_Comm communicator) {
  const std::string part = file + ".part";
  const bool written = write_all(part, box, x, communicator);
  app::keep_checkpoint(file, part, written, communicator);
}

Vector read_checkpoint(const std::string& file, const Box& box, MPI_Comm communicator) {
  MPI_File handle = MPI_FILE_NULL;
  const int opened = MPI_File_open(communicator, file.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &handle);
  app::together(communicator, [&] {
    if (opened != MPI_SUCCESS || std::filesystem::is_directory(file))
      throw app::BadInput(fmt::format("--restart {}: cannot be read; check the name and its rights", file));
  });
  MPI_Offset size = 0;
  MPI_File_get_size(handle, &size);
  std::string header(std::min<std::size_t>(kHeaderBytes, size), ' ');
  MPI_File_read_at(handle, 0, header.data(), static_cast<int>(header.size()), MPI_CHAR, MPI_STATUS_IGNORE);
  const double points = 1.0 * box[0].whole * box[1].whole * box[2].whole;
  Vector x;
  app::together(communicator, [&] {
    require_header(file, header, box);
    if (static_cast<double>(size) != kHeaderBytes + points * sizeof(double))
      throw app::BadInput(cut_off(file));
    x.resize(points_of(box));
  });
  const View view(box);
  view.set(handle);
  const int read =
      MPI_File_read_all(handle, x.data(), static_cast<int>(x.size()), MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&handle);
  app::together(communicator, [&] {
    if (read != MPI_SUCCESS) throw app::BadInput(cut_off(file));
  });
  return x;
}

}  // namespace poisson
