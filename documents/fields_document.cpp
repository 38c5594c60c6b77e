#include "documents/fields_document.hpp"

#include "core/workflow.hpp"
#include "documents/answer_text.hpp"
#include "documents/member_reader.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace holdfast::documents {

using core::fields::field_kind;
using core::fields::field_method;
using core::fields::field_rule;
using core::fields::has_marks;
using nlohmann::json;

namespace {

constexpr std::size_t field_name_bytes_max = 64;
constexpr double number_max = 1e15;

bool is_field_name(const std::string& name) {
  return !name.empty() && name.size() <= field_name_bytes_max
         && std::all_of(name.begin(), name.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
            });
}

/// The name of the list of possible values; null for kinds without one.
const char* list_name_of(field_kind kind) {
  switch (kind) {
  case field_kind::set:
    return "options";
  case field_kind::ranking:
    return "items";
  case field_kind::number:
  case field_kind::text:
  case field_kind::none:
    return nullptr;
  default:
    return "labels";
  }
}

template <class Names>
std::string names_listed(const Names& all) {
  std::string listed;
  for (const auto one : all)
    listed += (listed.empty() ? "" : ", ") + std::string{to_string(one)};
  return listed;
}

class field_reader_of_definition {
public:
  field_reader_of_definition(const json& source, std::string place,
                             std::vector<core::definition_problem>& problems)
      : from_(source, place, problems), place_(std::move(place)), problems_(problems) {}

  field_rule read() {
    read_name();
    if (!read_kind())
      return rule_;
    read_method();
    if (const auto* list = list_name_of(rule_.kind))
      read_labels(list);
    from_.flag("optional", rule_.optional);
    if (rule_.kind == field_kind::number)
      read_number();
    if (rule_.kind == field_kind::text)
      read_normalisation();
    if (rule_.kind == field_kind::pairwise)
      read_pair();
    if (has_marks(rule_.kind))
      from_.flag("single", rule_.single);
    if (rule_.kind == field_kind::points)
      at_least_nothing("distance", rule_.distance);
    else if (has_marks(rule_.kind) || rule_.kind == field_kind::spans)
      share("overlap", rule_.overlap, false);
    if (has_marks(rule_.kind) || rule_.kind == field_kind::spans || rule_.kind == field_kind::set)
      share("share", rule_.share, true);
    from_.refuse_unknown();
    return rule_;
  }

private:
  void read_name() {
    if (const auto* name = from_.required("name", "name the field"))
      from_.text(*name, "name", rule_.name);
    if (!rule_.name.empty() && !is_field_name(rule_.name))
      from_.problem("name", "must be 1 to 64 of a-z 0-9 _ -");
    rule_.at = "/" + rule_.name;
    from_.text("at", rule_.at);
    if (!json_pointer::parse(rule_.at))
      from_.problem("at", "must be a JSON pointer into the judgment, such as /answer/kind");
  }

  bool read_kind() {
    static const std::vector<field_kind> kinds{
        field_kind::category, field_kind::set,      field_kind::number,  field_kind::ordinal,
        field_kind::text,     field_kind::boxes,    field_kind::points,  field_kind::polygons,
        field_kind::spans,    field_kind::pairwise, field_kind::ranking, field_kind::none};
    std::string name;
    if (const auto* kind = from_.required("kind", "say what kind of answer it is"))
      from_.text(*kind, "kind", name);
    const auto known = core::fields::field_kind_named(name);
    if (!known && !name.empty())
      from_.problem("kind", "must be one of " + names_listed(kinds));
    if (known)
      rule_.kind = *known;
    return known.has_value();
  }

  void read_method() {
    const auto& methods = core::fields::methods_of(rule_.kind);
    rule_.method = methods.front();
    std::string name{to_string(rule_.method)};
    from_.text("method", name);
    const auto known = core::fields::field_method_named(name);
    if (known && std::find(methods.begin(), methods.end(), *known) != methods.end())
      rule_.method = *known;
    else
      from_.problem("method", "must be one of " + names_listed(methods) + " for a field of kind "
                                  + std::string{to_string(rule_.kind)});
  }

  void read_labels(const char* name) {
    const auto* list = from_.member(name);
    const bool needed = rule_.kind == field_kind::ordinal || rule_.kind == field_kind::pairwise;
    if (list == nullptr) {
      if (needed)
        from_.problem(name, rule_.kind == field_kind::ordinal
                                ? "is missing: list the labels, the lowest first"
                                : "is missing: list what judgments call the first and the second");
      return;
    }
    if (!list->is_array() || list->empty() || list->size() > core::labels_max) {
      from_.problem(name, "must be a list of 1 to " + std::to_string(core::labels_max) + " values");
      return;
    }
    const bool of_parts = has_marks(rule_.kind) || rule_.kind == field_kind::spans;
    std::set<std::string> texts;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto& label = (*list)[i];
      const auto here = from_.place_of(name) + "/" + std::to_string(i);
      if (of_parts && !label.is_string())
        problems_.push_back({here, "must be a string"});
      // What people take for the same label must not be two.
      if (!texts.insert(answer_text(label)).second)
        problems_.push_back({here, "is in the list already"});
      rule_.labels.push_back(of_parts && label.is_string() ? label.get<std::string>()
                                                           : canonical_text(label));
    }
    if (rule_.kind == field_kind::pairwise && (list->size() < 2 || list->size() > 3))
      from_.problem(name, "must have two labels, and a third one if both may be as good");
  }

  void read_number() {
    at_least_nothing("within", rule_.within);
    share("within_share", rule_.within_share, true);
    if (rule_.method == field_method::trimmed_mean)
      from_.number("trim", rule_.trim);
    if (!(rule_.trim >= 0 && rule_.trim < 0.5))
      from_.problem("trim", "must be from 0 to less than 0.5");
  }

  void read_normalisation() {
    const auto* source = from_.member("normalise");
    if (source == nullptr)
      return;
    member_reader from{*source, from_.place_of("normalise"), problems_};
    from.flag("nfc", rule_.normalise.nfc);
    from.flag("case", rule_.normalise.letter_case);
    from.flag("blanks", rule_.normalise.blanks);
    from.flag("punctuation", rule_.normalise.punctuation);
    from.refuse_unknown();
  }

  void read_pair() {
    from_.texts("between", rule_.between);
    if (!rule_.between.empty()
        && (rule_.between.size() != 2 || !json_pointer::parse(rule_.between[0])
            || !json_pointer::parse(rule_.between[1])))
      from_.problem("between", "must be two JSON pointers into the input of a unit, to the items "
                               "that it compares");
  }

  void at_least_nothing(const char* name, double& into) {
    from_.number(name, into);
    if (!(into >= 0 && into <= number_max))
      from_.problem(name, "must be from 0 to 1e15");
  }

  void share(const char* name, double& into, bool or_nothing) {
    from_.number(name, into);
    if (!(into <= 1 && (or_nothing ? into >= 0 : into > 0)))
      from_.problem(name, or_nothing ? "must be from 0 to 1" : "must be above 0 and at most 1");
  }

  member_reader from_;
  const std::string place_;
  std::vector<core::definition_problem>& problems_;
  field_rule rule_;
};

} // namespace

std::vector<field_rule> read_fields(const json& source, const std::string& place,
                                    std::vector<core::definition_problem>& problems) {
  std::vector<field_rule> fields;
  if (!source.is_array() || source.empty() || source.size() > fields_max) {
    problems.push_back({place, "must be a list of 1 to " + std::to_string(fields_max) + " fields"});
    return fields;
  }
  std::set<std::string> names;
  std::set<std::string> places;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto here = place + "/" + std::to_string(i);
    if (!source[i].is_object()) {
      problems.push_back({here, "must be an object"});
      continue;
    }
    auto rule = field_reader_of_definition{source[i], here, problems}.read();
    if (!rule.name.empty() && !names.insert(rule.name).second)
      problems.push_back({here + "/name", "is the name of another field, too"});
    if (!places.insert(rule.at).second)
      problems.push_back({here + "/at", "is the place of another field, too"});
    fields.push_back(std::move(rule));
  }
  return fields;
}

} // namespace holdfast::documents
