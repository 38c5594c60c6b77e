# Build rules shared by every folder.

add_library(holdfast_options INTERFACE)
target_compile_options(holdfast_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(HOLDFAST_WERROR)
  target_compile_options(holdfast_options INTERFACE -Werror)
endif()
if(HOLDFAST_ASAN)
  # CAF binds null references in init_fun_factory.hpp and is built without RTTI for our vptr checks. The checks of
  # alignment and of pointer arithmetic cost 45 % of the compile time of an actor; what they could find here, where
  # nothing is cast to a stricter type, AddressSanitizer finds too.
  target_compile_options(holdfast_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=null,vptr,alignment,pointer-overflow
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(holdfast_options INTERFACE -fsanitize=address,undefined)
endif()
if(HOLDFAST_TSAN)
  target_compile_options(holdfast_options INTERFACE -fsanitize=thread)
  target_link_options(holdfast_options INTERFACE -fsanitize=thread)
endif()

# The allocator of the programs, docs/adr/0005. The sanitizers bring their own.
add_library(holdfast_allocator INTERFACE)
if(NOT HOLDFAST_ASAN AND NOT HOLDFAST_TSAN)
  target_link_libraries(holdfast_allocator INTERFACE -Wl,--no-as-needed PkgConfig::jemalloc -Wl,--as-needed)
endif()

find_program(HOLDFAST_CCACHE ccache)
if(HOLDFAST_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HOLDFAST_CCACHE}")
endif()

# holdfast_library(<folder> [LINKS ...] [PRIVATE_LINKS ...]): the static library of one folder and those in it.
function(holdfast_library name)
  cmake_parse_arguments(arg "" "" "LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${name}/*.cpp")
  add_library(holdfast_${name} STATIC ${sources})
  add_library(holdfast::${name} ALIAS holdfast_${name})
  target_include_directories(holdfast_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(holdfast_${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} holdfast_options)
endfunction()

# holdfast_embed_sql(<folder>): makes every <folder>/**/*.sql available to the code of that folder as an entry of
# `embedded_sql` (name without folder, text), so that the binary needs no files beside it.
function(holdfast_embed_sql name)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${name}/*.sql")
  list(SORT files)
  set(out "${PROJECT_BINARY_DIR}/generated/${name}/embedded_sql.cpp")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${out}" "-DROOT=${PROJECT_SOURCE_DIR}/${name}" "-DFILES=${files}"
            "-DFOLDER=${name}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake"
    COMMENT "Embedding the SQL of ${name}/"
    VERBATIM)
  target_sources(holdfast_${name} PRIVATE "${out}")
endfunction()

# holdfast_test(<name> SOURCES ... LINKS ... [LABELS ...]): one Boost.Test executable, registered with ctest.
function(holdfast_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} Boost::unit_test_framework holdfast_options)
  target_compile_definitions(${name} PRIVATE
    BOOST_TEST_DYN_LINK HOLDFAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  # Boost's own signal handler loops over crashes inside CAF's destructors; a plain core is more useful.
  add_test(NAME ${name} COMMAND ${name} --catch_system_errors=no --color_output=no)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
