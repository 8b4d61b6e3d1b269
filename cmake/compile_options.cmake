# SPDX-License-Identifier: BSD-3-Clause
# How the compiler is called: the language, the optimisation levels, the warnings and the sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# -g1: line tables for backtraces and profilers, at a fraction of -g's compile time. Debug has all of it.
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
  set(CMAKE_${language}_FLAGS_DEBUG "-Og -g")
endforeach()

# A prefetch for writing. x86 processors that cannot do it do nothing; others have one without being asked.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mprfchw WEFT_CAN_PREFETCH_FOR_WRITING)
if(WEFT_CAN_PREFETCH_FOR_WRITING)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-mprfchw>)
endif()

if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()

# Our own code only: foreign sources (nanobind's) are not held to our warnings.
# A designated initialiser that leaves fields at their defaults is the house's way, not a mistake; and GCC 12
# sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
function(weft_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
endfunction()
