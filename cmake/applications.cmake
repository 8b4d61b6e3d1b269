# SPDX-License-Identifier: BSD-3-Clause
# The applications: plain MPI programs, each a CMake project of its own that knows nothing of Weft. Here they are
# built with the Open MPI that the front door was built for (Debian's hypre belongs to it), into bin/.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/apps/pcg/CMakeLists.txt)
  return()
endif()
if(DEFINED ENV{HYPRE_DIR} AND NOT HYPRE_DIR)
  set(HYPRE_DIR $ENV{HYPRE_DIR} CACHE PATH "Where hypre is installed; empty: the system's own")
endif()
set(MPI_C_COMPILER ${WEFT_OPENMPI_MPICC})
if(NOT MPI_C_COMPILER)
  set(MPI_C_COMPILER ${WEFT_OPENMPI5_MPICC})
endif()
string(REGEX REPLACE "mpicc([^/]*)$" "mpicxx\\1" MPI_CXX_COMPILER ${MPI_C_COMPILER})
set(MPI_CXX_SKIP_MPICXX ON)
add_subdirectory(${PROJECT_SOURCE_DIR}/apps/pcg ${PROJECT_BINARY_DIR}/apps/pcg)
if(TARGET pcg)
  set_target_properties(pcg PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()
