#include "documents/answer_matcher.hpp"

#include "core/quality/matchers.hpp"
#include "documents/answer_text.hpp"
#include "documents/exact_number.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/pattern.hpp"
#include "documents/schema.hpp"

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

/// Judges the text of an answer (`answer_text`): two spellings of one answer are judged alike.
using text_matcher = std::function<bool(const std::string&)>;

/// What is needed to make a matcher; null when a problem was reported.
using make_matcher = text_matcher (*)(member_reader&, const std::vector<std::string>& labels);

/// The value of an answer that is an array: the array itself, or its text as a string.
std::optional<json> array_in(const std::string& text) {
  auto value = parse_json(text, {});
  if (!value || !value->is_array())
    return std::nullopt;
  return std::move(*value);
}

/// The elements of an array, each once.
std::set<std::string> elements_of(const json& array) {
  std::set<std::string> texts;
  for (const auto& element : array)
    texts.insert(canonical_text(element));
  return texts;
}

text_matcher exact(member_reader& from, const std::vector<std::string>& labels) {
  const auto* truth = from.required("answer", "it is the right answer");
  if (truth == nullptr)
    return {};
  return
      [truth = answer_text(*truth, labels)](const std::string& answer) { return answer == truth; };
}

text_matcher set_of(member_reader& from, const std::vector<std::string>&) {
  const auto* truth = from.required("answer", "it is the array of right answers");
  if (truth == nullptr)
    return {};
  if (!truth->is_array()) {
    from.problem("answer", "must be an array");
    return {};
  }
  return [truth = elements_of(*truth)](const std::string& answer) {
    const auto given = array_in(answer);
    return given && elements_of(*given) == truth;
  };
}

text_matcher number(member_reader& from, const std::vector<std::string>&) {
  const auto* truth = from.required("answer", "it is the right number");
  quality::number_tolerance tolerance;
  double absolute = 0;
  from.number("within", absolute);
  if (const auto* within = from.member("within"); within != nullptr && is_number(*within))
    tolerance.absolute = decimal_in(*within);
  from.number("within_share", tolerance.relative);
  if (absolute < 0 || tolerance.relative < 0)
    from.problem(absolute < 0 ? "within" : "within_share", "must not be negative");
  if (truth == nullptr)
    return {};
  if (!is_number(*truth)) {
    from.problem("answer", "must be a number");
    return {};
  }
  return [truth = decimal_in(*truth), tolerance](const std::string& answer) {
    const auto given = core::decimal::parse(answer);
    return given && quality::is_near(*given, truth, tolerance);
  };
}

/// Code points, as `pattern` counts them.
std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const unsigned char byte : text)
    count += (byte & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

text_matcher text_pattern(member_reader& from, const std::vector<std::string>&) {
  std::string expression;
  if (from.required("pattern", "it is a regular expression") == nullptr)
    return {};
  from.text("pattern", expression);
  auto compiled = pattern::compile(expression);
  if (!compiled) {
    from.problem("pattern", compiled.error().detail);
    return {};
  }
  return [compiled = std::move(*compiled)](const std::string& answer) {
    return characters(answer) <= pattern::subject_max && compiled.found_in(answer);
  };
}

std::optional<quality::box> box_of(const json& value) {
  if (!value.is_array() || value.size() != 4)
    return std::nullopt;
  for (const auto& side : value)
    if (!is_number(side))
      return std::nullopt;
  return quality::box{nearest_in(value[0]), nearest_in(value[1]), nearest_in(value[2]),
                      nearest_in(value[3])};
}

text_matcher box(member_reader& from, const std::vector<std::string>&) {
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
  return [truth = *truth, least](const std::string& shown) {
    const auto given = array_in(shown);
    const auto drawn = given ? box_of(*given) : std::nullopt;
    return drawn && quality::overlap_of(*drawn, truth) >= least;
  };
}

const std::map<std::string, make_matcher> matchers{
    {"exact", exact}, {"set", set_of}, {"number", number}, {"pattern", text_pattern}, {"box", box}};

} // namespace

core::outcome<answer_matcher> read_answer_matcher(std::string_view text,
                                                  const std::vector<std::string>& labels) {
  const auto document = parse_json(text, {});
  if (!document)
    return document.error();
  std::vector<core::definition_problem> problems;
  member_reader from{*document, "", problems};
  std::string kind = "exact";
  from.text("match", kind);
  text_matcher matcher;
  if (const auto known = matchers.find(kind); known != matchers.end()) {
    matcher = known->second(from, labels);
    from.refuse_unknown();
  } else {
    from.problem("match", "must be exact, set, number, pattern or box");
  }
  if (!problems.empty())
    return refusal_of(problems);
  return answer_matcher{[matcher = std::move(matcher)](std::string_view answer) {
    const auto value = parse_json(answer, {});
    return value && matcher(answer_text(*value));
  }};
}

std::optional<std::string> single_right_answer(std::string_view text,
                                               const std::vector<std::string>& labels) {
  const auto document = parse_json(text, {});
  if (!document || !document->is_object() || document->value("match", "exact") != "exact")
    return std::nullopt;
  const auto answer = document->find("answer");
  return answer == document->end() ? std::nullopt : std::optional{answer_text(*answer, labels)};
}

} // namespace holdfast::documents
