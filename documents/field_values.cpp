#include "documents/field_values.hpp"

#include "core/decimal.hpp"
#include "core/fields/phrases.hpp"
#include "core/invariant.hpp"
#include "documents/answer_text.hpp"
#include "documents/exact_number.hpp"
#include "documents/normal_text.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace holdfast::documents {

using core::fields::absent;
using core::fields::field_kind;
using core::fields::field_rule;
using core::fields::has_marks;
using core::fields::mark;
using core::fields::span;
using core::fields::value;
using nlohmann::json;

struct field_values::compiled {
  std::vector<field_rule> rules;
  std::vector<json_pointer> places;
  /// The labels of each rule by their answer text, so that "10" is the label 10.
  std::vector<std::map<std::string, std::string>> labels;
};

namespace {

core::failure not_valid(const std::string& place, const std::string& what) {
  return {core::errc::payload_invalid, at_place(place, what)};
}

/// The name of the member that has the place of a mark.
const char* member_of_mark(field_kind kind) {
  return kind == field_kind::boxes ? "box" : kind == field_kind::points ? "point" : "polygon";
}

constexpr const char* box_form = "must be [left, top, right, bottom]";

std::optional<double> coordinate_in(const json& source) {
  if (!is_number(source))
    return std::nullopt;
  const auto number = nearest_in(source);
  return std::isfinite(number) && std::abs(number) <= coordinate_max ? std::optional{number}
                                                                     : std::nullopt;
}

/// So many coordinates; empty when it is something else.
std::vector<double> coordinates_in(const json& source, std::size_t count) {
  std::vector<double> found;
  if (!source.is_array() || source.size() != count)
    return found;
  for (const auto& one : source) {
    const auto number = coordinate_in(one);
    if (!number)
      return {};
    found.push_back(*number);
  }
  return found;
}

std::vector<double> members_in(const json& source, const std::array<const char*, 4>& names) {
  std::vector<double> found;
  for (const auto* name : names) {
    const auto member = source.find(name);
    const auto number = member == source.end() ? std::nullopt : coordinate_in(*member);
    if (!number)
      return {};
    found.push_back(*number);
  }
  return found;
}

/// The corners of a box in one of its spellings; empty when it is something else.
std::vector<double> box_in(const json& source) {
  if (!source.is_object())
    return coordinates_in(source, 4);
  auto found = members_in(source, {"left", "top", "right", "bottom"});
  if (found.empty())
    found = members_in(source, {"x1", "y1", "x2", "y2"});
  if (found.empty()) {
    found = members_in(source, {"x", "y", "width", "height"});
    if (!found.empty()) {
      found[2] += found[0];
      found[3] += found[1];
    }
  }
  return found;
}

core::outcome<std::vector<core::fields::point>> corners_in(field_kind kind, const json& source,
                                                           const std::string& place) {
  const auto count = kind == field_kind::points ? 1U : source.is_array() ? source.size() : 0U;
  if (kind == field_kind::polygons && (count < 3 || count > polygon_corners_max))
    return not_valid(place, "must be a list of 3 to " + std::to_string(polygon_corners_max)
                                + " corners [x, y]");
  std::vector<core::fields::point> corners;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& one = kind == field_kind::points ? source : source[i];
    const auto found = coordinates_in(one, 2);
    if (found.empty())
      return not_valid(kind == field_kind::points ? place : place + "/" + std::to_string(i),
                       "must be [x, y], two numbers of at most 1e9");
    corners.push_back({found[0], found[1]});
  }
  return corners;
}

core::outcome<std::string> label_of_part(const field_rule& rule, const json& source,
                                         const std::string& place) {
  const auto label = source.find("label");
  if (label == source.end())
    return rule.labels.empty() ? core::outcome<std::string>{std::string{}}
                               : not_valid(place + "/label", "is missing");
  if (!label->is_string())
    return not_valid(place + "/label", "must be a string");
  auto text = label->get<std::string>();
  if (!rule.labels.empty()
      && std::find(rule.labels.begin(), rule.labels.end(), text) == rule.labels.end())
    return not_valid(place + "/label", "is none of the labels of the field");
  return text;
}

core::outcome<mark> mark_in(const field_rule& rule, const json& source, const std::string& place) {
  mark made;
  const json* shape = &source;
  auto at = place;
  const auto* member = member_of_mark(rule.kind);
  if (source.is_object()) {
    auto label = label_of_part(rule, source, place);
    if (!label)
      return label.error();
    made.label = std::move(*label);
    if (const auto found = source.find(member); found != source.end()) {
      shape = &*found;
      at += std::string{"/"} + member;
    } else if (rule.kind != field_kind::boxes) {
      return not_valid(place + "/" + member, "is missing");
    }
  } else if (!rule.labels.empty()) {
    return not_valid(place, std::string{"must be an object with label and "} + member);
  }
  if (rule.kind == field_kind::boxes) {
    const auto found = box_in(*shape);
    if (found.empty())
      return not_valid(at, std::string{box_form} + ", numbers of at most 1e9");
    made.box = {std::min(found[0], found[2]), std::min(found[1], found[3]),
                std::max(found[0], found[2]), std::max(found[1], found[3])};
    return made;
  }
  auto corners = corners_in(rule.kind, *shape, at);
  if (!corners)
    return corners.error();
  made.corners = std::move(*corners);
  return made;
}

core::outcome<value> marks_in(const field_rule& rule, const json& source,
                              const std::string& place) {
  std::vector<mark> marks;
  if (rule.single) {
    auto one = mark_in(rule, source, place);
    if (!one)
      return one.error();
    marks.push_back(std::move(*one));
    return value{std::move(marks)};
  }
  if (!source.is_array())
    return not_valid(place,
                     std::string{"must be a list of objects with "} + member_of_mark(rule.kind));
  if (source.size() > marks_max)
    return not_valid(place, "has " + std::to_string(source.size()) + " marks; at most "
                                + std::to_string(marks_max) + " are compared");
  for (std::size_t i = 0; i < source.size(); ++i) {
    auto one = mark_in(rule, source[i], place + "/" + std::to_string(i));
    if (!one)
      return one.error();
    marks.push_back(std::move(*one));
  }
  return value{std::move(marks)};
}

core::outcome<value> spans_in(const field_rule& rule, const json& source,
                              const std::string& place) {
  if (!source.is_array() || source.size() > spans_max)
    return not_valid(place, "must be a list of at most " + std::to_string(spans_max)
                                + " objects with start, end and label");
  std::vector<span> spans;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto here = place + "/" + std::to_string(i);
    const auto& one = source[i];
    const auto whole = [&](const char* name) -> std::optional<std::uint32_t> {
      const auto found = one.is_object() ? one.find(name) : one.end();
      if (!one.is_object() || found == one.end() || !found->is_number_unsigned()
          || found->get<std::uint64_t>() > static_cast<std::uint64_t>(coordinate_max))
        return std::nullopt;
      return found->get<std::uint32_t>();
    };
    const auto start = whole("start");
    const auto end = whole("end");
    if (!start || !end || *end <= *start)
      return not_valid(here, "must have a start and an end behind it, both whole numbers of "
                             "characters from 0");
    auto label = label_of_part(rule, one, here);
    if (!label)
      return label.error();
    spans.push_back({*start, *end, std::move(*label)});
  }
  const auto key = [](const span& s) { return std::tie(s.start, s.end, s.label); };
  std::sort(spans.begin(), spans.end(),
            [&](const span& a, const span& b) { return key(a) < key(b); });
  spans.erase(std::unique(spans.begin(), spans.end(),
                          [&](const span& a, const span& b) { return key(a) == key(b); }),
              spans.end());
  return value{std::move(spans)};
}

core::outcome<value> number_in(const json& source, const std::string& place) {
  if (!is_number(source))
    return not_valid(place, "must be a number");
  const auto nearest = nearest_in(source);
  // 1e-400 and identifiers of 20 digits are other numbers as doubles; nothing is compared rounded.
  constexpr double rounding_seen = 1e-14;
  const auto exact = decimal_in(source);
  const auto lost = core::decimal::distance(exact, core::decimal::of(nearest)).nearest();
  if (!std::isfinite(nearest)
      || (exact.is_whole() ? lost > 0 : lost > std::abs(nearest) * rounding_seen)
      || (nearest == 0 && !exact.is_zero()))
    return not_valid(place, "has more digits than are compared; numbers here have 15");
  return value{nearest == 0 ? 0.0 : nearest}; // no -0
}

/// The JSON text of a label or of any value.
core::outcome<std::string> listed_value(const field_rule& rule,
                                        const std::map<std::string, std::string>& labels,
                                        const json& source, const std::string& place) {
  if (rule.labels.empty())
    return canonical_text(source);
  const auto known = labels.find(answer_text(source));
  if (known == labels.end())
    return not_valid(place, "is none of the values that the field lists");
  return known->second;
}

core::outcome<value> list_in(const field_rule& rule,
                             const std::map<std::string, std::string>& labels, const json& source,
                             const std::string& place) {
  if (!source.is_array() || source.size() > listed_values_max)
    return not_valid(place,
                     "must be a list of at most " + std::to_string(listed_values_max) + " values");
  std::vector<std::string> list;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto here = place + "/" + std::to_string(i);
    auto one = listed_value(rule, labels, source[i], here);
    if (!one)
      return one.error();
    if (std::find(list.begin(), list.end(), *one) != list.end())
      return not_valid(here, "is in the list already");
    list.push_back(std::move(*one));
  }
  if (rule.kind == field_kind::set)
    std::sort(list.begin(), list.end());
  return value{std::move(list)};
}

json number_json(double number) {
  constexpr double whole_max = 9'007'199'254'740'992;
  if (number == std::floor(number) && std::abs(number) <= whole_max)
    return static_cast<std::int64_t>(number);
  return number;
}

json mark_json(const field_rule& rule, const mark& one) {
  json shape;
  if (rule.kind == field_kind::boxes) {
    shape = json::array({number_json(one.box.left), number_json(one.box.top),
                         number_json(one.box.right), number_json(one.box.bottom)});
  } else {
    shape = json::array();
    for (const auto& corner : one.corners)
      shape.push_back(json::array({number_json(corner.x), number_json(corner.y)}));
    if (rule.kind == field_kind::points)
      shape = json(shape.at(0));
  }
  if (rule.single && one.label.empty())
    return shape;
  json made{{member_of_mark(rule.kind), std::move(shape)}};
  if (!one.label.empty())
    made["label"] = one.label;
  return made;
}

json marks_json(const field_rule& rule, const std::vector<mark>& marks) {
  if (rule.single)
    return marks.empty() ? json{} : mark_json(rule, marks.front());
  auto list = json::array();
  for (const auto& one : marks)
    list.push_back(mark_json(rule, one));
  return list;
}

json parsed(const std::string& text) { return json::parse(text, nullptr, false); }

void put_at(json& document, const std::vector<std::string>& tokens, json value) {
  auto* here = &document;
  for (const auto& token : tokens) {
    if (!here->is_object())
      *here = json::object();
    here = &(*here)[token];
  }
  *here = std::move(value);
}

/// The name of a part of an answer in its report.
std::string name_of_part(const field_rule& rule, const std::string& name) {
  const bool of_text =
      rule.kind == field_kind::text || has_marks(rule.kind) || rule.kind == field_kind::spans;
  const auto parts = of_text ? json{} : parsed(name);
  return of_text || parts.is_discarded() ? name : answer_text(parts);
}

json interval_json(const core::fields::number_interval& interval) {
  return json::array({number_json(interval.low), number_json(interval.high)});
}

} // namespace

field_values::field_values(std::vector<field_rule> rules) {
  auto made = std::make_unique<compiled>();
  made->rules = std::move(rules);
  for (const auto& rule : made->rules) {
    auto place = json_pointer::parse(rule.at);
    HOLDFAST_INVARIANT(place, "read_fields accepted the pointer");
    made->places.push_back(std::move(*place));
    auto& labels = made->labels.emplace_back();
    if (!has_marks(rule.kind) && rule.kind != field_kind::spans)
      for (const auto& label : rule.labels)
        labels.emplace(answer_text(parsed(label)), label);
  }
  compiled_ = std::move(made);
}

field_values::~field_values() = default;

const std::vector<field_rule>& field_values::rules() const { return compiled_->rules; }

core::outcome<std::vector<value>> field_values::read(const json& judgment) const {
  std::vector<value> values;
  for (std::size_t i = 0; i < compiled_->rules.size(); ++i) {
    const auto& rule = compiled_->rules[i];
    const auto* found = compiled_->places[i].find(judgment);
    if (found == nullptr || found->is_null()) {
      if (!rule.optional && rule.kind != field_kind::none)
        return not_valid(rule.at, "is missing; the step compares the value at this place");
      values.emplace_back(absent{});
      continue;
    }
    auto read = read_value(i, *found, rule.at);
    if (!read)
      return read.error();
    values.push_back(std::move(*read));
  }
  return values;
}

core::outcome<value> field_values::read_value(std::size_t rule, const json& source,
                                              const std::string& place) const {
  const auto& of = compiled_->rules.at(rule);
  const auto& labels = compiled_->labels[rule];
  switch (of.kind) {
  case field_kind::category:
  case field_kind::ordinal:
  case field_kind::pairwise: {
    auto label = listed_value(of, labels, source, place);
    if (!label)
      return label.error();
    return value{std::move(*label)};
  }
  case field_kind::set:
  case field_kind::ranking:
    return list_in(of, labels, source, place);
  case field_kind::number:
    return number_in(source, place);
  case field_kind::text: {
    if (!source.is_string())
      return not_valid(place, "must be a string");
    const auto& text = source.get_ref<const std::string&>();
    if (code_points(text) > core::fields::phrase_points_max)
      return not_valid(place, "has more than " + std::to_string(core::fields::phrase_points_max)
                                  + " characters; longer texts are not compared");
    return value{phrase_of(text, of.normalise)};
  }
  case field_kind::boxes:
  case field_kind::points:
  case field_kind::polygons:
    return marks_in(of, source, place);
  case field_kind::spans:
    return spans_in(of, source, place);
  case field_kind::none:
    break;
  }
  return value{canonical_text(source)};
}

json field_values::written(std::size_t rule, const value& said) const {
  const auto& of = compiled_->rules.at(rule);
  struct writer {
    const field_rule& of;
    json operator()(const absent&) const { return {}; }
    json operator()(const std::string& text) const { return parsed(text); }
    json operator()(double number) const { return number_json(number); }
    json operator()(const core::fields::phrase& text) const { return text.written; }
    json operator()(const std::vector<std::string>& list) const {
      auto made = json::array();
      // Of a set in the order of its options, as forms show them.
      if (of.kind == field_kind::set)
        for (const auto& label : of.labels)
          if (std::find(list.begin(), list.end(), label) != list.end())
            made.push_back(parsed(label));
      for (const auto& one : list)
        if (of.kind != field_kind::set
            || std::find(of.labels.begin(), of.labels.end(), one) == of.labels.end())
          made.push_back(parsed(one));
      return made;
    }
    json operator()(const std::vector<mark>& marks) const { return marks_json(of, marks); }
    json operator()(const std::vector<span>& spans) const {
      auto made = json::array();
      for (const auto& one : spans) {
        json written{{"start", one.start}, {"end", one.end}};
        if (!one.label.empty())
          written["label"] = one.label;
        made.push_back(std::move(written));
      }
      return made;
    }
  };
  return std::visit(writer{of}, said);
}

json field_values::document(const std::vector<value>& values) const {
  auto made = json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!core::fields::is_absent(values[i]))
      put_at(made, compiled_->places[i].tokens(), written(i, values[i]));
  return made;
}

json field_values::report(std::size_t rule, const core::fields::found_value& found) const {
  const auto& of = compiled_->rules.at(rule);
  json made{{"confidence", found.confidence}, {"votes", found.votes}};
  if (of.kind == field_kind::none)
    return json{{"votes", found.votes}};
  made["answer"] = written(rule, found.answer);
  if (found.tied > 1)
    made["tied"] = found.tied;
  if (found.half)
    made["half"] = interval_json(*found.half);
  if (found.nearly)
    made["nearly_all"] = interval_json(*found.nearly);
  if (!found.support.empty()) {
    auto& support = made["support"] = json::array();
    for (const auto& part : found.support) {
      json written{{"share", part.share}, {"votes", part.votes}};
      if (part.label_share < 1)
        written["label_share"] = part.label_share;
      if (!part.name.empty())
        written["name"] = name_of_part(of, part.name);
      support.push_back(std::move(written));
    }
  }
  return made;
}

} // namespace holdfast::documents
