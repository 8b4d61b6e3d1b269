// SPDX-License-Identifier: BSD-3-Clause
// The part of weft.h that only the front door can answer.
#include <cstring>

#include "explain/text_for_caller.hpp"
#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"
#include "mpi/front_door.hpp"
#include "mpi/node_memory.hpp"
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

namespace weft::mpi {
namespace {

std::string explanation(Communicator* communicator, Call call) {
  const auto left = [](Reason reason) { return "left to the host MPI: " + std::string(reason_text(reason)); };
  if (communicator == nullptr) return left(Reason::kUnseenCommunicator);
  if (!communicator->settings->enabled) return left(Reason::kSwitchedOff);
  const Rank self(communicator->rank);
  const Plan plan({call, false, example_parcels(call, self, false)}, self, *communicator->settings,
                  communicator->placement);
  return plan.schedule.algorithm + ": " + plan.why;
}

}  // namespace
}  // namespace weft::mpi

extern "C" __attribute__((visibility("default"))) int weft_explain_on(int communicator,
                                                                      const char* collective, int root,
                                                                      int64_t bytes, char* text,
                                                                      size_t capacity) {
  using namespace weft;
  using namespace weft::mpi;
  if (collective == nullptr || text == nullptr || capacity == 0 || bytes < 0) return WEFT_ERROR_ARGUMENT;
  const auto which = collective_named(collective);
  if (!which) return WEFT_ERROR_UNKNOWN_COLLECTIVE;
  if (!engine().active.load()) return give_text("left to the host MPI: Weft is switched off", text, capacity);
#ifdef WEFT_HOST_ABI  // where Fortran's handles are not C's business, integers stand for handles in any
                      // language
  const MPI_Comm comm = PMPI_Comm_fromint(communicator);
#else
  const MPI_Comm comm = PMPI_Comm_f2c(communicator);
#endif
  int size = 1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &size) != MPI_SUCCESS || root < 0 || root >= size)
    return WEFT_ERROR_ARGUMENT;
  Call call{.collective = *which, .rank_count = size, .bytes = Bytes(bytes)};
  if (is_rooted(*which)) call.root = Rank(root);
  if (*which == Collective::kBarrier) call.bytes = Bytes(0);
  const InEngine inside;
  return give_text(explanation(find_communicator(comm), call), text, capacity);
}
