// SPDX-License-Identifier: BSD-3-Clause
#include "finished_file.hpp"

#include <filesystem>

namespace poisson {

bool FinishedFile::open(const std::string& name) {
  std::error_code error;
  const bool special = std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name, error);
  name_ = name;
  part_ = special ? name : name + ".part";
  stream_.open(part_);
  return stream_.good();
}

bool FinishedFile::finish(const std::string& text) {
  if (!stream_.is_open()) return true;
  stream_ << text << std::flush;
  const bool written = stream_.good();
  stream_.close();
  std::error_code error;
  if (written && part_ != name_) std::filesystem::rename(part_, name_, error);
  if (!written || error) return false;
  part_ = name_;
  return true;
}

/// Unfinished: what there is of it goes.
FinishedFile::~FinishedFile() {
  std::error_code error;
  if (stream_.is_open()) stream_.close();
  if (part_ != name_) std::filesystem::remove(part_, error);
}

}  // namespace poisson
