// SPDX-License-Identifier: BSD-3-Clause
#include "output_file.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "verdict.hpp"

namespace app {

void OutputFile::open(const std::string& option, const std::string& name) {
  std::error_code ignored;
  name_ = name;
  const auto status = std::filesystem::status(name, ignored);
  if (std::filesystem::is_directory(status))
    throw app::BadInput(fmt::format("{} {}: this is a folder; name a file", option, name));
  const bool is_special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  part_ = is_special ? "" : name + ".part";
  stream_.open(is_special ? name : part_, std::ios::binary);
  if (stream_) return;
  part_.clear();
  throw app::BadInput(fmt::format("{} {}: cannot be written; check the folder and its rights", option, name));
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!part_.empty()) std::filesystem::remove(part_, ignored);
}

bool OutputFile::finish(const std::string& content) {
  stream_ << content;
  stream_.close();
  if (!stream_) return false;
  if (part_.empty()) return true;
  std::error_code error;
  std::filesystem::rename(part_, name_, error);
  if (!error) part_.clear();
  return !error;
}

}  // namespace app
