#include "documents/raw_member.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::documents {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// Goes through accepted JSON text; whatever is not looked for here is known to be right.
class scanner {
public:
  explicit scanner(std::string_view text) : text_(text) {}

  /// Behind what was looked at last.
  std::size_t at() const { return at_; }

  /// The next character that is not blank.
  char peek() {
    at_ = text_.find_first_not_of(blanks, at_);
    return text_[at_];
  }
  char take() {
    const char c = peek();
    ++at_;
    return c;
  }

  /// The name that comes next, which may be written with escapes, and its colon.
  std::string take_name() {
    auto name = nlohmann::json::parse(take_string()).get<std::string>();
    take();
    return name;
  }

  /// The string that comes next, quotes included.
  std::string_view take_string() {
    peek();
    const auto begin = at_++;
    while (text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    return text_.substr(begin, ++at_ - begin);
  }

  /// The value that comes next, whatever it is.
  std::string_view take_value() {
    const char first = peek();
    const auto begin = at_;
    if (first == '"')
      return take_string();
    if (first != '{' && first != '[') {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      return text_.substr(begin, at_ - begin);
    }
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        take_string();
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      ++at_;
    } while (depth > 0);
    return text_.substr(begin, at_ - begin);
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

std::string_view raw_member(std::string_view object, std::string_view name) {
  scanner from{object};
  from.take(); // the brace
  while (from.peek() != '}') {
    const auto key = from.take_name();
    const auto value = from.take_value();
    if (key == name)
      return value;
    if (from.peek() == ',')
      from.take();
  }
  return {};
}

std::string without_member(std::string_view object, std::string_view name) {
  scanner from{object};
  from.take(); // the brace
  std::string left;
  bool first = true;
  std::size_t end = 0; // of the member before
  while (from.peek() != '}') {
    const auto begin = from.at();
    const bool goes = from.take_name() == name;
    from.take_value();
    if (end == 0)
      left = object.substr(0, begin);
    if (!goes) {
      left += first ? std::string_view{} : object.substr(end, begin - end);
      left += object.substr(begin, from.at() - begin);
      first = false;
    }
    end = from.at();
    if (from.peek() == ',')
      from.take();
  }
  left += object.substr(end);
  return left;
}

} // namespace holdfast::documents
