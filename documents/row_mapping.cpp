#include "documents/row_mapping.hpp"

#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "core/workflow.hpp"
#include "documents/canonical_json.hpp"
#include "documents/json.hpp"
#include "documents/json_slices.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

namespace holdfast::documents {

namespace {

constexpr std::array<std::pair<cell_kind, std::string_view>, 5> cell_kinds{
    {{cell_kind::value, "value"},
     {cell_kind::text, "text"},
     {cell_kind::number, "number"},
     {cell_kind::boolean, "boolean"},
     {cell_kind::json, "json"}}};

constexpr std::string_view digest_key = "digest()";
constexpr std::string_view input_prefix = "input.";
constexpr std::string_view default_key = "key";

/// Deep enough for any document: the row was within the bounds of its reader.
constexpr std::size_t cell_depth_max = 64;

core::failure wrong_entry(std::string_view entry, const std::string& why) {
  return {core::errc::invalid_argument, "the mapping '" + printable(entry, 200) + "' " + why};
}

std::string shown(std::string_view text) { return '`' + printable(text, 60) + '`'; }

core::failure wrong_cell(std::string_view column, const std::string& why) {
  return {core::errc::payload_invalid, "the column " + shown(column) + ' ' + why};
}

std::string listed_columns(const std::vector<std::string>& columns) {
  constexpr std::size_t listed_max = 20;
  std::string all;
  for (std::size_t i = 0; i < columns.size() && i < listed_max; ++i)
    all += (i > 0 ? ", " : "") + shown(columns[i]);
  return columns.size() > listed_max ? all + ", …" : all;
}

/// Takes the kind off the end of `COLUMN:KIND`.
cell_kind take_kind(std::string_view& column) {
  const auto colon = column.rfind(':');
  if (colon == std::string_view::npos)
    return cell_kind::value;
  for (const auto& [kind, name] : cell_kinds)
    if (column.substr(colon + 1) == name) {
      column = column.substr(0, colon);
      return kind;
    }
  return cell_kind::value;
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_last_not_of(spaces) + 1);
}

bool is_json_number(std::string_view text) {
  return !text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'))
         && check_json(text, {text.size(), 1}).code == core::errc::none;
}

/// `true`, `false`, or nothing for another word.
std::string_view boolean_of(std::string_view text) {
  std::string word;
  for (const char one : text)
    word += one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
  for (const std::string_view yes : {"true", "yes", "1"})
    if (word == yes)
      return "true";
  for (const std::string_view no : {"false", "no", "0"})
    if (word == no)
      return "false";
  return {};
}

/// In a key of several columns, so that no two rows have the same without having the same values.
std::string escaped_part(std::string_view text) {
  std::string escaped;
  for (const char one : text) {
    if (one == '%')
      escaped += "%25";
    else if (one == ':')
      escaped += "%3A";
    else
      escaped += one;
  }
  return escaped;
}

} // namespace

std::string_view to_string(cell_kind kind) {
  for (const auto& [one, name] : cell_kinds)
    if (one == kind)
      return name;
  return {};
}

core::outcome<row_mapping> parse_row_mapping(const std::vector<std::string>& entries,
                                             const std::vector<std::string>& key) {
  row_mapping mapping;
  std::set<std::string> filled;
  for (const auto& entry : entries) {
    const std::string_view text = entry;
    const auto sign = text.find('=');
    if (sign == std::string_view::npos || sign + 1 == text.size())
      return wrong_entry(entry, "must be input.MEMBER=COLUMN, input.MEMBER=COLUMN:KIND or "
                                "judgments=COLUMN");
    const auto to = text.substr(0, sign);
    auto column = text.substr(sign + 1);
    if (to == "judgments") {
      if (!mapping.judgments.empty())
        return wrong_entry(entry, "names a second column of judgments");
      mapping.judgments = column;
      continue;
    }
    if (!core::begins_with(to, input_prefix) || to.size() == input_prefix.size())
      return wrong_entry(entry, "must begin with input. and the name of a member, or with "
                                "judgments");
    mapped_member one;
    one.member = to.substr(input_prefix.size());
    one.kind = take_kind(column);
    one.column = column;
    if (one.member.find('.') != std::string::npos)
      return wrong_entry(entry, "names a member with a dot; members of members are made by a "
                                "column of the kind json");
    if (one.column.empty())
      return wrong_entry(entry, "names no column");
    if (!filled.insert(one.member).second)
      return wrong_entry(entry, "fills a member that another column fills");
    mapping.members.push_back(std::move(one));
  }
  for (const auto& column : key) {
    if (column.empty())
      return core::failure{core::errc::invalid_argument, "a column of the key has no name"};
    if (column == digest_key)
      mapping.has_digest_key = true;
    else
      mapping.key.push_back(column);
  }
  if (mapping.has_digest_key && !mapping.key.empty())
    return core::failure{core::errc::invalid_argument,
                         "the key is digest() or columns, and not both"};
  return mapping;
}

core::failure row_mapper::bind(const std::vector<std::string>& columns) {
  const auto check = [&](const std::string& wanted) -> core::failure {
    if (std::find(columns.begin(), columns.end(), wanted) != columns.end())
      return {};
    const std::vector<std::string_view> known{columns.begin(), columns.end()};
    return {core::errc::invalid_argument, "there is no column " + shown(wanted)
                                              + suggestion(wanted, known) + "; the file has "
                                              + listed_columns(columns)};
  };
  for (const auto& one : mapping_.members)
    if (auto why = check(one.column); why.code != core::errc::none)
      return why;
  for (const auto& column : mapping_.key)
    if (auto why = check(column); why.code != core::errc::none)
      return why;
  if (!mapping_.judgments.empty())
    if (auto why = check(mapping_.judgments); why.code != core::errc::none)
      return why;
  columns_ = columns;
  return {};
}

bool row_mapper::is_used_otherwise(std::string_view column) const {
  if (column == mapping_.judgments)
    return true;
  if (mapping_.key.empty())
    return !mapping_.has_digest_key && column == default_key;
  return std::find(mapping_.key.begin(), mapping_.key.end(), column) != mapping_.key.end();
}

std::vector<std::string> row_mapper::told() const {
  std::vector<std::string> lines;
  const auto tell = [&](const std::string& column, const std::string& becomes) {
    lines.push_back(column + " -> " + becomes);
  };
  if (mapping_.members.empty())
    for (const auto& column : columns_)
      if (!is_used_otherwise(column))
        tell(column, "input." + column);
  for (const auto& one : mapping_.members)
    tell(one.column,
         "input." + one.member
             + (one.kind == cell_kind::value ? "" : " as " + std::string{to_string(one.kind)}));
  for (const auto& column : mapping_.key)
    tell(column, "key");
  const bool has_default_key =
      std::find(columns_.begin(), columns_.end(), default_key) != columns_.end();
  if (mapping_.key.empty())
    tell(!mapping_.has_digest_key && has_default_key ? std::string{default_key}
                                                     : "the SHA-256 of the input",
         "key");
  if (!mapping_.judgments.empty())
    tell(mapping_.judgments, "judgments");
  return lines;
}

mapped_row row_mapper::map(const table_row& row) const {
  mapped_row made;
  made.line = row.line;
  made.problem = row.problem;
  if (made.problem.code != core::errc::none)
    return made;
  cells from;
  std::vector<member_slice> members; // owns the names
  if (row.object.empty()) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      from.emplace(columns_[i], cell{row.cells[i], false});
  } else {
    members = members_of(row.object);
    for (const auto& one : members)
      from.emplace(one.name, cell{one.value, true});
  }
  made.problem = fill(from, made);
  if (made.problem.code == core::errc::none)
    made.problem = check_text(made.key, "the key", core::source_key_bytes_max);
  return made;
}

core::failure row_mapper::fill(const cells& from, mapped_row& into) const {
  const auto whole = from.find("input");
  const auto own_key = from.find(default_key);
  const bool is_whole = is_silent() && own_key != from.end() && whole != from.end()
                        && whole->second.is_json && from.size() == 2U + from.count("judgments");
  const std::string judgments = is_whole ? "judgments" : mapping_.judgments;
  if (const auto wanted = from.find(judgments); wanted != from.end()) {
    auto text = wanted->second.text;
    if (wanted->second.is_json && text.front() == '"')
      text = text.substr(1, text.size() - 2);
    text = without_spaces(text);
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, into.judgments);
    if (!text.empty() && (read.ec != std::errc{} || read.ptr != end))
      return wrong_cell(judgments, "must be a whole number of judgments, and not " + shown(text));
  } else if (!judgments.empty() && !is_whole) {
    return wrong_cell(judgments, "is missing");
  }
  auto input =
      is_whole ? core::outcome<std::string>{std::string{whole->second.text}} : input_of(from);
  if (!input)
    return input.error();
  into.input = std::move(*input);
  auto key = key_of(from, into.input);
  if (!key)
    return key.error();
  into.key = std::move(*key);
  return {};
}

namespace {

/// The text that a cell spells.
std::string cell_text(std::string_view text, bool is_json) {
  return is_json && text.front() == '"' ? unquoted(text) : std::string{text};
}

/// Appends the cell as JSON. False: it is left out, as an empty field of CSV that is no text is.
core::outcome<bool> append_cell(std::string& to, const mapped_member& as, std::string_view text,
                                bool is_json) {
  const bool is_text = !is_json || text.front() == '"';
  if (as.kind == cell_kind::value || (is_json && text == "null")) {
    to += is_json ? std::string{text} : core::json_quoted(text);
    return true;
  }
  if (as.kind == cell_kind::text) {
    to += is_json && is_text ? std::string{text} : core::json_quoted(text);
    return true;
  }
  if (as.kind == cell_kind::json && !is_text) {
    to += text;
    return true;
  }
  const auto raw = cell_text(text, is_json);
  const auto bare = without_spaces(raw);
  if (bare.empty())
    return false;
  switch (as.kind) {
  case cell_kind::number:
    if (!is_json_number(bare))
      return wrong_cell(as.column, "must be a number, and not " + shown(bare));
    to += bare;
    return true;
  case cell_kind::boolean:
    if (const auto word = boolean_of(bare); !word.empty()) {
      to += word;
      return true;
    }
    return wrong_cell(as.column, "must be true or false, and not " + shown(bare));
  default:
    break;
  }
  if (const auto why = check_json(bare, {bare.size(), cell_depth_max});
      why.code != core::errc::none)
    return wrong_cell(as.column, "must be JSON: " + why.detail);
  to += bare;
  return true;
}

} // namespace

core::outcome<std::string> row_mapper::input_of(const cells& from) const {
  std::string input = "{";
  const auto add = [&](const mapped_member& as, const cell& one) -> core::failure {
    std::string member = input.size() > 1 ? "," : "";
    member += core::json_quoted(as.member) + ':';
    const auto there = append_cell(member, as, one.text, one.is_json);
    if (!there)
      return there.error();
    if (*there)
      input += member;
    return {};
  };
  if (mapping_.members.empty())
    for (const auto& [column, one] : from) {
      if (is_used_otherwise(column))
        continue;
      if (auto why = add({column, column, cell_kind::value}, one); why.code != core::errc::none)
        return why;
    }
  for (const auto& one : mapping_.members) {
    const auto found = from.find(one.column);
    if (found == from.end())
      return wrong_cell(one.column, "is missing");
    if (auto why = add(one, found->second); why.code != core::errc::none)
      return why;
  }
  input += '}';
  // NUL, which no database takes, numbers out of its range, and names that are ours.
  if (auto why = check_json(input, {input.size(), cell_depth_max + 2});
      why.code != core::errc::none)
    return why;
  return input;
}

core::outcome<std::string> row_mapper::key_of(const cells& from, const std::string& input) const {
  const auto part = [&](const std::string& column) -> core::outcome<std::string> {
    const auto found = from.find(column);
    if (found == from.end())
      return wrong_cell(column, "is missing; it names the row");
    const auto& one = found->second;
    if (one.is_json && (one.text.front() == '{' || one.text.front() == '[' || one.text == "null"))
      return wrong_cell(column, "must be a text or a number: it names the row");
    auto text = cell_text(one.text, one.is_json);
    if (text.empty())
      return wrong_cell(column, "is empty; it names the row");
    return text;
  };
  if (mapping_.key.empty() && !mapping_.has_digest_key && from.count(default_key) > 0)
    return part(std::string{default_key});
  if (mapping_.key.empty())
    return "sha256:" + core::to_string(core::sha256_of(canonical_json(input)));
  if (mapping_.key.size() == 1)
    return part(mapping_.key.front());
  std::string joined;
  for (const auto& column : mapping_.key) {
    const auto one = part(column);
    if (!one)
      return one.error();
    joined += (joined.empty() ? "" : ":") + escaped_part(*one);
  }
  return joined;
}

} // namespace holdfast::documents
