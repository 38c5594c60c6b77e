#include "app/exit_codes.hpp"

namespace holdfast::app {

const std::vector<exit_description>& exit_descriptions() {
  // clang-format off
  static const std::vector<exit_description> table{
    {exit_code::ok, "It did what it was asked to; a node was stopped and has drained.",
     "Nothing."},
    {exit_code::failed_check,
     "`verify` found violations, the demo found something off, or the node refused what it was"
     " asked.",
     "Read the report: it names each one."},
    {exit_code::usage, "The command line is not understood.",
     "See `--help`."},
    {exit_code::configuration, "The configuration is wrong, or the data directory cannot be used.",
     "Correct what the message names; `holdfast config` shows the rest."},
    {exit_code::database,
     "The database cannot be started, reached or migrated, or it is none that a node works with, or"
     " its schema wants a newer program; `status`: the node answers, and its database is away.",
     "Look at the log, and at the database and its log; start again."},
    {exit_code::fenced, "Another process runs under the name of this node.",
     "Give each node its own `node.name`, or start only one."},
    {exit_code::crashed, "A part of the node crashed more often than restarting helps.",
     "Start it again, and report the log."},
    {exit_code::port_in_use, "Another process listens on the node's port.",
     "Stop it, or choose another `node.port`."},
    {exit_code::data_dir_in_use, "Another node runs on the data directory.",
     "Stop it, or choose another `node.data_dir`."},
    {exit_code::unreachable, "No node answered.",
     "Check that it runs, and that port and data directory are its own."},
    {exit_code::drain_incomplete, "The node was stopped before it had drained.",
     "Nothing acknowledged is lost; raise `node.drain_timeout` if callers complain."},
    {exit_code::incomplete,
     "`step export` has left out judgments that cannot be read, and written all others.",
     "Stderr names each with its row; restore these and export again."},
  };
  // clang-format on
  return table;
}

std::string exit_codes_text() {
  std::string text = "Exit codes:\n";
  for (const auto& row : exit_descriptions()) {
    const auto number = std::to_string(static_cast<int>(row.code));
    text += std::string(4 - number.size(), ' ') + number + "  " + std::string{row.meaning} + '\n';
  }
  text += "128+n  A second signal n came before the first had been obeyed.\n";
  return text;
}

std::string exit_codes_markdown() {
  std::string text = "| code | meaning | what to do |\n|---|---|---|\n";
  for (const auto& row : exit_descriptions())
    text += "| " + std::to_string(static_cast<int>(row.code)) + " | " + std::string{row.meaning}
            + " | " + std::string{row.advice} + " |\n";
  return text + "| 128+n | A second signal n came before the first had been obeyed. | Nothing. |\n";
}

} // namespace holdfast::app
