# The pages of web/ in the binary.

option(HOLDFAST_PAGES "Build the pages for people, which needs Node.js 18 or later and npm" ON)

# holdfast_embed_pages(): makes the pages available to http/ as `embedded_pages`. Without HOLDFAST_PAGES there are none.
function(holdfast_embed_pages)
  set(out "${PROJECT_BINARY_DIR}/generated/http/embedded_pages.cpp")
  if(HOLDFAST_PAGES)
    find_program(HOLDFAST_NODE NAMES node nodejs)
    find_program(HOLDFAST_NPM npm)
    set(found)
    if(HOLDFAST_NODE)
      execute_process(COMMAND "${HOLDFAST_NODE}" --version OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REGEX REPLACE "^v" "" found "${found}")
    endif()
    if(NOT HOLDFAST_NPM OR NOT found OR found VERSION_LESS 18)
      message(FATAL_ERROR
        "The pages (console, labelling) are built with Node.js 18 or later and npm, and "
        "this machine has node '${found}' and npm '${HOLDFAST_NPM}'.\n"
        "Install them:        apt-get install --no-install-recommends nodejs npm   (or: ./dev setup)\n"
        "Or leave pages out:  cmake -DHOLDFAST_PAGES=OFF …")
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
      "${PROJECT_SOURCE_DIR}/web/src/*" "${PROJECT_SOURCE_DIR}/web/tools/*" "${PROJECT_SOURCE_DIR}/sdk/typescript/src/*")
    add_custom_command(
      OUTPUT "${out}"
      # Builds of several kinds share the packages in web/node_modules.
      COMMAND flock "${PROJECT_SOURCE_DIR}/web" "${HOLDFAST_NODE}" "${PROJECT_SOURCE_DIR}/web/tools/embed.mjs" "${out}"
      DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/web/package-lock.json" "${PROJECT_SOURCE_DIR}/web/tsconfig.json"
      COMMENT "Building the pages of web/"
      VERBATIM)
  else()
    file(CONFIGURE OUTPUT "${out}" @ONLY CONTENT
"#include \"http/page_files.hpp\"

namespace holdfast::http {

const std::vector<page_file>& embedded_pages() {
  static const std::vector<page_file> none;
  return none;
}

} // namespace holdfast::http
")
  endif()
  target_sources(holdfast_http PRIVATE "${out}")
  # A page is one literal, longer than the 65,536 bytes that every compiler must take.
  set_source_files_properties("${out}" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
