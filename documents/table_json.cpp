// Rows that are JSON objects: one on each line, or the elements of one array.

#include "documents/table_splitter.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::documents {

namespace {

constexpr std::string_view json_blanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(json_blanks), text.size()));
  return text.substr(0, text.find_last_not_of(json_blanks) + 1);
}

class line_splitter final : public table_splitter {
public:
  using table_splitter::table_splitter;

  core::failure read(std::string_view text) override {
    while (!text.empty()) {
      // The LF of a CRLF whose CR came with the piece before, or just now.
      if (std::exchange(after_return_, false) && text.front() == '\n') {
        text.remove_prefix(1);
        continue;
      }
      const auto end = text.find_first_of("\r\n");
      add(text.substr(0, end));
      if (end == std::string_view::npos)
        return {};
      after_return_ = text[end] == '\r';
      text.remove_prefix(end + 1);
      if (auto why = finish_line(); why.code != core::errc::none)
        return why;
    }
    return {};
  }

  core::failure end() override { return finish_line(); }

private:
  void add(std::string_view text) {
    is_too_long_ = is_too_long_ || line_.size() + text.size() > limits().row_bytes_max;
    if (is_too_long_)
      line_.clear();
    else
      line_ += text;
  }

  core::failure finish_line() {
    const auto number = ++lines_;
    if (std::exchange(is_too_long_, false)) {
      line_.clear();
      return refuse(number, core::errc::too_large, too_long());
    }
    const auto text = without_blanks(line_);
    auto why = text.empty() ? core::failure{} : row_of(number, text);
    line_.clear();
    return why;
  }

  core::failure row_of(std::uint64_t number, std::string_view text) {
    // Told once and precisely, and not for each line of a file that is something else.
    if (!std::exchange(has_begun_, true) && text.front() == '[')
      return table_problem(number, "this is a JSON array; read it as json and not as ndjson");
    return give_object(number, text);
  }

  std::string line_;
  std::uint64_t lines_ = 0; ///< That have ended.
  bool is_too_long_ = false;
  bool after_return_ = false;
  bool has_begun_ = false;
};

class array_splitter final : public table_splitter {
public:
  using table_splitter::table_splitter;

  core::failure read(std::string_view text) override {
    for (const char one : text) {
      if (auto why = take_character(one); why.code != core::errc::none)
        return why;
      if (one == '\r' || (one == '\n' && !after_return_))
        ++line_;
      after_return_ = one == '\r';
    }
    return {};
  }

  core::failure end() override {
    if (place_ == place::behind)
      return {};
    if (place_ == place::before)
      return table_problem(line_, "there is no JSON array");
    if (place_ == place::element)
      return table_problem(begin_, "the array ends within the element that begins here");
    return table_problem(line_, "the array is not closed by ]");
  }

private:
  enum class place : std::uint8_t { before, between, element, behind };

  static bool is_blank(char one) { return json_blanks.find(one) != std::string_view::npos; }

  core::failure take_character(char one) {
    switch (place_) {
    case place::before:
      if (is_blank(one))
        return {};
      if (one != '[')
        return table_problem(line_, one == '{' ? "this is a JSON object and no array; read a file "
                                                 "with one object on each line as ndjson"
                                               : "a JSON array must begin with [");
      place_ = place::between;
      return {};
    case place::between:
      return between(one);
    case place::element:
      return in_element(one);
    case place::behind:
      break;
    }
    if (is_blank(one))
      return {};
    return table_problem(line_, "there is more behind the end of the array");
  }

  core::failure between(char one) {
    if (is_blank(one))
      return {};
    if (one == ',') {
      if (!std::exchange(wants_comma_, false))
        return refuse(line_, core::errc::payload_invalid, "there is a comma without an element");
      return {};
    }
    if (one == ']') {
      place_ = place::behind;
      return {};
    }
    place_ = place::element;
    begin_ = line_;
    lacks_comma_ = std::exchange(wants_comma_, true);
    return in_element(one);
  }

  /// Where the element ends is told by its brackets, also of one that is no JSON.
  core::failure in_element(char one) {
    if (in_text_ && (one == '\n' || one == '\r'))
      return broken_text();
    if (!in_text_ && depth_ == 0 && !element_.empty() && ends_scalar(one)) {
      if (auto why = finish_element(); why.code != core::errc::none)
        return why;
      return between(one);
    }
    if (element_.size() <= limits().row_bytes_max)
      element_ += one;
    if (in_text_) {
      if (!std::exchange(is_escaped_, !is_escaped_ && one == '\\') && one == '"')
        in_text_ = false;
      return {};
    }
    if (one == '"')
      in_text_ = true;
    else if (one == '{' || one == '[')
      ++depth_;
    else if ((one == '}' || one == ']') && depth_ > 0 && --depth_ == 0)
      return finish_element();
    return {};
  }

  static bool ends_scalar(char one) { return one == ',' || one == ']' || is_blank(one); }

  core::failure finish_element() {
    const std::string text = std::exchange(element_, {});
    leave_element();
    if (lacks_comma_)
      return refuse(begin_, core::errc::payload_invalid, "there is no comma in front of it");
    return give_object(begin_, text);
  }

  void leave_element() {
    element_.clear();
    depth_ = 0;
    in_text_ = false;
    is_escaped_ = false;
    place_ = place::between;
  }

  core::failure broken_text() {
    if (begin_ != line_)
      return table_problem(line_, "a text ends with the line; where the element that begins on "
                                  "line "
                                      + std::to_string(begin_)
                                      + " ends cannot be told, and nothing behind it is read");
    leave_element();
    wants_comma_ = false; // it may have been on the broken line
    return refuse(begin_, core::errc::payload_invalid, "a text ends with the line");
  }

  place place_ = place::before;
  std::uint64_t line_ = 1;
  std::uint64_t begin_ = 0; ///< The line of the element.
  bool after_return_ = false;
  bool wants_comma_ = false; ///< In front of the next element.
  bool lacks_comma_ = false; ///< The element has none in front of it.
  std::string element_;      ///< At most one byte longer than a row may be.
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool is_escaped_ = false;
};

} // namespace

std::unique_ptr<table_splitter> split_lines(const table_limits& limits, take_table_row take) {
  return std::make_unique<line_splitter>(limits, std::move(take));
}

std::unique_ptr<table_splitter> split_array(const table_limits& limits, take_table_row take) {
  return std::make_unique<array_splitter>(limits, std::move(take));
}

} // namespace holdfast::documents
