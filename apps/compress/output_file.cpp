// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "verdict.hpp"

namespace compress {
namespace {

using app::BadInput;

std::string reason() { return std::strerror(errno); }

// A name beside that one which no file has.
std::string free_name_beside(const std::string& name) {
  static std::minstd_rand random(static_cast<unsigned>(::getpid()) ^ static_cast<unsigned>(::time(nullptr)));
  std::string found;
  do found = fmt::format("{}.{:06x}", name, random() & 0xffffff);
  while (::access(found.c_str(), F_OK) == 0);
  return found;
}

// What a signal's handler removes: it may only look at what is there already.
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::array<char[4096], 4> temporary_names;

void remove_and_end(int signal) {
  for (const auto& name : temporary_names)
    if (name[0] != 0) ::unlink(name);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void remove_on_signals(const std::string& temporary) {
  for (auto& name : temporary_names) {
    if (name[0] != 0 || temporary.size() >= sizeof name) continue;
    std::memcpy(name + 1, temporary.c_str() + 1, temporary.size());
    std::atomic_signal_fence(std::memory_order_release);
    name[0] = temporary[0];  // which makes it one that a handler removes
    break;
  }
  for (const int signal : kSignals) ::signal(signal, remove_and_end);
}

void do_not_remove_on_signals(const std::string& temporary) {
  for (auto& name : temporary_names)
    if (temporary == name) name[0] = 0;
}

}  // namespace

OutputFile::OutputFile(const std::string& name, bool force, const Input* input) : name_(name), force_(force) {
  if (name_.empty() || name_ == "-") {
    name_ = "standard output";
    file_ = STDOUT_FILENO;
    return;
  }
  struct stat status {};
  const bool exists = ::stat(name_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw BadInput(fmt::format("{}: is a folder; name a file to write to", name_));
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(name_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) throw BadInput(fmt::format("{}: cannot be written: {}", name_, reason()));
    return;
  }
  if (exists && input != nullptr && status.st_dev == input->device() && status.st_ino == input->inode())
    throw BadInput(fmt::format("{}: is the input itself; name another file to write to", name_));
  open_beside(exists);
}

void OutputFile::open_beside(bool exists) {
  if (exists && !force_)
    throw BadInput(fmt::format("{}: is there already; use --force to replace it, or another name", name_));
  temporary_ = free_name_beside(name_);
  remove_on_signals(temporary_);  // before it is there: a signal may come at any moment
  file_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (file_ >= 0) return;
  const std::string why = reason();
  do_not_remove_on_signals(temporary_);
  throw BadInput(fmt::format("{}: cannot be written: {}; check the folder and its rights", name_, why));
}

OutputFile::~OutputFile() {
  if (file_ > STDERR_FILENO) ::close(file_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  do_not_remove_on_signals(temporary_);
}

void OutputFile::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw BadInput(fmt::format("{}: cannot be written at byte {}: {}; nothing is left of it", name_, bytes_,
                                 reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    bytes_ += static_cast<std::uint64_t>(count);
  }
}

void OutputFile::begin_again() {
  if (!temporary_.empty() && (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) != 0))
    throw BadInput(fmt::format("{}: cannot be emptied: {}", name_, reason()));
  bytes_ = 0;
}

void OutputFile::commit() {
  if (temporary_.empty()) return;
  const bool written = ::close(file_) == 0;
  file_ = -1;
  if (!written) throw BadInput(fmt::format("{}: cannot be written to its end: {}", name_, reason()));
  const unsigned keep = force_ ? 0 : RENAME_NOREPLACE;
  int failed = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, name_.c_str(), keep);
  if (failed != 0 && (errno == EINVAL || errno == ENOSYS))  // a file system that cannot do that
    failed = ::rename(temporary_.c_str(), name_.c_str());
  if (failed != 0)
    throw BadInput(fmt::format("{}: cannot be given its name: {}; it was not there before", name_, reason()));
  do_not_remove_on_signals(temporary_);
  temporary_.clear();
}

int OutputFile::open_to_read() const {
  return temporary_.empty() ? -1 : ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace compress
