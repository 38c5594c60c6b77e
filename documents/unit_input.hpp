#pragma once

#include "core/outcome.hpp"
#include "documents/limits.hpp"

#include <string>
#include <string_view>

namespace holdfast::documents {

/// The input of a unit, from outside, as it is stored: `canonical_json` of it, so that how a file
/// or a program spells its rows says nothing about them. Fails as `check_json` does with `text`,
/// and with `too_large` where the canonical text is longer than `limits` allow.
core::outcome<std::string> unit_input(std::string_view text, const json_limits& limits);

} // namespace holdfast::documents
