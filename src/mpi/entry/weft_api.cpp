// SPDX-License-Identifier: BSD-3-Clause
// The part of weft.h that only the front door can answer.
#include <cstring>
#include <mutex>

#include "explain/text_for_caller.hpp"
#include "mpi/call/accelerated.hpp"
#include "mpi/communicator/node_memory.hpp"
#include "mpi/communicator/registry.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/entry/lifetime.hpp"
#include "mpi/flight/plans.hpp"
#include "planner/decision.hpp"
#include "schedule/text.hpp"
#include "weft/weft.h"

extern "C" __attribute__((visibility("default"))) int weft_counter(const char* function, uint64_t* executed,
                                                                   uint64_t* left_to_host) {
  if (function == nullptr || executed == nullptr || left_to_host == nullptr) return WEFT_ERROR_ARGUMENT;
  for (const weft::CallCounter& counter : weft::mpi::counters()) {
    if (std::strcmp(counter.function, function) != 0) continue;
    *executed = counter.weft.load();
    *left_to_host = 0;
    for (const auto& count : counter.host) *left_to_host += count.load();
    return WEFT_SUCCESS;
  }
  return WEFT_ERROR_UNKNOWN_FUNCTION;
}

extern "C" __attribute__((visibility("default"))) int weft_shared_memory(uint64_t* bytes) {
  if (bytes == nullptr) return WEFT_ERROR_ARGUMENT;
  *bytes = static_cast<uint64_t>(weft::mpi::shared_memory_taken().value);
  return WEFT_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) int weft_agents(struct weft_agents* agents) {
  if (agents == nullptr) return WEFT_ERROR_ARGUMENT;
  const std::lock_guard lock(weft::mpi::engine().lock);
  const weft::AgentCounts counts = weft::mpi::agent_counts();
  *agents = {counts.wakes, static_cast<double>(counts.nanoseconds), counts.trigger_wakes,
             static_cast<double>(counts.trigger_nanoseconds)};
  return WEFT_SUCCESS;
}

namespace weft::mpi {
namespace {

// A question about a call on a communicator, in the words of weft.h.
struct Question {
  int communicator;
  const char* collective;
  int root;
  std::int64_t bytes;
};

MPI_Comm handle_of(int communicator) {
#ifdef WEFT_HOST_ABI  // where Fortran's handles are not C's business, integers stand for handles in any
                      // language
  return PMPI_Comm_fromint(communicator);
#else
  return PMPI_Comm_f2c(communicator);
#endif
}

// Puts what `say(communicator, decision)` makes of the library's decision into the text, or why there is
// none.
template <class Say>
int answer(const Question& asked, char* text, std::size_t capacity, Say say) {
  if (asked.collective == nullptr || text == nullptr || capacity == 0 || asked.bytes < 0)
    return WEFT_ERROR_ARGUMENT;
  const auto which = collective_named(asked.collective);
  if (!which) return WEFT_ERROR_UNKNOWN_COLLECTIVE;
  const auto left = [&](std::string_view why) {
    return give_text("left to the host MPI: " + std::string(why), text, capacity);
  };
  if (!engine().active.load()) return left("Weft is switched off");
  const MPI_Comm comm = handle_of(asked.communicator);
  int size = 1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &size) != MPI_SUCCESS || asked.root < 0 ||
      asked.root >= size)
    return WEFT_ERROR_ARGUMENT;
  Call call{.collective = *which, .rank_count = size, .bytes = Bytes(asked.bytes)};
  if (is_rooted(*which)) call.root = Rank(asked.root);
  if (*which == Collective::kBarrier) call.bytes = Bytes(0);
  const InEngine inside;
  Communicator* communicator = find_communicator(comm);
  if (communicator == nullptr) return left(reason_text(Reason::kUnseenCommunicator));
  if (!communicator->settings->enabled) return left(reason_text(Reason::kSwitchedOff));
  if (const auto why = why_for_accelerators(*communicator, call.bytes, has_parcels(*which)))
    return left(reason_text(*why));
  const Decision decision = decide(call, communicator->plans().placement(), *communicator->settings);
  return give_text(say(*communicator, decision), text, capacity);
}

}  // namespace
}  // namespace weft::mpi

extern "C" __attribute__((visibility("default"))) int weft_explain_on(int communicator,
                                                                      const char* collective, int root,
                                                                      int64_t bytes, char* text,
                                                                      size_t capacity) {
  using namespace weft;
  using namespace weft::mpi;
  return answer({communicator, collective, root, bytes}, text, capacity,
                [](const Communicator&, const Decision& decision) { return sentence(decision); });
}

extern "C" __attribute__((visibility("default"))) int weft_schedule_on(int communicator,
                                                                       const char* collective, int root,
                                                                       int64_t bytes, char* text,
                                                                       size_t capacity) {
  using namespace weft;
  using namespace weft::mpi;
  return answer({communicator, collective, root, bytes}, text, capacity,
                [](const Communicator& where, const Decision& decision) {
                  return print_schedule(example_schedule_of(decision, Rank(where.rank), false));
                });
}
