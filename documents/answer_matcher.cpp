#include "documents/answer_matcher.hpp"

#include "core/quality/matchers.hpp"
#include "documents/judgment_document.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/pattern.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::documents {

namespace {

namespace quality = core::quality;
using nlohmann::json;

/// Judges a value that has been read.
using value_matcher = std::function<bool(const json&)>;

/// What is needed to make a matcher; null when a problem was reported.
using make_matcher = value_matcher (*)(member_reader&);

value_matcher exact(member_reader& from) {
  const auto* truth = from.required("answer", "it is the right answer");
  if (truth == nullptr)
    return {};
  return [truth = *truth](const json& answer) { return answer == truth; };
}

value_matcher set_of(member_reader& from) {
  const auto* truth = from.required("answer", "it is the array of right answers");
  if (truth == nullptr)
    return {};
  if (!truth->is_array()) {
    from.problem("answer", "must be an array");
    return {};
  }
  return [truth = std::set<json>(truth->begin(), truth->end())](const json& answer) {
    return answer.is_array() && std::set<json>(answer.begin(), answer.end()) == truth;
  };
}

value_matcher number(member_reader& from) {
  const auto* truth = from.required("answer", "it is the right number");
  quality::number_tolerance tolerance;
  from.number("within", tolerance.absolute);
  from.number("within_share", tolerance.relative);
  if (tolerance.absolute < 0 || tolerance.relative < 0)
    from.problem(tolerance.absolute < 0 ? "within" : "within_share", "must not be negative");
  if (truth == nullptr)
    return {};
  if (!truth->is_number()) {
    from.problem("answer", "must be a number");
    return {};
  }
  return [truth = truth->get<double>(), tolerance](const json& answer) {
    return answer.is_number() && quality::is_near(answer.get<double>(), truth, tolerance);
  };
}

/// Code points, as `pattern` counts them.
std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const unsigned char byte : text)
    count += (byte & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

value_matcher text_pattern(member_reader& from) {
  std::string expression;
  if (from.required("pattern", "it is a regular expression") == nullptr)
    return {};
  from.text("pattern", expression);
  auto compiled = pattern::compile(expression);
  if (!compiled) {
    from.problem("pattern", compiled.error().detail);
    return {};
  }
  return [compiled = std::move(*compiled)](const json& answer) {
    if (!answer.is_string())
      return false;
    const auto& text = answer.get_ref<const std::string&>();
    return characters(text) <= pattern::subject_max && compiled.found_in(text);
  };
}

std::optional<quality::box> box_of(const json& value) {
  if (!value.is_array() || value.size() != 4)
    return std::nullopt;
  for (const auto& side : value)
    if (!side.is_number())
      return std::nullopt;
  return quality::box{value[0], value[1], value[2], value[3]};
}

value_matcher box(member_reader& from) {
  const auto* answer = from.required("answer", "it is the right box: [x1, y1, x2, y2]");
  double least = 0.5;
  from.number("overlap", least);
  if (!(least > 0 && least <= 1))
    from.problem("overlap", "must be above 0 and at most 1");
  if (answer == nullptr)
    return {};
  const auto truth = box_of(*answer);
  if (!truth) {
    from.problem("answer", "must be four numbers: [x1, y1, x2, y2]");
    return {};
  }
  return [truth = *truth, least](const json& given) {
    const auto drawn = box_of(given);
    return drawn && quality::overlap_of(*drawn, truth) >= least;
  };
}

const std::map<std::string, make_matcher> matchers{
    {"exact", exact}, {"set", set_of}, {"number", number}, {"pattern", text_pattern}, {"box", box}};

} // namespace

core::outcome<answer_matcher> read_answer_matcher(std::string_view text) {
  const auto document = parse_json(text, {});
  if (!document)
    return document.error();
  std::vector<core::definition_problem> problems;
  member_reader from{*document, "", problems};
  std::string kind = "exact";
  from.text("match", kind);
  value_matcher matcher;
  if (const auto known = matchers.find(kind); known != matchers.end()) {
    matcher = known->second(from);
    from.refuse_unknown();
  } else {
    from.problem("match", "must be exact, set, number, pattern or box");
  }
  if (!problems.empty())
    return refusal_of(problems);
  return answer_matcher{[matcher = std::move(matcher)](std::string_view answer) {
    const auto value = parse_json(answer, {});
    return value && matcher(*value);
  }};
}

std::optional<std::string> single_right_answer(std::string_view text) {
  const auto document = parse_json(text, {});
  if (!document || !document->is_object() || document->value("match", "exact") != "exact")
    return std::nullopt;
  const auto answer = document->find("answer");
  return answer == document->end() ? std::nullopt : std::optional{answer_text(*answer)};
}

} // namespace holdfast::documents
