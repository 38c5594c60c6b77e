#include "documents/json.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/object_ref.hpp"
#include "documents/answer_text.hpp"
#include "documents/json_slices.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"
#include "documents/text.hpp"

#include <limits>
#include <optional>
#include <utility>

namespace holdfast::documents {

namespace {

std::string_view required_text(std::string_view object, std::string_view name) {
  const auto text = member_text(object, name);
  HOLDFAST_INVARIANT(text, "the input of a chain has its source data and the parent's result");
  return *text;
}

/// The database sorts members: wherever such a one stands, it may come to be the first.
bool has_reserved_member(const nlohmann::json& document) {
  const std::string reserved = "$holdfast.";
  if (!document.is_object())
    return false;
  const auto& members = document.get_ref<const nlohmann::json::object_t&>();
  const auto first = members.lower_bound(reserved);
  return first != members.end() && first->first.compare(0, reserved.size(), reserved) == 0;
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
  if (core::begins_like_object_ref(text))
    return refused_as_reference();
  const auto parsed = parse_json(text, limits);
  if (!parsed)
    return parsed.error();
  return has_reserved_member(*parsed) ? refused_as_reference() : core::failure{};
}

core::failure refused_as_reference() {
  return {core::errc::payload_invalid,
          "a document may not have a member whose name begins with \"$holdfast.\", as that of"
          " \"$holdfast.object\", which stands for a payload in the object store; send the payload"
          " itself, or use another name"};
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

std::string mapped_input(std::string_view input, const std::vector<core::input_member>& members,
                         bool with_result) {
  core::json_object data;
  for (const auto& member : members) {
    const auto pointer = json_pointer::parse(member.pointer);
    HOLDFAST_INVARIANT(pointer, "pointers were checked with the definition");
    data.raw(member.name, pointer->find_text(input).value_or("null"));
  }
  auto mapped = R"({"data":)" + data.str();
  if (with_result)
    mapped.append(R"(,"result":)").append(required_text(input, "result"));
  return mapped + '}';
}

gathered gathered_input(const std::vector<std::string_view>& inputs, batch_data data_is,
                        std::size_t bytes_max) {
  constexpr std::size_t brackets = 40; // and the names
  const bool one_source = data_is == batch_data::in_common;
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
  auto read = parse_json(answer, {std::numeric_limits<std::size_t>::max(), 1000});
  const auto list = read && read->is_array() ? std::move(*read) : nlohmann::json::array({answer});
  std::vector<result_item> items;
  for (const auto& item : list)
    items.push_back(
        {canonical_text(item), core::json_object{}.text("answer", answer_text(item)).str()});
  return items;
}

} // namespace holdfast::documents
