# Debian's libcaf-dev ships neither a CMake package nor a .pc file, so Holdfast finds CAF by itself.
#
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io)   defines CAF::core and CAF::io

include(FindPackageHandleStandardArgs)
find_package(Threads REQUIRED)

find_path(CAF_INCLUDE_DIR NAMES caf/config.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

# CAF_VERSION is major * 10000 + minor * 100 + patch: 1706 is 0.17.6.
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line REGEX "^#define CAF_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" _caf_number "${_caf_line}")
  math(EXPR _caf_major "${_caf_number} / 10000")
  math(EXPR _caf_minor "${_caf_number} / 100 % 100")
  math(EXPR _caf_patch "${_caf_number} % 100")
  set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
endif()

set(_caf_required CAF_INCLUDE_DIR)
foreach(_component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_component}_LIBRARY NAMES caf_${_component})
  mark_as_advanced(CAF_${_component}_LIBRARY)
  list(APPEND _caf_required CAF_${_component}_LIBRARY)
endforeach()

find_package_handle_standard_args(CAF REQUIRED_VARS ${_caf_required} VERSION_VAR CAF_VERSION)

foreach(_component IN LISTS CAF_FIND_COMPONENTS)
  if(CAF_FOUND AND NOT TARGET CAF::${_component})
    add_library(CAF::${_component} SHARED IMPORTED)
    set_target_properties(CAF::${_component} PROPERTIES
      IMPORTED_LOCATION "${CAF_${_component}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
  endif()
endforeach()
if(TARGET CAF::core)
  set_property(TARGET CAF::core PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
if(TARGET CAF::io)
  set_property(TARGET CAF::io PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
endif()
