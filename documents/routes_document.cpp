#include "documents/routes_document.hpp"

#include "documents/answer_text.hpp"
#include "documents/exact_number.hpp"
#include "documents/member_reader.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

namespace holdfast::documents {

using nlohmann::json;

namespace {

using problems_list = std::vector<core::definition_problem>;

/// One answer, or a list of them; named as the answers of judgments are.
std::vector<std::string> read_answers(const json& source, const std::vector<std::string>& labels) {
  std::vector<std::string> answers;
  if (!source.is_array())
    return {answer_text(source, labels)};
  for (const auto& answer : source)
    answers.push_back(answer_text(answer, labels));
  return answers;
}

void read_number(member_reader& from, const char* name, std::optional<double>& into) {
  if (from.member(name) == nullptr)
    return;
  double number = 0;
  from.number(name, number);
  into = number;
}

void read_count(member_reader& from, const char* name, std::optional<std::uint32_t>& into) {
  if (from.member(name) == nullptr)
    return;
  std::uint32_t times = 0;
  from.count(name, times);
  into = times;
}

/// One scalar, a list of them, or the bounds of a number.
core::input_condition read_input_condition(const std::string& pointer, const json& source,
                                           const std::string& place, problems_list& problems) {
  core::input_condition asked{pointer, {}, {}, {}};
  if (source.is_object()) {
    member_reader from{source, place, problems};
    for (const auto* bound : {"at_least", "below"})
      if (const auto* given = from.member(bound);
          given != nullptr && is_number(*given)
          && decimal_in(*given) != core::decimal::of(nearest_in(*given)))
        from.problem(bound, "has more digits than a double holds, which a bound may not have");
    read_number(from, "at_least", asked.at_least);
    read_number(from, "below", asked.below);
    from.refuse_unknown();
    return asked;
  }
  const auto add = [&](const json& value, const std::string& here) {
    if (value.is_structured())
      problems.push_back({here, "must be a string, a number, true, false or null"});
    else
      asked.values.push_back(canonical_text(value));
  };
  if (!source.is_array())
    add(source, place);
  else
    for (std::size_t i = 0; i < source.size(); ++i)
      add(source[i], place + '/' + std::to_string(i));
  return asked;
}

void read_input_conditions(member_reader& from, problems_list& problems,
                           std::vector<core::input_condition>& into) {
  from.each_of("input", [&](const std::string& pointer, const json& source,
                            const std::string& place) {
    if (json_pointer::parse(pointer))
      into.push_back(read_input_condition(pointer, source, place, problems));
    else
      problems.push_back({place, "must be named by a JSON pointer such as /data/language, with ~0 "
                                 "for ~ and ~1 for /"});
  });
  const auto* source = from.member("input");
  if (source != nullptr && source->is_object() && source->empty())
    from.problem("input", "must have a member; leave it out to ask nothing of the input");
}

core::route_condition read_condition(const json& source, const std::string& place,
                                     const std::vector<std::string>& labels,
                                     problems_list& problems) {
  core::route_condition when;
  member_reader from{source, place, problems};
  if (const auto* answers = from.member("answer"))
    when.answers = read_answers(*answers, labels);
  if (const auto* answers = from.member("answer_not"))
    when.other_answers = read_answers(*answers, labels);
  read_number(from, "confidence_below", when.confidence_below);
  read_number(from, "agreement_below", when.agreement_below);
  read_number(from, "trust_below", when.trust_below);
  read_number(from, "sample", when.sample);
  from.count("seed", when.seed);
  if (from.member("seed") != nullptr && !when.sample)
    from.problem("seed", "says which units are drawn, so give `sample`, too");
  read_count(from, "sent_back", when.sent_back);
  read_count(from, "judged_fewer", when.judged_fewer);
  read_input_conditions(from, problems, when.input);
  if (from.member("tied") != nullptr) {
    bool tied = false;
    from.flag("tied", tied);
    when.tied = tied;
  }
  from.refuse_unknown();
  return when;
}

/// In the order of their names, which is that of JSON objects here.
void read_input(member_reader& from, problems_list& problems,
                std::vector<core::input_member>& into) {
  const auto* source = from.member("input");
  from.each_of("input", [&](const std::string& name, const json& pointer,
                            const std::string& place) {
    if (pointer.is_string() && json_pointer::parse(pointer.get_ref<const std::string&>()))
      into.push_back({name, pointer.get<std::string>()});
    else
      problems.push_back({place, "must be a JSON pointer such as /data/text, with ~0 for ~ and ~1 "
                                 "for /"});
  });
  if (source != nullptr && source->is_object() && source->empty())
    from.problem("input", "must have a member; leave it out to pass on everything");
}

core::route read_route(const json& source, const std::string& place,
                       const std::vector<std::string>& labels, problems_list& problems) {
  core::route rule;
  member_reader from{source, place, problems};
  if (const auto* when = from.member("when"))
    rule.when = read_condition(*when, place + "/when", labels, problems);
  if (const auto* to = from.required("to", "list the keys of steps; an empty list ends the chain"))
    rule.to = read_step_keys(*to, place + "/to", problems);
  from.flag("for_each", rule.for_each);
  if (from.member("exclude_judges") != nullptr) {
    bool excluded = false;
    from.flag("exclude_judges", excluded);
    rule.exclude_judges = excluded;
  }
  from.count("loops_max", rule.loops_max);
  read_input(from, problems, rule.input);
  from.refuse_unknown();
  return rule;
}

} // namespace

std::vector<core::route> read_routes(const json& source, const std::string& place,
                                     const std::vector<std::string>& labels,
                                     problems_list& problems) {
  std::vector<core::route> routes;
  if (!source.is_array()) {
    problems.push_back({place, "must be a list of routes"});
    return routes;
  }
  for (std::size_t i = 0; i < source.size(); ++i)
    routes.push_back(read_route(source[i], place + "/" + std::to_string(i), labels, problems));
  return routes;
}

std::vector<std::string> read_step_keys(const json& source, const std::string& place,
                                        problems_list& problems) {
  std::vector<std::string> keys;
  if (!source.is_array()) {
    problems.push_back({place, "must be a list of keys of steps"});
    return keys;
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i].is_string())
      keys.push_back(source[i].get<std::string>());
    else
      problems.push_back({place + "/" + std::to_string(i), "must be the key of a step"});
  }
  return keys;
}

} // namespace holdfast::documents
