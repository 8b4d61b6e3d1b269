// SPDX-License-Identifier: BSD-3-Clause
// OutputFile: a file that has its name only once it is complete.
//
// It is written beside that name, as NAME.part. What is no regular file, a pipe or a device, is written at
// once.
#pragma once

#include <fstream>
#include <string>

namespace app {

class OutputFile {
 public:
  OutputFile() = default;
  /// Opened early, so that a wrong name costs no time; throws BadInput that names the option.
  void open(const std::string& option, const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool is_open() const { return stream_.is_open(); }
  /// False if the disk did not take all of it.
  bool finish(const std::string& content);

 private:
  std::string name_, part_;
  std::ofstream stream_;
};

}  // namespace app
