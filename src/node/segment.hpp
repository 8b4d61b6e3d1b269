// SPDX-License-Identifier: BSD-3-Clause
// Segment: memory that the ranks of one node share, from when one of them makes it until the last of them
// ends, however it ends: a memfd has no name that could be left behind, and takes nothing of /dev/shm.
//
// The maker tells the others its ticket; they map the memory through /proc/PID/fd/N and believe it only if
// the cookie is there: process numbers and hostnames of two containers may be the same (drop_in rule 10).
// Where /proc does not lead to the maker, a file with a name serves, until everybody has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft::node {

// Plain data, so that it can travel.
struct SegmentTicket {
  std::int64_t pid = 0;
  std::int64_t fd = -1;
  std::int64_t bytes = 0;
  std::array<std::uint64_t, 2> cookie{};
  std::array<char, 32> name{};  // in /dev/shm; empty: none
};

enum class SegmentKind : std::uint8_t { kUnnamed, kNamed };

class Segment {
 public:
  Segment() = default;
  Segment(Segment&& other) noexcept { swap(other); }
  Segment& operator=(Segment&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Segment();

  // Memory for `size` bytes behind a first page that is the segment's own. None of it is taken yet.
  static Result<Segment> make(Bytes size, SegmentKind kind);
  static Result<Segment> open(const SegmentTicket& ticket);

  const SegmentTicket& ticket() const { return ticket_; }
  std::byte* memory() const { return mapped_ + kFirstPage; }
  // Sees to it that writing to the memory cannot fail later. False if there is none. In a memfd pages are
  // taken when they are written, as all memory of a process is: to take them now costs half a millisecond for
  // each new communicator. A file with a name may not grow so large, nor a memfd where the system counts
  // strictly.
  bool reserve(Bytes offset, Bytes size) const;
  bool grows_by_itself() const { return grows_by_itself_; }  // there is nothing to reserve
  // Takes the pages now, which else takes place page by page where they are written first. Where the system
  // has none, or is older than Linux 5.14, nothing happens.
  void take_pages(Bytes offset, Bytes size) const;
  // Gives it back to the system: it reads as zeros, and has to be reserved again.
  void release(Bytes offset, Bytes size) const;
  // Whether the process that has mapped it at this address lets this one reach into its memory: both ways, by
  // the cookie, which leaves it as it was.
  bool reaches(std::int64_t process, std::uint64_t mapped_at) const;
  std::uint64_t mapped_at() const { return reinterpret_cast<std::uintptr_t>(mapped_); }
  // Removes the name, once everybody has mapped the memory.
  void forget_name();

 private:
  static constexpr std::int64_t kFirstPage = 4096;
  bool grows_by_itself_ = false;

  Result<std::byte*> map();
  void swap(Segment& other) noexcept;

  SegmentTicket ticket_;
  int fd_ = -1;
  std::byte* mapped_ = nullptr;
};

}  // namespace weft::node
