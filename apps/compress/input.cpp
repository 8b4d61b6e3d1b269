// SPDX-License-Identifier: BSD-3-Clause
#include "input.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verdict.hpp"

namespace compress {
namespace {

using app::BadInput;

std::string problem() { return std::strerror(errno); }

}  // namespace

Input::Input(const std::string& name, MPI_Comm communicator)
    : name_(name.empty() || name == "-" ? "standard input" : name) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  app::together(communicator, [&] {
    if (rank == 0) open_first(name);
  });
  MPI_Bcast(&facts_, sizeof facts_, MPI_BYTE, 0, communicator);
  app::together(communicator, [&] {
    if (rank != 0 && !is_stream()) open_further(name);
  });
}

Input::~Input() {
  if (file_ > STDERR_FILENO) ::close(file_);
}

void Input::open_first(const std::string& name) {
  file_ = name.empty() || name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0)
    throw BadInput(fmt::format("{}: cannot be read: {}; check the name and its rights", name_, problem()));
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw BadInput(fmt::format("{}: cannot be read: {}", name_, problem()));
  if (S_ISDIR(status.st_mode))
    throw BadInput(
        fmt::format("{}: is a folder; pack it first, as in: tar -c {} | mpiexec … compress", name_, name_));
  facts_.is_stream = file_ == STDIN_FILENO || !S_ISREG(status.st_mode) || status.st_size == 0 ? 1 : 0;
  facts_.bytes = static_cast<std::uint64_t>(status.st_size);
  facts_.device = status.st_dev;
  facts_.inode = status.st_ino;
}

void Input::open_further(const std::string& name) {
  file_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file_ < 0 || ::fstat(file_, &status) != 0)
    throw BadInput(
        fmt::format("{}: rank 0 can read it, another rank cannot: {}; "
                    "where not all hosts have it, give it by standard input",
                    name_, problem()));
  if (static_cast<std::uint64_t>(status.st_size) != facts_.bytes)
    throw BadInput(fmt::format("{}: has {} bytes for one rank and {} for another; does it still grow?", name_,
                               facts_.bytes, status.st_size));
}

void Input::read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw BadInput(fmt::format("{}: cannot be read at byte {}: {}", name_, offset, problem()));
    if (count == 0) {
      struct stat status {};
      ::fstat(file_, &status);
      throw BadInput(
          fmt::format("{}: has {} bytes now, and had {} before; leave it alone while it is compressed", name_,
                      status.st_size, facts_.bytes));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

std::size_t Input::read(std::span<std::uint8_t> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::read(file_, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw BadInput(fmt::format("{}: cannot be read at byte {}: {}", name_, position_, problem()));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    position_ += static_cast<std::uint64_t>(count);
  }
  return filled;
}

}  // namespace compress
