# Build rules shared by every folder.

add_library(holdfast_options INTERFACE)
target_compile_options(holdfast_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(HOLDFAST_WERROR)
  target_compile_options(holdfast_options INTERFACE -Werror)
endif()
# Whatever is linked with our libraries needs these as well.
set(HOLDFAST_SANITIZERS)
if(HOLDFAST_ASAN)
  # CAF binds null references in init_fun_factory.hpp and is built without RTTI for our vptr checks. The checks of
  # alignment and of pointer arithmetic cost 45 % of the compile time of an actor; what they could find here, where
  # nothing is cast to a stricter type, AddressSanitizer finds too.
  set(HOLDFAST_SANITIZERS
    -fsanitize=address,undefined -fno-sanitize=null,vptr,alignment,pointer-overflow
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(HOLDFAST_TSAN)
  set(HOLDFAST_SANITIZERS -fsanitize=thread)
endif()
target_compile_options(holdfast_options INTERFACE ${HOLDFAST_SANITIZERS})
target_link_options(holdfast_options INTERFACE ${HOLDFAST_SANITIZERS})

# Programs parse what strangers send. Addresses are random, what the loader has resolved is read-only, and in what is shipped
# the compiler guards the stack and the bounds it knows. The sanitizers check more, and quick builds are for the tests.
if(NOT HOLDFAST_ASAN AND NOT HOLDFAST_TSAN)
  target_link_options(holdfast_options INTERFACE -Wl,-z,relro,-z,now
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>")
  if(NOT HOLDFAST_QUICK_BUILD)
    target_compile_options(holdfast_options INTERFACE -fPIE)
    target_compile_options(holdfast_options INTERFACE -fstack-protector-strong)
    target_compile_definitions(holdfast_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2>)
  endif()
endif()

# The allocator of the programs, docs/adr/0005. The sanitizers bring their own.
add_library(holdfast_allocator INTERFACE)
if(NOT HOLDFAST_ASAN AND NOT HOLDFAST_TSAN)
  target_link_libraries(holdfast_allocator INTERFACE -Wl,--no-as-needed PkgConfig::jemalloc -Wl,--as-needed)
endif()

find_program(HOLDFAST_CCACHE ccache)
if(HOLDFAST_CCACHE)
  # What one clone has compiled serves the others, too: their folders are left out of what is compared.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "${HOLDFAST_CCACHE}")
endif()

# A quick build optimises only what the tests spend their time in, reads headers that many sources include once for all of
# them, and links with lld, which takes a tenth of the time. See docs/adr/0027-tests-are-built-for-compile-time.md.
if(HOLDFAST_QUICK_BUILD)
  target_link_options(holdfast_options INTERFACE -fuse-ld=lld)
endif()

# holdfast_busy(<target>): the tests spend much of their time here.
function(holdfast_busy target)
  if(HOLDFAST_QUICK_BUILD)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# holdfast_precompile(<target> <header>...): most sources of the target include these. Each still names what it needs:
# the other builds hold it to that.
function(holdfast_precompile target)
  if(NOT HOLDFAST_QUICK_BUILD OR NOT ARGN)
    return()
  endif()
  set(headers ${ARGN})
  list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/" REGEX "^[^<]")
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Or two clones would make two files of the same headers, and ccache compile all sources again.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# holdfast_unity(<target> <size>): as many sources at a time are compiled as one, where the build asks for that. What they
# include is then read once for all of them, and templates are instantiated once. The names that they keep to themselves
# must differ, in all of the target: which sources come together changes whenever one is added. See CONTRIBUTING.md.
function(holdfast_unity target size)
  if(HOLDFAST_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # It takes the unnamed namespaces of the sources for those of headers. The other builds still look.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# holdfast_library(<folder> [BUSY] [UNITY <size>] [LINKS ...] [PRIVATE_LINKS ...] [PUBLIC_HEADERS ...] [PRECOMPILE ...]):
# the static library of one folder and those in it. PUBLIC_HEADERS, by their paths from the root, are what programs outside this
# tree see of it; what they are compiled with here stays here.
function(holdfast_library name)
  cmake_parse_arguments(arg "BUSY" "UNITY" "LINKS;PRIVATE_LINKS;PUBLIC_HEADERS;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${name}/*.cpp")
  add_library(holdfast_${name} STATIC ${sources})
  add_library(holdfast::${name} ALIAS holdfast_${name})
  target_include_directories(holdfast_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(holdfast_${name}
    PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS} "$<BUILD_INTERFACE:holdfast_options>")
  holdfast_precompile(holdfast_${name} ${arg_PRECOMPILE})
  if(arg_BUSY)
    holdfast_busy(holdfast_${name})
  endif()
  if(arg_UNITY)
    holdfast_unity(holdfast_${name} ${arg_UNITY})
  endif()
  if(arg_PUBLIC_HEADERS)
    list(TRANSFORM arg_PUBLIC_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/")
    target_sources(holdfast_${name} PUBLIC
      FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_PUBLIC_HEADERS})
    target_compile_features(holdfast_${name} PUBLIC cxx_std_17)
    set_target_properties(holdfast_${name} PROPERTIES EXPORT_NAME ${name})
  endif()
endfunction()

# holdfast_embed(<folder> <function> FILES <pattern> BELOW <path>): makes every file of the folder that matches
# available to its code as an entry of `<function>` (name without BELOW, text), which <folder>/<function>.hpp declares,
# so that the binary needs no files beside it.
function(holdfast_embed name function)
  cmake_parse_arguments(arg "" "FILES;BELOW" "" ${ARGN})
  set(root "${PROJECT_SOURCE_DIR}/${arg_BELOW}")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${root}/${arg_FILES}")
  list(SORT files)
  set(out "${PROJECT_BINARY_DIR}/generated/${name}/${function}.cpp")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${out}" "-DROOT=${root}" "-DFILES=${files}" "-DFOLDER=${name}"
            "-DFUNCTION=${function}" "-DHEADER=${name}/${function}.hpp" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding the ${arg_FILES} of ${arg_BELOW}/"
    VERBATIM)
  target_sources(holdfast_${name} PRIVATE "${out}")
  # A change of what is embedded compiles that alone.
  set_source_files_properties("${out}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# holdfast_test(<name> [UNITY <size>] SOURCES ... LINKS ... [LABELS ...] [PRECOMPILE ...]): one Boost.Test executable,
# registered with ctest.
function(holdfast_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;UNITY" "SOURCES;LINKS;LABELS;PRECOMPILE" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} Boost::unit_test_framework holdfast_options)
  target_compile_definitions(${name} PRIVATE BOOST_TEST_DYN_LINK)
  holdfast_precompile(${name} ${arg_PRECOMPILE})
  if(arg_UNITY)
    holdfast_unity(${name} ${arg_UNITY})
  endif()
  # What checks is not optimised, what it checks is: that halves the time to compile the tests.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(HOLDFAST_ASAN OR HOLDFAST_TSAN)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 3") # code that is not optimised, and checked at each access
  endif()
  # Boost's own signal handler loops over crashes inside CAF's destructors; a plain core is more useful.
  add_test(NAME ${name} COMMAND ${name} --catch_system_errors=no --color_output=no)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
