// SPDX-License-Identifier: BSD-3-Clause
// Memory: the symbolic content of one buffer: which value lies in which bytes.
//
// Invariants
//  1. The runs cover the buffer without gaps; those that nobody wrote are undefined.
//  2. Neighbouring runs differ, so that equal contents have equal runs.
// Cost: O(log n) per access and per run touched.
#pragma once

#include <map>
#include <vector>

#include "base/types.hpp"
#include "executor/verifier/expression.hpp"

namespace weft::verifier {

// Byte p of a buffer is byte p + shift of the contributions in `what`.
struct Value {
  Expressions::Id what = Expressions::kUndefined;
  Bytes shift;

  bool operator==(const Value&) const = default;
};

// Bytes [begin, end) of some buffer, and their value.
struct Run {
  Bytes begin;
  Bytes end;
  Value value;
};

class Memory {
 public:
  explicit Memory(Bytes size);

  Bytes size() const { return size_; }
  void assign(Bytes begin, Bytes end, Value value);

  // The runs of [begin, end), cut to it, are appended to `runs`.
  void read(Bytes begin, Bytes end, std::vector<Run>& runs) const;
  std::vector<Run> runs() const;

 private:
  struct Tail {
    Bytes end;
    Value value;
  };
  using Runs = std::map<Bytes, Tail>;  // by their beginning
  Runs::iterator cut(Runs::iterator at, Bytes offset);

  Bytes size_;
  Runs runs_;
};

}  // namespace weft::verifier
