#include "http/body_items.hpp"

#include "core/text.hpp"
#include "documents/csv.hpp"
#include "documents/json.hpp"
#include "documents/text.hpp"
#include "http/header_names.hpp"
#include "http/json_values.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace holdfast::http {

namespace {

/// The name of the body in what is told of its lines.
const std::string body_name = "body";

/// Within one record: it is flat.
constexpr std::size_t record_depth_max = 4;

core::failure too_many_lines() {
  return {core::errc::too_large,
          "the body has more than " + std::to_string(body_lines_max) + " items"};
}

/// Writes the object that stands for a body, and counts its items.
class items_writer {
public:
  explicit items_writer(std::string_view items) {
    made_.json = "{\"";
    made_.json += items;
    made_.json += "\":[";
  }

  void add(std::string_view json) {
    if (count_++ > 0)
      made_.json += ',';
    made_.json += json;
  }
  void add_unreadable(std::string what) {
    made_.unreadable.emplace(count_, std::move(what));
    add("null");
  }
  bool is_full() const { return count_ >= body_lines_max; }
  std::size_t bytes() const { return made_.json.size(); }
  body_items take() {
    made_.json += "]}";
    return std::move(made_);
  }

private:
  body_items made_;
  std::size_t count_ = 0;
};

std::string_view trimmed_line(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  return line.substr(0, line.find_last_not_of(blanks) + 1);
}

/// A number as it stands; any other text as a text, which the reader of the row refuses.
void append_count(std::string& to, const std::string& text) {
  constexpr std::size_t digits_max = 9;
  const bool is_number = !text.empty() && text.size() <= digits_max
                         && text.find_first_not_of("0123456789") == std::string::npos
                         && (text.size() == 1 || text.front() != '0');
  if (is_number)
    to += text;
  else
    append_string(to, text);
}

/// Whether all fields are UTF-8. JSON would get other characters in the place of what is none.
bool is_text(const documents::csv_record& record) {
  return std::all_of(record.fields.begin(), record.fields.end(), [](const std::string& field) {
    return documents::first_invalid_utf8(field) == std::string::npos;
  });
}

core::failure not_text(const documents::csv_record& record) {
  return documents::csv_problem(body_name, record.line, "a field is not UTF-8");
}

std::string row_of(const documents::csv_record& record, const documents::csv_record& header,
                   const documents::csv_columns& columns) {
  const auto key = columns.at("key");
  const auto judgments = columns.find("judgments");
  std::string row = "{\"key\":";
  append_string(row, record.fields[key]);
  if (judgments != columns.end() && !record.fields[judgments->second].empty()) {
    row += ",\"judgments\":";
    append_count(row, record.fields[judgments->second]);
  }
  row += ",\"input\":{";
  bool is_first = true;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (i == key || (judgments != columns.end() && i == judgments->second))
      continue;
    if (!std::exchange(is_first, false))
      row += ',';
    append_string(row, header.fields[i]);
    row += ':';
    append_string(row, record.fields[i]);
  }
  return row + "}}";
}

} // namespace

item_form item_form_of(std::string_view content_type) {
  const auto bare = trimmed_line(content_type.substr(0, content_type.find(';')));
  if (is_same_name(bare, "application/x-ndjson"))
    return item_form::ndjson;
  return is_same_name(bare, "text/csv") ? item_form::csv : item_form::json;
}

core::outcome<body_items> items_of_lines(std::string_view body, std::string_view items,
                                         std::size_t depth_max) {
  items_writer made{items};
  for (std::size_t number = 1; !body.empty(); ++number) {
    const auto end = std::min(body.find('\n'), body.size());
    const auto line = trimmed_line(body.substr(0, end));
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.empty())
      continue;
    if (made.is_full())
      return too_many_lines();
    auto why = documents::check_json(line, {line.size(), depth_max});
    const auto place = "line " + std::to_string(number) + ": ";
    if (why.code != core::errc::none)
      made.add_unreadable(place + why.detail);
    else if (line.front() != '{')
      made.add_unreadable(place + "must be an object");
    else
      made.add(line);
  }
  return made.take();
}

core::outcome<body_items> source_rows_of_csv(std::string_view body, std::size_t bytes_max) {
  items_writer made{"rows"};
  documents::csv_record header;
  documents::csv_columns columns;
  const auto add = [&](const documents::csv_record& record) -> core::failure {
    if (columns.empty()) {
      if (!is_text(record))
        return not_text(record);
      auto known = documents::columns_of(record, body_name, {"key"});
      if (!known)
        return known.error();
      columns = std::move(*known);
      header = record;
      return {};
    }
    if (made.is_full())
      return too_many_lines();
    if (auto why = documents::check_width(record, body_name, header.fields.size());
        why.code != core::errc::none) {
      made.add_unreadable(std::move(why.detail));
      return {};
    }
    if (!is_text(record)) {
      made.add_unreadable(not_text(record).detail);
      return {};
    }
    const auto row = row_of(record, header, columns);
    if (auto why = documents::check_json(row, {row.size(), record_depth_max});
        why.code != core::errc::none)
      made.add_unreadable(documents::csv_problem(body_name, record.line, why.detail).detail);
    else
      made.add(row);
    if (made.bytes() > bytes_max)
      return {core::errc::too_large,
              "as JSON the rows have more than " + std::to_string(bytes_max) + " bytes"};
    return {};
  };
  bool is_full = false;
  const auto refuse = [&](const core::failure& why) {
    is_full = is_full || made.is_full();
    if (!is_full)
      made.add_unreadable(why.detail);
  };
  if (auto why = documents::read_csv(body, body_name, add, refuse); why.code != core::errc::none)
    return why;
  if (is_full)
    return too_many_lines();
  if (columns.empty())
    return documents::csv_problem(body_name, 1, "there is no header line");
  return made.take();
}

void explain_items(std::vector<request_problem>& problems, std::string_view items,
                   const body_items& read) {
  const auto before = '/' + std::string{items} + '/';
  for (auto& problem : problems) {
    if (!core::begins_with(problem.place, before))
      continue;
    std::size_t place = 0;
    const auto* const end = problem.place.data() + problem.place.size();
    const auto number = std::from_chars(problem.place.data() + before.size(), end, place);
    if (number.ec != std::errc{} || number.ptr != end)
      continue;
    if (const auto known = read.unreadable.find(place); known != read.unreadable.end())
      problem.what = known->second;
  }
}

} // namespace holdfast::http
