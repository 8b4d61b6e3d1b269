// SPDX-License-Identifier: BSD-3-Clause
#include "node/peers.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::node {
namespace {

int pidfd_of(std::int64_t pid) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
#else
  return -1;
#endif
}

bool is_gone(std::int64_t pid) { return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

template <class Item>
void take_out(std::vector<Item>& items, std::size_t at) {
  items[at] = items.back();
  items.pop_back();
}

}  // namespace

ProcessTicket ProcessTicket::mine() {
  ProcessTicket ticket{.pid = ::getpid()};
  struct stat of_namespace {};
  const int boot = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (boot < 0) return ticket;
  const bool known = ::read(boot, ticket.boot.data(), ticket.boot.size() - 1) > 0 &&
                     ::stat("/proc/self/ns/pid", &of_namespace) == 0;
  ::close(boot);
  if (known) ticket.pid_namespace = of_namespace.st_ino;
  return ticket;
}

bool Peers::watch(int rank, const ProcessTicket& ticket) {
  const ProcessTicket here = ProcessTicket::mine();
  if (here.pid_namespace == 0 || ticket.pid_namespace != here.pid_namespace || ticket.boot != here.boot)
    return false;
  ranks_.push_back(rank);
  pids_.push_back(ticket.pid);
  files_.push_back({.fd = pidfd_of(ticket.pid), .events = POLLIN, .revents = 0});
  return true;
}

std::vector<int> Peers::ended() {
  std::vector<int> found;
  if (::poll(files_.data(), files_.size(), 0) < 0) return found;
  for (std::size_t i = files_.size(); i-- > 0;) {
    const pollfd& file = files_[i];
    if (file.fd >= 0 ? file.revents == 0 : !is_gone(pids_[i])) continue;
    found.push_back(ranks_[i]);
    if (file.fd >= 0) ::close(file.fd);
    take_out(ranks_, i);
    take_out(pids_, i);
    take_out(files_, i);
  }
  return found;
}

void Peers::forget() {
  for (const pollfd& file : files_)
    if (file.fd >= 0) ::close(file.fd);
  ranks_.clear();
  pids_.clear();
  files_.clear();
}

}  // namespace weft::node
