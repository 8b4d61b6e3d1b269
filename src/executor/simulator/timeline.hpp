// SPDX-License-Identifier: BSD-3-Clause
// Timeline: what some ranks did when, for pictures.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "executor/simulator/simulation.hpp"

namespace weft::simulator {

struct Bar {
  enum class What : std::uint8_t { kTask, kCompute, kWait };
  int rank = 0;
  What what = What::kTask;
  int operation = 0;
  std::uint32_t task = 0;
  Time begin, end;
};
constexpr std::string_view name_of(Bar::What what) {
  return what == Bar::What::kTask ? "task" : what == Bar::What::kCompute ? "compute" : "wait";
}

class Timeline : public Observer {
 public:
  // Keeps what the ranks from 0 to before `ranks` do.
  explicit Timeline(int ranks = 0) : ranks_(ranks) {}

  void did(int rank, int operation, std::uint32_t task, Time begin, Time end) override {
    add({rank, Bar::What::kTask, operation, task, begin, end});
  }
  void computed(int rank, Time begin, Time end) override {
    add({rank, Bar::What::kCompute, 0, 0, begin, end});
  }
  void waited(int rank, int operation, Time begin, Time end) override {
    add({rank, Bar::What::kWait, operation, 0, begin, end});
  }

  // In the order in which they were simulated; in that of time for each rank and kind.
  const std::vector<Bar>& bars() const { return bars_; }

 private:
  void add(const Bar& bar) {
    if (bar.rank < ranks_ && bar.end > bar.begin) bars_.push_back(bar);
  }

  int ranks_;
  std::vector<Bar> bars_;
};

}  // namespace weft::simulator
