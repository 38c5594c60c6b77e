#include "app/demo/csv.hpp"

#include <utility>

namespace holdfast::app::demo {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

class csv_reader {
public:
  csv_reader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark)
      text_.remove_prefix(byte_order_mark.size());
  }

  core::outcome<std::vector<csv_record>> read() {
    std::vector<csv_record> records;
    while (!at_end()) {
      if (skip_line_end())
        continue;
      csv_record record{line_, {}};
      do {
        auto field = next() == '"' ? quoted_field() : plain_field();
        if (!field)
          return field.error();
        record.fields.push_back(std::move(*field));
      } while (skip_comma());
      if (!at_end() && !skip_line_end())
        return failed(line_, "a quoted field must be followed by a comma or the end of the line");
      records.push_back(std::move(record));
    }
    return records;
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

  core::outcome<std::string> plain_field() {
    const auto end = text_.find_first_of(",\r\n", at_);
    const auto field = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    at_ += field.size();
    return std::string{field};
  }

  core::outcome<std::string> quoted_field() {
    const auto began = line_;
    std::string field;
    for (++at_; !at_end(); ++at_) {
      if (next() == '"') {
        ++at_;
        if (next() != '"')
          return field;
      } else if (next() == '\n') {
        ++line_;
      }
      field += next();
    }
    return failed(began, "a quoted field that begins here is never closed");
  }

  core::failure failed(std::size_t line, const std::string& why) const {
    return {core::errc::invalid_argument, file_ + ':' + std::to_string(line) + ": " + why};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

} // namespace

core::outcome<std::vector<csv_record>> parse_csv(std::string_view text, const std::string& file) {
  return csv_reader{text, file}.read();
}

} // namespace holdfast::app::demo
