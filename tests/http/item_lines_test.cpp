// Requests about many items whose bodies have one item on each line.

#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;

namespace {

const std::string first_step = "018f0000-0000-7000-8000-00000000aaaa";
const std::string source_path = "/v1/job-steps/" + first_step + "/source-data";
const std::string tasks_path = "/v1/queues/mail/tasks";
const std::vector<http::parameter> of_lines{{"content-type", "application/x-ndjson"}};
const std::vector<http::parameter> of_csv{{"content-type", "text/csv; charset=utf-8"}};

struct item_lines_fixture : test::door_fixture {
  item_lines_fixture() {
    gateway.on<msg::add_source_data>([](const msg::add_source_data& asked) {
      msg::source_data_added made;
      made.added = static_cast<std::uint32_t>(asked.rows.size());
      return made;
    });
    gateway.on<msg::enqueue_tasks>([](const msg::enqueue_tasks& asked) {
      msg::task_outcomes made;
      for (const auto& one : asked.tasks)
        made.outcomes.push_back({one.task, core::errc::none, {}, false});
      return made;
    });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lines_of_items, item_lines_fixture)

BOOST_AUTO_TEST_CASE(source_data_is_taken_from_lines_and_a_bad_line_is_told_in_its_place) {
  const auto reply = ask("requester", "POST", source_path,
                         "{\"key\":\"k1\",\"input\":{\"a\": 1.0}}\n"
                         "{\"key\":\n"
                         "\n"
                         "{\"key\":\"k3\",\"input\":{},\"judgments\":5}\n"
                         "{\"input\":{}}\n",
                         of_lines);
  BOOST_TEST(reply.status == 200U);
  const auto& asked = gateway.only<msg::add_source_data>();
  BOOST_REQUIRE_EQUAL(asked.rows.size(), 2U);
  BOOST_TEST(core::to_string(asked.step) == first_step);
  BOOST_TEST(asked.rows[0].key == "k1");
  BOOST_TEST(asked.rows[0].input == "{\"a\": 1.0}");
  BOOST_TEST(asked.rows[1].key == "k3");
  BOOST_TEST(asked.rows[1].judgments == 5U);
  BOOST_TEST(reply.json.at("added") == 2);
  const auto& problems = reply.json.at("problems");
  BOOST_REQUIRE_EQUAL(problems.size(), 2U);
  BOOST_TEST(problems[0].at("row") == 1);
  BOOST_TEST(problems[0].at("detail").get<std::string>().find("line 2: ") == 0U);
  BOOST_TEST(problems[1].at("row") == 3);
}

BOOST_AUTO_TEST_CASE(source_data_is_taken_from_csv) {
  const auto reply = ask("requester", "POST", source_path, "key,text\nk1,a\nk2\nk3,b\n", of_csv);
  BOOST_TEST(reply.status == 200U);
  const auto& asked = gateway.only<msg::add_source_data>();
  BOOST_REQUIRE_EQUAL(asked.rows.size(), 2U);
  BOOST_TEST(asked.rows[0].input == R"({"text":"a"})");
  BOOST_TEST(asked.rows[1].key == "k3");
  const auto& problems = reply.json.at("problems");
  BOOST_REQUIRE_EQUAL(problems.size(), 1U);
  BOOST_TEST(problems[0].at("row") == 1);
  BOOST_TEST(problems[0].at("detail").get<std::string>().find("body:3: ") == 0U);
}

BOOST_AUTO_TEST_CASE(tasks_are_made_of_lines_with_one_outcome_for_each) {
  const auto reply = ask("producer", "POST", tasks_path,
                         "{\"type\":\"send\",\"body\":{\"to\":\"ana\"}}\r\n"
                         "no JSON\r\n"
                         "{\"type\":\"send\",\"body\":{\"to\":\"bo\"}}",
                         of_lines);
  BOOST_TEST(reply.status == 200U);
  const auto& asked = gateway.only<msg::enqueue_tasks>();
  BOOST_REQUIRE_EQUAL(asked.tasks.size(), 2U);
  BOOST_TEST(asked.queue == "mail");
  BOOST_TEST(asked.tasks[1].body == "{\"to\":\"bo\"}");
  const auto& outcomes = reply.json.at("outcomes");
  BOOST_REQUIRE_EQUAL(outcomes.size(), 3U);
  BOOST_TEST(outcomes[1].at("detail").get<std::string>().find("line 2: ") == 0U);
}

BOOST_AUTO_TEST_CASE(one_line_is_answered_as_many_are) {
  const auto reply =
      ask("producer", "POST", tasks_path, "{\"type\":\"send\",\"body\":{}}\n", of_lines);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("outcomes").size() == 1U);
}

BOOST_AUTO_TEST_CASE(body_in_a_form_that_a_route_does_not_take_is_refused) {
  BOOST_TEST(ask("producer", "POST", tasks_path, "type,body\nsend,1\n", of_csv).status == 415U);
  BOOST_TEST(ask("operator", "PUT", "/v1/queues/mail", "{}\n", of_lines).status == 415U);
  BOOST_TEST(ask("requester", "POST", source_path, "name\nk1\n", of_csv).status == 400U);
  BOOST_TEST(ask("requester", "POST", source_path, "{}", {{"content-type", "text/plain"}}).status
             == 415U);
}

BOOST_AUTO_TEST_SUITE_END()
