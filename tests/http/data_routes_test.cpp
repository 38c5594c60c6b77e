// Files of rows as the source data of a workflow.

#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace holdfast;

namespace {

const std::string load_workflow = "018f0000-0000-7000-8000-00000000bbbb";
const std::string load_step = "018f0000-0000-7000-8000-00000000aaaa";
const std::string load_path = "/v1/workflows/" + load_workflow + "/data";
const std::vector<http::parameter> csv_file{{"content-type", "text/csv; charset=utf-8"}};
const std::vector<http::parameter> lines_file{{"content-type", "application/x-ndjson"}};

struct data_fixture : test::door_fixture {
  data_fixture() {
    msg::workflow_view workflow;
    workflow.steps.emplace_back().step = {*core::parse_uuid(load_step)};
    workflow.steps.emplace_back();
    gateway.answers<msg::get_workflow>(workflow);
    gateway.on<msg::load_source_data>([](const msg::load_source_data& asked) {
      msg::source_data_loaded made;
      made.added = static_cast<std::uint32_t>(asked.rows.size());
      return made;
    });
  }

  test::http_reply load(const std::string& query, const std::string& body,
                        const std::vector<http::parameter>& type = csv_file) {
    return ask("requester", "POST", load_path + query, body, type);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(data_routes, data_fixture)

// A3
BOOST_AUTO_TEST_CASE(a_file_of_csv_goes_to_the_first_step_with_its_columns_mapped) {
  const auto reply = load("?map=input.text=body&map=input.n=count:number&key=id",
                          "id,body,count\nk1,a,1\nk2,b,2\n");
  BOOST_TEST(reply.status == 200U, reply.body);
  const auto& asked = gateway.only<msg::load_source_data>();
  BOOST_TEST(core::to_string(asked.step) == load_step);
  BOOST_REQUIRE_EQUAL(asked.rows.size(), 2U);
  BOOST_TEST(asked.rows[0].key == "k1");
  BOOST_TEST(asked.rows[0].input == R"({"text":"a","n":1})");
  BOOST_TEST((!asked.replace && !asked.dry_run));
  BOOST_TEST(reply.json.at("rows") == 2);
  BOOST_TEST(reply.json.at("added") == 2);
  BOOST_TEST(reply.json.at("columns").at(0) == "body -> input.text");
  BOOST_TEST(!reply.json.contains("stopped"));
}

// A3
BOOST_AUTO_TEST_CASE(rows_that_are_refused_are_told_by_their_lines) {
  gateway.on<msg::load_source_data>([](const msg::load_source_data& asked) {
    msg::source_data_loaded made;
    made.added = 1;
    made.changed.push_back({1, {*core::parse_uuid(load_step)}, true});
    made.problems.push_back({2, static_cast<std::uint8_t>(core::errc::too_large), "big"});
    BOOST_TEST(asked.replace);
    return made;
  });
  const auto reply = load("?on_change=replace", "key,a\nk1,1\nk2\nk3,\"2\n\"\nk4,3\n");
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("rows") == 4);
  BOOST_TEST(reply.json.at("changed") == 1);
  BOOST_TEST(reply.json.at("replaced") == 1);
  BOOST_TEST(reply.json.at("refused") == 2);
  const auto& problems = reply.json.at("problems");
  BOOST_REQUIRE_EQUAL(problems.size(), 2U);
  BOOST_TEST(problems[0].at("line") == 3);
  BOOST_TEST(problems[0].at("code") == "invalid_argument");
  BOOST_TEST(problems[1].at("line") == 6);
  BOOST_TEST(problems[1].at("key") == "k4");
  BOOST_TEST(problems[1].at("code") == "too_large");
  BOOST_TEST(reply.json.at("changes").at(0).at("line") == 4);
  BOOST_TEST(reply.json.at("changes").at(0).at("key") == "k3");
}

BOOST_AUTO_TEST_CASE(a_large_file_is_sent_in_requests_of_bounded_size) {
  std::string body = "key,a\n";
  for (int i = 0; i < 1200; ++i)
    body += std::to_string(i) + ",x\n";
  const std::string wide(600'000, 'y');
  body += "wide1," + wide + "\nwide2," + wide + "\n";
  const auto reply = load("", body);
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("added") == 1202);
  const auto& sent = gateway.seen<msg::load_source_data>();
  BOOST_TEST(sent.size() >= 4U);
  std::size_t rows = 0;
  for (const auto& one : sent) {
    std::size_t bytes = 0;
    for (const auto& row : one.rows)
      bytes += row.key.size() + row.input.size();
    BOOST_TEST(one.rows.size() <= 500U);
    BOOST_TEST((bytes <= 1024U * 1024 || one.rows.size() == 1U));
    rows += one.rows.size();
  }
  BOOST_TEST(rows == 1202U);
}

BOOST_AUTO_TEST_CASE(refused_rows_are_counted_beyond_those_that_are_told) {
  std::string body = "key,a\n";
  for (int i = 0; i < 1500; ++i)
    body += "1\n";
  const auto reply = load("", body);
  BOOST_TEST(reply.json.at("refused") == 1500);
  BOOST_TEST(reply.json.at("problems").size() == 1000U);
}

BOOST_AUTO_TEST_CASE(a_dry_run_shows_the_first_units) {
  std::string body;
  for (int i = 0; i < 12; ++i)
    body += "{\"id\":" + std::to_string(i) + ",\"a\":1.50}\n";
  const auto reply = load("?key=id&dry_run=true", body, lines_file);
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(gateway.only<msg::load_source_data>().dry_run);
  BOOST_TEST(reply.json.at("dry_run") == true);
  BOOST_TEST(reply.json.at("first").size() == 10U);
  BOOST_TEST(reply.json.at("first").at(1).at("key") == "1");
  BOOST_TEST(reply.body.find(R"("input":{"a":1.50})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_breaks_off_says_where_behind_what_was_taken) {
  auto reply = load("?key=id", R"([{"id":1,"a":2},)", {});
  BOOST_TEST(reply.status == 200U, reply.body);
  BOOST_TEST(reply.json.at("added") == 1);
  BOOST_TEST(reply.json.at("stopped") == "line 1: the array is not closed by ]");
  reply = load("", "a,a\n1,2\n");
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(reply.detail()
             == "line 1: the column `a` appears twice; give one of them another name");
}

BOOST_AUTO_TEST_CASE(bad_requests_say_what_is_wrong) {
  BOOST_TEST(load("?map=text", "a\n1\n").detail()
             == "the mapping 'text' must be input.MEMBER=COLUMN, input.MEMBER=COLUMN:KIND or "
                "judgments=COLUMN");
  BOOST_TEST(load("?map=input.a=b", "a\n1\n").detail()
             == "there is no column `b`; did you mean 'a'?; the file has `a`");
  BOOST_TEST(load("?on_change=perhaps", "a\n1\n").status == 400U);
  BOOST_TEST(load("", "").status == 400U);
  const auto other = load("", "x", {{"content-type", "text/plain"}});
  BOOST_TEST(other.status == 415U);
  BOOST_TEST(other.detail().find("text/tab-separated-values") != std::string::npos);
  BOOST_TEST(gateway.seen<msg::load_source_data>().empty());
  BOOST_TEST(ask("contributor", "POST", load_path, "a\n1\n", csv_file).status == 403U);
  gateway.fails<msg::get_workflow>(core::errc::not_found, "no such workflow");
  BOOST_TEST(load("", "a\n1\n").status == 404U);
}

BOOST_AUTO_TEST_CASE(a_node_that_takes_no_more_says_what_is_in) {
  int requests = 0;
  gateway.on<msg::load_source_data>([&](const msg::load_source_data& asked)
                                        -> std::variant<msg::source_data_loaded, core::failure> {
    if (++requests > 1)
      return core::failure{core::errc::overloaded, "too many"};
    msg::source_data_loaded made;
    made.added = static_cast<std::uint32_t>(asked.rows.size());
    return made;
  });
  std::string body = "key,a\n";
  for (int i = 0; i < 700; ++i)
    body += std::to_string(i) + ",x\n";
  const auto reply = load("", body);
  BOOST_TEST(reply.code() == "overloaded");
  BOOST_TEST(reply.detail().find("500 rows were taken before") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
