# What `cmake --install` brings: the program (component `node`), and what a peer is built with (component `peer`).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS holdfast RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT node)

# Headers name each other by their paths from the root, so include/holdfast is the root.
install(TARGETS holdfast_core holdfast_messages holdfast_link holdfast_client
  EXPORT holdfast
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT peer
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/holdfast" COMPONENT peer)

# The linker would optimize us anew in each program that links us, for minutes.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  install(CODE "
    file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libholdfast_*.a\")
    foreach(archive IN LISTS archives)
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_*
        \"\${archive}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT peer)
endif()

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
