# Fuzz targets, which need libFuzzer and so clang, whatever compiles the rest.

find_program(HOLDFAST_CLANGXX NAMES clang++ clang++-14)
mark_as_advanced(HOLDFAST_CLANGXX)

# A clang without its runtime libraries is no use.
if(HOLDFAST_CLANGXX AND NOT DEFINED HOLDFAST_HAS_LIBFUZZER)
  set(probe "${CMAKE_BINARY_DIR}/fuzz/probe")
  file(WRITE "${probe}.cpp"
    "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n")
  execute_process(
    COMMAND "${HOLDFAST_CLANGXX}" -fsanitize=fuzzer,address,undefined "${probe}.cpp" -o "${probe}"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(HOLDFAST_HAS_LIBFUZZER OFF CACHE INTERNAL "")
  else()
    set(HOLDFAST_HAS_LIBFUZZER ON CACHE INTERNAL "")
  endif()
endif()

# The target that `./dev fuzz` builds: all fuzz targets.
add_custom_target(fuzz_targets)

# The object of one source with coverage and sanitizers, which several targets may share.
function(holdfast_fuzz_object source into)
  file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
  string(REPLACE "/" "_" name "${name}")
  set(object "${CMAKE_BINARY_DIR}/fuzz/objects/${name}.o")
  set(${into} "${object}" PARENT_SCOPE)
  get_property(known GLOBAL PROPERTY HOLDFAST_FUZZ_OBJECTS)
  if(object IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY HOLDFAST_FUZZ_OBJECTS "${object}")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz/objects")
  add_custom_command(OUTPUT "${object}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${HOLDFAST_CLANGXX}" -std=c++17 -O1 -g1
            -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
            "-I${PROJECT_SOURCE_DIR}" -MD -MF "${object}.d" -c "${source}" -o "${object}"
    DEPENDS "${source}"
    DEPFILE "${object}.d"
    VERBATIM)
endfunction()

# holdfast_fuzz_test(<name> SOURCES ... [LIBRARIES ...]): a test that fuzzes for a few seconds, from tests/fuzz/corpus/<name> on, with
# tests/fuzz/<name>.cpp as the target and the SOURCES, from the root, as what it calls. Words that inputs are made of may stand
# in tests/fuzz/corpus/<name>.dict. Skipped, with a word, where there is no libFuzzer.
function(holdfast_fuzz_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT HOLDFAST_HAS_LIBFUZZER)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo
      "skipped: no clang with libFuzzer; it is in the packages clang and libclang-rt-dev")
    set_tests_properties(${name} PROPERTIES LABELS fuzz SKIP_REGULAR_EXPRESSION "^skipped:")
    add_custom_target(${name}) # needs nothing
    return()
  endif()
  set(objects "")
  foreach(source IN ITEMS "tests/fuzz/${name}.cpp" LISTS arg_SOURCES)
    holdfast_fuzz_object("${PROJECT_SOURCE_DIR}/${source}" object)
    list(APPEND objects "${object}")
  endforeach()
  set(program "${CMAKE_BINARY_DIR}/fuzz/${name}")
  set(found "${program}_found")
  file(MAKE_DIRECTORY "${found}")
  add_custom_command(OUTPUT "${program}"
    COMMAND "${HOLDFAST_CLANGXX}" -fsanitize=fuzzer,address,undefined ${objects} ${arg_LIBRARIES} -o "${program}"
    DEPENDS ${objects}
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
  add_dependencies(fuzz_targets ${name})
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  set(words "")
  if(EXISTS "${corpus}.dict")
    set(words "-dict=${corpus}.dict")
  endif()
  add_test(NAME ${name} COMMAND "${program}"
    -max_total_time=5 -max_len=65536 -timeout=10 -print_final_stats=1 "-artifact_prefix=${found}/" ${words}
    "${found}" "${corpus}")
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()
