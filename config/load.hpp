#pragma once

#include "config/settings.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::config {

/// The environment variable that names the TOML file when no flag does. Not an option itself.
inline constexpr std::string_view file_variable = "HOLDFAST_CONFIG";

/// Where a value came from, weakest first: each kind overrides those before it.
struct origin {
  enum class kind { built_in, file, environment, flag };

  kind from = kind::built_in;
  std::string where; ///< `path:line`, name of the variable, or the flag without its dashes; empty
                     ///< for a default.
};

/// `default`, `holdfast.toml:12`, `environment HOLDFAST_NODE_PORT` or `flag --node.port`.
std::string to_string(const origin& o);

/// An option on the command line.
struct flag {
  std::string key; ///< Dotted, without dashes.
  std::string value;
  /// The flag without its dashes, as it was typed: `set node.port`, `port`. Empty: the key.
  std::string typed{};
};

/// What a process was given to configure it with. Names and values in the order in which they were
/// given; of two flags with one key the later holds.
struct inputs {
  std::optional<std::filesystem::path> file; ///< Without one, what `HOLDFAST_CONFIG` names, if set.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<flag> flags;
};

/// The variables of this process that begin with `HOLDFAST_`. Not to be called while another thread
/// sets one.
std::vector<std::pair<std::string, std::string>> process_environment();

/// One mistake in the inputs, in a sentence that names key, value and origin.
struct problem {
  std::string key; ///< Empty when it concerns no single option, such as a file that cannot be read.
  std::string text;
};

struct loaded {
  settings values;
  std::map<std::string, origin> origins; ///< One for each option, by dotted key.
  std::vector<problem> problems; ///< All of them. `values` may be used only when there are none.

  bool usable() const { return problems.empty(); }
};

/// Puts defaults, file, environment and flags together, and finds every mistake in one pass. Reads
/// the file and the files that `*_file` options name; throws nothing.
loaded load(const inputs& given);

/// The value of a secret for whoever needs it now: what its file has in it, because secrets change
/// while a process runs. As it was at first where that is no secret any more, for example while the
/// file is being replaced, and where it was no regular file: a pipe is read once. From any thread.
std::string current(const secret& one);

/// The variable that sets `key`: `HOLDFAST_NODE_PORT` for `node.port`.
std::string environment_name(std::string_view key);

} // namespace holdfast::config
