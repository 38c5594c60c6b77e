#include "http/schema_maker.hpp"

#include "http/json_values.hpp"

#include <algorithm>

namespace holdfast::http {

namespace {

constexpr std::string_view uuid_format = "uuid";

constexpr std::string_view key_name = "Idempotency-Key";
constexpr std::string_view key_doc =
    "An id that makes the request repeatable, in place of the one in the body.";
constexpr std::string_view inner_made_note = " The server makes one when it is left out.";
constexpr std::string_view made_note =
    " The server makes one when neither this nor the header `Idempotency-Key` is there.";
constexpr std::string_view caller_note =
    " A caller whose token is bound to one name may leave it out.";

std::string joined(std::string_view first, std::string_view second) {
  std::string both{first};
  both += second;
  return both;
}

} // namespace

schema_maker schema_maker::of_request(const route_row& row, named_forms& named) {
  schema_maker made{false, named};
  made.from_query_ = row.method == verb::get || row.method == verb::remove;
  for (auto rest = row.path;;) {
    const auto begin = rest.find('{');
    const auto end = rest.find('}');
    if (begin == std::string_view::npos || end == std::string_view::npos)
      return made;
    made.path_.emplace(rest.substr(begin + 1, end - begin - 1));
    rest.remove_prefix(end + 1);
  }
}

schema_maker schema_maker::of_answer(named_forms& named) { return {true, named}; }

request_form schema_maker::request() const {
  request_form made;
  made.parameters = parameters_;
  if (is_whole_) {
    made.has_body = true;
    made.body_required = true;
    made.body_doc = whole_doc_;
    return made;
  }
  made.body = plain_form(value_form::kind::object);
  made.body.object = std::make_shared<object_form>(object_form{members_, false});
  made.has_body = !members_.empty();
  made.body_required =
      std::any_of(members_.begin(), members_.end(), [](const auto& one) { return one.required; });
  return made;
}

void schema_maker::caller(std::string_view name, std::string& member, std::string_view doc) {
  if (is_answer_ || is_in_path(name))
    return add(name, form_of(member), doc, true);
  add(name, form_of(member), joined(doc, caller_note), false);
}

std::string_view schema_maker::bare(std::string_view wire_name) {
  return wire_name.substr(wire_name.find('.') + 1);
}

value_form schema_maker::plain_form(value_form::kind kind) {
  value_form made;
  made.is = kind;
  return made;
}

value_form schema_maker::text_form(std::string_view format, bool may_be_null) {
  auto made = plain_form(value_form::kind::text);
  made.format = format;
  made.may_be_null = may_be_null;
  return made;
}

value_form schema_maker::list_of(value_form element) const {
  if (is_answer_ && element.format == uuid_format)
    element.may_be_null = true;
  auto made = plain_form(value_form::kind::list);
  made.element = std::make_shared<value_form>(std::move(element));
  return made;
}

value_form schema_maker::seconds() const {
  auto made = plain_form(value_form::kind::number);
  made.least = 0;
  if (!is_answer_)
    made.most = seconds_max;
  return made;
}

value_form schema_maker::whole_number(bool without_sign) {
  auto made = plain_form(value_form::kind::whole);
  if (without_sign)
    made.least = 0;
  return made;
}

value_form schema_maker::error_name() {
  auto made = plain_form(value_form::kind::text);
  for (unsigned number = 0;; ++number) {
    const auto code = static_cast<core::errc>(number);
    const auto& row = core::describe(code);
    if (row.code != code)
      return made;
    made.words.emplace_back(row.name);
  }
}

value_form schema_maker::one_of(const word_list& words) {
  auto made = plain_form(value_form::kind::text);
  for (const auto& one : words)
    made.words.emplace_back(one.text);
  return made;
}

std::string schema_maker::key_of(std::string_view name) const {
  const auto found = named_.find(std::string{name});
  if (found == named_.end() || found->second.may_have_others == is_answer_)
    return std::string{name};
  return joined(name, is_answer_ ? "_answer" : "_request");
}

void schema_maker::add(std::string_view name, value_form value, std::string_view doc, bool required,
                       bool in_query) {
  member_form made{std::string{name}, std::move(value), std::string{doc}, required};
  if (is_inner_) {
    members_.push_back(std::move(made));
  } else if (is_in_path(name)) {
    made.required = true;
    parameters_.push_back({parameter_place::path, std::move(made)});
  } else if (in_query || is_whole_ || from_query_) {
    parameters_.push_back({parameter_place::query, std::move(made)});
  } else {
    members_.push_back(std::move(made));
  }
}

void schema_maker::add_made(std::string_view name, value_form value, std::string_view doc) {
  if (is_answer_ || is_in_path(name))
    return add(name, std::move(value), doc, true);
  if (is_inner_)
    return add(name, std::move(value), joined(doc, inner_made_note), false);
  const bool has_key = std::any_of(parameters_.begin(), parameters_.end(), [](const auto& one) {
    return one.from == parameter_place::header;
  });
  if (!has_key)
    parameters_.push_back(
        {parameter_place::header, {std::string{key_name}, value, std::string{key_doc}, false}});
  add(name, std::move(value), joined(doc, made_note), false);
}

void schema_maker::add_whole(std::string_view doc) {
  is_whole_ = true;
  whole_doc_ = doc;
}

bool schema_maker::is_in_path(std::string_view name) const {
  return !is_inner_ && path_.find(name) != path_.end();
}

} // namespace holdfast::http
