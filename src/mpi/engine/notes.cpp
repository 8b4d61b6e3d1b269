// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/engine/notes.hpp"

#include <mutex>

#include "base/log.hpp"

namespace weft::mpi {
namespace {

struct Notes {
  std::mutex mutex;
  std::vector<std::string> texts;
};

Notes& all_notes() {
  static Notes& the_notes = *new Notes;
  return the_notes;
}

}  // namespace

void note(const std::string& message) {
  log_message(message);
  const std::lock_guard lock(all_notes().mutex);
  all_notes().texts.push_back(message);
}

std::vector<std::string> notes() {
  const std::lock_guard lock(all_notes().mutex);
  return all_notes().texts;
}

}  // namespace weft::mpi
