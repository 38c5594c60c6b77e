#include "http/request_reader.hpp"

#include "documents/pointer.hpp"
#include "documents/text.hpp"

#include <algorithm>

namespace holdfast::http {

namespace {

/// The only name that this caller can be in requests of this kind; empty when it may be several.
std::string name_of_caller(const core::principal& who, std::string_view member) {
  const auto as = member == "worker" ? core::role::worker : core::role::contributor;
  std::optional<std::string> only;
  for (const auto& grant : who.grants) {
    if (grant.as != as)
      continue;
    if (only && *only != grant.name)
      return {};
    only = grant.name;
  }
  return only.value_or(std::string{});
}

} // namespace

request_reader::request_reader(const request_parts& parts, std::vector<request_problem>& problems)
    : parts_(parts), inner_(false), problems_(problems) {
  if (!parts_.body.empty() && parts_.body.front() == '{')
    members_ = documents::members_of(parts_.body);
}

request_reader::request_reader(const request_parts& parts, std::string_view object,
                               std::string place, std::vector<request_problem>& problems)
    : parts_(parts),
      inner_(true),
      place_(std::move(place)),
      members_(documents::members_of(object)),
      problems_(problems) {}

void request_reader::whole(const document& member, std::string_view) {
  if (parts_.body.empty())
    return problems_.push_back({"", "the body is missing"});
  member.text = parts_.body;
  whole_ = true;
  members_.clear();
}

void request_reader::made(std::string_view name, core::uuid& member) {
  if (take(name, member, false))
    return;
  if (parts_.idempotency_key && !inner_)
    member = *parts_.idempotency_key;
  else
    member = parts_.make_id();
}

void request_reader::caller(std::string_view name, std::string& member, std::string_view) {
  if (take(name, member, false))
    return;
  member = name_of_caller(*parts_.who, name);
  if (member.empty())
    problem(name, "is missing");
}

std::optional<request_reader::found_value> request_reader::find(std::string_view name,
                                                                bool in_query) {
  known_.emplace_back(name);
  found_value found;
  if (!inner_) {
    for (const auto& one : parts_.path)
      if (one.name == name) {
        found.is_text = true;
        found.texts.push_back(one.value);
        return found;
      }
    if (in_query || whole_ || parts_.from_query) {
      for (const auto& one : parts_.query)
        if (one.name == name)
          found.texts.push_back(one.value);
      if (found.texts.empty())
        return std::nullopt;
      found.is_text = true;
      return found;
    }
  }
  for (const auto& one : members_)
    if (one.name == name) {
      found.json = one.value;
      return found;
    }
  return std::nullopt;
}

void request_reader::refuse_unknown() {
  std::vector<std::string_view> known{known_.begin(), known_.end()};
  const auto refuse = [&](const std::string& name, std::string place) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      problems_.push_back(
          {std::move(place), "is unknown here" + documents::suggestion(name, known)});
  };
  for (const auto& one : members_)
    refuse(one.name, place_of(one.name));
  if (inner_)
    return;
  for (const auto& one : parts_.query)
    refuse(one.name, one.name);
  if (!whole_ && !parts_.body.empty() && parts_.body.front() != '{')
    problems_.push_back({"", "the body must be a JSON object"});
}

std::string request_reader::place_of(std::string_view name) const {
  const auto is_parameter = [&](const std::vector<parameter>& all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  };
  if (!inner_
      && (whole_ || parts_.from_query || is_parameter(parts_.path) || is_parameter(parts_.query)))
    return std::string{name};
  auto place = place_;
  documents::append_token(place, name);
  return place;
}

void request_reader::problem(std::string_view name, std::string what) {
  problems_.push_back({place_of(name), std::move(what)});
}

} // namespace holdfast::http
