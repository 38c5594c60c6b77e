#include "app/pretty_json.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// Builds a document in which numbers that the library would print otherwise are their own text, as
/// binary values, which no JSON text has.
class stored_document : public nlohmann::json_sax<ordered_json> {
public:
  ordered_json& root() { return root_; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& literal) override {
    if (ordered_json number(value); number.dump() == literal)
      return put(std::move(number));
    return put(ordered_json::binary({literal.begin(), literal.end()}));
  }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; } // text has none
  bool start_object(std::size_t) override { return open(ordered_json::object()); }
  bool start_array(std::size_t) override { return open(ordered_json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    member_ = &(*open_.back())[name];
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

private:
  ordered_json* place(ordered_json value) {
    if (open_.empty())
      return &(root_ = std::move(value));
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }
  bool put(ordered_json value) {
    place(std::move(value));
    return true;
  }
  bool open(ordered_json empty) {
    open_.push_back(place(std::move(empty)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  ordered_json root_;
  std::vector<ordered_json*> open_; ///< Objects and arrays being read, outermost first.
  ordered_json* member_ = nullptr;  ///< The member whose value comes next.
};

std::string scalar_text(const ordered_json& value) {
  if (!value.is_binary())
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

/// The blanks of a layout: none, or a line for each member.
struct layout {
  bool lines = false;

  std::string begin(std::size_t indent) const {
    return lines ? '\n' + std::string(indent, ' ') : std::string{};
  }
  const char* colon() const { return lines ? ": " : ":"; }
};

void append(std::string& out, const ordered_json& value, const layout& by, std::size_t indent = 0) {
  if (!value.is_structured() || value.empty()) {
    out += scalar_text(value);
    return;
  }
  const bool is_object = value.is_object();
  out += is_object ? '{' : '[';
  const char* separator = "";
  for (auto at = value.begin(); at != value.end(); ++at) {
    out.append(separator).append(by.begin(indent + 2));
    if (is_object)
      out.append(scalar_text(ordered_json(at.key()))).append(by.colon());
    append(out, *at, by, indent + 2);
    separator = ",";
  }
  out.append(by.begin(indent)) += is_object ? '}' : ']';
}

} // namespace

std::string pretty(const ordered_json& what) {
  std::string out;
  append(out, what, {true});
  return out;
}

std::string on_one_line(const ordered_json& what) {
  std::string out;
  append(out, what, {false});
  return out;
}

ordered_json stored_json(const std::string& text) {
  if (text.empty())
    return nullptr;
  stored_document document;
  if (!ordered_json::sax_parse(text, &document))
    return ordered_json(ordered_json::value_t::discarded);
  return std::move(document.root());
}

} // namespace holdfast::app
