// SPDX-License-Identifier: BSD-3-Clause
// Runs the operations of all ranks over the in-process transport: taking turns in this thread, thousands of
// small cases per second and replayed by their seed, or as one thread per rank. An operation that gets stuck
// is reported with who waits for whom; nothing hangs.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "executor/processor/operation.hpp"
#include "transport/in_process.hpp"

namespace weft::tests {

// One rank's part of one operation. Its channel is binding.channel.
struct Job {
  const Schedule* schedule;
  Binding binding;
};

class Runner {
 public:
  Runner(Network& network, std::vector<Job> jobs)
      : network_(network), jobs_(std::move(jobs)), shared_(jobs_.size()) {
    for (int rank = 0; rank < network.rank_count(); ++rank) ends_.emplace_back(network, Rank(rank));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Schedule& schedule = *jobs_[i].schedule;
      operations_.push_back(std::make_unique<Operation<InProcess>>(schedule));
      if (schedule.groups.empty()) continue;
      shared_[i] = end(i).attach(jobs_[i].binding.channel, schedule);
      jobs_[i].binding.shared = shared_[i];
    }
  }

  // "" or what went wrong. The seed draws who comes when: late starters, and a new order in every sweep.
  std::string take_turns(std::uint64_t seed) {
    Random random(seed);
    std::vector<std::size_t> open(jobs_.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    std::vector<bool> started(jobs_.size(), false);
    std::uint64_t events = network_.events();
    for (int quiet = 0; !open.empty();) {
      for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random.below(i)]);
      bool failed = false;
      std::erase_if(open, [&](std::size_t i) {
        if (!started[i] && quiet == 0 && random.chance(30)) return false;
        const Progress progress = started[i] ? operations_[i]->progress(end(i)) : start(i);
        started[i] = true;
        failed |= progress == Progress::kFailed;
        return progress == Progress::kDone;
      });
      if (failed) return "an operation failed: " + network_.trouble();
      const std::uint64_t now = network_.events();
      quiet = now == events ? quiet + 1 : 0;
      events = now;
      if (quiet > network_.disturbance().longest_delay + 2) return stuck(open.size());
    }
    return leftover();
  }

  // Each rank starts all its operations in an order of its own, then drives them until all are done.
  std::string run_threads(std::uint64_t seed) {
    std::atomic<bool> failed{false};
    std::atomic<std::size_t> unfinished{jobs_.size()};
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ends_.size(); ++rank)
      threads.emplace_back(
          [&, rank] { drive(static_cast<int>(rank), Random(seed + rank), failed, unfinished); });
    for (std::thread& thread : threads) thread.join();
    if (unfinished != 0) return failed ? "an operation failed: " + network_.trouble() : stuck(unfinished);
    return leftover();
  }

 private:
  // Far longer than any machine stalls; only a run that has failed already waits for it.
  static constexpr std::chrono::seconds kPatience{20};

  InProcess& end(std::size_t job) { return ends_[static_cast<std::size_t>(jobs_[job].schedule->self.value)]; }
  Progress start(std::size_t job) { return operations_[job]->start(end(job), jobs_[job].binding); }

  void drive(int rank, Random random, std::atomic<bool>& failed, std::atomic<std::size_t>& unfinished) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].schedule->self == Rank(rank)) open.push_back(i);
    for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random.below(i)]);
    const auto over = [&](Progress progress) {
      if (progress == Progress::kFailed) failed = true;
      if (progress == Progress::kDone) --unfinished;
      return progress == Progress::kDone;
    };
    std::erase_if(open, [&](std::size_t i) { return over(start(i)); });
    std::uint64_t events = network_.events();
    auto last_event = std::chrono::steady_clock::now();
    while (!open.empty() && !failed) {
      std::erase_if(open, [&](std::size_t i) { return over(operations_[i]->progress(end(i))); });
      std::this_thread::yield();
      const std::uint64_t now = network_.events();
      const auto time = std::chrono::steady_clock::now();
      if (now != events) last_event = time;
      events = now;
      if (time - last_event > kPatience) return;
    }
  }

  std::string stuck(std::size_t count) const {
    return std::to_string(count) + " of " + std::to_string(jobs_.size()) +
           " operations are stuck: " + network_.trouble();
  }
  std::string leftover() const {
    const std::string trouble = network_.trouble();
    return trouble.empty() ? "" : "all operations finished, but " + trouble;
  }

  Network& network_;
  std::vector<Job> jobs_;
  std::vector<InProcess> ends_;
  std::vector<std::unique_ptr<Operation<InProcess>>> operations_;
  std::vector<std::vector<std::byte*>> shared_;
};

}  // namespace weft::tests
