#include "documents/csv.hpp"

#include "core/text.hpp"
#include "documents/file_text.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::documents {

namespace {

constexpr std::string_view apostrophes = "'";
constexpr std::string_view line_blanks = " \t";

/// Whether a spreadsheet would reckon with a text that begins so, where it stands in a cell. Those
/// of East Asia take the wide forms, too.
bool begins_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.empty())
    return false;
  if (std::string_view{"=+-@\t\r\n"}.find(text.front()) != std::string_view::npos)
    return true;
  for (const std::string_view wide :
       {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"})
    if (core::begins_with(text, wide))
      return true;
  return false;
}

/// As in `-1.5` or `+2e3`: a cell with a number is no formula.
bool is_plain_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+'))
    text.remove_prefix(1);
  const auto digits = [&] {
    const auto count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count > 0;
  };
  if (!digits())
    return false;
  if (core::begins_with(text, ".")) {
    text.remove_prefix(1);
    if (!digits())
      return false;
  }
  if (core::begins_with(text, "e") || core::begins_with(text, "E")) {
    text.remove_prefix(1);
    if (!text.empty() && (text.front() == '-' || text.front() == '+'))
      text.remove_prefix(1);
    if (!digits())
      return false;
  }
  return text.empty();
}

/// Whether apostrophes stand before what would be a formula without them. One of them is the mark.
bool is_marked(std::string_view text) {
  const auto marks = text.find_first_not_of(apostrophes);
  return marks != std::string_view::npos && marks > 0 && begins_formula(text.substr(marks));
}

class csv_reader {
public:
  csv_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  core::failure read(const take_record& take, const refuse_record& refuse) {
    const auto text = text_of_file(text_);
    if (!text)
      return csv_problem(file_, 1, text.error().detail);
    text_ = *text;
    csv_record record; // one for all, so that its strings are allocated once
    while (!at_end()) {
      if (skip_line_end())
        continue;
      const auto begin = at_;
      record.line = line_;
      if (const auto problem = read_record(record); problem.code != core::errc::none) {
        if (!refuse)
          return problem;
        refuse(problem);
        go_behind_line(begin, record.line);
        continue;
      }
      if (auto problem = take(record); problem.code != core::errc::none)
        return problem;
    }
    return {};
  }

private:
  bool at_end() const { return at_ >= text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }

  bool skip_comma() {
    if (next() != ',' || at_end())
      return false;
    ++at_;
    return true;
  }

  core::failure read_record(csv_record& record) {
    record.quoted.clear();
    std::size_t count = 0;
    do {
      if (record.fields.size() == count)
        record.fields.emplace_back();
      record.quoted.push_back(next() == '"');
      auto& field = record.fields[count++];
      if (auto problem = read_field(field); problem.code != core::errc::none)
        return problem;
      if (is_marked(field))
        field.erase(0, 1);
    } while (skip_comma());
    if (!at_end() && !skip_line_end())
      return csv_problem(file_, record.line,
                         "a quoted field must be followed by a comma or the end of the line");
    record.fields.resize(count);
    return {};
  }

  /// Goes behind the line at `begin`, however much was read from there: a quotation mark that
  /// nobody closes takes the rest of the file.
  void go_behind_line(std::size_t begin, std::size_t line) {
    at_ = std::min(text_.find_first_of("\r\n", begin), text_.size());
    line_ = line;
    if (!at_end())
      skip_line_end();
  }

  /// With the blanks before it.
  bool skip_line_end() {
    const auto end = std::min(text_.find_first_not_of(line_blanks, at_), text_.size());
    if (end < text_.size() && text_[end] != '\n' && text_[end] != '\r')
      return false;
    if (end == text_.size())
      at_ = end;
    else
      at_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
    ++line_;
    return true;
  }

  core::failure read_field(std::string& field) {
    field.clear();
    if (next() == '"')
      return read_quoted(field);
    const auto end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    field = text_.substr(at_, end - at_);
    at_ = end;
    if (at_end() || next() != ',') // the last of its line
      field.erase(field.find_last_not_of(line_blanks) + 1);
    return {};
  }

  core::failure read_quoted(std::string& field) {
    const auto began = line_;
    for (++at_; !at_end(); ++at_) {
      if (next() == '"') {
        ++at_;
        if (next() != '"')
          return {};
      } else if (next() == '\n' || (next() == '\r' && text_.substr(at_, 2) != "\r\n")) {
        ++line_;
      }
      field += next();
    }
    return csv_problem(file_, began, "a quoted field that begins here is never closed");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

} // namespace

core::failure read_csv(std::string_view text, const std::string& file, const take_record& take) {
  return csv_reader{text, file}.read(take, nullptr);
}

core::failure read_csv(std::string_view text, const std::string& file, const take_record& take,
                       const refuse_record& refuse) {
  return csv_reader{text, file}.read(take, refuse);
}

core::outcome<std::vector<csv_record>> parse_csv(std::string_view text, const std::string& file) {
  std::vector<csv_record> records;
  const auto problem = read_csv(text, file, [&](const csv_record& record) {
    records.push_back(record);
    return core::failure{};
  });
  if (problem.code != core::errc::none)
    return problem;
  return records;
}

core::outcome<csv_columns> columns_of(const csv_record& header, const std::string& file,
                                      const std::vector<std::string>& required) {
  csv_columns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i)
    if (!columns.emplace(header.fields[i], i).second)
      return csv_problem(file, header.line, "the column `" + header.fields[i] + "` appears twice");
  for (const auto& column : required)
    if (columns.count(column) == 0)
      return csv_problem(file, header.line, "there is no column `" + column + '`');
  return columns;
}

core::failure check_width(const csv_record& record, const std::string& file, std::size_t columns) {
  if (record.fields.size() == columns)
    return {};
  return csv_problem(file, record.line,
                     "the row has " + std::to_string(record.fields.size()) + " fields, the header "
                         + std::to_string(columns));
}

std::string csv_field(std::string_view text, csv_formulas formulas) {
  const bool risky = begins_formula(text) && !is_plain_number(text);
  // An apostrophe that is there already would be taken for the mark.
  const bool marks = is_marked(text) || (risky && formulas == csv_formulas::guarded);
  const auto inside = (marks ? "'" : "") + std::string{text};
  const bool outer_blank = !text.empty()
                           && (line_blanks.find(text.front()) != std::string_view::npos
                               || line_blanks.find(text.back()) != std::string_view::npos);
  if (!text.empty() && !outer_blank && text.find_first_of(",\"\r\n") == std::string_view::npos)
    return inside;
  std::string quoted = "\"";
  for (const auto c : inside)
    quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + '"';
}

std::string_view without_formula_mark(std::string_view field) {
  return is_marked(field) ? field.substr(1) : field;
}

core::failure csv_problem(const std::string& file, std::size_t line, const std::string& why) {
  return {core::errc::invalid_argument, file + ':' + std::to_string(line) + ": " + why};
}

} // namespace holdfast::documents
