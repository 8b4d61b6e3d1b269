# SPDX-License-Identifier: BSD-3-Clause
# weft_core: every layer that needs no MPI. It builds, and its tests run, on a machine without MPI.
set(layers base topology collective planner algorithm schedule transform executor node device transport observe explain)
list(TRANSFORM layers REPLACE "(.+)" "src/\\1/*.cpp" OUTPUT_VARIABLE layer_globs)
list(TRANSFORM layer_globs PREPEND ${PROJECT_SOURCE_DIR}/)
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${layer_globs})
list(FILTER core_sources EXCLUDE REGEX "/src/transport/mpi_point_to_point")
# libfabric is opened at run time as well; without its headers Weft is built without it.
find_path(WEFT_FABRIC_INCLUDE rdma/fi_tagged.h DOC "Folder of libfabric's headers (Debian: libfabric-dev)")
if(WEFT_FABRIC_INCLUDE)
  list(FILTER core_sources EXCLUDE REGEX "/src/transport/fabric/absent[.]cpp")
else()
  message(STATUS "No libfabric headers (Debian: libfabric-dev): WEFT_WIRE=fabric will say so.")
  list(FILTER core_sources EXCLUDE REGEX "/src/transport/fabric/(endpoint|fabric_carrier|library|long_messages|presence|providers)[.]cpp")
endif()
if(NOT core_sources)
  message(FATAL_ERROR "No sources under src/: this is not a complete copy of Weft.")
endif()

find_package(Threads REQUIRED)
include(fmt_library)
find_path(WEFT_JSON_INCLUDE nlohmann/json.hpp DOC "Folder of nlohmann's JSON header (Debian: nlohmann-json3-dev)"
  REQUIRED)
# hwloc is opened at run time, so that no program depends on it; only its header is needed here.
find_path(WEFT_HWLOC_INCLUDE hwloc.h DOC "Folder of hwloc's header (Debian: libhwloc-dev)" REQUIRED)

add_library(weft_core STATIC ${core_sources} ${WEFT_FMT_SOURCES})
add_library(weft::weft_core ALIAS weft_core)
weft_compile_options(weft_core)
set_target_properties(weft_core PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_features(weft_core PUBLIC cxx_std_20)
target_include_directories(weft_core
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
         $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_include_directories(weft_core SYSTEM
  PUBLIC $<BUILD_INTERFACE:${WEFT_FMT_INCLUDE}> $<BUILD_INTERFACE:${WEFT_JSON_INCLUDE}>
  PRIVATE ${WEFT_HWLOC_INCLUDE} $<$<BOOL:${WEFT_FABRIC_INCLUDE}>:${WEFT_FABRIC_INCLUDE}>)
target_compile_definitions(weft_core
  PUBLIC $<BUILD_INTERFACE:${WEFT_FMT_DEFINITIONS}>
  PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
target_link_libraries(weft_core PUBLIC Threads::Threads ${CMAKE_DL_LIBS} m)
