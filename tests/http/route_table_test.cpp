// Routes by method and path.

#include "http/route_table.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast::http;

namespace {

route plain_route(verb method, std::string_view path, std::string_view name) {
  route made;
  made.row.method = method;
  made.row.path = path;
  made.name = name;
  return made;
}

/// A few routes.
struct small_table {
  route_table table;

  small_table() {
    table.add(plain_route(verb::get, "/v1/queues", "list_queues"));
    table.add(plain_route(verb::put, "/v1/queues/{queue}", "put_queue"));
    table.add(plain_route(verb::get, "/v1/queues/{queue}", "get_queue"));
    table.add(plain_route(verb::remove, "/v1/queues/{queue}", "remove_queue"));
    table.add(plain_route(verb::post, "/v1/queues/{queue}/tasks/{id}", "make_task"));
  }

  std::string found(std::string_view method, std::string_view path) const {
    const auto match = table.find(method, path);
    return match.found == nullptr ? std::string{} : std::string{match.found->name};
  }
  std::string others(std::string_view method, std::string_view path) const {
    std::string all;
    for (const auto one : table.find(method, path).others)
      all += (all.empty() ? "" : " ") + std::string{to_string(one)};
    return all;
  }
};

std::string text_of(const std::vector<parameter>& parameters) {
  std::string all;
  for (const auto& one : parameters)
    all += one.name + '=' + one.value + ';';
  return all;
}

std::string query_text(std::string_view query) {
  const auto read = query_of(query);
  return read ? text_of(*read) : std::string{"malformed"};
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = path.find('/');
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end);
  }
  return parts;
}

bool is_parameter(std::string_view part) { return !part.empty() && part.front() == '{'; }

/// Whether some path fits both.
bool overlap(std::string_view first, std::string_view second) {
  const auto a = parts_of(first);
  const auto b = parts_of(second);
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!is_parameter(a[i]) && !is_parameter(b[i]) && a[i] != b[i])
      return false;
  return true;
}

/// Pairs of routes that one request may fit.
std::vector<std::string> ambiguities(const route_table& table) {
  std::vector<std::string> all;
  const auto& routes_of_table = table.all();
  for (std::size_t i = 0; i < routes_of_table.size(); ++i)
    for (std::size_t j = i + 1; j < routes_of_table.size(); ++j)
      if (routes_of_table[i].row.method == routes_of_table[j].row.method
          && overlap(routes_of_table[i].row.path, routes_of_table[j].row.path))
        all.push_back(std::string{routes_of_table[i].name} + " and "
                      + std::string{routes_of_table[j].name});
  return all;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(route_lookup, small_table)

BOOST_AUTO_TEST_CASE(method_and_path_find_the_route_and_its_parameters) {
  BOOST_TEST(found("GET", "/v1/queues") == "list_queues");
  BOOST_TEST(found("PUT", "/v1/queues/mail") == "put_queue");
  BOOST_TEST(found("GET", "/v1/queues/mail") == "get_queue");
  BOOST_TEST(found("DELETE", "/v1/queues/mail") == "remove_queue");
  BOOST_TEST(text_of(table.find("GET", "/v1/queues").path) == "");
  BOOST_TEST(text_of(table.find("POST", "/v1/queues/mail/tasks/7").path) == "queue=mail;id=7;");
}

BOOST_AUTO_TEST_CASE(another_method_is_answered_with_those_that_are_there) {
  BOOST_TEST(found("POST", "/v1/queues/mail") == "");
  BOOST_TEST(others("POST", "/v1/queues/mail") == "PUT GET DELETE");
  BOOST_TEST(others("DELETE", "/v1/queues") == "GET");
  // Methods are case-sensitive (RFC 9110), and not all of HTTP's are here.
  BOOST_TEST(others("get", "/v1/queues") == "GET");
  BOOST_TEST(others("PATCH", "/v1/queues") == "GET");
  BOOST_TEST(others("", "/v1/queues") == "GET");
}

BOOST_AUTO_TEST_CASE(nothing_is_at_other_paths) {
  for (const std::string_view path :
       {"", "v1/queues", "/", "/v1", "/v2/queues", "/v1/queues/mail/tasks",
        "/v1/queues/mail/tasks/7/8", "/V1/queues", "*", "http://host/v1/queues"}) {
    BOOST_TEST(found("GET", path) == "", path);
    BOOST_TEST(others("GET", path) == "", path);
  }
}

BOOST_AUTO_TEST_CASE(slashes_count_and_segments_are_not_empty) {
  for (const std::string_view path :
       {"/v1/queues/", "//v1/queues", "/v1//queues", "/v1/queues//", "/v1/queues/mail/"}) {
    BOOST_TEST(found("GET", path) == "", path);
    BOOST_TEST(others("GET", path) == "", path);
  }
}

BOOST_AUTO_TEST_CASE(dots_lead_nowhere) {
  for (const std::string_view path : {"/v1/x/../queues", "/v1/./queues", "/v1/%2e%2e/v1/queues",
                                      "/v1/%2E/queues", "/../v1/queues"})
    BOOST_TEST(found("GET", path) == "", path);
  // As a name they are a name, whose rules the operation knows.
  BOOST_TEST(text_of(table.find("GET", "/v1/queues/%2e%2e").path) == "queue=..;");
  BOOST_TEST(text_of(table.find("GET", "/v1/queues/..").path) == "queue=..;");
}

BOOST_AUTO_TEST_CASE(parameters_are_decoded_once_and_after_the_path_was_cut) {
  const auto parameters = [&](std::string_view path) {
    return text_of(table.find("GET", path).path);
  };
  BOOST_TEST(parameters("/v1/queues/a%2Fb") == "queue=a/b;");
  BOOST_TEST(parameters("/v1/queues/a%252Fb") == "queue=a%2Fb;");
  BOOST_TEST(parameters("/v1/queues/a+b%20c") == "queue=a+b c;");
  BOOST_TEST(parameters("/v1/queues/%C3%A4") == "queue=ä;");
  BOOST_TEST(parameters("/v1/queues/{queue}") == "queue={queue};");
}

BOOST_AUTO_TEST_CASE(parameters_that_are_not_well_encoded_fit_nothing) {
  for (const std::string_view path :
       {"/v1/queues/%", "/v1/queues/%4", "/v1/queues/%zz", "/v1/queues/a%2", "/v1/queues/%ff",
        "/v1/queues/%C3", "/v1/queues/%ED%A0%80"})
    BOOST_TEST(found("GET", path) == "", path);
}

BOOST_AUTO_TEST_CASE(literal_parts_of_a_path_are_not_decoded) {
  BOOST_TEST(found("GET", "/v1/%71ueues") == "");
}

BOOST_AUTO_TEST_CASE(percent_encoding_is_undone) {
  BOOST_TEST(percent_decoded("a%20b+c", false).value_or("none") == "a b+c");
  BOOST_TEST(percent_decoded("a%20b+c", true).value_or("none") == "a b c");
  BOOST_TEST(percent_decoded("%e2%82%AC", false).value_or("none") == "€");
  BOOST_TEST(percent_decoded("", false).value_or("none") == "");
  BOOST_TEST(percent_decoded("%2B", true).value_or("none") == "+");
  for (const std::string_view bad : {"%", "%1", "x%", "%g0", "%0g", "%%41", "%ff", "\xff"})
    BOOST_TEST(!percent_decoded(bad, false).has_value(), bad);
}

BOOST_AUTO_TEST_CASE(a_query_is_a_list_of_names_and_values) {
  BOOST_TEST(query_text("") == "");
  BOOST_TEST(query_text("a=1&b=2") == "a=1;b=2;");
  BOOST_TEST(query_text("a=1&a=2") == "a=1;a=2;");
  BOOST_TEST(query_text("a") == "a=;");
  BOOST_TEST(query_text("a=") == "a=;");
  BOOST_TEST(query_text("a=b=c") == "a=b=c;");
  BOOST_TEST(query_text("&&a=1&") == "a=1;");
  BOOST_TEST(query_text("=1") == "=1;");
  BOOST_TEST(query_text("a+b=c%26d+e") == "a b=c&d e;");
  BOOST_TEST(query_text("a=%zz") == "malformed");
  BOOST_TEST(query_text("%ff=1") == "malformed");
}

BOOST_AUTO_TEST_CASE(the_check_for_ambiguous_routes_finds_them) {
  BOOST_TEST(ambiguities(table).empty());
  table.add(plain_route(verb::get, "/v1/{kind}/mail", "get_kind"));
  table.add(plain_route(verb::post, "/v1/queues", "post_queues"));
  BOOST_TEST(ambiguities(table) == std::vector<std::string>{"get_queue and get_kind"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_request_fits_two_routes) {
  BOOST_TEST_REQUIRE(!routes().all().empty());
  for (const auto& both : ambiguities(routes()))
    BOOST_ERROR(both);
}

BOOST_AUTO_TEST_CASE(paths_of_routes_are_well_formed) {
  for (const auto& one : routes().all()) {
    const std::string name{one.name};
    BOOST_TEST(one.row.path.substr(0, 4) == "/v1/", name);
    BOOST_TEST(!one.row.summary.empty(), name);
    BOOST_TEST(one.row.success >= 200U, name);
    BOOST_TEST(one.row.success < 300U, name);
    std::set<std::string_view> names;
    for (const auto part : parts_of(one.row.path)) {
      BOOST_TEST(!part.empty(), name);
      if (is_parameter(part))
        BOOST_TEST(names.insert(part).second, name << " names " << part << " twice");
    }
  }
}

BOOST_AUTO_TEST_CASE(each_route_is_found_at_its_own_path) {
  for (const auto& one : routes().all()) {
    std::string path;
    for (const auto part : parts_of(one.row.path))
      path += '/' + (is_parameter(part) ? std::string{"some-name"} : std::string{part});
    const auto match = routes().find(to_string(one.row.method), path);
    BOOST_TEST_REQUIRE((match.found != nullptr), std::string{one.name});
    BOOST_TEST(match.found->name == one.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
