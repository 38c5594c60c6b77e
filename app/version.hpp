#pragma once

namespace holdfast::app {

/// The version of this program, from CMakeLists.txt.
inline constexpr const char* version = HOLDFAST_VERSION;

} // namespace holdfast::app
