# SPDX-License-Identifier: BSD-3-Clause
# Two installations: `cmake --install` for C and C++ users (component development), and the Python wheel
# (component python), which carries the same libraries beside its package.
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
set(development EXPORT weft_targets COMPONENT development)

install(TARGETS weft_core ${development} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
foreach(host IN LISTS WEFT_HOST_MPIS)
  if(TARGET weft_${host})
    install(TARGETS weft_${host} ${development} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft/${host})
    install(TARGETS weft_${host} LIBRARY DESTINATION weft/lib/${host} COMPONENT python EXCLUDE_FROM_ALL)
  endif()
endforeach()
if(TARGET weft_nested)
  install(TARGETS weft_nested LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft COMPONENT development)
  install(TARGETS weft_nested LIBRARY DESTINATION weft/lib COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(TARGET _core)
  install(TARGETS _core LIBRARY DESTINATION weft COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/studies DESTINATION weft COMPONENT python EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.toml")
if(TARGET pcg)
  install(TARGETS pcg RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development)
  install(TARGETS pcg RUNTIME DESTINATION weft/bin COMPONENT python EXCLUDE_FROM_ALL)
endif()

install(EXPORT weft_targets NAMESPACE weft:: DESTINATION ${config_folder} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weft-config.cmake.in
  ${PROJECT_BINARY_DIR}/weft-config.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
  DESTINATION ${config_folder} COMPONENT development)
