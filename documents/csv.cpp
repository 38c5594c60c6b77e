#include "documents/csv.hpp"

#include <utility>

namespace holdfast::documents {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

class csv_reader {
public:
  csv_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark)
      text_.remove_prefix(byte_order_mark.size());
  }

  core::failure read(const take_record& take) {
    csv_record record; // one for all, so that its strings are allocated once
    while (!at_end()) {
      if (skip_line_end())
        continue;
      record.line = line_;
      std::size_t count = 0;
      do {
        if (record.fields.size() == count)
          record.fields.emplace_back();
        if (auto problem = read_field(record.fields[count++]); problem.code != core::errc::none)
          return problem;
      } while (skip_comma());
      if (!at_end() && !skip_line_end())
        return csv_problem(file_, line_,
                           "a quoted field must be followed by a comma or the end of the line");
      record.fields.resize(count);
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

  bool skip_line_end() {
    if (text_.substr(at_, 2) == "\r\n")
      at_ += 2;
    else if (!at_end() && (next() == '\n' || next() == '\r'))
      ++at_;
    else
      return false;
    ++line_;
    return true;
  }

  core::failure read_field(std::string& field) {
    field.clear();
    if (next() == '"')
      return read_quoted(field);
    const auto end = text_.find_first_of(",\r\n", at_);
    field = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    at_ += field.size();
    return {};
  }

  core::failure read_quoted(std::string& field) {
    const auto began = line_;
    for (++at_; !at_end(); ++at_) {
      if (next() == '"') {
        ++at_;
        if (next() != '"')
          return {};
      } else if (next() == '\n') {
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
  return csv_reader{text, file}.read(take);
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

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string{text};
  std::string quoted = "\"";
  for (const auto c : text)
    quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + '"';
}

core::failure csv_problem(const std::string& file, std::size_t line, const std::string& why) {
  return {core::errc::invalid_argument, file + ':' + std::to_string(line) + ": " + why};
}

} // namespace holdfast::documents
