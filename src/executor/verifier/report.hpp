// SPDX-License-Identifier: BSD-3-Clause
// Report: what the verifier says of the schedules of a call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

// The rules, each with a name that people can search for; rule_name() gives "unmatched_message", …
enum class Rule : std::uint8_t {
  kUnmatchedMessage,  // a send without its recv, or the other way round
  kSizeMismatch,      // the two ends of a message differ in size
  kDeadlock,          // tasks that never become ready, or wait for one another across ranks
  kRace,              // two tasks touch the same bytes, one writes, and no path of edges orders them
  kOutOfBounds,       // a range outside its buffer, an unknown peer, buffer or group
  kWritesInput,       // the caller's input is written
  kUndefinedData,     // data is used that nobody put there
  kWrongResult,       // a missing, wrong or double contribution in an output
  kOrderBroken,       // operands out of rank order for an operator that does not commute
  kBracketDiffers,    // ranks evaluate different expression trees for the same element (drop_in rule 7)
  kParcelsDiffer,     // ranks of a v-, w- or neighbour form disagree about the blocks between them
  kNodeTask,          // a node-level task names other memory, or reads it too early (drop_in rule 9)
  kExposed,    // a member's exposed memory is misnamed, or touched before it has come or after it has left
  kMalformed,  // edges that point backwards, counts that do not agree: not a schedule
};

std::string_view rule_name(Rule rule);

struct Finding {
  Rule rule;
  Rank rank;
  std::optional<TaskId> task;
  std::string message;  // what, where, and what would have been right
};

struct Report {
  std::vector<Finding> findings;  // empty: proved
  std::string bracket;            // reductions: the expression over ranks of element 0, "((0+1)+(2+3))"
  std::int64_t messages = 0;      // all ranks together
  Bytes bytes_sent;

  bool proved() const { return findings.empty(); }
};

}  // namespace weft
