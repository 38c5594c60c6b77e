#pragma once

#include "config/load.hpp"

#include <CLI/App.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

/// The options by which a command line changes the configuration. Everything can be set with
/// `--set`; what people need daily has a flag of its own.
class configuration_flags {
public:
  void add_to(CLI::App& command);

  /// Defaults, file, environment and these flags together.
  config::loaded load() const;

private:
  std::string file_;
  std::vector<std::string> sets_;
  std::vector<std::string> dotted_;
  std::string data_dir_;
  std::string port_;
  std::string database_url_;
};

/// The hidden option that takes `KEY=VALUE` of each `--KEY VALUE` with a dotted key: CLI11 has no
/// option for each key.
inline constexpr const char* dotted_option = "--dotted-option";

/// The words of a command line with `--node.port 4800` and `--node.port=4800` put as
/// `--dotted-option node.port=4800`. A flag without a value stays as it is.
std::vector<std::string> with_dotted_options(const std::vector<std::string>& words);

/// Prints what is wrong with a configuration, one line each, to stderr.
void print_problems(const config::loaded& from);

} // namespace holdfast::app
