#pragma once

#include "core/ids.hpp"
#include "http/door.hpp"
#include "http/fields.hpp"
#include "http/routes.hpp"
#include "http/shapes/step_words.hpp"
#include "http/shapes/workflow_shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A file of rows as the source data of a workflow.
namespace holdfast::http {

/// Rows that are told one by one, of each kind; the others are counted.
inline constexpr std::size_t told_rows_max = 1000;
/// Units that a dry run shows.
inline constexpr std::size_t first_units = 10;

/// A row of the file that was not taken.
struct refused_line {
  static constexpr std::string_view name = "refused_line";

  std::uint64_t line = 0;
  std::string key;
  std::uint8_t code = 0; ///< A `core::errc`.
  std::string detail;
};

template <class Fields>
void describe(Fields& f, refused_line& x) {
  f.required("line", x.line, "The line on which the row begins, from 1.");
  f.optional("key", x.key, "The key of the row, where it has one.");
  f.required("code", word{x.code, error_words()}, "The error, as a problem names it.");
  bool retryable = core::describe(static_cast<core::errc>(x.code)).retryable;
  f.required("retryable", retryable, "Whether the same row may be taken later.");
  f.required("detail", x.detail, "The mistake in the row, for people.");
}

/// A row whose key was there with another input.
struct changed_line {
  static constexpr std::string_view name = "changed_line";

  std::uint64_t line = 0;
  std::string key;
  core::unit_id unit;
  bool replaced = false;
};

template <class Fields>
void describe(Fields& f, changed_line& x) {
  f.required("line", x.line, "The line on which the row begins, from 1.");
  f.required("key", x.key, "The key of the row.");
  f.required("unit_id", x.unit, "The unit under the key.");
  f.required("replaced", x.replaced, "Whether the unit has the input of the row now.");
}

/// A row as the unit that it becomes.
struct shown_unit {
  static constexpr std::string_view name = "shown_unit";

  std::uint64_t line = 0;
  std::string key;
  std::string input;
  std::uint32_t judgments = 0;
};

template <class Fields>
void describe(Fields& f, shown_unit& x) {
  f.required("line", x.line, "The line on which the row begins, from 1.");
  f.required("key", x.key, "The key of the unit.");
  f.required("input", document{x.input}, "The data of the unit.");
  f.optional("judgments", x.judgments, "Judgments wanted, where the row says how many.");
}

struct data_loaded {
  static constexpr std::string_view name = "data_loaded";

  bool dry_run = false;
  std::uint64_t rows = 0;
  std::uint64_t added = 0;
  std::uint64_t already_there = 0;
  std::uint64_t changed = 0;
  std::uint64_t replaced = 0;
  std::uint64_t refused = 0;
  std::vector<refused_line> problems;
  std::vector<changed_line> changes;
  std::vector<std::string> columns;
  std::vector<shown_unit> first;
  std::string stopped;
};

template <class Fields>
void describe(Fields& f, data_loaded& x) {
  f.required("dry_run", x.dry_run, "Whether nothing was changed: the counts say what would be.");
  f.required("rows", x.rows, "Rows that were read, also those that were refused.");
  f.required("added", x.added, "Rows that became units.");
  f.required("already_there", x.already_there, "Rows whose key was there with the same input.");
  f.required("changed", x.changed, "Rows whose key was there with another input.");
  f.required("replaced", x.replaced, "Of these: rows whose units have the input of the row now.");
  f.required("refused", x.refused,
             "Rows that were not taken. With `on_change=replace` changed rows of units that "
             "somebody has had are among them.");
  f.required("problems", x.problems, "The first 1000 refused rows, and why.");
  f.required("changes", x.changes, "The first 1000 changed rows.");
  f.required("columns", x.columns, "What the columns became: `text -> input.text`.");
  f.required("first", x.first, "Of a dry run: the first ten units.");
  f.optional("stopped", x.stopped,
             "Why the rest of the file could not be read. The rows before that place were taken.");
}

/// Takes a file of rows in pieces, and sends them to the first step in requests of bounded size.
struct data_load {
  static constexpr route_row row{topic::workflows, verb::post, "/v1/workflows/{id}/data", 200,
                                 "Add a file of source data"};
  static constexpr std::string_view name = "load_data";
  static constexpr bool takes_table = true;
  using answer = data_loaded;

  core::workflow_id workflow;
  std::vector<std::string> map;
  std::vector<std::string> key;
  std::uint8_t on_change = 0; ///< A number of `change_words`.
  bool dry_run = false;

  static void run(const door& through, const visit& from, const data_load& asked);
};

inline constexpr std::uint8_t report_changes = 0;
inline constexpr std::uint8_t replace_changes = 1;

inline const word_list& change_words() {
  static const word_list words{{"report", report_changes}, {"replace", replace_changes}};
  return words;
}

template <class Fields>
void describe(Fields& f, data_load& x) {
  f.required("id", x.workflow, sentence::workflow);
  f.query("map", x.map,
          "What becomes of a column: `input.MEMBER=COLUMN`, `input.MEMBER=COLUMN:KIND` with the "
          "kind `text`, `number`, `boolean` or `json`, or `judgments=COLUMN`. May be there several "
          "times. Left out: each column that is not the key becomes a member of its name.");
  f.query("key", x.key,
          "The column that names a row. Several are joined. `digest()`: the SHA-256 of the input, "
          "which is also used where it is left out and there is no column `key`.");
  f.query("on_change", word{x.on_change, change_words()},
          "What happens to a row whose key is there with another input. `report`, as it is by "
          "default: it is counted. `replace`: the unit gets the new input, unless somebody has had "
          "the unit.");
  f.query("dry_run", x.dry_run, "`true`: says what would happen, and changes nothing.");
}

} // namespace holdfast::http
