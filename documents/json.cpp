#include "documents/json.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "documents/judgment_document.hpp"
#include "documents/parse.hpp"
#include "documents/text.hpp"

#include <limits>
#include <optional>

namespace holdfast::documents {

namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The offset behind the string literal that begins at `at`.
std::size_t after_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\')
      ++at;
  return at + 1;
}

/// The offset behind the value that begins at `at`.
std::size_t after_value(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (depth == 0 && (c == ',' || c == '}' || c == ']'))
      return at;
    if (c == '"') {
      at = after_string(json, at);
      continue;
    }
    if (c == '{' || c == '[')
      ++depth;
    else if (c == '}' || c == ']')
      --depth;
    ++at;
  }
  return at;
}

/// The text of member `name` of a valid object. The text and not the value, because a number may
/// have more digits than any type of ours: the database keeps them all, so must we.
std::optional<std::string_view> member_text(std::string_view object, std::string_view name) {
  auto at = object.find_first_not_of(blanks);
  HOLDFAST_INVARIANT(at != std::string_view::npos && object[at] == '{',
                     "inputs of chains and results are objects");
  for (++at;;) {
    const auto key = object.find('"', at);
    if (key == std::string_view::npos)
      return std::nullopt;
    const auto key_end = after_string(object, key);
    const auto value = object.find_first_not_of(blanks, object.find(':', key_end) + 1);
    const auto value_end = after_value(object, value);
    if (object.substr(key + 1, key_end - key - 2) == name) {
      const auto text = object.substr(value, value_end - value);
      return text.substr(0, text.find_last_not_of(blanks) + 1);
    }
    at = value_end;
  }
}

std::string_view required_text(std::string_view object, std::string_view name) {
  const auto text = member_text(object, name);
  HOLDFAST_INVARIANT(text, "the input of a chain has its source data and the parent's result");
  return *text;
}

/// Of JSON that was checked when it came in, or that we wrote.
nlohmann::json parsed(std::string_view text) {
  const auto value = parse_json(text, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(value, "what is stored was valid when it came in");
  return *value;
}

} // namespace

core::failure check_json(std::string_view text, const json_limits& limits) {
  if (text == "{}" && limits.bytes_max >= text.size() && limits.depth_max > 0)
    return {}; // what most tasks have as their data, and as their result
  const auto parsed = parse_json(text, limits);
  return parsed ? core::failure{} : parsed.error();
}

core::failure check_text(std::string_view text, std::string_view what, std::size_t bytes_max) {
  const auto refuse = [&](const std::string& why) {
    return core::failure{core::errc::invalid_argument, std::string{what} + " " + why};
  };
  if (text.empty())
    return refuse("must not be empty");
  if (text.size() > bytes_max)
    return refuse("has " + std::to_string(text.size()) + " bytes; at most "
                  + std::to_string(bytes_max) + " are allowed");
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return refuse("contains a NUL at byte " + std::to_string(nul) + "; leave it out");
  if (const auto bad = first_invalid_utf8(text); bad != std::string_view::npos)
    return refuse("is not valid UTF-8 at byte " + std::to_string(bad) + "; encode it as UTF-8");
  return {};
}

std::string chained_input(const finished_link& parent, std::string_view item) {
  const auto source = parent.chained ? required_text(parent.input, "data") : parent.input;
  if (item.empty() && parent.chained)
    item = member_text(parent.input, "item").value_or(std::string_view{});
  std::string input;
  input.reserve(source.size() + item.size() + parent.result.size() + 32);
  input += R"({"data":)";
  input += source;
  if (!item.empty()) {
    input += R"(,"item":)";
    input += item;
  }
  input += R"(,"result":)";
  input += parent.result;
  input += '}';
  return input;
}

gathered gathered_input(const std::vector<std::string_view>& inputs, core::gather_by by,
                        std::size_t bytes_max) {
  constexpr std::size_t brackets = 40; // and the names
  const bool one_source = by == core::gather_by::list;
  std::string data;
  std::string items;
  std::string results;
  bool any_item = false;
  gathered made;
  for (const auto input : inputs) {
    const auto source = required_text(input, "data");
    const auto item = member_text(input, "item");
    const auto result = required_text(input, "result");
    const auto more = (one_source && made.units > 0 ? 0 : source.size() + 1)
                      + item.value_or("null").size() + result.size() + 2;
    if (made.units > 0 && data.size() + items.size() + results.size() + more + brackets > bytes_max)
      break;
    const auto* comma = made.units > 0 ? "," : "";
    if (!one_source || made.units == 0)
      data.append(comma).append(source);
    items.append(comma).append(item.value_or("null"));
    results.append(comma).append(result);
    any_item = any_item || item;
    ++made.units;
  }
  if (!one_source)
    data = '[' + data + ']';
  made.input = R"({"data":)" + data;
  if (any_item)
    made.input += R"(,"item":[)" + items + ']';
  made.input += R"(,"result":[)" + results + "]}";
  return made;
}

std::string reviewed_result(const finished_link& review) {
  const auto correction = member_text(review.result, "correction");
  if (!correction)
    return std::string{required_text(review.input, "result")};
  // As in other results, what is no string is there as its text.
  const auto answer = answer_text(parsed(*correction));
  return core::json_object{}.text("answer", answer).boolean("corrected", true).str();
}

std::vector<result_item> items_of(std::string_view result) {
  const auto answer = parsed(result).at("answer").get<std::string>();
  auto list = nlohmann::json::parse(answer, nullptr, false);
  if (!list.is_array())
    list = nlohmann::json::array({answer});
  std::vector<result_item> items;
  for (const auto& item : list)
    items.push_back({item.dump(), core::json_object{}.text("answer", answer_text(item)).str()});
  return items;
}

} // namespace holdfast::documents
