#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::app {

/// How a process of Holdfast ends. Process managers and scripts decide by these numbers, so they
/// never change their meaning.
enum class exit_code : int {
  ok = 0,
  failed_check = 1,
  usage = 2,
  configuration = 3,
  database = 4,
  fenced = 5,
  crashed = 6,
  port_in_use = 7,
  data_dir_in_use = 8,
  unreachable = 9,
  drain_incomplete = 10,
  incomplete = 11,
};

/// One row of the table of exit codes.
struct exit_description {
  exit_code code;
  std::string_view meaning;
  std::string_view advice; ///< What to do about it.
};

/// Every code that this program ends with by its own decision, in ascending order.
const std::vector<exit_description>& exit_descriptions();

/// The table as text, for `--help`.
std::string exit_codes_text();

/// The table in Markdown, for docs/OPERATIONS.md.
std::string exit_codes_markdown();

} // namespace holdfast::app
