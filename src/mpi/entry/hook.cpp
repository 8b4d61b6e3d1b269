// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/hook.hpp"

#include <atomic>
#include <dlfcn.h>
#include <mpi.h>
#include <type_traits>
#include <utility>

#include "mpi/engine/engine.hpp"
#include "mpi/flight/deaths.hpp"
#include "mpi/host/polite.hpp"
#include "mpi/host/progress.hpp"

namespace weft::mpi {
namespace {

template <class Function>
Function host_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}
template <class Value>
Value* host_variable(const char* name) {
  return static_cast<Value*>(::dlsym(RTLD_DEFAULT, name));
}

// Open MPI 4 and 5: callbacks of opal_progress, which every blocking call spins on. Those of low priority are
// called at every eighth look only. Registering one again moves it from one kind to the other; that is done
// under the engine's lock.
using OpalProgress = void (*)();
using OpalCallback = int (*)();
using OpalRegister = int (*)(OpalCallback);
OpalRegister call_always = nullptr, call_seldom = nullptr;

thread_local Backoff backoff;  // while the host spins on this

// After a while in which no operation gets further the core goes to whoever has to act first; but not when
// Weft itself is waiting, and the host is only passing through here: that wait has its own backoff.
[[gnu::noinline]] int move_from_host() {
  const int before = unfinished_operations.load(std::memory_order_relaxed);
  const Moved moved = progress();
  if (moved == Moved::kNothing) return 0;
  const int finished = before - unfinished_operations.load(std::memory_order_relaxed);
  if (finished != 0 || moved == Moved::kFurther) {
    backoff = Backoff();
  } else {
    if (!host_yields) backoff.pause();
    if (host_yields || backoff.is_slow()) look_for_deaths_now_and_then();
  }
  return finished > 0 ? finished : 0;
}

// Without operations of Weft's others may still have asked what this rank was called for.
[[gnu::noinline]] int look_for_others() {
  look_for_deaths_now_and_then();
  return 0;
}

bool is_idle() { return unfinished_operations.load(std::memory_order_relaxed) == 0; }

constexpr unsigned kIdleLooks = 1024;
thread_local unsigned idle_looks = 0;
int look_when_idle(unsigned between_looks) {
  backoff = Backoff();
  return ++idle_looks % between_looks == 0 ? look_for_others() : 0;
}

int on_opal_progress();
[[gnu::noinline]] void be_called_seldom() {
  if (!engine().lock.try_lock()) return;
  if (is_idle() && call_seldom(on_opal_progress) == 0)
    host_calls_always.store(false, std::memory_order_relaxed);
  leave_engine();
}

// Programs that wait for messages come here every few nanoseconds, most often when Weft has nothing to do: to
// be called at each of the host's looks made a ping-pong of 8 bytes a twentieth slower. So it is seldom, but
// while an operation with a request is under way, and a while after that.
int on_opal_progress() {
  constexpr unsigned kWhile = 256;
  if (!is_idle()) {
    idle_looks = 0;
    return move_from_host();
  }
  if (!host_calls_always.load(std::memory_order_relaxed)) return look_when_idle(kIdleLooks / 8);
  if (idle_looks >= kWhile) be_called_seldom();
  return look_when_idle(kIdleLooks);
}

// MPICH from 4.2 on: "async things", which its progress engine polls until they say that they are done;
// MPI_Finalize waits for that. Behind the standard ABI a stream would not be an int.
using AsyncPoll = int (*)(void* thing);
using AsyncStart = int (*)(AsyncPoll, void* state, int stream);
constexpr bool kStreamsAreIntegers = std::is_integral_v<MPI_Comm>;  // as all handles of an MPI
constexpr int kNoStream = 0x3c000000;                               // MPIX_STREAM_NULL
constexpr int kNotDone = 0, kDone = 1;
std::atomic<bool> is_over{false};

int poll_for_mpich(void*) {
  if (is_over.load(std::memory_order_acquire)) return kDone;
  is_idle() ? look_when_idle(kIdleLooks) : move_from_host();
  return kNotDone;
}

// MPICH 5.0 aborts if what it polls enters its progress engine while several threads may be inside MPI, and
// Weft has to enter it. If one rank has such threads, no rank uses the hook: ranks without it start the
// host's collectives in their non-blocking form, and all have to do the same.
bool some_rank_has_many_threads() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return polite::is_anywhere(level == MPI_THREAD_MULTIPLE, engine().transport_comm);
}

bool is_polled = false;

bool hook_into_mpich() {
  const auto start = host_function<AsyncStart>("MPIX_Async_start");
  is_polled = kStreamsAreIntegers && start != nullptr && !some_rank_has_many_threads() &&
              start(poll_for_mpich, nullptr, kNoStream) == MPI_SUCCESS;
  return is_polled;
}

}  // namespace

void drive_host() {
  look_for_deaths_now_and_then();
  static const auto opal_progress = host_function<OpalProgress>("opal_progress");
  if (opal_progress != nullptr) return opal_progress();
  // MPICH moves nothing if a probe finds its message at once. So this one looks for a message that never
  // comes: no schedule sends to its own rank.
  int found = 0;
  PMPI_Iprobe(engine().world_rank, MPI_ANY_TAG, engine().transport_comm, &found, MPI_STATUS_IGNORE);
}

// Each look takes in some 16 to 31 messages. Sessions may still look after MPI_Finalize, when Weft has ended.
// The program does not wait here: the host is kept from yielding the core whenever a look finds nothing,
// where no other thread could do the same at the same time.
void catch_up() {
  constexpr int kTimes = 8;
  static bool* const yields = many_threads ? nullptr : host_variable<bool>("opal_progress_yield_when_idle");
  const bool usually = yields != nullptr && std::exchange(*yields, false);
  for (int i = 0; i < kTimes && engine().active.load(std::memory_order_acquire); ++i) drive_host();
  if (yields != nullptr) *yields = usually;
}

void be_called_always() {
  idle_looks = 0;
  if (call_always != nullptr && call_always(on_opal_progress) == 0)
    host_calls_always.store(true, std::memory_order_relaxed);
}

bool hook_into_host() {
  call_always = host_function<OpalRegister>("opal_progress_register");
  call_seldom = host_function<OpalRegister>("opal_progress_register_lp");
  if (call_always == nullptr) return hook_into_mpich();
  if (call_seldom == nullptr) call_seldom = call_always;
  if (const bool* yields = host_variable<bool>("opal_progress_yield_when_idle")) host_yields = *yields;
  // Both lists have a place for it from now on, so that none grows while threads go through it.
  return call_always(on_opal_progress) == 0 && call_seldom(on_opal_progress) == 0;
}

void stop_being_polled() {
  if (!is_polled) return;
  is_over.store(true, std::memory_order_release);
  host_has_no_hook.store(true, std::memory_order_release);
}

void unhook_from_host() {
  if (const auto remove = host_function<OpalRegister>("opal_progress_unregister")) remove(on_opal_progress);
}

}  // namespace weft::mpi
