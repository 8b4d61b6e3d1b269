// SPDX-License-Identifier: BSD-3-Clause
#include "device/agent.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <utility>

#include "base/clock.hpp"
#include "device/quiet_thread.hpp"

namespace weft::device {
namespace {

// Whoever has driven so shortly before is still waiting. Then the agent stands back for as long, and for
// twice as long each time that it finds the same again: each look takes a core from somebody for some
// microseconds.
constexpr std::int64_t kStillDriven = 100'000, kLongestPause = 32 * kStillDriven;  // ns

// Who has driven its work so soon after it was begun was waiting for it; and so many who do, one after the
// other, are a loop that the next one belongs to. There each waking would cost more than it can hide.
constexpr std::uint64_t kAtOnce = 100'000;  // ns
constexpr int kLoop = 16;

// So long it takes a rank to come back from the call in which it has handed something over.
constexpr Nanoseconds kToReturn{20'000};

// What comes for a rank that drives wakes, inside the kernel, an agent that waits on the wire; it finds
// nothing and sleeps on. After so many in a row it is told to stand back.
constexpr int kForNothing = 4;

// So often an agent that watches looks whether others are silent; and so long it waits for its last words to
// arrive.
constexpr Nanoseconds kBetweenLooks{500'000'000}, kLongestGoodbye{5'000'000'000};

// After a wait that was short because of the wire there is something to do, although nothing has come.
constexpr int kShortWait = 1;  // ms
constexpr bool is_short(int wait) { return wait >= 0 && wait <= kShortWait; }

// With SCHED_BATCH it does not take the core of who wakes it, but waits until that goes to sleep, or for its
// turn.
void set_policy(std::thread& thread, int policy) {
  const sched_param none{};
  ::pthread_setschedparam(thread.native_handle(), policy, &none);
}

std::uint64_t now() { return static_cast<std::uint64_t>(elapsed_time().value); }

}  // namespace

Result<std::unique_ptr<Agent>> Agent::make(std::unique_ptr<wire::Wire> wire, Bell bell,
                                           const AgentCores& cores) {
  Result<Alarm> alarm = Alarm::make();
  if (!alarm) return Error{alarm.error()};
  wire::Descriptor ears(::epoll_create1(EPOLL_CLOEXEC));
  for (const int end :
       {wire->descriptor(), wire->calls_descriptor(), bell.descriptor(), alarm->descriptor()}) {
    if (end < 0) continue;
    epoll_event event{.events = EPOLLIN, .data = {.fd = end}};
    if (::epoll_ctl(ears.number(), EPOLL_CTL_ADD, end, &event) != 0)
      return Error{std::string("the agent cannot wait for its wire: ") + std::strerror(errno)};
  }
  auto made = std::unique_ptr<Agent>(
      new Agent(std::move(wire), std::move(bell), std::move(*alarm), std::move(ears), cores.are_too_few));
  auto thread = start_quiet_thread("agent", cores.cpus, [agent = made.get()] { agent->run(); });
  if (!thread) return Error{thread.error()};
  made->thread_ = std::move(*thread);
  made->is_ordinary_ = ::sched_getscheduler(0) == SCHED_OTHER;  // it has its maker's policy
  return made;
}

Agent::Agent(std::unique_ptr<wire::Wire> wire, Bell bell, Alarm alarm, wire::Descriptor ears,
             bool lacks_cores)
    : wire_(std::move(wire)),
      bell_(std::move(bell)),
      alarm_(std::move(alarm)),
      ears_(std::move(ears)),
      lacks_cores_(lacks_cores) {}

Nanoseconds Agent::cpu_time() { return cpu_time_of(thread_); }

Agent::~Agent() {
  ends_.store(true, std::memory_order_release);
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

void Agent::watch() {
  if (watches_.load(std::memory_order_relaxed)) return;
  watches_.store(true, std::memory_order_release);
  bell_.ring();
}

void Agent::add(Work& work) {
  work.place_ = under_way_.size();
  under_way_.push_back(&work);
  note_urgency(work, work.concerns_others());
}

void Agent::begin(Work& work) {
  work.progress_.store(Progress::kPending, std::memory_order_relaxed);
  add(work);
  watch();
  listen();
}

void Agent::note_urgency(Work& work, bool is_urgent) {
  urgent_ += is_urgent ? 1 : 0;
  urgent_ -= work.is_urgent_ ? 1 : 0;
  work.is_urgent_ = is_urgent;
}

// Who calls to be met is answered in any case. After the last work things stay as they are: another one like
// it may follow at once. Whoever watches looks in between, and hears everything again before it stops.
void Agent::listen() {
  if (!under_way_.empty()) hear_wire(urgent_ > 0 || others_expected_ > 0 || !wire_->wakes_by_itself());
}

void Agent::expect_others(int by) {
  others_expected_ += by;
  if (others_expected_ > 0) hear_wire(true);
}

void Agent::hear_wire(bool yes) {
  if (std::exchange(hears_wire_, yes) == yes) return;
  epoll_event event{.events = yes ? std::uint32_t{EPOLLIN} : 0, .data = {.fd = wire_->descriptor()}};
  ::epoll_ctl(ears_.number(), EPOLL_CTL_MOD, wire_->descriptor(), &event);
}

bool Agent::is_in_a_loop() const { return waited_at_once_.load(std::memory_order_relaxed) >= kLoop; }

void Agent::expect_to_be_left() {
  const std::uint64_t begun_at = now();
  begun_at_.store(begun_at, std::memory_order_relaxed);
  if (urgent_ == 0) return;
  const std::uint64_t until = stands_back_until_.load(std::memory_order_relaxed);
  if (until > begun_at + std::uint64_t{kStillDriven} && !is_in_a_loop()) bell_.ring();
}

bool Agent::looks_by_itself() {
  if (!is_in_a_loop()) return false;
  lies_.store(false);  // either this is seen at the end of a pause, or that end is seen here
  return stands_back_until_.load() != 0;
}

void Agent::note_drive(std::uint64_t now) {
  last_drive_.store(now, std::memory_order_relaxed);
  const std::uint64_t begun_at = begun_at_.load(std::memory_order_relaxed);
  if (begun_at != 0) note_return(begun_at, now - begun_at < kAtOnce);
}

// Who began work then has come back to it, or it has ended without them.
void Agent::note_return(std::uint64_t begun_at, bool at_once) {
  if (!begun_at_.compare_exchange_strong(begun_at, 0, std::memory_order_relaxed)) return;
  const int before = waited_at_once_.load(std::memory_order_relaxed);
  waited_at_once_.store(at_once ? std::min(before + 1, kLoop) : before / 2, std::memory_order_relaxed);
}

// Where there are too few cores an agent that is woken takes that of its rank at once.
void Agent::hand_over(Work& work) {
  add_handed_over(work);
  if (!lacks_cores_) return bell_.ring();
  alarm_.set(kToReturn);
}

void Agent::hand_over_soon(Work& work) {
  add_handed_over(work);
  // The policy first: whatever sets it is taken back by the waking that follows.
  if (is_ordinary_ && !stands_aside_.load()) {
    set_policy(thread_, SCHED_BATCH);
    stands_aside_.store(true);
  }
  bell_.ring();
}

void Agent::add_handed_over(Work& work) {
  work.progress_.store(Progress::kPending, std::memory_order_relaxed);
  work.handed_before_ = handed_over_.load(std::memory_order_relaxed);
  while (!handed_over_.compare_exchange_weak(work.handed_before_, &work, std::memory_order_release)) {}
  begun_at_.store(now(), std::memory_order_relaxed);
  last_drive_.store(0, std::memory_order_relaxed);  // the rank goes away now
}

// The last one comes first, and is moved last. Whoever takes them in moves them, but does not lie down: the
// agent looks once more.
void Agent::take_in() {
  if (handed_over_.load(std::memory_order_relaxed) == nullptr) return;
  lies_.store(false, std::memory_order_relaxed);
  watches_.store(true, std::memory_order_release);
  for (Work* next = handed_over_.exchange(nullptr, std::memory_order_acquire); next != nullptr;
       next = next->handed_before_)
    add(*next);
}

void Agent::remove(Work& work) {
  note_urgency(work, false);
  under_way_.back()->place_ = work.place_;
  under_way_[work.place_] = under_way_.back();
  under_way_.pop_back();
}

void Agent::withdraw(Work& work) {
  if (work.progress_.load(std::memory_order_relaxed) != Progress::kPending) return;
  take_in();
  remove(work);
  work.progress_.store(Progress::kDone, std::memory_order_relaxed);
}

void Agent::move(Work& work) {
  if (work.progress_.load(std::memory_order_relaxed) != Progress::kPending) return;
  const Progress progress = work.move();
  if (progress == Progress::kPending) {
    const bool was_urgent = work.is_urgent_;
    note_urgency(work, work.concerns_others());
    if (work.is_urgent_ && !was_urgent) listen();
    return;
  }
  remove(work);
  work.progress_.store(progress, std::memory_order_release);
}

bool Agent::move_all() {
  take_in();
  const bool has_news = wire_->drive();
  move_works();
  return has_news;
}

// Backwards by position: what is over leaves the list.
void Agent::move_works() {
  for (std::size_t i = under_way_.size(); i-- > 0;) move(*under_way_[i]);
}

void Agent::lie_down() {
  bool looks_again = false;
  for (Work* const work : under_way_) looks_again |= work->lie_down();
  lies_.store(true, std::memory_order_relaxed);
  if (looks_again) move_works();
  listen();
}

void Agent::say_goodbye() {
  {
    const std::lock_guard mine(mutex_);
    wire_->say_goodbye();
  }
  const Nanoseconds begin = elapsed_time();
  for (bool arrived = false; !arrived && elapsed_time() - begin < kLongestGoodbye;) {
    {
      const std::lock_guard mine(mutex_);
      arrived = wire_->has_arrived();
    }
    if (!arrived) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void Agent::drive() {
  note_drive(now());
  const auto mine = try_lock();
  if (!mine.owns_lock()) {
    ::sched_yield();  // it may be the agent, which waits for this core
    return;
  }
  if (!move_all()) return;
  last_drive_.store(now(), std::memory_order_relaxed);  // that may have taken long
  const bool was_woken = hears_wire_ && waits_on_wire_.load(std::memory_order_relaxed);
  if (!was_woken || ++woken_for_nothing_ < kForNothing) return;
  woken_for_nothing_ = 0;
  bell_.ring();
}

bool Agent::is_still_driven() const {
  // The other thread's clock may have been read later.
  const std::uint64_t last = last_drive_.load(std::memory_order_relaxed);
  return static_cast<std::int64_t>(now() - last) < kStillDriven;
}

// The agent's thread: where all that was begun ends now, nobody has waited for it.
void Agent::move_all_alone() {
  take_in();
  const std::uint64_t begun_at = begun_at_.load(std::memory_order_relaxed);
  const bool may_end = begun_at != 0 && !under_way_.empty() && !is_still_driven();
  move_all();
  if (may_end && under_way_.empty()) note_return(begun_at, false);
}

// Whether nobody else does, or has done shortly before.
bool Agent::move_unless_driven() {
  const auto mine = try_lock();
  if (!mine.owns_lock() || is_still_driven()) return false;
  woken_for_nothing_ = 0;
  for (Work* const work : under_way_) work->get_up();
  move_all_alone();
  lie_down();
  return true;
}

// Whether the bell has rung, or the alarm gone off, before that was over.
bool Agent::stand_back(std::int64_t ns) {
  const timespec nap{0, ns};
  std::array<pollfd, 2> ends{{{bell_.descriptor(), POLLIN, 0}, {alarm_.descriptor(), POLLIN, 0}}};
  stands_back_until_.store(now() + static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
  const bool has_rung = ::ppoll(ends.data(), ends.size(), &nap, nullptr) > 0;
  stands_back_until_.store(0);
  if (ends.back().revents != 0) alarm_.hear();
  return has_rung;
}

void Agent::look_for_silence() {
  const std::lock_guard mine(mutex_);
  wire_->look_for_silence(elapsed_time());
  move_all_alone();
  if (!under_way_.empty() || wire_->is_anything_awaited()) return;
  hear_wire(true);
  watches_.store(false, std::memory_order_relaxed);
}

// In ms, -1 for any time. Some wires have to be asked before each wait.
int Agent::longest_wait(bool watches) {
  const int at_most = watches ? static_cast<int>(kBetweenLooks.value / 1'000'000) : -1;
  if (wire_->wakes_by_itself()) return at_most;
  const auto mine = try_lock();
  const int allowed = mine.owns_lock() ? wire_->longest_wait() : kShortWait;
  return allowed < 0 ? at_most : allowed;
}

void Agent::run() {
  std::int64_t pause = kStillDriven;
  Nanoseconds last_look = elapsed_time();
  while (!ends_.load(std::memory_order_acquire)) {
    const bool watches = watches_.load(std::memory_order_acquire);
    epoll_event event;
    const bool lies = lies_.load() && handed_over_.load(std::memory_order_relaxed) == nullptr;
    const int at_most = !lies || is_still_driven() ? 0 : longest_wait(watches);
    waits_on_wire_.store(at_most != 0, std::memory_order_relaxed);
    const int found = ::epoll_wait(ears_.number(), &event, 1, at_most);
    waits_on_wire_.store(false, std::memory_order_relaxed);
    bell_.hear();
    if (found > 0 && event.data.fd == alarm_.descriptor()) alarm_.hear();
    if (stands_aside_.load(std::memory_order_relaxed)) {
      stands_aside_.store(false);
      set_policy(thread_, SCHED_OTHER);
    }
    if (watches && elapsed_time() - last_look >= kBetweenLooks) {
      last_look = elapsed_time();
      look_for_silence();
    }
    if (lies && found <= 0 && !is_short(at_most)) continue;
    wakes_.fetch_add(1, std::memory_order_relaxed);
    const bool is_needed = move_unless_driven() || (stand_back(pause) && !is_in_a_loop());
    if (is_needed) pause = kStillDriven;
    else pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace weft::device
