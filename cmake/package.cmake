# What `cmake --install` brings: the program (component `node`), and what a peer is built with (component `peer`).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS holdfast RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT node)

# Most of a program is debug symbols. They come from the build, so that installing again keeps them, and go into a file beside
# the program, which names it for debuggers.
install(CODE "
  set(program \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/holdfast\")
  foreach(step IN ITEMS
      \"--only-keep-debug;$<TARGET_FILE:holdfast>;\${program}.debug\"
      \"--strip-all;--remove-section=.gnu_debuglink;\${program}\"
      \"--add-gnu-debuglink=\${program}.debug;\${program}\")
    execute_process(COMMAND \"${CMAKE_OBJCOPY}\" \${step} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(CHMOD \"\${program}.debug\" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
" COMPONENT node)

# Completion and manual pages are made by the program of the build, from its own command line.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  foreach(file IN ITEMS
      \"bash;bash-completion/completions/holdfast\" \"zsh;zsh/site-functions/_holdfast\"
      \"fish;fish/vendor_completions.d/holdfast.fish\")
    list(GET file 0 shell)
    list(GET file 1 path)
    execute_process(COMMAND \"$<TARGET_FILE:holdfast>\" completion \${shell}
      OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\${share}/\${path}\" \"\${script}\")
  endforeach()
  execute_process(COMMAND \"$<TARGET_FILE:holdfast>\" man
      --out \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\"
    COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT node)

# The data of `holdfast demo`, where app/demo_command.cpp looks for it: by its path from the program.
install(DIRECTORY data/cf_amt data/zencrowd_us DESTINATION "${CMAKE_INSTALL_BINDIR}/../share/holdfast/data" COMPONENT node)
install(FILES data/README.md DESTINATION "${CMAKE_INSTALL_BINDIR}/../share/holdfast/data" COMPONENT node)

# Headers name each other by their paths from the root, so include/holdfast is the root.
install(TARGETS holdfast_core holdfast_files holdfast_messages holdfast_link holdfast_client
  EXPORT holdfast
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT peer
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/holdfast" COMPONENT peer)

# Four fifths of the archives are debug symbols, of which a peer would link a copy each.
install(CODE "
  foreach(library IN ITEMS core files messages link client)
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libholdfast_\${library}.a\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
" COMPONENT peer)

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
