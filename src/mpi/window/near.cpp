// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/window/near.hpp"

#include <algorithm>
#include <utility>

#include "device/agent.hpp"
#include "executor/processor/kernels.hpp"
#include "mpi/arguments/type_contents.hpp"
#include "mpi/engine/agent.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/host.hpp"
#include "mpi/window/update.hpp"
#include "mpi/window/window.hpp"

namespace weft::mpi::window {
namespace {

int carry_out(Window& window, const Access& access) {
  if (access.kind == Kind::kPut) return copy(access.origin, access.there);
  if (access.kind == Kind::kGet) return copy(access.there, access.origin);
  return update(window, access);
}

// The target is late: the rank comes back to it. The program may free its types meanwhile.
class Deferred final : public Transfer {
 public:
  Deferred(Window& window, const Access& access) : Transfer(access.target), window_(window), access_(access) {
    for (Data* const data : {&access_.origin, &access_.result, &access_.there})
      if (is_own(data->type)) PMPI_Type_dup(data->type, &data->type);
  }
  ~Deferred() override {
    for (Data* const data : {&access_.origin, &access_.result, &access_.there})
      if (is_own(data->type)) host::free_type(&data->type);
  }

  bool advance() override {
    if (is_over_ || !window_.is_open(target())) return is_over_;
    error_ = carry_out(window_, access_);
    return is_over_ = true;
  }
  Progress move() override { return Progress::kPending; }

 private:
  static bool is_own(MPI_Datatype type) { return type != MPI_DATATYPE_NULL && !is_given_by_mpi(type); }

  Window& window_;
  Access access_;
  bool is_over_ = false;
};

class AgentsCopy final : public Transfer {
 public:
  AgentsCopy(Window& window, const Access& access)
      : Transfer(access.target), window_(window), bytes_(plain_bytes(access.origin)) {
    const bool is_put = access.kind == Kind::kPut;
    from_ = first_byte(is_put ? access.origin : access.there);
    into_ = first_byte(is_put ? access.there : access.origin);
    is_agents_ = true;
    agent()->hand_over_soon(*this);
  }
  ~AgentsCopy() override {
    const auto lock = agent()->lock();
    if (progress() == Progress::kPending) agent()->withdraw(*this);
    count_sleeping(false);
  }

  bool advance() override { return progress() != Progress::kPending; }
  Progress move() override {
    if (!window_.is_open(target())) return Progress::kPending;
    copy_block(from_, into_, bytes_);
    count_sleeping(false);
    return Progress::kDone;
  }
  bool lie_down() override {
    count_sleeping(true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
  void get_up() override { count_sleeping(false); }

 private:
  // Under the agent's lock, so that nobody else counts at the same time.
  void count_sleeping(bool yes) {
    if (std::exchange(sleeps_, yes) == yes) return;
    std::atomic<std::uint64_t>& count = window_.member(window_.self).board->sleeping;
    const std::uint64_t before = count.load(std::memory_order_relaxed);
    count.store(yes ? before + 1 : before - 1, std::memory_order_relaxed);
  }

  Window& window_;
  Bytes bytes_;
  const std::byte* from_;
  std::byte* into_;
  bool sleeps_ = false;
};

bool is_for_agent(const Access& access) {
  if (agent() == nullptr || !agents_have_bells()) return false;
  const Bytes bytes = plain_bytes(access);
  return bytes > Bytes(0) && bytes >= agent_copies_from();
}

// What the rank does keeps the order of the calls.
bool waits_behind_others(const Window& window, int target) {
  const InEngine inside;
  return std::any_of(window.transfers.begin(), window.transfers.end(),
                     [target](const auto& one) { return !one->is_agents() && one->target() == target; });
}

template <class Of>
int defer(Window& window, const Access& access) {
  auto transfer = std::make_unique<Of>(window, access);
  const InEngine inside;
  window.transfers.push_back(std::move(transfer));
  return MPI_SUCCESS;
}

}  // namespace

int access_near(Window& window, const Access& access) {
  if (is_for_agent(access)) return defer<AgentsCopy>(window, access);
  if (!window.is_open(access.target) || waits_behind_others(window, access.target))
    return defer<Deferred>(window, access);
  return carry_out(window, access);
}

}  // namespace weft::mpi::window
