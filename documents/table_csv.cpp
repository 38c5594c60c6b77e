// Rows of comma-separated and tab-separated values.

#include "documents/csv.hpp"
#include "documents/table_splitter.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::documents {

namespace {

enum class scan_end : std::uint8_t {
  whole,      ///< A record was read.
  cut,        ///< The text ends within it.
  cut_quoted, ///< The same, within quotation marks.
  bad,
};

struct scanned_record {
  scan_end how = scan_end::cut;
  std::size_t bytes = 0;  ///< With the line end.
  std::size_t fields = 0; ///< Also those that were not kept.
};

std::uint64_t line_ends_in(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      ++count;
  return count;
}

class record_splitter final : public table_splitter {
public:
  record_splitter(char separator, const table_limits& limits, take_table_columns columns,
                  take_table_row take)
      : table_splitter(limits, std::move(take)),
        separator_(separator),
        blanks_(separator == '\t' ? " " : " \t"),
        unquoted_end_({separator, '\r', '\n'}),
        take_columns_(std::move(columns)) {}

  core::failure read(std::string_view text) override {
    text_ += text;
    return split(false);
  }

  core::failure end() override {
    if (auto why = split(true); why.code != core::errc::none)
      return why;
    return has_columns_ ? core::failure{} : table_problem(line_, "there is no line with columns");
  }

private:
  core::failure split(bool is_end) {
    std::size_t at = 0;
    core::failure why;
    for (bool goes_on = true; goes_on && at < text_.size() && why.code == core::errc::none;)
      goes_on = split_one(at, is_end, why);
    text_.erase(0, at);
    return why;
  }

  /// One step forward from `at`. False: more text is needed.
  bool split_one(std::size_t& at, bool is_end, core::failure& why) {
    const std::string_view rest = std::string_view{text_}.substr(at);
    if (skips_line_)
      return skip_line(rest, at, is_end);
    if (const auto blank = blank_line(rest, is_end); blank > 0) {
      at += blank;
      ++line_;
      return true;
    }
    // A record is judged by as many bytes as it may have, however they come. One more shows that it
    // is longer, and one more that a CR has no LF, or a quotation mark no other, behind it.
    const auto most = limits().row_bytes_max + 2;
    const bool has_all = is_end && rest.size() <= most;
    const auto looked_at = rest.substr(0, most);
    row_.line = line_;
    const auto found = scan(looked_at, has_all);
    if (found.how == scan_end::whole && found.bytes <= most) {
      const auto record = rest.substr(0, found.bytes);
      const auto lines = line_ends_in(record);
      at += found.bytes;
      why = take_record(found.fields);
      line_ += std::max<std::uint64_t>(lines, 1);
      return true;
    }
    if (found.how != scan_end::bad && !has_all && rest.size() < most)
      return false;
    // Behind its first line, however much was read from there: a quotation mark that nobody closes
    // would take the rest of the file.
    const auto line_end = looked_at.find_first_of("\r\n");
    if (line_end == std::string_view::npos && !has_all && rest.size() < most)
      return false;
    why = refuse_record(found.how, has_all);
    skips_line_ = true;
    return true;
  }

  /// Goes behind the next line end.
  bool skip_line(std::string_view rest, std::size_t& at, bool is_end) {
    const auto end = rest.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      at += rest.size();
      return false;
    }
    at += end;
    if (rest[end] == '\r' && end + 1 == rest.size() && !is_end)
      return false;
    at += rest.substr(end, 2) == "\r\n" ? 2 : 1;
    ++line_;
    skips_line_ = false;
    return true;
  }

  /// Bytes of the line at the front if it is blank and whole; else 0.
  std::size_t blank_line(std::string_view rest, bool is_end) const {
    const auto end = rest.find_first_not_of(blanks_);
    if (end == std::string_view::npos)
      return is_end ? rest.size() : 0;
    if (rest[end] == '\n')
      return end + 1;
    if (rest[end] != '\r' || (end + 1 == rest.size() && !is_end))
      return 0;
    return end + (rest.substr(end, 2) == "\r\n" ? 2 : 1);
  }

  scanned_record scan(std::string_view text, bool is_end) {
    scanned_record found;
    row_.cells.clear();
    for (std::size_t at = 0;;) {
      field_.clear();
      if (at < text.size() && text[at] == '"') {
        if (const auto how = scan_quoted(text, is_end, at); how != scan_end::whole) {
          found.how = how;
          return found;
        }
      } else {
        const auto end = std::min(text.find_first_of(unquoted_end_, at), text.size());
        if (end == text.size() && !is_end)
          return found;
        field_ = text.substr(at, end - at);
        at = end;
        if (at == text.size() || text[at] != separator_) // the last of its line
          field_.erase(field_.find_last_not_of(blanks_) + 1);
      }
      // More than there are columns are counted, and not kept.
      if (++found.fields <= limits().columns_max)
        row_.cells.emplace_back(without_formula_mark(field_));
      if (at < text.size() && text[at] == separator_) {
        ++at;
        continue;
      }
      const auto end = std::min(text.find_first_not_of(blanks_, at), text.size());
      if (end == text.size()) {
        found.bytes = end;
        found.how = is_end ? scan_end::whole : scan_end::cut;
      } else if (text[end] == '\n') {
        found.bytes = end + 1;
        found.how = scan_end::whole;
      } else if (text[end] != '\r') {
        found.how = scan_end::bad;
      } else if (end + 1 < text.size() || is_end) {
        found.bytes = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
        found.how = scan_end::whole;
      } else {
        found.how = scan_end::cut;
      }
      return found;
    }
  }

  /// Reads the field in quotation marks at `at`, and goes behind it.
  scan_end scan_quoted(std::string_view text, bool is_end, std::size_t& at) {
    for (++at;;) {
      const auto quote = text.find('"', at);
      if (quote == std::string_view::npos)
        return scan_end::cut_quoted;
      field_ += text.substr(at, quote - at);
      if (quote + 1 == text.size() && !is_end)
        return scan_end::cut;
      at = quote + 1;
      if (at == text.size() || text[at] != '"')
        return scan_end::whole;
      field_ += '"';
      ++at;
    }
  }

  core::failure refuse_record(scan_end how, bool is_all) {
    std::string what = too_long();
    auto code = core::errc::too_large;
    if (how == scan_end::bad) {
      what = "text follows a closing quotation mark";
      code = core::errc::invalid_argument;
    } else if (how == scan_end::cut_quoted) {
      what = "a quotation mark is never closed";
      if (!is_all)
        what = "a quotation mark is not closed within the " + std::to_string(limits().row_bytes_max)
               + " bytes that a row may have";
      code = core::errc::invalid_argument;
    }
    if (!has_columns_)
      return table_problem(line_, "the names of the columns cannot be read: " + what);
    return refuse(line_, code, std::move(what));
  }

  core::failure take_record(std::size_t fields) {
    if (!has_columns_)
      return take_header(fields);
    if (fields != columns_.size())
      return refuse(line_, core::errc::invalid_argument,
                    "the row has " + std::to_string(fields) + " fields, and the first line has "
                        + std::to_string(columns_.size()));
    for (std::size_t i = 0; i < row_.cells.size(); ++i)
      if (first_invalid_utf8(row_.cells[i]) != std::string::npos)
        return refuse(line_, core::errc::invalid_argument,
                      "the column `" + columns_[i] + "` has bytes that are not UTF-8");
    row_.problem = {};
    return give(row_);
  }

  core::failure take_header(std::size_t fields) {
    if (fields > limits().columns_max)
      return table_problem(line_, "there are " + std::to_string(fields) + " columns; at most "
                                      + std::to_string(limits().columns_max) + " are read");
    for (std::size_t i = 0; i < fields; ++i) {
      auto& name = row_.cells[i];
      name.erase(name.find_last_not_of(" \t\r\n") + 1);
      name.erase(0, std::min(name.find_first_not_of(" \t\r\n"), name.size()));
      const auto place = "column " + std::to_string(i + 1);
      if (name.empty())
        return table_problem(line_, place + " has no name in the first line; name it");
      if (first_invalid_utf8(name) != std::string::npos)
        return table_problem(line_,
                             "the name of " + place + " is not UTF-8; save the file as UTF-8");
      if (std::find(columns_.begin(), columns_.end(), name) != columns_.end())
        return table_problem(line_, "the column `" + name
                                        + "` appears twice; give one of them another name");
      columns_.push_back(std::move(name));
    }
    has_columns_ = true;
    return take_columns_(columns_);
  }

  const char separator_;
  const std::string_view blanks_; ///< That may stand behind the last field of a line.
  const std::string unquoted_end_;
  const take_table_columns take_columns_;
  std::string text_; ///< From the first byte that is not decided.
  std::uint64_t line_ = 1;
  bool skips_line_ = false;
  bool has_columns_ = false;
  std::vector<std::string> columns_;
  table_row row_;     ///< One for all.
  std::string field_; ///< The same.
};

} // namespace

std::unique_ptr<table_splitter> split_records(char separator, const table_limits& limits,
                                              take_table_columns columns, take_table_row take) {
  return std::make_unique<record_splitter>(separator, limits, std::move(columns), std::move(take));
}

} // namespace holdfast::documents
