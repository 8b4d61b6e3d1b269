// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/flight/agent_work.hpp"

#include <algorithm>
#include <mpi.h>
#include <utility>

#include "base/plain_memory.hpp"
#include "device/list_operation.hpp"
#include "device/trigger.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/flight/flight.hpp"
#include "mpi/flight/node_mates.hpp"
#include "mpi/flight/scratch.hpp"
#include "mpi/flight/traffic.hpp"
#include "observe/milestones.hpp"
#include "observe/times.hpp"
#include "transform/lower.hpp"
#include "transport/over_wire.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kSmallScratch = 4096;  // stays with the operation

// A list of one task has no room for what is held and what enables it.
std::uint32_t longest_list() {
  const int tasks = engine().settings.local.list_tasks;
  return tasks == 0 ? Lowering().most_tasks : static_cast<std::uint32_t>(std::max(tasks, 2));
}

OverWire& wire_of(const Flight& flight) { return *flight.traffic->transport.wire(); }
HostTransport& transport_of(const Flight& flight) {
  return flight.traffic->transport_for(flight.is_persistent());
}

}  // namespace

// A flight's task list, and its executions.
class AgentWork::ByList {
 public:
  explicit ByList(TaskList list) : list_(std::move(list)), operation_(list_, trigger() != nullptr) {}

  Bytes size_of_call() const { return list_.call.bytes; }
  void prepare(const Binding& binding) {
    operation_.binding() = binding;
    operation_.binding().scratch = nullptr;
    if (operation_.scratch_bytes() <= kSmallScratch) return;
    scratch_ = take_scratch(operation_.scratch_bytes());
    operation_.binding().scratch = scratch_->data();
  }
  Progress start(OverWire& wire, device::Work& work) {
    return ends_.go_on(operation_, wire, work, operation_.start(wire));
  }
  Progress move(OverWire& wire, device::Work& work) {
    return ends_.go_on(operation_, wire, work, operation_.progress(wire));
  }
  void end() {
    ends_.leave();
    if (scratch_ != nullptr) give_back_scratch(std::move(scratch_));
  }
  OverWirePending& pending() { return operation_.pending(); }

 private:
  TaskList list_;
  device::ListOperation<OverWire> operation_;
  std::unique_ptr<PlainMemory> scratch_;  // while it is under way, if that is much
  device::ListsEnds ends_{trigger()};
};

AgentWork::AgentWork(Flight& flight)
    : flight_(flight), needs_host_(flight.traffic->transport.needs_host(flight.operation.schedule())) {}
AgentWork::~AgentWork() = default;

bool AgentWork::is_for_ranks_alone() const {
  const Binding& binding = flight_.binding;
  const bool calls_host =
      binding.combine.apply != nullptr || binding.input_view != nullptr || binding.output_view != nullptr;
  const bool wakes_nobody = flight_.needs_node && !flight_.traffic->wakes_node_mates;
  return needs_host_ || calls_host || wakes_nobody || Timed::is_wanted() || Milestones::are_wanted();
}

// Made when it is needed for the first time, and again for calls of another length.
bool AgentWork::take_list() {
  if (flight_.needs_node || has_no_list_ || is_for_ranks_alone()) return false;
  const Schedule& schedule = flight_.operation.schedule();
  if (list_ != nullptr && list_->size_of_call() == schedule.call.bytes) return true;
  Result<TaskList> made = lower(schedule, {.most_tasks = longest_list()});
  if (!made) {
    has_no_list_ = true;
    return false;
  }
  list_ = std::make_unique<ByList>(std::move(*made));
  return true;
}

void AgentWork::prepare() {
  is_list_ = take_list();
  if (is_list_) list_->prepare(flight_.binding);
}

Progress AgentWork::start() {
  if (flight_.takes_wire) wire_of(flight_).begin(flight_.binding.channel);
  if (is_list_) return list_->start(wire_of(flight_), *this);
  return flight_.operation.start(transport_of(flight_));
}

Progress AgentWork::go_on() {
  if (std::exchange(starts_later_, false)) return start();
  return is_list_ ? list_->move(wire_of(flight_), *this) : flight_.operation.progress(transport_of(flight_));
}

// Where a rank is lost, others of the node do not come any more.
Progress AgentWork::move() {
  const bool is_broken = flight_.takes_wire && wire_of(flight_).may_be_lost() && wire_of(flight_).lost() >= 0;
  const Progress progress = is_broken ? Progress::kFailed : go_on();
  if (progress != Progress::kPending) ask_for_nothing(flight_);
  return progress;
}

bool AgentWork::lie_down() {
  if (!flight_.needs_node || !flight_.has_request()) return false;
  ask_node_mates_to_wake(flight_);
  return true;
}
void AgentWork::get_up() { ask_for_nothing(flight_); }

// Who waits in a blocking call moves it itself; and ranks of a node wait for one another.
bool AgentWork::concerns_others() const {
  if (!flight_.has_request()) return false;
  if (starts_later_ || flight_.needs_node) return true;
  const OverWirePending* const messages = pending();
  return messages == nullptr || messages->concerns_others();
}

void AgentWork::end(bool failed) {
  starts_later_ = false;
  ask_for_nothing(flight_);
  if (failed && is_list_) wire_of(flight_).forget(list_->pending());
  if (failed && !is_list_) transport_of(flight_).forget(flight_.operation.pending());
  if (is_list_) list_->end();
}

const OverWirePending* AgentWork::pending() const {
  return is_list_ ? &list_->pending() : flight_.operation.pending().on_wire();
}
std::vector<int> AgentWork::partners() const {
  std::vector<int> found = flight_.operation.pending().partners(flight_.operation.schedule());
  if (const OverWirePending* const messages = pending())
    for (const int rank : messages->partners(wire_of(flight_).processes())) found.push_back(rank);
  return found;
}
int AgentWork::error() const {
  const OverWirePending* const messages = pending();
  return messages != nullptr && messages->has_other_size() ? MPI_ERR_TRUNCATE
                                                           : flight_.operation.pending().error();
}

}  // namespace weft::mpi
