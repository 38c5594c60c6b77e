#include "documents/member_reader.hpp"

#include "documents/exact_number.hpp"
#include "documents/pointer.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// Problems listed in one answer; more would hardly be read.
constexpr std::size_t problems_shown_max = 50;

} // namespace

member_reader::member_reader(const json& object, std::string place,
                             std::vector<core::definition_problem>& problems)
    : object_(object), place_(std::move(place)), problems_(problems) {
  if (!object_.is_object())
    problem("", "must be an object");
}

const json* member_reader::member(std::string_view name) {
  known_.push_back(name);
  if (!object_.is_object())
    return nullptr;
  const auto found = object_.find(std::string{name});
  return found == object_.end() ? nullptr : &*found;
}

const json* member_reader::required(std::string_view name, const char* what) {
  const auto* found = member(name);
  if (found == nullptr && object_.is_object())
    problem(name, std::string{"is missing; "} + what);
  return found;
}

void member_reader::text(std::string_view name, std::string& into) {
  if (const auto* value = member(name))
    text(*value, name, into);
}

void member_reader::text(const json& value, std::string_view name, std::string& into) {
  if (value.is_string())
    into = value.get<std::string>();
  else
    problem(name, "must be a string");
}

void member_reader::count(std::string_view name, std::uint32_t& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  if (value->is_number_unsigned()
      && value->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max())
    into = value->get<std::uint32_t>();
  else
    problem(name, "must be a whole number");
}

void member_reader::whole(std::string_view name, std::int32_t& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  using bounds = std::numeric_limits<std::int32_t>;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= std::uint64_t{bounds::max()}
                        : value->is_number_integer() && value->get<std::int64_t>() >= bounds::min();
  if (fits)
    into = value->get<std::int32_t>();
  else
    problem(name, "must be a whole number");
}

void member_reader::number(std::string_view name, double& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  if (is_number(*value))
    into = nearest_in(*value);
  else
    problem(name, "must be a number");
}

void member_reader::flag(std::string_view name, bool& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  if (value->is_boolean())
    into = value->get<bool>();
  else
    problem(name, "must be true or false");
}

void member_reader::texts(std::string_view name, std::vector<std::string>& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  if (!value->is_array()) {
    problem(name, "must be a list of strings");
    return;
  }
  into.clear();
  for (std::size_t i = 0; i < value->size(); ++i)
    if (const auto& one = (*value)[i]; one.is_string())
      into.push_back(one.get<std::string>());
    else
      problems_.push_back({place_of(name) + '/' + std::to_string(i), "must be a string"});
}

void member_reader::seconds(std::string_view name, core::duration& into) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  constexpr double seconds_max = 1e11; // 3,000 years: far above every bound, far below overflow
  if (is_number(*value) && std::abs(nearest_in(*value)) <= seconds_max)
    into = core::duration{std::llround(nearest_in(*value) * 1e6)};
  else
    problem(name, "must be a number of seconds");
}

void member_reader::each_of(
    std::string_view name,
    const std::function<void(const std::string&, const json&, const std::string&)>& read) {
  const auto* value = member(name);
  if (value == nullptr)
    return;
  if (!value->is_object()) {
    problem(name, "must be an object");
    return;
  }
  for (const auto& [entry, what] : value->items()) {
    auto place = place_of(name);
    append_token(place, entry);
    read(entry, what, place);
  }
}

void member_reader::refuse_unknown() {
  if (!object_.is_object())
    return;
  for (const auto& [name, value] : object_.items())
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      problem(name, "is not a member that is known here" + suggestion(name, known_));
}

void member_reader::problem(std::string_view name, std::string what) {
  problems_.push_back({place_of(name), std::move(what)});
}

std::string member_reader::place_of(std::string_view name) const {
  auto place = place_;
  if (!name.empty())
    append_token(place, name);
  return place;
}

core::failure refusal_of(const std::vector<core::definition_problem>& problems) {
  core::failure refusal{core::errc::payload_invalid, {}};
  for (std::size_t i = 0; i < problems.size() && i < problems_shown_max; ++i)
    refusal.detail += (i == 0 ? "" : "\n") + at_place(problems[i].place, problems[i].what);
  if (problems.size() > problems_shown_max)
    refusal.detail +=
        "\nand " + std::to_string(problems.size() - problems_shown_max) + " further problems";
  return refusal;
}

} // namespace holdfast::documents
