# SPDX-License-Identifier: BSD-3-Clause
# What the CMake project of each application begins with: a release build unless something else is asked for, MPI, fmt and
# nlohmann-json. Afterwards
#   application_needs(<what, and its Debian package> <condition>...)   for what else it stands on
#   application_can_be_built(<name> <variable>)   true where all of it is there; else a warning, or an error with
#                                                 -D<NAME>_REQUIRED=ON, says what is missing
#   add_application(<name> <source>...)           the program
# A project that has several MPIs adds an application once for each further one, with APPLICATION_MPI, the target of that
# MPI, and APPLICATION_SUFFIX, which all targets of the application then end with.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Debian's hypre and FFTW-MPI are built for Open MPI; where two MPIs are installed, prefer that one.
find_program(APPLICATION_MPICXX_OPENMPI mpicxx.openmpi)
find_program(APPLICATION_MPICC_OPENMPI mpicc.openmpi)
mark_as_advanced(APPLICATION_MPICXX_OPENMPI APPLICATION_MPICC_OPENMPI)
if(NOT HYPRE_DIR AND NOT MPI_CXX_COMPILER AND APPLICATION_MPICXX_OPENMPI AND APPLICATION_MPICC_OPENMPI)
  set(MPI_C_COMPILER ${APPLICATION_MPICC_OPENMPI})
  set(MPI_CXX_COMPILER ${APPLICATION_MPICXX_OPENMPI})
endif()
set(MPI_CXX_SKIP_MPICXX ON)
if(NOT APPLICATION_MPI)
  set(APPLICATION_MPI MPI::MPI_CXX)
  if(NOT TARGET MPI::MPI_CXX)
    find_package(MPI COMPONENTS C CXX)
  endif()
endif()
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)

set(missing "")
macro(application_needs what)
  if(NOT (${ARGN}))
    list(APPEND missing "${what}")
  endif()
endmacro()
application_needs("MPI (Debian: libopenmpi-dev)" TARGET ${APPLICATION_MPI})
application_needs("fmt (Debian: libfmt-dev)" TARGET fmt::fmt)
application_needs("nlohmann-json (Debian: nlohmann-json3-dev)" TARGET nlohmann_json::nlohmann_json)

macro(application_can_be_built name variable)
  string(TOUPPER ${name} upper_name)
  option(${upper_name}_REQUIRED "Stop with an error, instead of skipping ${name}, when something it needs is missing" OFF)
  set(${variable} TRUE)
  if(missing)
    list(JOIN missing "; " missing)
    if(${upper_name}_REQUIRED)
      message(FATAL_ERROR "${name} cannot be built, missing: ${missing}")
    endif()
    message(WARNING "${name} is skipped, missing: ${missing}")
    set(${variable} FALSE)
  elseif(NOT TARGET app_common${APPLICATION_SUFFIX})
    add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/../common ${CMAKE_CURRENT_BINARY_DIR}/common)
  endif()
endmacro()

function(add_application name)
  string(APPEND name "${APPLICATION_SUFFIX}")
  add_executable(${name} ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  target_link_libraries(${name} PRIVATE app_common${APPLICATION_SUFFIX} ${APPLICATION_MPI} fmt::fmt nlohmann_json::nlohmann_json)
endfunction()
