# SPDX-License-Identifier: BSD-3-Clause
# The Python that builds: the one that was asked for, else the set-up's, else what is found.
# CMake's find module does not look into a virtual environment that is not active, so it is told.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python CACHE FILEPATH "Python that builds and runs Weft")
endif()
if(WEFT_BUILD_PYTHON)
  find_package(Python 3.11 COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
else()
  find_package(Python 3.11 COMPONENTS Interpreter)
endif()
