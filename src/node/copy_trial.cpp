// SPDX-License-Identifier: BSD-3-Clause
#include "node/copy_trial.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sched.h>
#include <unistd.h>
#include <vector>

#include "base/clock.hpp"
#include "node/reach.hpp"

namespace weft::node {
namespace {

constexpr Bytes kPage{4 << 10};
constexpr Bytes kBlock = kTrialBytes - kPage;
constexpr int kTries = 5;  // the first has its pages made; of the others the fastest was not held up

using Shared = std::atomic<std::uint64_t>;
static_assert(Shared::is_always_lock_free);

// The words of the page, each in lines of its own.
constexpr std::ptrdiff_t kStride = 128;
enum class Word { kTurn, kProcess, kAddress, kTook };
Shared& word(std::byte* memory, Word which) {
  return *reinterpret_cast<Shared*>(memory + kStride * static_cast<int>(which));
}

class Turns {
 public:
  Turns(std::byte* memory, Nanoseconds patience)
      : turn_(word(memory, Word::kTurn)), end_(elapsed_time() + patience) {}

  bool wait_for(std::uint64_t turn) const {
    for (int look = 0; turn_.load(std::memory_order_acquire) != turn; ++look) {
      if (look % 64 != 63) continue;
      if (elapsed_time() > end_) return false;
      ::sched_yield();
    }
    return true;
  }
  void pass_on(std::uint64_t turn) const { turn_.store(turn + 1, std::memory_order_release); }

 private:
  Shared& turn_;
  Nanoseconds end_;
};

// The least time that this has taken, after the first time.
class Least {
 public:
  template <class Work>
  void time(Work work) {
    const Nanoseconds before = elapsed_time();
    work();
    if (count_++ > 0) least_ = std::min(least_, elapsed_time() - before);
  }
  Nanoseconds least() const { return least_; }

 private:
  int count_ = 0;
  Nanoseconds least_{std::numeric_limits<std::int64_t>::max() / 4};
};

bool write_for_other(std::byte* memory, const Turns& turns, const std::byte* own) {
  word(memory, Word::kProcess).store(static_cast<std::uint64_t>(::getpid()), std::memory_order_relaxed);
  word(memory, Word::kAddress).store(reinterpret_cast<std::uintptr_t>(own), std::memory_order_relaxed);
  Least write;
  for (std::uint64_t turn = 0; turn < 2 * kTries; turn += 2) {
    if (!turns.wait_for(turn)) return false;
    write.time([&] { std::memcpy(memory + kPage.value, own, static_cast<std::size_t>(kBlock.value)); });
    word(memory, Word::kTook)
        .store(static_cast<std::uint64_t>(write.least().value), std::memory_order_relaxed);
    turns.pass_on(turn);
  }
  return turns.wait_for(2 * kTries);  // so long the other one may reach into `own`
}

std::optional<bool> read_from_other(std::byte* memory, const Turns& turns, std::byte* own) {
  Least read, pulled;
  bool is_let = true;
  for (std::uint64_t turn = 1; turn < 2 * kTries; turn += 2) {
    if (!turns.wait_for(turn)) return std::nullopt;
    const auto from = static_cast<Process>(word(memory, Word::kProcess).load(std::memory_order_relaxed));
    const std::uint64_t address = word(memory, Word::kAddress).load(std::memory_order_relaxed);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the other process
    const auto* const there = reinterpret_cast<const std::byte*>(address);
    read.time([&] { std::memcpy(own, memory + kPage.value, static_cast<std::size_t>(kBlock.value)); });
    pulled.time([&] { is_let = is_let && pull(from, there, own, kBlock); });
    turns.pass_on(turn);
  }
  const Nanoseconds written(
      static_cast<std::int64_t>(word(memory, Word::kTook).load(std::memory_order_relaxed)));
  return is_let ? std::optional(pulled.least() < written + read.least()) : std::nullopt;
}

// Keeps this thread on the first or the last of the processors where it may run, so that two that may run on
// the same ones do not share one; gives it all of them back.
class OnOneProcessor {
 public:
  explicit OnOneProcessor(TrialPart part) {
    if (::sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
    const bool is_first = part == TrialPart::kWriter;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      const int cpu = is_first ? i : CPU_SETSIZE - 1 - i;
      if (!CPU_ISSET(cpu, &allowed_)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      moved_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
      return;
    }
  }
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;
  ~OnOneProcessor() {
    if (moved_) ::sched_setaffinity(0, sizeof allowed_, &allowed_);
  }

 private:
  cpu_set_t allowed_{};
  bool moved_ = false;
};

}  // namespace

std::optional<bool> is_kernel_faster(std::byte* memory, TrialPart part, Nanoseconds patience) {
  const OnOneProcessor kept(part);
  const Turns turns(memory, patience);
  std::vector<std::byte> own(static_cast<std::size_t>(kBlock.value), std::byte{1});
  if (part == TrialPart::kReader) return read_from_other(memory, turns, own.data());
  write_for_other(memory, turns, own.data());
  return std::nullopt;
}

}  // namespace weft::node
