// SPDX-License-Identifier: BSD-3-Clause
// Log: where the library says what a person may want to know. It goes to the file that WEFT_LOG names, which
// `weft run` shows at the end; to stderr only when asked. May be called from any thread.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// `prefix` opens each line, e.g. "rank 3: ".
void set_log(std::string file, bool to_stderr, std::string prefix);
void log_message(std::string_view message);
// Says on stderr as well what would otherwise be a silent hang or end.
void announce(std::string_view message);

}  // namespace weft
