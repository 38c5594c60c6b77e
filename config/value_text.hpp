#pragma once

#include "core/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::config {

/// Reads a duration: a whole number and one of `ms`, `s`, `min`, `h`, without a blank. Empty for
/// anything else, also when it does not fit.
std::optional<core::duration> parse_duration(std::string_view text);

/// Writes what `parse_duration` reads, in the largest unit that divides it. Rounds down to
/// milliseconds.
std::string to_text(core::duration span);

/// `text` as a TOML basic string, quotes included. Control characters are escaped, so that it is
/// safe in a log.
std::string quote(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
/// string alignment; Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace holdfast::config
