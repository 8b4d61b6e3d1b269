// SPDX-License-Identifier: BSD-3-Clause
// A file that has its name only once it is complete: it is written beside it, as NAME.part, and renamed.
//
// What is no ordinary file (a terminal, /dev/null) is written as it is.
#pragma once

#include <fstream>
#include <string>

namespace poisson {

class FinishedFile {
 public:
  FinishedFile() = default;
  ~FinishedFile();
  FinishedFile(const FinishedFile&) = delete;
  FinishedFile& operator=(const FinishedFile&) = delete;

  /// Before long work, so that a wrong name costs no time. False if it cannot be written there.
  [[nodiscard]] bool open(const std::string& name);
  /// Does nothing and succeeds if no file is open.
  [[nodiscard]] bool finish(const std::string& text);

 private:
  std::string name_, part_;
  std::ofstream stream_;
};

}  // namespace poisson
