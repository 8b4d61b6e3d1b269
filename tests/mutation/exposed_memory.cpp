// SPDX-License-Identifier: BSD-3-Clause
// Ranks that reach into one another's memory, damaged in every way that the verifier has to notice.
#include <gtest/gtest.h>

#include "mutation/hand_built.hpp"

namespace weft::tests {
namespace {

Schedules pushing() {
  return all_ranks(bcast_call(2), [](Builder& b) {
    reaching_bcast(b, [](const Builder& builder) { return builder.output(); });
  });
}

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = {
      {"an exposed buffer is larger on one member", Rule::kExposed,
       [] { return damaged(reaching(), [](Schedules& s) { s[1].buffers[3].size += Bytes(8); }); }},
      {"members disagree about who exposes a buffer", Rule::kExposed,
       [] { return damaged(reaching(), [](Schedules& s) { s[1].buffers[3].owner = Rank(2); }); }},
      {"an exposed buffer is missing on one member", Rule::kExposed,
       [] {
         return damaged(reaching(), [](Schedules& s) {
           s[0].buffers.pop_back();
           drop_task(s[0], nth(s[0], TaskKind::kCopy, 2));
         });
       }},
      {"an exposed buffer's owner is not in the group", Rule::kExposed,
       [] { return damaged(reaching(), [](Schedules& s) { s[1].buffers[3].owner = Rank(3); }); }},
      {"what is exposed reaches beyond the buffer that it is", Rule::kExposed,
       [] { return damaged(reaching(), [](Schedules& s) { s[0].buffers[3].offset = Bytes(8); }); }},
      {"what is exposed is shared already", Rule::kExposed,
       [] { return damaged(reaching(), [](Schedules& s) { s[0].buffers[3].of = BufferId(2); }); }},
      {"no lines say where exposed memory lies", Rule::kExposed,
       [] {
         return damaged(reaching(), [](Schedules& s) {
           for (Schedule& schedule : s) schedule.buffers[2].role = BufferRole::kShared;
         });
       }},
      {"a rank names its own memory as if it were another's", Rule::kExposed,
       [] {
         return damaged(reaching(), [](Schedules& s) {
           s[0].tasks[nth(s[0], TaskKind::kCopy).value].source = BufferId(3);
         });
       }},
      {"another's memory is sent", Rule::kExposed,
       [] {
         return damaged(reaching(), [](Schedules& s) {
           nth_task(s[0], TaskKind::kCopy, 1).kind = TaskKind::kSend;
           nth_task(s[0], TaskKind::kCopy, 1).peer = 1;
         });
       }},
      {"more is read of another's memory than is exposed", Rule::kOutOfBounds,
       [] {
         return damaged(reaching(),
                        [](Schedules& s) { nth_task(s[0], TaskKind::kCopy, 1).size += Bytes(8); });
       }},
      {"another part of another's memory is read", Rule::kWrongResult,
       [] {
         return damaged(all_ranks(alltoall_call(3), reaching_alltoall),
                        [](Schedules& s) { nth_task(s[0], TaskKind::kCopy, 1).source_offset += Bytes(8); });
       }},
      {"another's input is written", Rule::kWritesInput,
       [] {
         return all_ranks(reduce_call(2, 0), [](Builder& b) {
           reaching_bcast(b, [](const Builder& builder) { return builder.input(); });
         });
       }},
      {"a rank writes its memory while another writes there", Rule::kNodeTask,
       [] {
         return damaged(pushing(), [](Schedules& s) {
           // As if it had something of its own to put there, after the first exchange.
           s[1].tasks.push_back({.kind = TaskKind::kCopy,
                                 .source = kOutput,
                                 .target = kOutput,
                                 .source_offset = Bytes(8),
                                 .size = Bytes(8)});
           set_edges(s[1], std::vector<Edge>{{TaskId(0), TaskId(1)}, {TaskId(0), TaskId(2)}});
         });
       }},
      {"a rank reads what another has not finished writing", Rule::kNodeTask,
       [] {
         return damaged(all_ranks(alltoall_call(3), reaching_alltoall), [](Schedules& s) {
           drop_edge(s[1], nth(s[1], TaskKind::kCopy), nth(s[1], TaskKind::kExchange));
         });
       }},
  };
  return all;
}

TEST(ExposedMemory, the_undamaged_are_proved) {
  EXPECT_TRUE(verify(reaching()).proved());
  EXPECT_TRUE(verify(pushing()).proved());
  EXPECT_TRUE(verify(all_ranks(alltoall_call(3), reaching_alltoall)).proved());
}

TEST(ExposedMemory, is_never_misused) {
  for (const Mutant& mutant : mutants()) EXPECT_EQ(missing_objection(mutant), "");
}

}  // namespace
}  // namespace weft::tests
