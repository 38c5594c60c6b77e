#include "documents/workflow_document.hpp"

#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Problems listed in one answer; more would hardly be read.
constexpr std::size_t problems_shown_max = 50;

/// Reads members of one object at one place; whatever it is not asked for is an unknown member.
class reader {
public:
  reader(const json& object, std::string place, std::vector<core::definition_problem>& problems)
      : object_(object), place_(std::move(place)), problems_(problems) {
    if (!object_.is_object())
      problem("", "must be an object");
  }

  /// The member, or null; it then is known.
  const json* member(std::string_view name) {
    known_.push_back(name);
    if (!object_.is_object())
      return nullptr;
    const auto found = object_.find(std::string{name});
    return found == object_.end() ? nullptr : &*found;
  }

  const json* required(std::string_view name, const char* what) {
    const auto* found = member(name);
    if (found == nullptr && object_.is_object())
      problem(name, std::string{"is missing; "} + what);
    return found;
  }

  void text(std::string_view name, std::string& into) {
    if (const auto* value = member(name))
      text(*value, name, into);
  }

  void text(const json& value, std::string_view name, std::string& into) {
    if (value.is_string())
      into = value.get<std::string>();
    else
      problem(name, "must be a string");
  }

  /// A whole number that fits; its own bounds are the core's to check.
  void count(std::string_view name, std::uint32_t& into) {
    const auto* value = member(name);
    if (value == nullptr)
      return;
    if (value->is_number_unsigned()
        && value->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max())
      into = value->get<std::uint32_t>();
    else
      problem(name, "must be a whole number");
  }

  /// Seconds, fractions allowed, kept to the microsecond.
  void seconds(std::string_view name, core::duration& into) {
    const auto* value = member(name);
    if (value == nullptr)
      return;
    constexpr double seconds_max = 1e9; // 31 years: far above every bound, far below overflow
    if (value->is_number() && std::abs(value->get<double>()) <= seconds_max)
      into = core::duration{std::llround(value->get<double>() * 1e6)};
    else
      problem(name, "must be a number of seconds");
  }

  void refuse_unknown() {
    if (!object_.is_object())
      return;
    for (const auto& [name, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        problem(name, "is not a member that is known here" + suggestion(name, known_));
  }

  void problem(std::string_view name, std::string what) {
    problems_.push_back({place_of(name), std::move(what)});
  }

  std::string place_of(std::string_view name) const {
    auto place = place_;
    if (!name.empty())
      append_token(place, name);
    return place;
  }

private:
  const json& object_;
  const std::string place_;
  std::vector<core::definition_problem>& problems_;
  std::vector<std::string_view> known_;
};

class definition_reader {
public:
  core::workflow_definition definition;
  std::vector<core::definition_problem> problems;

  void read(const json& document) {
    reader from{document, "", problems};
    if (const auto* name = from.required("name", "give the workflow one"))
      from.text(*name, "name", definition.name);
    const auto* steps = from.required("steps", "list at least one step");
    if (steps != nullptr && !steps->is_array())
      from.problem("steps", "must be a list of steps");
    else if (steps != nullptr)
      for (std::size_t i = 0; i < steps->size(); ++i)
        read_step((*steps)[i], "/steps/" + std::to_string(i));
    from.refuse_unknown();
  }

private:
  void read_step(const json& source, const std::string& place) {
    core::step_definition step;
    reader from{source, place, problems};
    if (const auto* key = from.required("key", "give the step one that is unique here"))
      from.text(*key, "key", step.key);
    from.text("title", step.title);
    from.count("judgments_per_unit", step.judgments_per_unit);
    if (const auto* lease = from.member("lease"))
      read_lease(*lease, place + "/lease", step.lease);
    if (const auto* aggregation = from.member("aggregation"))
      read_aggregation(*aggregation, place + "/aggregation", step);
    if (const auto* schema_source = from.member("judgment_schema")) {
      if (schema::compile(*schema_source, place + "/judgment_schema", problems))
        step.judgment_schema = schema_source->dump();
    }
    if (const auto* next = from.member("next"))
      read_next(*next, place + "/next", step.next);
    from.refuse_unknown();
    definition.steps.push_back(std::move(step));
  }

  void read_lease(const json& source, const std::string& place, core::lease_policy& lease) {
    reader from{source, place, problems};
    const auto total_by_default = lease.total_max;
    from.seconds("ttl_seconds", lease.ttl);
    // Without a word about it, a lease longer than the default total may simply not be extended.
    lease.total_max = std::max(total_by_default, lease.ttl);
    from.seconds("total_max_seconds", lease.total_max);
    from.seconds("regrant_after_seconds", lease.regrant_after);
    from.refuse_unknown();
  }

  void read_aggregation(const json& source, const std::string& place, core::step_definition& step) {
    reader from{source, place, problems};
    std::string method = "majority";
    from.text("method", method);
    if (method != "majority")
      from.problem("method", "must be majority");
    from.text("answer", step.answer_pointer);
    if (!json_pointer::parse(step.answer_pointer))
      from.problem("answer", "must be a JSON pointer such as /answer, with ~0 for ~ and ~1 for /");
    from.refuse_unknown();
  }

  void read_next(const json& source, const std::string& place, std::vector<std::string>& next) {
    if (!source.is_array()) {
      problems.push_back({place, "must be a list of keys of steps"});
      return;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i].is_string())
        next.push_back(source[i].get<std::string>());
      else
        problems.push_back({place + "/" + std::to_string(i), "must be the key of a step"});
    }
  }
};

core::failure refusal_of(const std::vector<core::definition_problem>& problems) {
  core::failure refusal{core::errc::payload_invalid, {}};
  for (std::size_t i = 0; i < problems.size() && i < problems_shown_max; ++i)
    refusal.detail += (i == 0 ? "" : "\n") + at_place(problems[i].place, problems[i].what);
  if (problems.size() > problems_shown_max)
    refusal.detail +=
        "\nand " + std::to_string(problems.size() - problems_shown_max) + " further problems";
  return refusal;
}

} // namespace

core::outcome<core::workflow_definition> parse_workflow(std::string_view text,
                                                        const json_limits& limits) {
  const auto document = parse_json(text, limits);
  if (!document)
    return document.error();
  definition_reader reader;
  reader.read(*document);
  // The core's rules speak of values; they are applied when everything could be read.
  if (reader.problems.empty())
    reader.problems = core::problems_of(reader.definition);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  return std::move(reader.definition);
}

} // namespace holdfast::documents
