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
  if (parts_.places)
    parts_.places->documents.emplace_back();
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

request_reader::part request_reader::part_of(std::string_view name, bool in_query) const {
  if (inner_)
    return part::body;
  const auto& path = parts_.path;
  if (std::any_of(path.begin(), path.end(), [&](const auto& one) { return one.name == name; }))
    return part::path;
  return in_query || whole_ || parts_.from_query ? part::query : part::body;
}

std::optional<request_reader::found_value> request_reader::find(std::string_view name,
                                                                bool in_query) {
  const auto in = part_of(name, in_query);
  known_.push_back({std::string{name}, in});
  found_value found;
  if (in == part::body) {
    for (const auto& one : members_)
      if (one.name == name) {
        found.json = one.value;
        return found;
      }
    return std::nullopt;
  }
  for (const auto& one : in == part::path ? parts_.path : parts_.query)
    if (one.name == name)
      found.texts.push_back(one.value);
  if (found.texts.empty())
    return std::nullopt;
  found.is_text = true;
  return found;
}

void request_reader::note_place(std::string_view name, bool is_document) {
  if (inner_ || !parts_.places)
    return;
  auto place = place_of(name);
  if (is_document)
    parts_.places->documents.push_back(place);
  parts_.places->members.emplace_back(name, std::move(place));
}

void request_reader::refuse_unknown(const std::string& name, std::string place, part in) {
  const auto member = std::find_if(known_.begin(), known_.end(),
                                   [&](const known_member& one) { return one.name == name; });
  if (member != known_.end() && member->in == in)
    return;
  // A value that is ignored would look as if it held.
  std::string what;
  if (member == known_.end()) {
    std::vector<std::string_view> names;
    for (const auto& one : known_)
      if (one.in == in)
        names.push_back(one.name);
    what = "is unknown here" + documents::suggestion(name, names);
  } else if (member->in == part::path) {
    what = "is in the path of this request; leave it out here";
  } else {
    what = member->in == part::query ? "belongs in the query of this request"
                                     : "belongs in the body of this request";
  }
  problems_.push_back({std::move(place), std::move(what)});
}

void request_reader::refuse_unknown() {
  for (const auto& one : members_) {
    auto place = place_;
    documents::append_token(place, one.name);
    refuse_unknown(one.name, std::move(place), part::body);
  }
  if (inner_)
    return;
  for (const auto& one : parts_.query)
    refuse_unknown(one.name, one.name, part::query);
  if (!whole_ && !parts_.body.empty() && parts_.body.front() != '{')
    problems_.push_back({"", "the body must be a JSON object"});
}

std::string request_reader::place_of(std::string_view name) const {
  const auto member = std::find_if(known_.begin(), known_.end(),
                                   [&](const known_member& one) { return one.name == name; });
  const auto in = member == known_.end() ? part_of(name, false) : member->in;
  if (in != part::body)
    return std::string{name};
  auto place = place_;
  documents::append_token(place, name);
  return place;
}

void request_reader::problem(std::string_view name, std::string what) {
  problems_.push_back({place_of(name), std::move(what)});
}

} // namespace holdfast::http
