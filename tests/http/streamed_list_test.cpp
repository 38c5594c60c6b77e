// Lists that are read to their end, as NDJSON and CSV.

#include "http/list_form.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using http::list_form;
using nlohmann::json;

namespace {

const std::string step_text = "018f0000-0000-7000-8000-00000000aaaa";
const std::string results_path = "/v1/job-steps/" + step_text + "/results";
const std::vector<http::parameter> as_lines{{"accept", "application/x-ndjson"}};
const std::vector<http::parameter> as_csv{{"accept", "text/csv"}};

/// The results of a step with so many units, as the gateway pages through them.
std::function<test::fake_gateway::reply<msg::list_results>(const msg::list_results&)>
results_of_step(std::uint64_t units) {
  return [units](const msg::list_results& asked) {
    msg::result_page page;
    page.last = asked.after;
    while (page.last < units && page.results.size() < asked.limit) {
      msg::unit_result one;
      one.source_key = "key " + std::to_string(++page.last);
      one.state = core::unit_state::finalized;
      one.judgments = 3;
      one.result = "{\"label\":\r\n \"a\\nb\"}";
      one.confidence = 0.5;
      page.results.push_back(one);
    }
    return page;
  };
}

std::vector<std::string> lines_of(const std::string& body) {
  std::vector<std::string> lines;
  std::istringstream from{body};
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  return lines;
}

struct streamed_list_fixture : test::door_fixture {
  /// Reads as long as the door waits for room, and settles after each piece.
  void read_all(const std::shared_ptr<test::fake_stream>& stream) {
    settle();
    while (!stream->is_finished && !stream->is_aborted && stream->give_room())
      settle();
  }
  std::shared_ptr<test::fake_stream> stream_of(const std::shared_ptr<test::fake_call>& call) {
    settle();
    BOOST_REQUIRE(call->answers.empty());
    BOOST_REQUIRE(call->stream);
    return call->stream;
  }
};

list_form form_for(const std::string& accepted, bool has_csv = true) {
  http::request asked;
  asked.headers.push_back({"accept", accepted});
  return http::form_for(asked, has_csv);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(streamed_lists, streamed_list_fixture)

BOOST_AUTO_TEST_CASE(form_of_a_list_is_the_one_that_the_client_likes_best) {
  BOOST_TEST((form_for("") == list_form::page));
  BOOST_TEST((form_for("*/*") == list_form::page));
  BOOST_TEST((form_for("application/json") == list_form::page));
  BOOST_TEST((form_for("application/x-ndjson") == list_form::ndjson));
  BOOST_TEST((form_for("application/x-ndjson, application/json") == list_form::ndjson));
  BOOST_TEST((form_for("application/json, application/x-ndjson") == list_form::page));
  BOOST_TEST((form_for("application/x-ndjson;q=0.5, */*") == list_form::page));
  BOOST_TEST((form_for("application/x-ndjson;q=0") == list_form::page));
  BOOST_TEST((form_for("text/csv; charset=utf-8, */*;q=0.1") == list_form::csv));
  BOOST_TEST((form_for("text/csv", false) == list_form::page));
}

BOOST_AUTO_TEST_CASE(results_come_as_lines_page_after_page_while_there_is_room) {
  gateway.on<msg::list_results>(results_of_step(250));
  const auto call = send("requester", "GET", results_path, {}, as_lines);
  const auto stream = stream_of(call);
  BOOST_TEST(stream->head.status == 200U);
  BOOST_TEST(stream->head.content_type == "application/x-ndjson");
  // The first page is out; the second is not even asked for.
  BOOST_TEST(stream->pieces == 1U);
  BOOST_TEST(gateway.seen<msg::list_results>().size() == 1U);
  BOOST_TEST(stream->give_room());
  settle();
  BOOST_TEST(gateway.seen<msg::list_results>().size() == 2U);
  read_all(stream);
  BOOST_TEST(stream->is_finished);
  const auto lines = lines_of(stream->body);
  BOOST_REQUIRE_EQUAL(lines.size(), 250U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto one = json::parse(lines[i]);
    BOOST_TEST(one.at("source_key") == "key " + std::to_string(i + 1));
    BOOST_TEST(one.at("result").at("label") == "a\nb");
  }
  for (const auto& asked : gateway.seen<msg::list_results>())
    BOOST_TEST(asked.limit == 100U);
}

BOOST_AUTO_TEST_CASE(limit_bounds_the_list_and_not_the_page) {
  gateway.on<msg::list_results>(results_of_step(20'000));
  auto call = send("requester", "GET", results_path + "?limit=15000&after=5", {}, as_lines);
  auto stream = stream_of(call);
  read_all(stream);
  BOOST_TEST(stream->is_finished);
  auto lines = lines_of(stream->body);
  BOOST_REQUIRE_EQUAL(lines.size(), 15'000U);
  BOOST_TEST(json::parse(lines.front()).at("source_key") == "key 6");

  call = send("requester", "GET", results_path + "?limit=3", {}, as_lines);
  stream = stream_of(call);
  read_all(stream);
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(lines_of(stream->body).size() == 3U);
  BOOST_TEST(gateway.seen<msg::list_results>().back().limit == 3U);
}

BOOST_AUTO_TEST_CASE(list_without_items_is_an_empty_body) {
  gateway.on<msg::list_results>(results_of_step(0));
  const auto stream = stream_of(send("requester", "GET", results_path, {}, as_lines));
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(stream->body == "");
}

BOOST_AUTO_TEST_CASE(results_come_as_csv_with_documents_in_one_field) {
  gateway.on<msg::list_results>([](const msg::list_results& asked) {
    msg::result_page page;
    page.last = 2;
    if (asked.after == page.last)
      return page;
    msg::unit_result one;
    one.source_key = "=1+1";
    one.state = core::unit_state::finalized;
    one.judgments = 3;
    one.result = R"({"label":"a, b"})";
    one.confidence = 0.5;
    page.results.push_back(one);
    page.results.emplace_back().source_key = "open";
    return page;
  });
  const auto stream = stream_of(send("requester", "GET", results_path, {}, as_csv));
  read_all(stream);
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(stream->head.content_type == "text/csv; charset=utf-8");
  const std::string nil = "00000000-0000-0000-0000-000000000000";
  BOOST_TEST(stream->body
             == "unit_id,source_key,state,judgments,confidence,result\r\n" + nil
                    + ",'=1+1,Finalized,3,0.5,\"{\"\"label\"\":\"\"a, b\"\"}\"\r\n" + nil
                    + ",open,Judgable,0,0,\r\n");
}

BOOST_AUTO_TEST_CASE(failure_of_the_first_page_is_a_problem) {
  gateway.fails<msg::list_results>(core::errc::not_found, "there is no such step");
  const auto reply = ask("requester", "GET", results_path, {}, as_lines);
  BOOST_TEST(reply.status == 404U);
  BOOST_TEST(reply.content_type == http::problem_type);
}

BOOST_AUTO_TEST_CASE(failure_of_a_later_page_cuts_the_list) {
  gateway.on<msg::list_results>([all = results_of_step(250)](const msg::list_results& asked)
                                    -> test::fake_gateway::reply<msg::list_results> {
    if (asked.after > 0)
      return core::failure{core::errc::unavailable, "the shard moves"};
    return all(asked);
  });
  const auto stream = stream_of(send("requester", "GET", results_path, {}, as_lines));
  read_all(stream);
  BOOST_TEST(stream->is_aborted);
  BOOST_TEST(!stream->is_finished);
  BOOST_TEST(lines_of(stream->body).size() == 100U);
}

BOOST_AUTO_TEST_CASE(client_that_hangs_up_costs_no_further_pages) {
  gateway.on<msg::list_results>(results_of_step(250));
  const auto stream = stream_of(send("requester", "GET", results_path, {}, as_lines));
  stream->hang_up();
  BOOST_TEST(!stream->give_room());
  settle();
  BOOST_TEST(gateway.seen<msg::list_results>().size() == 1U);
}

BOOST_AUTO_TEST_CASE(empty_pages_in_the_middle_of_a_list_do_not_end_it) {
  gateway.on<msg::search_tasks>([](const msg::search_tasks& asked) {
    msg::task_page page;
    const auto place = asked.after.value.bytes[15];
    page.last.value = test::door_fixture::made_id(static_cast<std::uint8_t>(place + 1));
    page.more = place < 4;
    if (place == 3) {
      page.tasks.emplace_back().task = page.last;
      page.tasks.back().type = "mail";
    }
    return page;
  });
  const auto stream = stream_of(send("admin", "GET", "/v1/tasks?type=mail", {}, as_lines));
  read_all(stream);
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(lines_of(stream->body).size() == 1U);
  BOOST_TEST(gateway.seen<msg::search_tasks>().size() == 5U);
  for (const auto& asked : gateway.seen<msg::search_tasks>())
    BOOST_TEST(asked.type == "mail");
}

BOOST_AUTO_TEST_CASE(limit_that_is_no_number_and_missing_roles_are_refused_before_the_stream) {
  gateway.on<msg::list_results>(results_of_step(1));
  for (const std::string limit : {"0", "-1", "x", "", "1&limit=2", "99999999999999999999999"}) {
    const auto reply = ask("requester", "GET", results_path + "?limit=" + limit, {}, as_lines);
    BOOST_TEST(reply.status == 400U);
  }
  BOOST_TEST(ask("worker:w", "GET", results_path, {}, as_lines).status == 403U);
  BOOST_TEST(gateway.seen<msg::list_results>().empty());
}

BOOST_AUTO_TEST_CASE(page_is_answered_where_no_other_form_is_asked_for) {
  gateway.on<msg::list_results>(results_of_step(250));
  const auto reply = ask("requester", "GET", results_path + "?limit=2");
  BOOST_TEST(reply.json.at("results").size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
