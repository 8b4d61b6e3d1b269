// SPDX-License-Identifier: BSD-3-Clause
// The tuning file: settings of all ranks, a line each; # begins a comment.
//
//   WEFT_NODE_SLOTS = 32
//   WEFT_ALGORITHM  = allreduce=ring,bcast=k_nomial:4
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include "base/config.hpp"

namespace weft {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// "WEFT_ENABLE, …": what a tuning file may set.
std::string names() {
  std::string list;
  for (const Setting& setting : settings_table())
    if (setting.shared()) list += fmt::format("{}{}", list.empty() ? "" : ", ", setting.name);
  return list;
}

using Lines = std::map<std::string, std::string>;  // by setting: where the file sets it

// Adds one line, without its comment; "" or what is wrong with it.
std::string add_line(Settings& settings, std::string_view line, const std::string& where, Lines& seen) {
  const std::size_t sign = line.find('=');
  const std::string_view name = trimmed(line.substr(0, sign));
  const std::string_view value =
      sign == std::string_view::npos ? std::string_view() : trimmed(line.substr(sign + 1));
  if (value.empty()) return fmt::format("expected NAME = value, found `{}`", line);
  if (const std::string problem = problem_with_name(name); !problem.empty()) return problem;
  const Setting* setting = setting_named(name);
  if (setting == nullptr) return fmt::format("there is no setting {}: these are {}", name, names());
  if (!setting->shared())
    return fmt::format("{} concerns one process alone: set it in the environment", name);
  const auto [first, is_new] = seen.try_emplace(setting->name, where);
  if (!is_new) return fmt::format("{} is set twice, first at {}", name, first->second);
  Result<Settings> changed = with_value(settings, *setting, value);
  if (!changed) return changed.error();
  if (!settings.given.contains(setting->name)) {
    settings = std::move(*changed);
    settings.given[setting->name] = where;
  }
  return "";
}

}  // namespace

Result<Settings> with_tuning_text(Settings settings, std::string_view text, const std::string& file) {
  Lines seen;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const std::string problem = add_line(settings, content, where, seen);
    if (!problem.empty()) return Error{fmt::format("{}: {}", where, problem)};
  }
  return settings;
}

Result<Settings> settings_of_rank_0() {
  Result<Settings> settings = settings_from_environment();
  if (!settings || settings->local.tuning_file.empty()) return settings;
  const std::string file = settings->local.tuning_file;
  std::ifstream in(file);
  in.peek();  // opening a folder goes well
  if (!in.is_open() || in.bad())
    return Error{
        fmt::format("WEFT_TUNING_FILE={} cannot be read: name a file of lines `NAME = value`", file)};
  std::stringstream text;
  text << in.rdbuf();
  return with_tuning_text(std::move(*settings), text.str(), file);
}

}  // namespace weft
