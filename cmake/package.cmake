# What `cmake --install` brings: the program (component `node`), and what a peer is built with (component `peer`).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS holdfast RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT node)

# Headers name each other by their paths from the root, so include/holdfast is the root.
install(TARGETS holdfast_core holdfast_files holdfast_messages holdfast_link holdfast_client
  EXPORT holdfast
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT peer
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/holdfast" COMPONENT peer)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/holdfast")
install(EXPORT holdfast NAMESPACE holdfast:: FILE holdfastTargets.cmake DESTINATION "${package_dir}" COMPONENT peer)
configure_package_config_file(cmake/holdfastConfig.cmake.in "${PROJECT_BINARY_DIR}/holdfastConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may change the wire.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/holdfastConfig.cmake" "${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake"
    cmake/FindCAF.cmake
  DESTINATION "${package_dir}" COMPONENT peer)
