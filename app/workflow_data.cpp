#include "app/workflow_data.hpp"

#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/row_intake.hpp"
#include "core/uuid.hpp"
#include "documents/row_mapping.hpp"
#include "documents/table_reader.hpp"
#include "messages/workflow_messages.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// Of one request; as of `row_sender`, for the same reason.
constexpr std::size_t data_rows_max = 500;
constexpr std::size_t data_bytes_max = std::size_t{4} * 1024 * 1024;
/// Bytes that are read at a time.
constexpr std::size_t data_piece_bytes = std::size_t{64} * 1024;
/// Refused rows that are told; the others are counted.
constexpr std::uint64_t told_lines_max = 1000;
/// Units that a dry run shows.
constexpr std::size_t shown_units_max = 10;
/// Rows between two lines of progress.
constexpr std::uint64_t progress_rows = 10'000;

struct data_flags {
  cluster_flags cluster;
  std::string workflow;
  std::string file;
  std::string format;
  std::vector<std::string> map;
  std::vector<std::string> key;
  std::string on_change = "report";
  bool dry_run = false;
  bool progress = false;
  bool json = false;
};

struct data_figures {
  std::uint64_t rows = 0;
  std::uint64_t added = 0;
  std::uint64_t already_there = 0;
  std::uint64_t changed = 0;
  std::uint64_t replaced = 0;
  std::uint64_t refused = 0;
};

/// Reads rows, and sends them some at a time. To be run again without harm: rows have keys.
class data_sender {
public:
  data_sender(const client::connection& cluster, core::step_id step, const data_flags& flags,
              documents::table_format format, documents::row_mapping mapping)
      : cluster_(cluster),
        flags_(flags),
        mapper_(std::move(mapping)),
        request_{step, {}, flags.on_change == "replace", flags.dry_run},
        reader_(
            format, {}, [this](const auto& columns) { return mapper_.bind(columns); },
            [this](documents::table_row& row) { return take(mapper_.map(row)); }) {}

  /// Reads all of it; what the file or the cluster ended that with.
  core::failure run(std::istream& from) {
    std::array<char, data_piece_bytes> piece{};
    core::failure why;
    while (why.code == core::errc::none && from) {
      from.read(piece.data(), piece.size());
      why = reader_.read({piece.data(), static_cast<std::size_t>(from.gcount())});
    }
    if (why.code == core::errc::none && from.bad())
      why = {core::errc::not_found, "the file cannot be read to its end"};
    if (why.code == core::errc::none)
      why = reader_.end();
    // What was read before a damaged place is taken.
    if (!is_stopped_)
      if (auto stopped = send(); stopped.code != core::errc::none)
        return stopped;
    return why;
  }

  const data_figures& figures() const { return figures_; }
  const std::vector<documents::mapped_row>& first() const { return first_; }
  std::vector<std::string> columns() const { return mapper_.told(); }
  /// Whether it was the cluster that ended it.
  bool is_stopped() const { return is_stopped_; }

private:
  core::failure take(documents::mapped_row row) {
    ++figures_.rows;
    if (flags_.progress && figures_.rows % progress_rows == 0)
      std::cerr << figures_.rows << " rows read, " << figures_.added << " added, "
                << figures_.refused << " refused\n";
    if (row.problem.code != core::errc::none) {
      refuse(row.line, row.problem);
      return {};
    }
    if (flags_.dry_run && first_.size() < shown_units_max)
      first_.push_back(row);
    const auto bytes = row.key.size() + row.input.size();
    if (bytes_ + bytes > data_bytes_max)
      if (auto why = send(); why.code != core::errc::none)
        return why;
    bytes_ += bytes;
    lines_.push_back(row.line);
    request_.rows.push_back({std::move(row.key), std::move(row.input), row.judgments});
    return lines_.size() < data_rows_max ? core::failure{} : send();
  }

  void refuse(std::uint64_t line, const core::failure& why) {
    if (++figures_.refused <= told_lines_max)
      tell_of_line(line, why.code, why.detail);
    else if (figures_.refused == told_lines_max + 1)
      std::cerr << "more lines were refused, which are only counted\n";
  }

  core::failure send() {
    if (lines_.empty())
      return {};
    const auto told = cluster_.ask<msg::source_data_loaded>(request_);
    if (!told) {
      is_stopped_ = true;
      return told.error();
    }
    figures_.added += told->added;
    figures_.already_there += told->already_there;
    figures_.changed += told->changed.size();
    for (const auto& one : told->changed) {
      figures_.replaced += one.replaced ? 1 : 0;
      if (!one.replaced && !request_.replace && figures_.changed <= told_lines_max)
        std::cerr << "line " << lines_.at(one.row) << ": changed: unit "
                  << core::to_string(one.unit) << " has another input\n";
    }
    for (const auto& problem : told->problems)
      refuse(lines_.at(problem.row), {static_cast<core::errc>(problem.code), problem.detail});
    request_.rows.clear();
    lines_.clear();
    bytes_ = 0;
    return {};
  }

  const client::connection& cluster_;
  const data_flags& flags_;
  documents::row_mapper mapper_;
  msg::load_source_data request_;
  std::vector<std::uint64_t> lines_; ///< From which the rows of the request come.
  std::size_t bytes_ = 0;
  data_figures figures_;
  std::vector<documents::mapped_row> first_;
  bool is_stopped_ = false;
  documents::table_reader reader_;
};

void tell_data(const data_sender& sent, const data_flags& flags) {
  const auto& all = sent.figures();
  if (flags.json) {
    auto first = ordered_json::array();
    for (const auto& row : sent.first())
      first.push_back({{"line", row.line}, {"key", row.key}, {"input", stored_json(row.input)}});
    std::cout << on_one_line({{"dry_run", flags.dry_run},
                              {"rows", all.rows},
                              {"added", all.added},
                              {"already_there", all.already_there},
                              {"changed", all.changed},
                              {"replaced", all.replaced},
                              {"refused", all.refused},
                              {"columns", sent.columns()},
                              {"first", std::move(first)}})
              << '\n';
    return;
  }
  if (flags.dry_run) {
    for (const auto& line : sent.columns())
      std::cout << printable(line) << '\n';
    for (const auto& row : sent.first())
      std::cout << "line " << row.line << "  " << printable(row.key) << "  " << printable(row.input)
                << '\n';
    std::cout << "nothing was changed; these rows would be: ";
  }
  std::cout << "added " << all.added << ", there already " << all.already_there << ", changed "
            << all.changed << " (replaced " << all.replaced << "), refused " << all.refused << '\n';
}

exit_code add_data(const data_flags& flags, core::workflow_id workflow,
                   documents::table_format format, const documents::row_mapping& mapping) {
  return with_lines(flags.file, [&](std::istream& from) {
    return with_cluster(flags.cluster, [&](const client::connection& cluster) {
      const auto seen = cluster.ask<msg::workflow_view>(msg::get_workflow{workflow, 0});
      if (!seen)
        return refused_by_node(seen.error());
      data_sender sender{cluster, seen->steps.front().step, flags, format, mapping};
      const auto why = sender.run(from);
      tell_data(sender, flags);
      if (why.code != core::errc::none && sender.is_stopped())
        return refused_by_node(why);
      if (why.code != core::errc::none)
        return refuse(why, exit_code::failed_check);
      return sender.figures().refused == 0 ? exit_code::ok : exit_code::failed_check;
    });
  });
}

exit_code run_data(const data_flags& flags) {
  const auto id = id_in<core::workflow_id>(flags.workflow, "WORKFLOW");
  if (!id)
    return exit_code::usage;
  const auto format = flags.format.empty() ? documents::table_format_of_file(flags.file)
                                           : documents::table_format_named(flags.format);
  if (!format)
    return refuse({core::errc::invalid_argument,
                   "say with --format what the file is: csv, tsv, ndjson or json"},
                  exit_code::usage);
  const auto mapping = documents::parse_row_mapping(flags.map, flags.key);
  if (!mapping)
    return refuse(mapping.error(), exit_code::usage);
  return add_data(flags, *id, *format, *mapping);
}

} // namespace

void add_workflow_data(CLI::App& workflow, exit_code& result) {
  const auto flags = std::make_shared<data_flags>();
  auto* command = workflow.add_subcommand(
      "add-data",
      "Add a file of rows as source data; what is there already stays, so it may be run again");
  flags->cluster.add_to(*command);
  command->add_option("workflow", flags->workflow, "Id of a workflow")
      ->type_name("WORKFLOW")
      ->required();
  command->add_option("file", flags->file, "The file; - reads the standard input")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--format", flags->format,
                   "csv, tsv, ndjson (a JSON object on each line) or json (one array); else by the "
                   "end of the file's name")
      ->check(CLI::IsMember({"csv", "tsv", "ndjson", "json"}));
  command
      ->add_option("--map", flags->map,
                   "input.MEMBER=COLUMN, with :number, :boolean, :json or :text behind it for a "
                   "type, or judgments=COLUMN; may be given again. Without: every column but that "
                   "of the key becomes a member of its name")
      ->type_name("ENTRY")
      ->allow_extra_args(false);
  command
      ->add_option("--key", flags->key,
                   "The column that names a row; given again, the values are joined. digest() is "
                   "the SHA-256 of the input. Without: the column key, else digest()")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      ->add_option("--on-change", flags->on_change,
                   "For a row whose key is there with another input: report says so; replace gives "
                   "the unit the new input, unless somebody has had it")
      ->check(CLI::IsMember({"report", "replace"}))
      ->capture_default_str();
  command->add_flag("--dry-run", flags->dry_run,
                    "Change nothing; show what the columns become, the first ten units, and what "
                    "would be refused");
  command->add_flag("--progress", flags->progress, "Tell on stderr after each 10,000 rows");
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = run_data(*flags); });
}

} // namespace holdfast::app
