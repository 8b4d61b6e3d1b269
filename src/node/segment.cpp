// SPDX-License-Identifier: BSD-3-Clause
#include "node/segment.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "node/reach.hpp"

namespace weft::node {
namespace {

Error failed(const std::string& what) { return {what + ": " + std::strerror(errno)}; }

// Whether the system promises no more memory than it has (vm.overcommit_memory = 2).
bool system_counts_strictly() {
  char mode = '2';
  const int fd = ::open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  const bool is_read = ::read(fd, &mode, 1) == 1;
  ::close(fd);
  return !is_read || mode == '2';
}

// Whether this process may map so much, of which the program has to have most; and whether it may make a file
// of that length, beyond which a signal ends it.
bool limits_allow(std::int64_t bytes, bool makes) {
  constexpr rlim_t kPart = 4;
  const auto limit_of = [](auto resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
  };
  const auto wanted = static_cast<rlim_t>(bytes);
  const rlim_t space = limit_of(RLIMIT_AS), file = limit_of(RLIMIT_FSIZE);
  return (space == RLIM_INFINITY || wanted <= space / kPart) &&
         (!makes || file == RLIM_INFINITY || wanted <= file);
}

Error beyond_limits(std::int64_t bytes) {
  return {
      fmt::format("{} bytes of shared memory are more than limits leave room for (ulimit -v, -f)", bytes)};
}

}  // namespace

Result<std::byte*> Segment::map() {
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(ticket_.bytes), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (memory == MAP_FAILED)
    return failed(fmt::format("{} bytes of shared memory cannot be mapped", ticket_.bytes));
  // A child that the program forks must not keep the memory, nor write to it; a core file would be huge.
  for (const int advice : {MADV_DONTFORK, MADV_DONTDUMP})
    ::madvise(memory, static_cast<std::size_t>(ticket_.bytes), advice);
  mapped_ = static_cast<std::byte*>(memory);
  return mapped_;
}

Result<Segment> Segment::make(Bytes size, SegmentKind kind) {
  Segment segment;
  SegmentTicket& ticket = segment.ticket_;
  ticket.pid = ::getpid();
  ticket.bytes = kFirstPage + size.value;
  if (!limits_allow(ticket.bytes, true)) return beyond_limits(ticket.bytes);
  if (::getrandom(ticket.cookie.data(), sizeof ticket.cookie, 0) != sizeof ticket.cookie)
    return failed("the kernel gives no random number");
  if (kind == SegmentKind::kNamed) {
    const std::string name = fmt::format("/weft-{:016x}", ticket.cookie[0]);
    name.copy(ticket.name.data(), ticket.name.size() - 1);
    segment.fd_ = ::shm_open(ticket.name.data(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  } else {
    segment.fd_ = ::memfd_create("weft", MFD_CLOEXEC);
    segment.grows_by_itself_ = !system_counts_strictly();
  }
  if (segment.fd_ < 0) return failed("shared memory cannot be made");
  ticket.fd = segment.fd_;
  if (::ftruncate(segment.fd_, ticket.bytes) != 0) return failed("shared memory cannot be given a size");
  if (!segment.reserve(Bytes(-kFirstPage), Bytes(kFirstPage)))
    return failed("there is no shared memory left");
  if (const Result<std::byte*> mapped = segment.map(); !mapped) return Error{mapped.error()};
  std::memcpy(segment.mapped_, &ticket.cookie, sizeof ticket.cookie);
  return segment;
}

Result<Segment> Segment::open(const SegmentTicket& ticket) {
  if (!limits_allow(ticket.bytes, false)) return beyond_limits(ticket.bytes);
  Segment segment;
  segment.ticket_ = ticket;
  const bool is_named = ticket.name[0] != '\0';
  segment.grows_by_itself_ = !is_named && !system_counts_strictly();
  segment.fd_ =
      is_named ? ::shm_open(ticket.name.data(), O_RDWR | O_CLOEXEC, 0)
               : ::open(fmt::format("/proc/{}/fd/{}", ticket.pid, ticket.fd).c_str(), O_RDWR | O_CLOEXEC);
  if (segment.fd_ < 0)
    return failed(fmt::format("the shared memory of process {} cannot be opened", ticket.pid));
  if (const Result<std::byte*> mapped = segment.map(); !mapped) return Error{mapped.error()};
  // Another file of this size, of another container's process with this number, has not got the cookie; a
  // shorter one must not be touched at all.
  const bool is_whole = ::lseek(segment.fd_, 0, SEEK_END) == ticket.bytes;
  if (!is_whole || std::memcmp(segment.mapped_, &ticket.cookie, sizeof ticket.cookie) != 0)
    return Error{
        fmt::format("process {} is another process here: the ranks are in different containers", ticket.pid)};
  return segment;
}

bool Segment::reserve(Bytes offset, Bytes size) const {
  return grows_by_itself_ || ::posix_fallocate(fd_, kFirstPage + offset.value, size.value) == 0;
}

void Segment::take_pages(Bytes offset, Bytes size) const {
  if (size == Bytes(0)) return;
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t begin = (kFirstPage + offset.value) / page * page;
  ::madvise(mapped_ + begin, static_cast<std::size_t>(kFirstPage + (offset + size).value - begin),
            kPopulateWrite);
}

void Segment::release(Bytes offset, Bytes size) const {
  ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kFirstPage + offset.value, size.value);
}

bool Segment::reaches(std::int64_t process, std::uint64_t mapped_at) const {
  std::array<std::uint64_t, 2> found{};
  const Bytes size(sizeof found);
  auto* const here = reinterpret_cast<std::byte*>(found.data());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the other process
  auto* const there = reinterpret_cast<std::byte*>(mapped_at);
  return pull(process, there, here, size) && found == ticket_.cookie && push(here, process, there, size);
}

void Segment::forget_name() {
  if (ticket_.name[0] != '\0') ::shm_unlink(ticket_.name.data());
  ticket_.name.fill('\0');
}

void Segment::swap(Segment& other) noexcept {
  std::swap(ticket_, other.ticket_);
  std::swap(fd_, other.fd_);
  std::swap(mapped_, other.mapped_);
  std::swap(grows_by_itself_, other.grows_by_itself_);
}

Segment::~Segment() {
  if (mapped_ != nullptr) ::munmap(mapped_, static_cast<std::size_t>(ticket_.bytes));
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace weft::node
