// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstring>
#include <weft/weft.h>

// Success has a name, and an unknown code is reported, not a crash: one call on each side of the library's
// table.
int main() {
  const char* success = weft_error_string(0);
  const char* unknown = weft_error_string(-12345);
  std::printf("%s / %s\n", success, unknown);
  return std::strcmp(success, unknown) == 0 || std::strlen(success) == 0;
}
