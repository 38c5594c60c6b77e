#pragma once

#include <string>

namespace holdfast::test {

/// The root of the source tree, without a slash at the end.
std::string source_dir();

} // namespace holdfast::test
