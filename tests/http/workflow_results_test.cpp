// The results of a workflow over HTTP: a page of them, and files in several forms.

#include "core/item_result.hpp"
#include "http/list_form.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using nlohmann::json;

namespace {

const std::string workflow_text = "018f0000-0000-7000-8000-00000000bbbb";
const std::string workflow_results = "/v1/workflows/" + workflow_text + "/results";

msg::workflow_result result_of(std::uint64_t ordinal, std::string answer = R"("cat")") {
  msg::workflow_result one;
  one.unit.value = test::door_fixture::made_id(static_cast<std::uint8_t>(ordinal));
  one.root = one.unit;
  one.ordinal = ordinal;
  one.source_key = "key " + std::to_string(ordinal);
  one.step = "label";
  one.path = {"label"};
  one.answered_in = "label";
  one.answer = std::move(answer);
  one.input = R"({"url":"x.png"})";
  one.confidence = 0.5;
  one.contributors = {"ana, the first", "bob"};
  one.judgments = 2;
  one.version = 1;
  one.created_at = core::from_micros(1'700'000'000'000'000);
  one.ended_at = core::from_micros(1'700'000'001'000'000);
  return one;
}

std::string position_text(std::uint64_t ordinal) {
  return core::to_string(core::result_place{ordinal, result_of(ordinal).unit});
}

struct results_fixture : test::door_fixture {
  /// The results of a workflow, as the gateway pages through them: at most two a page, and an empty
  /// page before the last.
  void gives(std::vector<msg::workflow_result> all) {
    gateway.on<msg::list_workflow_results>([all](const msg::list_workflow_results& asked) {
      msg::workflow_result_page page;
      std::size_t begin = asked.after.empty() ? 0 : std::stoul(asked.after);
      for (; begin < all.size() && page.results.size() < std::min<std::size_t>(asked.limit, 2);
           ++begin)
        page.results.push_back(all[begin]);
      page.last = begin == 0 ? std::string{} : std::to_string(begin);
      page.more = begin < all.size();
      return page;
    });
  }

  std::shared_ptr<test::fake_stream> stream_of(const std::string& query,
                                               std::vector<http::parameter> headers = {}) {
    const auto call = send("requester", "GET", workflow_results + query, {}, std::move(headers));
    settle();
    BOOST_REQUIRE_MESSAGE(call->answers.empty(),
                          (call->answers.empty() ? "" : call->answers.front().body));
    BOOST_REQUIRE(call->stream);
    const auto stream = call->stream;
    while (!stream->is_finished && !stream->is_aborted && stream->give_room())
      settle();
    return stream;
  }
  http::parameter accepts(std::string type) { return {"accept", std::move(type)}; }

  std::vector<msg::list_workflow_results> seen() {
    return gateway.seen<msg::list_workflow_results>();
  }
};

std::vector<std::string> lines_in(const std::string& body) {
  std::vector<std::string> lines;
  std::istringstream from{body};
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  return lines;
}

const std::string one_box = R"([{"box":[1,2,4,6],"label":"car"}])";

} // namespace

BOOST_FIXTURE_TEST_SUITE(workflow_results_over_http, results_fixture)

BOOST_AUTO_TEST_CASE(page_has_answers_of_their_own_types) {
  gives({result_of(1), result_of(2, R"({"x":1})"), result_of(3)});
  const auto reply = ask("requester", "GET", workflow_results + "?limit=2");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("more").get<bool>());
  BOOST_TEST(reply.json.at("last") == "2");
  const auto& results = reply.json.at("results");
  BOOST_REQUIRE_EQUAL(results.size(), 2U);
  const auto& first = results.at(0);
  BOOST_TEST(first.at("source_key") == "key 1");
  BOOST_TEST(first.at("state") == "final");
  BOOST_TEST(first.at("answer") == "cat");
  BOOST_TEST(first.at("confidence") == 0.5);
  BOOST_TEST(first.at("input") == json::parse(R"({"url":"x.png"})"));
  BOOST_TEST(first.at("contributors") == json::array({"ana, the first", "bob"}));
  BOOST_TEST(first.at("position") == position_text(1));
  for (const auto* absent : {"fields", "votes", "verdict", "item", "batch_id", "problem"})
    BOOST_TEST(!first.contains(absent), absent);
  BOOST_TEST(results.at(1).at("answer") == json::parse(R"({"x":1})"));
}

BOOST_AUTO_TEST_CASE(parameters_reach_the_node) {
  gives({});
  BOOST_TEST(ask("requester", "GET", workflow_results).status == 200U);
  BOOST_TEST(ask("requester", "GET",
                 workflow_results
                     + "?state=final&state=rejected&after=7&limit=9&pseudonyms=true&inputs=false")
                 .status
             == 200U);
  BOOST_REQUIRE_EQUAL(seen().size(), 2U);
  const auto plain = seen()[0];
  BOOST_TEST(to_string(plain.workflow) == workflow_text);
  BOOST_TEST(plain.after == "");
  BOOST_TEST(plain.limit == 100U);
  BOOST_TEST(plain.states == 0);
  BOOST_TEST(!plain.pseudonyms);
  BOOST_TEST(!plain.leave_inputs);
  const auto full = seen()[1];
  BOOST_TEST(full.after == "7");
  BOOST_TEST(full.limit == 9U);
  BOOST_TEST(full.states == 3);
  BOOST_TEST(full.pseudonyms);
  BOOST_TEST(full.leave_inputs);
}

BOOST_AUTO_TEST_CASE(bad_parameters_are_refused_by_their_names) {
  gives({});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"state=Final", "state"},
      {"format=xml", "format"},
      {"limit=1001", "limit"},
      {"limit=0", "limit"},
      {"format=conll&inputs=false", "inputs"},
      {"pseudonyms=maybe", "pseudonyms"}};
  for (const auto& [query, place] : cases) {
    const auto reply = ask("requester", "GET", workflow_results + "?" + query);
    BOOST_TEST_CONTEXT(query) {
      BOOST_TEST(reply.status == 400U);
      BOOST_REQUIRE_EQUAL(reply.json.at("errors").size(), 1U);
      BOOST_TEST(reply.json.at("errors").at(0).at("place") == place);
    }
  }
  BOOST_TEST(ask("worker:w", "GET", workflow_results).status == 403U);
  BOOST_TEST(seen().empty());
}

BOOST_AUTO_TEST_CASE(all_results_come_as_lines) {
  gives({result_of(1), result_of(2), result_of(3), result_of(4), result_of(5)});
  for (const bool by_name : {true, false}) {
    const auto stream =
        by_name ? stream_of("?format=jsonl") : stream_of("", {accepts("application/x-ndjson")});
    BOOST_TEST(stream->is_finished);
    BOOST_TEST(stream->head.content_type == http::ndjson_type);
    const auto lines = lines_in(stream->body);
    BOOST_REQUIRE_EQUAL(lines.size(), 5U);
    for (std::size_t i = 0; i < lines.size(); ++i)
      BOOST_TEST(json::parse(lines[i]).at("position") == position_text(i + 1));
  }
}

BOOST_AUTO_TEST_CASE(limit_of_a_file_bounds_the_whole_of_it) {
  gives({result_of(1), result_of(2), result_of(3), result_of(4)});
  const auto stream = stream_of("?format=jsonl&limit=3");
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(lines_in(stream->body).size() == 3U);
  BOOST_TEST(seen().back().limit == 1U);
}

BOOST_AUTO_TEST_CASE(results_come_as_a_table_with_documents_in_one_field) {
  auto other = result_of(2, R"({"a":1})");
  other.state = core::result_state::rejected;
  gives({result_of(1), other});
  const auto stream = stream_of("?format=csv");
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(stream->head.content_type == http::csv_type);
  const auto lines = lines_in(stream->body);
  BOOST_REQUIRE_EQUAL(lines.size(), 3U);
  BOOST_TEST(lines[0].rfind("source_key,state,answer,confidence,step,path,", 0) == 0U);
  BOOST_TEST(lines[1].rfind("key 1,final,cat,0.5,label,label,", 0) == 0U, lines[1]);
  BOOST_TEST(lines[1].find(R"("[""ana, the first"",""bob""]")") != std::string::npos, lines[1]);
  BOOST_TEST(lines[2].rfind(R"(key 2,rejected,"{""a"":1}",0.5,)", 0) == 0U, lines[2]);
}

BOOST_AUTO_TEST_CASE(table_without_results_has_its_header) {
  gives({});
  const auto stream = stream_of("", {accepts("text/csv")});
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(lines_in(stream->body).size() == 1U);
}

BOOST_AUTO_TEST_CASE(columns_have_the_same_type_in_each_line) {
  auto whole = result_of(1, R"([1])");
  whole.confidence = 1;
  gives({whole, result_of(2)});
  const auto lines = lines_in(stream_of("?format=hf")->body);
  BOOST_REQUIRE_EQUAL(lines.size(), 2U);
  const auto first = json::parse(lines[0]);
  const auto second = json::parse(lines[1]);
  BOOST_REQUIRE_EQUAL(first.size(), second.size());
  for (const auto& [name, value] : first.items())
    BOOST_TEST((value.type() == second.at(name).type()), name);
  BOOST_TEST(first.at("answer") == "[1]");
  BOOST_TEST(second.at("answer") == "cat");
  BOOST_TEST(second.at("answer_json") == R"("cat")");
}

BOOST_AUTO_TEST_CASE(boxes_come_as_images_annotations_and_categories) {
  gives({result_of(1, one_box), result_of(2, "[]"), result_of(3, one_box)});
  const auto stream = stream_of("?format=coco");
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(stream->head.content_type == "application/json");
  const auto file = json::parse(stream->body, nullptr, false);
  BOOST_REQUIRE_MESSAGE(file.is_object(), stream->body);
  BOOST_REQUIRE_EQUAL(file.at("images").size(), 3U);
  BOOST_TEST(file.at("images").at(0).at("file_name") == "x.png");
  const auto& boxes = file.at("annotations");
  BOOST_REQUIRE_EQUAL(boxes.size(), 2U);
  BOOST_TEST(boxes.at(1).at("image_id") == 3);
  BOOST_TEST(boxes.at(1).at("bbox") == json::parse("[1,2,3,4]"));
  BOOST_TEST(boxes.at(1).at("area") == 12);
  BOOST_REQUIRE_EQUAL(file.at("categories").size(), 1U);
  BOOST_TEST(file.at("categories").at(0).at("name") == "car");
  BOOST_TEST(file.at("categories").at(0).at("id") == boxes.at(0).at("category_id"));
}

BOOST_AUTO_TEST_CASE(answers_of_another_shape_are_no_annotations) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"coco", R"("cat")"},
      {"coco", R"([{"label":"car"}])"},
      {"coco", R"([{"box":[4,2,1,6],"label":"car"}])"},
      {"coco", R"([{"box":[1,2,4,6]}])"},
      {"conll", R"([])"}, // the input has no text
  };
  for (const auto& [form, answer] : cases) {
    gives({result_of(1, answer)});
    const auto reply = ask("requester", "GET", workflow_results + "?format=" + form);
    BOOST_TEST_CONTEXT(form << ' ' << answer) {
      BOOST_TEST(reply.code() == "payload_invalid");
      BOOST_TEST(reply.content_type == http::problem_type);
      BOOST_TEST(reply.detail().find("\"key 1\"") != std::string::npos, reply.detail());
      BOOST_TEST(reply.detail().find("does not fit the form " + form) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(result_of_another_shape_in_a_later_page_cuts_the_file) {
  gives({result_of(1, one_box), result_of(2, one_box), result_of(3)});
  const auto stream = stream_of("?format=coco");
  BOOST_TEST(stream->is_aborted);
  BOOST_TEST(!stream->is_finished);
}

BOOST_AUTO_TEST_CASE(tags_come_as_tokens_with_their_labels) {
  auto one = result_of(1, R"([{"start":0,"end":8,"label":"PER"}])");
  one.input = R"({"text":"Ana Lima."})";
  gives({one});
  const auto stream = stream_of("?format=conll");
  BOOST_TEST(stream->is_finished);
  BOOST_TEST(stream->body == "# source_key = \"key 1\"\nAna\tB-PER\nLima\tI-PER\n.\tO\n\n");
}

BOOST_AUTO_TEST_CASE(failure_of_the_first_page_is_a_problem) {
  gateway.fails<msg::list_workflow_results>(core::errc::not_found, "there is no such workflow");
  for (const std::string query : {"", "?format=csv", "?format=coco"}) {
    const auto reply = ask("requester", "GET", workflow_results + query);
    BOOST_TEST(reply.status == 404U);
    BOOST_TEST(reply.content_type == http::problem_type);
  }
}

BOOST_AUTO_TEST_SUITE_END()
