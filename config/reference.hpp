#pragma once

#include "config/load.hpp"

#include <string>

namespace holdfast::config {

/// docs/CONFIG.md: every option with its default, bounds and meaning.
std::string reference_markdown();

/// A TOML file that states every default; the options without a fixed one stand in comments.
std::string example_toml();

/// The configuration in force, one `key = value  # origin` per line. Secrets are not shown.
std::string effective_text(const loaded& from);

/// The same as one JSON object: key -> {"value", "origin"}. A secret's value is null when none is
/// given and the text `(hidden)` otherwise.
std::string effective_json(const loaded& from);

} // namespace holdfast::config
