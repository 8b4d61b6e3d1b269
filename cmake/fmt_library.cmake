# SPDX-License-Identifier: BSD-3-Clause
# fmt without libfmt.so, which libweft.so must not need: its implementation compiled once, into the core. Where
# this version of fmt has other instances than fmt_once.cpp names, every source compiles its own copy.
#   WEFT_FMT_SOURCES, WEFT_FMT_DEFINITIONS
find_path(WEFT_FMT_INCLUDE fmt/format.h DOC "Folder of fmt's headers (Debian: libfmt-dev)" REQUIRED)
set(fmt_once ${PROJECT_SOURCE_DIR}/cmake/fmt_once.cpp)
set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/fmt_probe.cpp)
file(WRITE ${probe} [[
#include <fmt/format.h>
int main(int count, char** words) {
  return fmt::format("{} {:5.2f} {:L} {}", words[0], 0.5 * count, count, 1.0f * count).size() == 0;
}
]])
if(NOT DEFINED WEFT_FMT_ONCE)
  try_compile(WEFT_FMT_ONCE ${PROJECT_BINARY_DIR}/CMakeFiles/fmt_once SOURCES ${probe} ${fmt_once}
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${WEFT_FMT_INCLUDE} CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
endif()
if(WEFT_FMT_ONCE)
  set(WEFT_FMT_SOURCES ${fmt_once})
  set(WEFT_FMT_DEFINITIONS "")
else()
  message(STATUS "fmt is compiled into every source: its version does not fit cmake/fmt_once.cpp")
  set(WEFT_FMT_SOURCES "")
  set(WEFT_FMT_DEFINITIONS FMT_HEADER_ONLY)
endif()
