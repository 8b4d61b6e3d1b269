// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/hints.hpp"

#include <algorithm>

#include "base/fnv1a.hpp"
#include "mpi/engine/notes.hpp"
#include "planner/check_settings.hpp"
#include "topology/hierarchy.hpp"

namespace weft::mpi {

Hints hints_in(MPI_Info info) {
  Hints hints;
  if (info == MPI_INFO_NULL) return hints;
  for (const Setting& setting : settings_table()) {
    const std::string key = setting.info_key();
    int length = 0, found = 0;
    if (key.empty() || PMPI_Info_get_valuelen(info, key.c_str(), &length, &found) != MPI_SUCCESS || !found)
      continue;
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.c_str(), length, value.data(), &found);
    value.resize(static_cast<std::size_t>(length));
    hints.emplace_back(&setting, value);
  }
  return hints;
}

bool ask_for_places(const Hints& hints) {
  return std::any_of(hints.begin(), hints.end(), [](const auto& hint) {
    return hint.first->name == "WEFT_HIERARCHY" && names_levels_within_node(hint.second);
  });
}

std::uint64_t fingerprint_of(const Hints& hints) {
  Fnv1a hash;
  for (const auto& [setting, value] : hints) {
    hash.add(setting->name);
    hash.add(value);
  }
  return hash.value();
}

namespace {

Result<SharedSettings> with_hints(const SharedSettings& settings, const Hints& hints) {
  Settings all{.shared = settings, .local = {}, .given = {}};
  for (const auto& [setting, value] : hints) {
    const Result<Settings> changed = with_value(all, *setting, value);
    if (!changed) return Error{"MPI_Info " + setting->info_key() + ": " + changed.error()};
    all = *changed;
  }
  const std::string problem = hints.empty() ? "" : problem_with(all);
  if (!problem.empty()) return Error{"MPI_Info: " + problem};
  return all.shared;
}

}  // namespace

std::shared_ptr<const SharedSettings> settings_with(const Hints& hints, bool same,
                                                    std::shared_ptr<const SharedSettings> otherwise) {
  if (same && hints.empty()) return otherwise;
  const Result<SharedSettings> settings =
      same ? with_hints(*otherwise, hints)
           : Error{"the members of a communicator give different weft_ keys in MPI_Info"};
  if (settings) return std::make_shared<const SharedSettings>(*settings);
  note(settings.error() + "; the communicator keeps what it had");
  return otherwise;
}

}  // namespace weft::mpi
