#include "http/api_description.hpp"
#include "http/openapi.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

namespace {

/// One line of a table of members.
struct table_row {
  std::string name;
  std::string from; ///< `path`, `query`, `header` or `body`.
  std::string type; ///< As HTML.
  bool required = false;
  std::string doc;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

/// A sentence, with what stands between backticks as code.
std::string prose(std::string_view text) {
  std::string out;
  for (bool in_code = false;; in_code = !in_code) {
    const auto end = text.find('`');
    out += escaped(text.substr(0, end));
    if (end == std::string_view::npos)
      return out + (in_code ? "</code>" : "");
    out += in_code ? "</code>" : "<code>";
    text.remove_prefix(end + 1);
  }
}

std::string code(std::string_view text) { return "<code>" + escaped(text) + "</code>"; }

std::string element(std::string_view tag, std::string_view html) {
  std::string out;
  out += '<';
  out += tag;
  out += '>';
  out += html;
  out += "</";
  out += tag;
  out += ">\n";
  return out;
}

// --- types ---

std::string bounds_of(const value_form& form) {
  if (form.least && form.most)
    return " from " + std::to_string(*form.least) + " to " + std::to_string(*form.most);
  if (form.least)
    return " from " + std::to_string(*form.least);
  if (form.most)
    return " to " + std::to_string(*form.most);
  return {};
}

std::string text_type_of(const value_form& form) {
  if (form.format == "uuid")
    return "UUID";
  if (form.format == "date-time")
    return "time (RFC 3339)";
  if (form.words.empty())
    return "string";
  std::string out = "one of";
  for (const auto& word : form.words) {
    out += &word == &form.words.front() ? " " : ", ";
    out += code(word);
  }
  return out;
}

/// The type for people, as HTML.
std::string type_of(const value_form& form) {
  std::string type = "JSON";
  switch (form.is) {
  case value_form::kind::boolean:
    type = "boolean";
    break;
  case value_form::kind::whole:
    type = "integer" + bounds_of(form);
    break;
  case value_form::kind::number:
    type = "number" + bounds_of(form);
    break;
  case value_form::kind::text:
    type = text_type_of(form);
    break;
  case value_form::kind::list:
    type = "list of " + type_of(*form.element);
    break;
  case value_form::kind::object:
    type = form.named.empty()
               ? std::string{"object"}
               : "<a href=\"#object-" + escaped(form.named) + "\">" + escaped(form.named) + "</a>";
    break;
  case value_form::kind::anything:
    break;
  }
  return form.may_be_null ? type + " or null" : type;
}

/// The form of the objects of a value: its own, or that of the elements of a list. Null when it has
/// a name, or is no object.
const object_form* object_in(const value_form& form) {
  if (form.element)
    return object_in(*form.element);
  return form.object.get();
}

// --- tables ---

void add_rows(std::vector<table_row>& rows, const object_form& form, const std::string& prefix,
              const std::string& from) {
  for (const auto& one : form.members) {
    auto name = prefix + one.name;
    rows.push_back({name, from, type_of(one.value), one.required, one.doc});
    if (const auto* inner = object_in(one.value); inner != nullptr)
      add_rows(rows, *inner, name + (one.value.element ? "[]." : "."), from);
  }
}

std::string cell(std::string_view label, std::string_view html) {
  std::string out = "<td data-label=\"";
  out += label;
  out += "\">";
  out += html;
  out += "</td>";
  return out;
}

/// Members of a request, with their places.
std::string request_table(const std::vector<table_row>& rows) {
  std::string out = "<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Required</th>"
                    "<th>Meaning</th></tr></thead><tbody>\n";
  for (const auto& one : rows)
    out += "<tr>" + cell("Name", code(one.name)) + cell("In", one.from) + cell("Type", one.type)
           + cell("Required", one.required ? "yes" : "no") + cell("Meaning", prose(one.doc))
           + "</tr>\n";
  return out + "</tbody></table>\n";
}

/// Members of an object, alone.
std::string object_table(const object_form& form) {
  std::vector<table_row> rows;
  add_rows(rows, form, {}, {});
  const std::string required = form.may_have_others ? "Always there" : "Required";
  std::string out = "<table><thead><tr><th>Name</th><th>Type</th><th>" + required
                    + "</th><th>Meaning</th></tr></thead><tbody>\n";
  for (const auto& one : rows)
    out += "<tr>" + cell("Name", code(one.name)) + cell("Type", one.type)
           + cell(required, one.required ? "yes" : "no") + cell("Meaning", prose(one.doc))
           + "</tr>\n";
  return out + "</tbody></table>\n";
}

// --- chapters ---

std::string roles_text(core::role_set roles) {
  std::string out;
  for (const auto name : names_of(roles)) {
    out += out.empty() ? "" : ", ";
    out += name;
  }
  return out;
}

std::string request_part(const request_form& request) {
  std::vector<table_row> rows;
  for (const auto& one : request.parameters)
    rows.push_back({one.member.name, std::string{to_string(one.from)}, type_of(one.member.value),
                    one.member.required, one.member.doc});
  if (request.body.object)
    add_rows(rows, *request.body.object, {}, "body");
  else if (request.has_body)
    rows.push_back({"(whole body)", "body", type_of(request.body), true, request.body_doc});
  return rows.empty() ? std::string{} : "<h4>Request</h4>\n" + request_table(rows);
}

std::string answer_part(const operation_description& one) {
  auto out = "<h4>Answer</h4>\n<p>Status " + std::to_string(one.row.success) + ": "
             + type_of(one.answer) + ".</p>\n";
  for (const auto& other : one.other_answers)
    out += "<p>Status " + std::to_string(other.status) + ": " + prose(other.doc) + "</p>\n";
  if (const auto* object = object_in(one.answer); object != nullptr && !object->members.empty())
    out += object_table(*object);
  return out;
}

std::string operation_part(const operation_description& one) {
  std::string out = "<article id=\"" + escaped(one.name) + "\">\n";
  out += "<h3><span class=\"method\">" + escaped(to_string(one.row.method)) + "</span> "
         + code(one.row.path) + "</h3>\n";
  out += "<p>" + prose(one.row.summary) + ".</p>\n";
  out += "<p class=\"roles\">Roles: " + escaped(roles_text(one.roles)) + "</p>\n";
  out += request_part(one.request);
  out += answer_part(one);
  return out + "</article>\n";
}

std::string topic_part(const api_description& api, const topic_description& topic) {
  std::string out = "<section id=\"topic-" + escaped(topic.name) + "\">\n";
  out += element("h2", escaped(topic.title));
  out += element("p", prose(topic.sentence));
  for (const auto& one : api.operations)
    if (one.row.about == topic.about)
      out += operation_part(one);
  return out + "</section>\n";
}

std::string objects_part(const api_description& api) {
  std::string out = "<section id=\"objects\">\n<h2>Objects</h2>\n"
                    "<p>Answers may get more members in later versions.</p>\n";
  for (const auto& [name, form] : api.objects) {
    out += "<article id=\"object-" + escaped(name) + "\">\n";
    out += element("h3", code(name));
    out += object_table(form);
    out += "</article>\n";
  }
  return out + "</section>\n";
}

std::string errors_part(const api_description& api) {
  std::string out =
      "<section id=\"errors\">\n<h2>Errors</h2>\n"
      "<p>An error is <code>application/problem+json</code> (RFC 9457) with the members "
      "<code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, "
      "<code>code</code>, <code>retryable</code>, <code>trace_id</code> and, where parts of a "
      "request "
      "are wrong, <code>errors</code>.</p>\n"
      "<table><thead><tr><th>Code</th><th>Status</th><th>Retryable</th><th>Advice</th></tr>"
      "</thead><tbody>\n";
  for (const auto& one : api.problems)
    out += "<tr id=\"error-" + escaped(one.code) + "\">" + cell("Code", code(one.code))
           + cell("Status", std::to_string(one.status))
           + cell("Retryable", one.retryable ? "yes" : "no") + cell("Advice", prose(one.advice))
           + "</tr>\n";
  return out + "</tbody></table>\n</section>\n";
}

std::string navigation() {
  std::string out = "<nav><ul>\n<li><a href=\"#rules\">Rules</a></li>\n";
  for (const auto& one : all_topics())
    out += "<li><a href=\"#topic-" + escaped(one.name) + "\">" + escaped(one.title) + "</a></li>\n";
  return out
         + "<li><a href=\"#objects\">Objects</a></li>\n<li><a href=\"#errors\">Errors</a></li>\n"
           "</ul></nav>\n";
}

// --- the page ---

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --text: #1c2024; --soft: #5b6570; --back: #ffffff;
  --line: #d5dae0; --field: #f3f5f7; --link: #0b5fc0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ea; --soft: #9aa5b1; --back: #14171a; --line: #343b42; --field: #20252a;
    --link: #79b4ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 68rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin-bottom: 0; }
h4 { margin: 1rem 0 0; }
article { margin-top: 2rem; }
code { padding: 0 .2em; border-radius: .2em; background: var(--field);
  font: .9em/1.4 ui-monospace, monospace; }
.method { font-weight: 700; }
.roles { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
table { width: 100%; margin-top: .5rem; border-collapse: collapse; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
tr:target, article:target { outline: 2px solid var(--link); }
@media (max-width: 44rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
  td::before { content: attr(data-label) ": "; color: var(--soft); }
}
)css";

constexpr std::string_view rules = R"html(<section id="rules">
<h2>Rules</h2>
<ul>
<li>Send a token in the header <code>Authorization: Bearer</code>. Each operation names the roles
that may call it.</li>
<li>Bodies are <code>application/json</code>. Unknown members and parameters are refused.</li>
<li>A request with an id, in its body or in the header <code>Idempotency-Key</code>, may be sent
again after a lost answer: it is carried out once.</li>
<li>Times are RFC 3339 in UTC, durations are seconds. The end of a lease is
<code>lease_seconds</code> after the answer, whatever the clock of the client says.</li>
<li>With <code>wait</code> a request waits up to 60 seconds for something to be there.</li>
<li>A status of 429 or 503 has the header <code>Retry-After</code>: send the same request again
after that many seconds.</li>
<li>A read has the header <code>ETag</code>. Sent back in <code>If-None-Match</code>, it is answered
304 without a body while the answer is the same.</li>
</ul>
</section>
)html";

std::string page_of(const api_description& api) {
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>Holdfast HTTP API</title>\n<style>";
  out += style;
  out += "</style>\n</head>\n<body>\n<header>\n<h1>Holdfast HTTP API</h1>\n<p>Version ";
  out += escaped(api_version());
  out += ". For programs: <a href=\"/openapi.json\">/openapi.json</a> (OpenAPI 3.1).</p>\n";
  out += navigation();
  out += "</header>\n<main>\n";
  out += rules;
  for (const auto& topic : all_topics())
    out += topic_part(api, topic);
  out += objects_part(api);
  out += errors_part(api);
  return out + "</main>\n</body>\n</html>\n";
}

} // namespace

const std::string& reference_page() {
  static const auto page = page_of(describe_api(routes()));
  return page;
}

} // namespace holdfast::http
