// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <unistd.h>

namespace weft {
namespace {

struct Log {
  std::mutex mutex;
  std::string file;
  std::string prefix;
  bool to_stderr = false;
};

Log& the_log() {
  static Log& log = *new Log;  // destructors of static objects may still have something to say
  return log;
}

// A launcher that has given up no longer reads what its ranks say, and writing to it would kill them.
bool is_read(int descriptor) {
  pollfd file{.fd = descriptor, .events = POLLOUT, .revents = 0};
  ::poll(&file, 1, 0);
  return (file.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

// One write per line, so that the lines of several processes do not mix.
void write_line(int descriptor, const std::string& line) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, line.data(), line.size());
}

void say(std::string_view message, bool urgent) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  const std::string line = log.prefix + std::string(message) + "\n";
  if ((urgent || log.to_stderr) && is_read(STDERR_FILENO)) write_line(STDERR_FILENO, "weft: " + line);
  if (log.file.empty()) return;
  const int descriptor = ::open(log.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return;
  write_line(descriptor, line);  // in any case: what is said last may be lost with the launcher
  ::close(descriptor);
}

}  // namespace

void set_log(std::string file, bool to_stderr, std::string prefix) {
  const std::lock_guard lock(the_log().mutex);
  the_log().file = std::move(file);
  the_log().to_stderr = to_stderr;
  the_log().prefix = std::move(prefix);
}

void log_message(std::string_view message) { say(message, false); }
void announce(std::string_view message) { say(message, true); }

}  // namespace weft
