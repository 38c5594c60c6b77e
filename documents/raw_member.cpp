#include "documents/raw_member.hpp"

#include <nlohmann/json.hpp>

namespace holdfast::documents {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// Goes through accepted JSON text; whatever is not looked for here is known to be right.
class scanner {
public:
  explicit scanner(std::string_view text) : text_(text) {}

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
    // A name may be written with escapes.
    const auto key = nlohmann::json::parse(from.take_string()).get<std::string>();
    from.take(); // the colon
    const auto value = from.take_value();
    if (key == name)
      return value;
    if (from.peek() == ',')
      from.take();
  }
  return {};
}

} // namespace holdfast::documents
