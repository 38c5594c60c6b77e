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

# holdfast_fuzz_test(<name> CORPUS <folder> SOURCES ... HEADERS ...): a test that fuzzes for a few seconds, from the corpus
# on. Skipped, with a word, where there is no libFuzzer.
function(holdfast_fuzz_test name)
  cmake_parse_arguments(arg "" "CORPUS" "SOURCES;HEADERS" ${ARGN})
  if(NOT HOLDFAST_HAS_LIBFUZZER)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo
      "skipped: no clang with libFuzzer; it is in the packages clang and libclang-rt-14-dev")
    set_tests_properties(${name} PROPERTIES LABELS fast SKIP_REGULAR_EXPRESSION "^skipped:")
    return()
  endif()
  set(program "${CMAKE_BINARY_DIR}/fuzz/${name}")
  set(found "${program}_found")
  file(MAKE_DIRECTORY "${found}")
  add_custom_command(OUTPUT "${program}"
    COMMAND "${HOLDFAST_CLANGXX}" -std=c++17 -O1 -g1 -fsanitize=fuzzer,address,undefined
            -fno-sanitize-recover=undefined "-I${PROJECT_SOURCE_DIR}" ${arg_SOURCES} -o "${program}"
    DEPENDS ${arg_SOURCES} ${arg_HEADERS}
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${program}")
  add_test(NAME ${name} COMMAND "${program}"
    -max_total_time=5 -max_len=65536 -timeout=10 -print_final_stats=1 "-artifact_prefix=${found}/"
    "${found}" "${arg_CORPUS}")
  set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 120)
endfunction()
