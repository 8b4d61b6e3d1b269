// SPDX-License-Identifier: BSD-3-Clause
// A copy trial between two processes ends with an answer, and with none where one of them stays away.
#include "node/copy_trial.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::node {
namespace {

constexpr Nanoseconds kLong{20'000'000'000}, kShort{1'000'000};

std::byte* shared_zeros() {
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(kTrialBytes.value), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

TEST(CopyTrial, ends_with_an_answer_for_the_reader) {
  std::byte* const memory = shared_zeros();
  ASSERT_NE(memory, nullptr);
  const pid_t writer = ::fork();
  if (writer == 0) ::_exit(is_kernel_faster(memory, TrialPart::kWriter, kLong).has_value() ? 1 : 0);
  cpu_set_t before, after;
  ::sched_getaffinity(0, sizeof before, &before);
  EXPECT_TRUE(is_kernel_faster(memory, TrialPart::kReader, kLong).has_value());
  ::sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  int status = -1;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_EQ(status, 0) << "the writer knows nothing";
  ::munmap(memory, static_cast<std::size_t>(kTrialBytes.value));
}

TEST(CopyTrial, gives_up_where_the_other_one_stays_away) {
  for (const TrialPart part : {TrialPart::kWriter, TrialPart::kReader}) {
    std::byte* const memory = shared_zeros();
    ASSERT_NE(memory, nullptr);
    EXPECT_FALSE(is_kernel_faster(memory, part, kShort));
    ::munmap(memory, static_cast<std::size_t>(kTrialBytes.value));
  }
}

}  // namespace
}  // namespace weft::node
