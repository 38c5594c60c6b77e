#include "documents/stopping_document.hpp"

#include "documents/member_reader.hpp"
#include "documents/parse.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace holdfast::documents {

namespace {

using core::quality::stopping_rule;

void read_bounds(member_reader& from, stopping_rule& rule) {
  const bool fixed = from.member("judgments_per_unit") != nullptr;
  const bool flexible = from.member("min") != nullptr || from.member("max") != nullptr
                        || from.member("stop_at") != nullptr;
  if (fixed && flexible)
    return from.problem("judgments_per_unit", "excludes min, max and stop_at");
  if (fixed) {
    from.count("judgments_per_unit", rule.max);
    rule.min = rule.max;
  } else {
    from.required("max", "it is the number of judgments after which a unit is done");
    from.count("min", rule.min);
    from.count("max", rule.max);
  }
  if (!fixed && rule.min < 1)
    from.problem("min", "must be at least 1");
  const auto least = fixed ? 1U : std::max(rule.min, 1U);
  if (rule.max < least || rule.max > core::judgments_per_unit_max)
    from.problem(fixed ? "judgments_per_unit" : "max",
                 "must be from " + std::to_string(least) + " to "
                     + std::to_string(core::judgments_per_unit_max));
}

} // namespace

stopping_rule read_stopping_rule(const nlohmann::json& source, const std::string& place,
                                 std::vector<core::definition_problem>& problems) {
  member_reader from{source, place, problems};
  stopping_rule rule;
  read_bounds(from, rule);
  if (from.member("stop_at") != nullptr) {
    double share = 1;
    from.number("stop_at", share);
    if (!(share > 0 && share <= 1))
      from.problem("stop_at", "must be above 0 and at most 1");
    rule.stop_at = share;
  }
  from.flag("curtail", rule.curtail);
  if (rule.curtail && from.member("judgments_per_unit") != nullptr)
    rule.min = 1; // the rule itself says when it may stop
  from.refuse_unknown();
  return rule;
}

core::outcome<stopping_rule> read_stopping_rule(std::string_view json) {
  const auto document = parse_json(json, {});
  if (!document)
    return document.error();
  std::vector<core::definition_problem> problems;
  auto rule = read_stopping_rule(*document, "", problems);
  if (!problems.empty())
    return refusal_of(problems);
  return rule;
}

} // namespace holdfast::documents
