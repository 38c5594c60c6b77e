#include "documents/canonical_json.hpp"

#include "core/decimal.hpp"
#include "core/invariant.hpp"
#include "core/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::documents {

namespace {

constexpr std::string_view blank_characters = " \t\r\n";

/// Goes through accepted JSON text once; whatever is not looked for here is known to be right. Goes
/// as deep as the text does, which was bounded when it was accepted.
class canonical_writer {
public:
  explicit canonical_writer(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string take() {
    write_value();
    return std::move(out_);
  }

private:
  struct written_member {
    std::string name;
    std::size_t begin = 0; ///< In `out_`, as is `end`.
    std::size_t end = 0;
  };

  char peek() {
    at_ = text_.find_first_not_of(blank_characters, at_);
    return text_[at_];
  }

  /// Whether another element comes; steps over the comma, or over the bracket that ends the list.
  bool another(bool first, char closing) {
    const char c = peek();
    if (c == closing) {
      ++at_;
      return false;
    }
    if (!first)
      ++at_;
    return true;
  }

  /// The string that comes next.
  std::string take_text() {
    peek();
    const auto begin = at_++;
    bool escaped = false;
    while (text_[at_] != '"') {
      escaped = escaped || text_[at_] == '\\';
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    const auto literal = text_.substr(begin, ++at_ - begin);
    return escaped ? nlohmann::json::parse(literal).get<std::string>()
                   : std::string{literal.substr(1, literal.size() - 2)};
  }

  void write_value() {
    switch (peek()) {
    case '{':
      return write_object();
    case '[':
      return write_array();
    case '"':
      out_ += core::json_quoted(take_text());
      return;
    default:
      const auto end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      const auto literal = text_.substr(at_, end - at_);
      at_ = end;
      if (literal.front() == 't' || literal.front() == 'f' || literal.front() == 'n')
        out_ += literal;
      else
        out_ += number(literal);
    }
  }

  static std::string number(std::string_view literal) {
    auto text = core::canonical_number(literal);
    HOLDFAST_INVARIANT(text, "the text was accepted, so that its numbers are numbers");
    return std::move(*text);
  }

  void write_array() {
    ++at_;
    out_ += '[';
    for (bool first = true; another(first, ']'); first = false) {
      if (!first)
        out_ += ',';
      write_value();
    }
    out_ += ']';
  }

  void write_object() {
    ++at_;
    out_ += '{';
    std::vector<written_member> members;
    while (another(members.empty(), '}')) {
      if (!members.empty())
        out_ += ',';
      written_member one{take_text(), out_.size(), 0};
      peek();
      ++at_; // the colon
      out_ += core::json_quoted(one.name);
      out_ += ':';
      write_value();
      one.end = out_.size();
      members.push_back(std::move(one));
    }
    put_in_order(members);
    out_ += '}';
  }

  void put_in_order(std::vector<written_member>& members) {
    const auto by_name = [](const written_member& a, const written_member& b) {
      return a.name < b.name;
    };
    if (std::is_sorted(members.begin(), members.end(), by_name))
      return;
    const auto begin = members.front().begin;
    std::sort(members.begin(), members.end(), by_name);
    std::string in_order;
    in_order.reserve(out_.size() - begin);
    for (const auto& member : members) {
      if (!in_order.empty())
        in_order += ',';
      in_order.append(out_, member.begin, member.end - member.begin);
    }
    out_.replace(begin, std::string::npos, in_order);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

} // namespace

std::string canonical_json(std::string_view text) {
  if (text == "{}")
    return "{}";
  return canonical_writer{text}.take();
}

} // namespace holdfast::documents
