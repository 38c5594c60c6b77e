#pragma once

#include "core/outcome.hpp"
#include "documents/table_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// What a column becomes in the input of a unit.
enum class cell_kind : std::uint8_t {
  value,   ///< A text of CSV; a value of JSON as it is.
  text,    ///< A text; of a JSON value that is none, its JSON.
  number,  ///< A number, with all of its digits.
  boolean, ///< `true`, `yes` and `1`, or `false`, `no` and `0`.
  json,    ///< A text that is JSON: the value that it spells.
};

std::string_view to_string(cell_kind kind);

struct mapped_member {
  std::string member; ///< Of the input.
  std::string column;
  cell_kind kind = cell_kind::value;
};

/// How the columns of a file become units. "Column" stands for a member of the objects of JSON,
/// too.
struct row_mapping {
  /// Empty: every column that is not used otherwise becomes a member of its name.
  std::vector<mapped_member> members;
  /// The columns whose values name the row, joined by `:` where there are several. Empty: the
  /// column `key` where there is one, else the SHA-256 of the input.
  std::vector<std::string> key;
  bool has_digest_key = false; ///< The SHA-256 of the input in any case.
  std::string judgments;       ///< The column with the number of judgments wanted; empty: none.
};

/// Reads entries `input.MEMBER=COLUMN`, `input.MEMBER=COLUMN:KIND` and `judgments=COLUMN`, and the
/// columns of the key, where `digest()` alone asks for the SHA-256. `invalid_argument` with the
/// entry for anything else, and for a member that two columns fill.
core::outcome<row_mapping> parse_row_mapping(const std::vector<std::string>& entries,
                                             const std::vector<std::string>& key);

/// A row as a unit, or the reason why it cannot be one.
struct mapped_row {
  std::uint64_t line = 0;
  std::string key;
  std::string input; ///< JSON.
  std::uint32_t judgments = 0;
  core::failure problem;
};

/// Makes units of the rows of one file.
class row_mapper {
public:
  explicit row_mapper(row_mapping mapping) : mapping_(std::move(mapping)) {}

  /// Of CSV and TSV: `invalid_argument` when a column of the mapping is not there, with the columns
  /// that are.
  core::failure bind(const std::vector<std::string>& columns);

  /// An object whose members are `key`, `input`, and `judgments` where wanted is a row as the API
  /// takes it, where the mapping says nothing.
  mapped_row map(const table_row& row) const;

  /// Each column with what becomes of it, for people: `name -> input.text`. Of CSV and TSV, behind
  /// `bind`; of JSON, only what the mapping says.
  std::vector<std::string> told() const;

private:
  struct cell {
    std::string_view text;
    bool is_json = false; ///< The text of a JSON value, and not the text itself.
  };
  using cells = std::map<std::string, cell, std::less<>>;

  bool is_silent() const {
    return mapping_.members.empty() && mapping_.key.empty() && !mapping_.has_digest_key
           && mapping_.judgments.empty();
  }
  bool is_used_otherwise(std::string_view column) const;
  core::failure fill(const cells& from, mapped_row& into) const;
  core::outcome<std::string> input_of(const cells& from) const;
  core::outcome<std::string> key_of(const cells& from, const std::string& input) const;

  row_mapping mapping_;
  std::vector<std::string> columns_; ///< Of CSV and TSV.
};

} // namespace holdfast::documents
