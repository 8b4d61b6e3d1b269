// SPDX-License-Identifier: BSD-3-Clause
#include "verdict.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>

namespace app {

void together(MPI_Comm communicator, const std::function<void()>& work) {
  int rank = 0;
  int rank_count = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &rank_count);

  std::string message;
  bool failed = false;
  try {
    work();
  } catch (const BadInput& error) {
    failed = true;
    message = error.what();
  } catch (const std::bad_alloc&) {
    failed = true;
    message = "rank " + std::to_string(rank) +
              " has not enough memory for the problem: make it smaller or use more nodes";
  }

  int speaker = failed ? rank : rank_count;
  MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, communicator);
  if (speaker == rank_count) return;

  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, speaker, communicator);
  message.resize(length);
  MPI_Bcast(message.data(), length, MPI_CHAR, speaker, communicator);
  throw BadInput(message);
}

void require_places(const std::array<int, 3>& process_grid, int rank_count) {
  const auto [x, y, z] = process_grid;
  const double places = 1.0 * x * y * z;
  if (places != rank_count)
    throw BadInput(
        fmt::format("process grid -P {} {} {} has {:.0f} places, but the number of ranks is {}: "
                    "make the product {}, or drop -P",
                    x, y, z, places, rank_count, rank_count));
}

void keep_checkpoint(const std::string& file, const std::string& part, bool written, MPI_Comm communicator) {
  together(communicator, [&] {
    if (!is_rank_0(communicator)) return;
    std::error_code error;
    if (written) std::filesystem::rename(part, file, error);
    if (written && !error) return;
    std::filesystem::remove(part, error);
    throw BadInput(fmt::format(
        "--checkpoint {}: cannot be written; check the folder, its rights and the space there", file));
  });
}

}  // namespace app
