// The OpenAPI document and the reference page: complete, and true to the tables.

#include "http/openapi.hpp"

#include "core/access.hpp"
#include "core/errors.hpp"
#include "http/problem.hpp"
#include "http/route_table.hpp"
#include "http/routes.hpp"
#include "messages/operations.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/detail/type_list.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using namespace holdfast::http;

namespace {

const nlohmann::json& parsed_document() {
  static const auto document = nlohmann::json::parse(openapi_document(), nullptr, false);
  return document;
}

/// Each operation of the document with its path and method.
struct listed_operation {
  std::string path;
  std::string method;
  nlohmann::json said;
};

std::vector<listed_operation> listed_operations() {
  std::vector<listed_operation> all;
  for (const auto& [path, methods] : parsed_document().at("paths").items())
    for (const auto& [method, said] : methods.items())
      all.push_back({path, method, said});
  return all;
}

/// All values of members `$ref` in it.
void collect_references(const nlohmann::json& in, std::set<std::string>& references) {
  if (in.is_object() && in.contains("$ref") && in.at("$ref").is_string())
    references.insert(in.at("$ref").get<std::string>());
  if (in.is_structured())
    for (const auto& one : in)
      collect_references(one, references);
}

/// The names in braces.
std::set<std::string> names_in_path(std::string path) {
  std::set<std::string> names;
  for (auto begin = path.find('{'); begin != std::string::npos; begin = path.find('{', begin + 1))
    names.insert(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

/// The names of the operations of `msg::operations`, and whether a composed route asks for each.
template <class... Rows>
std::map<std::string, bool> operation_names(caf::detail::type_list<Rows...>) {
  std::map<std::string, bool> all;
  const auto add = [&](auto row) {
    using asked = typename decltype(row)::request;
    constexpr std::string_view prefix = "hf1.";
    const std::string_view name = wire_name(static_cast<const asked*>(nullptr));
    const auto known_as = name_in_reference<asked>;
    // A request that took the name of an earlier one stands behind that one in the table.
    all.insert_or_assign(std::string{known_as.empty() ? name.substr(prefix.size()) : known_as},
                         is_composed<asked>);
  };
  (add(Rows{}), ...);
  return all;
}

std::set<std::string> route_names() {
  std::set<std::string> names;
  for (const auto& one : routes().all())
    names.emplace(one.name);
  return names;
}

std::vector<std::string> all_error_codes() {
  std::vector<std::string> all;
  for (unsigned number = 1;; ++number) {
    const auto code = static_cast<core::errc>(number);
    if (core::describe(code).code != code)
      break;
    all.emplace_back(core::to_string(code));
  }
  for (const auto one : all_refusals())
    all.push_back(nlohmann::json::parse(problem_of(one, {}).body).at("code").get<std::string>());
  return all;
}

/// The tags that have no end.
bool is_void_tag(const std::string& tag) { return tag == "meta" || tag == "br" || tag == "hr"; }

/// The first tag that is opened and not closed in its place; empty when all are.
std::string unbalanced_tag(const std::string& html) {
  std::vector<std::string> open;
  for (auto at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    if (html[at + 1] == '!')
      continue;
    const bool closes = html[at + 1] == '/';
    const auto begin = at + (closes ? 2 : 1);
    const auto tag = html.substr(begin, html.find_first_of(" >\n", begin) - begin);
    if (is_void_tag(tag))
      continue;
    if (!closes)
      open.push_back(tag);
    else if (open.empty() || open.back() != tag)
      return tag;
    else
      open.pop_back();
  }
  return open.empty() ? std::string{} : open.back();
}

/// The targets of links inside the page, and the anchors that it has.
std::set<std::string> marked_values(const std::string& html, const std::string& mark) {
  std::set<std::string> values;
  for (auto at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    values.insert(html.substr(begin, html.find('"', begin) - begin));
  }
  return values;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(openapi)

// --- the tables ---

BOOST_AUTO_TEST_CASE(each_operation_has_a_route_or_is_asked_for_by_composed_ones) {
  const auto named = route_names();
  const auto operations_by_name = operation_names(msg::operations{});
  BOOST_TEST(operations_by_name.size() > 60U);
  for (const auto& [name, composed] : operations_by_name)
    if (!composed)
      BOOST_TEST(named.count(name) == 1U, name << " has no route");
}

BOOST_AUTO_TEST_CASE(no_two_routes_have_one_name) {
  std::set<std::string_view> names;
  for (const auto& one : routes().all())
    BOOST_TEST(names.insert(one.name).second, one.name << " is there twice");
}

// --- the document ---

BOOST_AUTO_TEST_CASE(the_document_is_openapi_with_all_its_parts) {
  const auto& document = parsed_document();
  BOOST_REQUIRE(document.is_object());
  BOOST_TEST(document.at("openapi").get<std::string>() == "3.1.0");
  BOOST_TEST(document.at("info").at("title").get<std::string>() == "Holdfast");
  BOOST_TEST(!document.at("info").at("version").get<std::string>().empty());
  BOOST_TEST(document.at("servers").size() == 1U);
  BOOST_TEST(
      document.at("components").at("securitySchemes").at("bearer").at("scheme").get<std::string>()
      == "bearer");
  BOOST_TEST(document.at("security").at(0).contains("bearer"));
  BOOST_TEST(document.at("tags").size() == 9U);
  for (const auto& tag : document.at("tags"))
    BOOST_TEST(!tag.at("description").get<std::string>().empty());
}

BOOST_AUTO_TEST_CASE(each_route_is_one_operation_of_its_name) {
  std::map<std::string, std::string> paths;
  for (const auto& one : listed_operations()) {
    const auto name = one.said.at("operationId").get<std::string>();
    BOOST_TEST(paths.emplace(name, one.method + ' ' + one.path).second, name << " is there twice");
  }
  BOOST_TEST(paths.size() == routes().all().size());
  for (const auto& one : routes().all()) {
    std::string method{to_string(one.row.method)};
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    BOOST_TEST(paths[std::string{one.name}] == method + ' ' + std::string{one.row.path});
  }
}

BOOST_AUTO_TEST_CASE(each_reference_leads_somewhere) {
  std::set<std::string> references;
  collect_references(parsed_document(), references);
  BOOST_TEST(references.count("#/components/responses/problem") == 1U);
  BOOST_TEST(references.count("#/components/schemas/task_view") == 1U);
  for (const auto& one : references) {
    BOOST_TEST_REQUIRE(one.substr(0, 2) == "#/");
    BOOST_TEST(parsed_document().contains(nlohmann::json::json_pointer{one.substr(1)}),
               one << " leads nowhere");
  }
}

BOOST_AUTO_TEST_CASE(each_name_in_a_path_is_a_parameter_that_is_described) {
  for (const auto& one : listed_operations()) {
    std::set<std::string> described;
    std::set<std::string> all;
    for (const auto& parameter : one.said.value("parameters", nlohmann::json::array())) {
      const auto name = parameter.at("name").get<std::string>();
      const auto in = parameter.at("in").get<std::string>();
      BOOST_TEST(all.insert(in + ' ' + name).second, one.path << " has " << name << " twice");
      BOOST_TEST(!parameter.at("description").get<std::string>().empty(),
                 one.path << " does not say what " << name << " is");
      if (in != "path")
        continue;
      BOOST_TEST(parameter.at("required").get<bool>());
      described.insert(name);
    }
    BOOST_TEST(described == names_in_path(one.path), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(requests_without_a_body_describe_none) {
  for (const auto& one : listed_operations())
    if (one.method == "get" || one.method == "delete")
      BOOST_TEST(!one.said.contains("requestBody"), one.method << ' ' << one.path);
}

BOOST_AUTO_TEST_CASE(each_operation_tells_its_answer_its_errors_and_its_roles) {
  std::map<std::string, std::set<std::string>> statuses;
  for (const auto& one : routes().all()) {
    auto& mine = statuses[std::string{one.name}];
    mine = {"default", std::to_string(one.row.success)};
    for (const auto& other : one.other_answers)
      mine.insert(std::to_string(other.status));
    if (one.row.method == verb::get)
      mine.insert("304");
  }
  for (const auto& one : listed_operations()) {
    const auto name = one.said.at("operationId").get<std::string>();
    const auto& responses = one.said.at("responses");
    std::set<std::string> told;
    for (const auto& [status, said] : responses.items())
      told.insert(status);
    BOOST_TEST_CONTEXT(name)
    BOOST_TEST(told == statuses[name], boost::test_tools::per_element());
    BOOST_TEST(responses.at("default").at("$ref").get<std::string>()
               == "#/components/responses/problem");
    const auto roles = one.said.at("x-roles").get<std::vector<std::string>>();
    BOOST_TEST(std::count(roles.begin(), roles.end(), "admin") == 1, name << " has no roles");
    for (const auto& role : roles)
      BOOST_TEST(test::contains(one.said.at("description").get<std::string>(), role), name);
    BOOST_TEST(!one.said.at("summary").get<std::string>().empty(), name);
    BOOST_TEST(one.said.at("tags").size() == 1U, name);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_body_describes_none) {
  const auto& claims = parsed_document().at("paths").at("/v1/queues/{queue}/claims").at("post");
  BOOST_TEST(!claims.at("responses").at("204").contains("content"));
  const auto& made = parsed_document().at("paths").at("/v1/queues/{queue}/tasks").at("post");
  BOOST_TEST((made.at("responses").at("200").at("content")
              == made.at("responses").at("201").at("content")));
}

BOOST_AUTO_TEST_CASE(each_answer_has_a_name) {
  for (const auto& one : listed_operations())
    for (const auto& [status, said] : one.said.at("responses").items()) {
      if (!said.contains("content"))
        continue;
      const auto& content = said.at("content");
      if (content.contains("application/json"))
        BOOST_TEST(content.at("application/json").at("schema").contains("$ref"),
                   one.method << ' ' << one.path << ' ' << status);
    }
}

BOOST_AUTO_TEST_CASE(conditions_are_described_where_they_are_kept) {
  for (const auto& one : listed_operations()) {
    std::set<std::string> headers;
    for (const auto& parameter : one.said.value("parameters", nlohmann::json::array()))
      if (parameter.at("in") == "header")
        headers.insert(parameter.at("name").get<std::string>());
    const auto name = one.said.at("operationId").get<std::string>();
    BOOST_TEST(headers.count("If-None-Match") == (one.method == "get" ? 1U : 0U), name);
    const bool changes_workflow = name == "update_workflow" || name == "validate_workflow";
    BOOST_TEST(headers.count("If-Match") == (changes_workflow ? 1U : 0U), name);
  }
}

BOOST_AUTO_TEST_CASE(the_roles_of_an_operation_are_those_of_the_table) {
  for (const auto& one : listed_operations()) {
    const auto name = one.said.at("operationId").get<std::string>();
    const auto operations_by_name = operation_names(msg::operations{});
    const auto found = operations_by_name.find(name);
    if (found == operations_by_name.end() || found->second)
      continue;
    std::vector<std::string> wanted;
    for (const auto role :
         {core::role::admin, core::role::node_operator, core::role::requester, core::role::producer,
          core::role::worker, core::role::contributor, core::role::auditor})
      if (core::find_access(name)->roles.has(role))
        wanted.emplace_back(core::to_string(role));
    BOOST_TEST(one.said.at("x-roles").get<std::vector<std::string>>() == wanted,
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(composed_routes_have_the_roles_of_the_operations_that_they_ask_for) {
  const std::map<std::string, std::vector<std::string>> wanted{
      {"make_tasks", {"admin", "producer"}},
      {"complete_task", {"admin", "worker"}},
      {"retry_task", {"admin", "operator"}},
      {"get_queue", {"admin", "operator", "producer", "auditor"}},
      {"update_workflow", {"admin", "requester"}},
      {"get_unit_result", {"admin", "requester", "auditor"}},
      {"pause_webhook", {"admin", "operator", "requester"}},
      // Either of two operations will do.
      {"list_steps", {"admin", "operator", "requester", "contributor", "auditor"}},
  };
  std::size_t met = 0;
  for (const auto& one : listed_operations()) {
    const auto found = wanted.find(one.said.at("operationId").get<std::string>());
    if (found == wanted.end())
      continue;
    ++met;
    BOOST_TEST_CONTEXT(found->first)
    BOOST_TEST(one.said.at("x-roles").get<std::vector<std::string>>() == found->second,
               boost::test_tools::per_element());
  }
  BOOST_TEST(met == wanted.size());
}

BOOST_AUTO_TEST_CASE(the_schema_of_problems_knows_every_code) {
  const auto& problem = parsed_document().at("components").at("schemas").at("problem");
  const auto& codes = problem.at("properties").at("code").at("enum");
  for (const auto& code : all_error_codes())
    BOOST_TEST(std::count(codes.begin(), codes.end(), code) == 1, code);
  BOOST_TEST(codes.size() == all_error_codes().size());
}

BOOST_AUTO_TEST_CASE(long_polls_are_described) {
  std::set<std::string> left{"read_events", "read_all_events", "claim_tasks",
                             "get_task",    "ask_assignment",  "get_unit_result"};
  for (const auto& one : listed_operations()) {
    if (left.erase(one.said.at("operationId").get<std::string>()) == 0)
      continue;
    const auto& parameters = one.said.at("parameters");
    const auto wait = std::find_if(parameters.begin(), parameters.end(), [](const auto& parameter) {
      return parameter.at("name") == "wait";
    });
    BOOST_REQUIRE((wait != parameters.end()));
    BOOST_TEST(wait->at("in").get<std::string>() == "query");
    BOOST_TEST(wait->at("schema").at("maximum").get<int>() == 60);
  }
  BOOST_TEST(left.empty());
}

// --- the page ---

BOOST_AUTO_TEST_CASE(each_error_has_its_row_on_the_page) {
  for (const auto& code : all_error_codes())
    BOOST_TEST(count_of(reference_page(), "<tr id=\"error-" + code + "\">") == 1U, code);
  const auto& row = core::describe(core::errc::fenced);
  BOOST_TEST(test::contains(reference_page(), std::string{row.advice}));
}

BOOST_AUTO_TEST_CASE(each_route_has_its_place_on_the_page) {
  for (const auto& one : routes().all()) {
    const std::string name{one.name};
    BOOST_TEST(count_of(reference_page(), "<article id=\"" + name + "\">") == 1U, name);
    BOOST_TEST(test::contains(reference_page(), "<code>" + std::string{one.row.path} + "</code>"),
               name);
  }
}

BOOST_AUTO_TEST_CASE(the_links_of_the_page_lead_somewhere) {
  const auto anchors = marked_values(reference_page(), "id=\"");
  const auto links = marked_values(reference_page(), "href=\"#");
  BOOST_TEST(links.size() > 20U);
  for (const auto& link : links)
    BOOST_TEST(anchors.count(link) == 1U, link << " leads nowhere");
}

BOOST_AUTO_TEST_CASE(the_page_is_well_formed_and_needs_nothing_from_elsewhere) {
  const auto& page = reference_page();
  BOOST_TEST(page.substr(0, 15) == "<!doctype html>");
  BOOST_TEST(unbalanced_tag(page) == "");
  for (const std::string part :
       {"<script", "<link", "<img", "src=", "@import", "url(", "http:", "https:", "javascript:"})
    BOOST_TEST(!test::contains(page, part), part);
  BOOST_TEST(test::contains(page, "prefers-color-scheme: dark"));
  BOOST_TEST(test::contains(page, "width=device-width"));
}

BOOST_AUTO_TEST_CASE(sentences_are_escaped_on_the_page) {
  // `{"problem": …}` stands in a sentence of the lineage.
  BOOST_TEST(test::contains(reference_page(), "{&quot;problem&quot;: …}"));
  BOOST_TEST(!test::contains(reference_page(), "{\"problem\""));
  BOOST_TEST(!test::contains(reference_page(), "`"));
}

BOOST_AUTO_TEST_CASE(the_check_of_tags_finds_what_is_wrong) {
  BOOST_TEST(unbalanced_tag("<p><code>a</code></p>") == "");
  BOOST_TEST(unbalanced_tag("<p><code>a</p></code>") == "p");
  BOOST_TEST(unbalanced_tag("<p class=\"x\">a") == "p");
  BOOST_TEST(unbalanced_tag("a</p>") == "p");
  BOOST_TEST(unbalanced_tag("<p>a<b</p>") == "p");
}

BOOST_AUTO_TEST_SUITE_END()
