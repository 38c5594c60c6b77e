#pragma once

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace holdfast::config {

/// One row per option, in words: what messages and documents are made from.
struct option_row {
  std::string key;
  std::string value;    ///< As TOML, except for a secret: `(hidden)` or `(none)`.
  std::string standard; ///< The default, as TOML or, where it depends on the machine, in words.
  std::string takes;    ///< Type and bounds.
  std::string doc;
  bool is_secret = false;       ///< Then `<key>_file` is an option too.
  bool standard_in_toml = true; ///< False where `standard` is words.
};

/// What the key of a secret ends with when its value is the path of a file.
inline constexpr const char* secret_file_suffix = "_file";

/// The options of `s` in the order of `describe`.
std::vector<option_row> option_table(const settings& s);

} // namespace holdfast::config
