// SPDX-License-Identifier: BSD-3-Clause
// Timeline: what some ranks, and those who move operations for them, did when: for pictures.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "executor/simulator/simulation.hpp"

namespace weft::simulator {

struct Bar {
  // kRequest: of a long message, on either side.
  enum class What : std::uint8_t { kTask, kRequest, kCompute, kWait };
  int rank = 0;
  What what = What::kTask;
  int operation = 0;
  std::uint32_t task = 0;
  Time begin, end;
};

// What a bar shows.
struct Deed {
  static constexpr int kNobody = -1;

  // send, receive, put, request, answer, copy, reduce, calc, a step of a group by its name, compute or wait.
  std::string_view kind;
  int peer = kNobody;           // of a message
  Bytes size{};                 // of a task, as it is paid for
  MovedBy by = MovedBy::kHost;  // the rank itself (host), its agent, or the adapter
  int cpu = 0;                  // on which of the rank's processors, if it is the rank itself
};

class Timeline : public Observer {
 public:
  // Keeps what the ranks from 0 to before `ranks` do.
  explicit Timeline(int ranks = 0) : ranks_(ranks) {}

  void did(int rank, int operation, std::uint32_t task, Time begin, Time end) override {
    add({rank, Bar::What::kTask, operation, task, begin, end});
  }
  void requested(int rank, int operation, std::uint32_t task, Time begin, Time end) override {
    add({rank, Bar::What::kRequest, operation, task, begin, end});
  }
  void computed(int rank, Time begin, Time end) override {
    add({rank, Bar::What::kCompute, 0, 0, begin, end});
  }
  void waited(int rank, int operation, Time begin, Time end) override {
    add({rank, Bar::What::kWait, operation, 0, begin, end});
  }

  // In the order in which they were simulated; in that of time for each rank and kind.
  const std::vector<Bar>& bars() const { return bars_; }
  // What each of them shows, from the setting and the operations that were simulated.
  std::vector<Deed> deeds(const Setting& setting, std::vector<Scripts>& operations) const;

 private:
  void add(const Bar& bar) {
    if (bar.rank < ranks_ && bar.end > bar.begin) bars_.push_back(bar);
  }
  std::vector<std::vector<Bar>> computations() const;

  int ranks_;
  std::vector<Bar> bars_;
};

}  // namespace weft::simulator
