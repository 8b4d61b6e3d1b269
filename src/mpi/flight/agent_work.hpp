// SPDX-License-Identifier: BSD-3-Clause
// AgentWork: what there is to do of a flight that goes with the agent. Where all of it is messages and local
// work that any thread may do, it runs as a task list, the one that `weft explain --task-lists` shows
// (docs/task_lists.md); else as its schedule. The caller has the agent's lock.
#pragma once

#include <memory>
#include <vector>

#include "device/work.hpp"

namespace weft {
class OverWirePending;
}

namespace weft::mpi {

struct Flight;

class AgentWork : public device::Work {
 public:
  explicit AgentWork(Flight& flight);
  ~AgentWork() override;

  // Before each start, by the rank and without the agent's lock.
  void prepare();
  // With what the flight is bound to; or leaves that to the first move.
  Progress start();
  void start_later() { starts_later_ = true; }
  Progress move() override;
  bool lie_down() override;
  void get_up() override;
  bool concerns_others() const override;
  // It is over; if it has failed, its buffers are the caller's again.
  void end(bool failed);

  // Whether only ranks may move it: the host's functions are called by no other thread, its messages among
  // them, and times are those of the ranks' own.
  bool is_for_ranks_alone() const;
  // The ranks whose part in a message under way is still to come, each once.
  std::vector<int> partners() const;
  // Why a message failed, as an MPI error code.
  int error() const;

 private:
  Progress go_on();
  const OverWirePending* pending() const;
  bool take_list();

  class ByList;
  Flight& flight_;
  const bool needs_host_;                        // for some of its messages
  bool is_list_ = false, starts_later_ = false;  // this time
  bool has_no_list_ = false;                     // nor will it have: that is up to the plan's structure
  std::unique_ptr<ByList> list_;
};

}  // namespace weft::mpi
