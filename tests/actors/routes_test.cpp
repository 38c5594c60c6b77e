// Where finished units go on to: conditions, reviews, ways back, exclusions, items one by one.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct routing_node : node_fixture {
  routing_node() { start(); }

  /// Judges the next unit of the step that is open to `who`, by this payload.
  void judge(const core::step_id& step, const std::string& who, const std::string& payload) {
    const auto lease = assigned(step, who);
    const auto accepted = call(msg::submit_judgment{step, lease.unit, who, lease.token,
                                                    fresh<core::judgment_id>(), payload});
    if (accepted.error)
      BOOST_FAIL(accepted.error->detail);
    advance(1s);
  }
  void answer(const core::step_id& step, const std::string& who, const std::string& text) {
    judge(step, who, R"({"answer":")" + text + "\"}");
  }

  /// The inputs of the open units of a step, in order of arrival.
  std::vector<std::string> waiting(const core::step_id& step) {
    std::vector<std::string> inputs;
    const auto& t = database->tables();
    for (const auto& [key, id] : t.units_by_ordinal)
      if (const auto& row = t.units.at(id);
          key.first == step && row.state == core::unit_state::judgable)
        inputs.push_back(row.made.input);
    return inputs;
  }

  /// How many lines of the node's log begin with `event`.
  std::ptrdiff_t logged(const std::string& event) const {
    return std::count_if(node->log.begin(), node->log.end(),
                         [&](const std::string& line) { return line.rfind(event + ' ', 0) == 0; });
  }

  core::step_status status_of(const core::step_id& step) { return statistics(step).step.status; }

  void source(const core::step_id& step, const std::string& key = "k") {
    BOOST_REQUIRE(call(msg::add_source_data{step, {{key, R"({"url":"x"})", 0}}}).value);
  }
};

/// A label, then a review of it, which may send it back to others.
const std::string reviewed_by_route = R"({"name":"reviewed","steps":[
  {"key":"label","judgments_per_unit":1,"routes":[{"to":["review"],"exclude_judges":true}]},
  {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},
   "routes":[{"when":{"answer":"reject"},"to":["label"],"exclude_judges":true,"loops_max":1},
             {"when":{"answer":["approve","correct"]},"to":["export"]}]},
  {"key":"export","judgments_per_unit":1}]})";

} // namespace

BOOST_FIXTURE_TEST_SUITE(routes, routing_node)

// A21, A22, A88, I-5
BOOST_AUTO_TEST_CASE(only_units_that_a_route_is_for_take_it) {
  const auto steps = create_steps(R"({"name":"triage","steps":[
    {"key":"label","judgments_per_unit":2,"routes":[
      {"when":{"answer":"spam"},"to":[]},
      {"when":{"agreement_below":1},"to":["experts"]},
      {"to":["publish"]}]},
    {"key":"experts","judgments_per_unit":1,"next":["publish"]},
    {"key":"publish","judgments_per_unit":1}]})");
  for (const auto* key : {"a", "b", "c"})
    source(steps[0], key);
  for (const auto* text : {"cat", "cat", "spam"})
    answer(steps[0], "ana", text);
  for (const auto* text : {"cat", "dog", "spam"})
    answer(steps[0], "bob", text);
  BOOST_TEST(statistics(steps[1]).judgable == 1U);
  BOOST_TEST(statistics(steps[2]).judgable == 1U);
  answer(steps[1], "eve", "dog");
  BOOST_TEST(statistics(steps[2]).judgable == 2U);
  BOOST_TEST(waiting(steps[2]).at(1).find(R"("answer":"dog")") != std::string::npos);
  // Two steps lead to the last one: it is sealed when both are complete.
  seal(steps[0]);
  advance(1s);
  BOOST_TEST(statistics(steps[1]).step.sealed);
  BOOST_TEST(statistics(steps[2]).step.sealed);
  answer(steps[2], "ana", "ok");
  answer(steps[2], "ana", "ok");
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A88, G-4, I-12: by the source data, and by what a step before has found
BOOST_AUTO_TEST_CASE(units_go_where_their_input_leads) {
  const auto steps = create_steps(R"({"name":"languages","steps":[
    {"key":"guess","judgments_per_unit":1,"routes":[
      {"when":{"input":{"/language":["de","at"],"/score":{"below":0.5}}},"to":["german"]},
      {"to":["check"]}]},
    {"key":"check","judgments_per_unit":1,"routes":[
      {"when":{"answer_not":"cat","input":{"/result/answer":"cat","/data/language":"fr"}},
       "to":["german"]},
      {"to":[]}]},
    {"key":"german","judgments_per_unit":1}]})");
  const auto add = [&](const std::string& key, const std::string& input) {
    BOOST_REQUIRE(call(msg::add_source_data{steps[0], {{key, input, 0}}}).value);
  };
  add("a", R"({"language":"at","score":0.49})");
  add("b", R"({"language":"at","score":0.5})");
  add("c", R"({"language":"fr","score":0.1})");
  add("d", R"({"score":0.1})");
  answer(steps[0], "ana", "cat");
  restart();
  for (int i = 0; i < 3; ++i)
    answer(steps[0], "ana", "cat");
  BOOST_TEST(statistics(steps[2]).judgable == 1U);
  BOOST_TEST(statistics(steps[1]).judgable == 3U);
  BOOST_TEST(waiting(steps[2]).at(0).find(R"({"data":{"language":"at","score":0.49})") == 0U);
  for (int i = 0; i < 3; ++i)
    answer(steps[1], "bob", "dog");
  BOOST_TEST(statistics(steps[2]).judgable == 2U);
  BOOST_TEST(waiting(steps[2]).at(1).find(R"({"data":{"language":"fr","score":0.1})") == 0U);
  std::set<std::string> reasons;
  for (const auto& [id, row] : database->tables().units)
    reasons.insert(row.route_reason);
  BOOST_TEST(reasons.count(R"(/language is "at", /score is below 0.5)") == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A22, A77, I-12: with nobody tested, and after a restart
BOOST_AUTO_TEST_CASE(judgments_of_newcomers_are_reviewed_until_they_have_judged_enough) {
  const auto steps = create_steps(R"({"name":"newcomers","steps":[
    {"key":"label","judgments_per_unit":2,"routes":[
      {"when":{"judged_fewer":3},"to":["review"],"exclude_judges":true},
      {"to":["publish"]}]},
    {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},"next":["publish"]},
    {"key":"publish","judgments_per_unit":1}]})");
  const auto counts = [&] {
    return std::pair{statistics(steps[1]).judgable, statistics(steps[2]).judgable};
  };
  const auto both_judge = [&](const std::string& key, const std::string& second) {
    source(steps[0], key);
    answer(steps[0], "ana", "cat");
    answer(steps[0], second, "cat");
  };
  both_judge("a", "bob");
  both_judge("b", "bob");
  BOOST_TEST((counts() == std::pair{2UL, 0UL}));
  restart();
  both_judge("c", "bob"); // their third: they had judged two
  BOOST_TEST((counts() == std::pair{3UL, 0UL}));
  both_judge("d", "bob");
  BOOST_TEST((counts() == std::pair{3UL, 1UL}));
  restart();
  both_judge("e", "bob");
  BOOST_TEST((counts() == std::pair{3UL, 2UL}));
  both_judge("f", "eve"); // one of them is new
  BOOST_TEST((counts() == std::pair{4UL, 2UL}));
  std::vector<std::string> before;
  const auto& t = database->tables();
  for (const auto& [key, judged] : t.judgments)
    if (key.second == "ana")
      before.push_back(std::to_string(judged.made.judged_before.value()));
  std::sort(before.begin(), before.end());
  BOOST_TEST(before == (std::vector<std::string>{"0", "1", "2", "3", "4", "5"}),
             boost::test_tools::per_element());
  BOOST_TEST(broken_invariants(*database) == "");
}

// A22, I-5: the number stored is never more than there were, whatever becomes of the others
BOOST_AUTO_TEST_CASE(a_judgment_that_is_not_stored_came_before_no_other) {
  const auto step = create(R"({"name":"newcomers","steps":[
    {"key":"label","judgments_per_unit":1,"routes":[{"when":{"judged_fewer":3},"to":[]}]}]})");
  source(step, "a");
  source(step, "b");
  const auto lost = assigned(step, "ana");
  const auto kept = assigned(step, "ana");
  const auto stores_lost = [&](const core::change& c) {
    return std::any_of(c.writes.begin(), c.writes.end(), [&](const auto& write) {
      const auto* judged = std::get_if<core::insert_judgment>(&write);
      return judged != nullptr && judged->unit == lost.unit;
    });
  };
  database->set_refusals(stores_lost);
  // The second is decided before the first is refused.
  database->set_reachable(false);
  const auto first = send_to_node(judgment(lost, "ana"));
  settle();
  const auto second = send_to_node(judgment(kept, "ana"));
  settle();
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(first->error.has_value());
  BOOST_REQUIRE(second->value);
  const auto& t = database->tables();
  BOOST_REQUIRE(t.judgments.size() == 1U);
  BOOST_TEST((t.judgments.at({kept.unit, "ana"}).made.judged_before == 0U));
  database->set_refusals({});
  source(step, "c");
  answer(step, "ana", "cat");
  BOOST_REQUIRE(submit(lost, "ana").value);
  std::set<std::uint32_t> before;
  for (const auto& [key, judged] : t.judgments)
    before.insert(judged.made.judged_before.value());
  BOOST_TEST(before == (std::set<std::uint32_t>{0, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_step_is_not_sealed_before_all_that_lead_to_it_are_complete) {
  const auto steps = create_steps(R"({"name":"diamond","steps":[
    {"key":"a","judgments_per_unit":1,"next":["b","c"]},
    {"key":"b","judgments_per_unit":1,"next":["d"]},
    {"key":"c","judgments_per_unit":1,"next":["d"]},
    {"key":"d","judgments_per_unit":1}]})");
  source(steps[0]);
  seal(steps[0]);
  answer(steps[0], "ana", "x");
  answer(steps[1], "ana", "y");
  BOOST_TEST(status_of(steps[1]) == core::step_status::completed);
  BOOST_TEST(!statistics(steps[3]).step.sealed);
  restart();
  answer(steps[3], "ana", "first");
  BOOST_TEST(status_of(steps[3]) == core::step_status::open);
  answer(steps[2], "ana", "z");
  BOOST_TEST(statistics(steps[3]).step.sealed);
  answer(steps[3], "ana", "second");
  BOOST_TEST(status_of(steps[3]) == core::step_status::completed);
  // Each of the two ways has brought a unit of its own.
  BOOST_TEST(statistics(steps[3]).finalized == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A17, A18
BOOST_AUTO_TEST_CASE(an_approved_result_goes_on_as_it_was) {
  const auto steps = create_steps(reviewed_by_route);
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  judge(steps[1], "rex", R"({"verdict":"approve"})");
  const auto inputs = waiting(steps[2]);
  BOOST_REQUIRE(inputs.size() == 1U);
  BOOST_TEST(inputs[0].find(R"({"data":{"url":"x"},"result":{"answer":"cat","confidence":1)")
             == 0U);
}

// A19
BOOST_AUTO_TEST_CASE(the_reviewers_answer_takes_the_place_of_the_one_that_was_corrected) {
  const auto steps = create_steps(reviewed_by_route);
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  judge(steps[1], "rex", R"({"verdict":"correct","answer":"dog"})");
  const auto inputs = waiting(steps[2]);
  BOOST_REQUIRE(inputs.size() == 1U);
  BOOST_TEST(inputs[0] == R"({"data":{"url":"x"},"result":{"answer":"dog","corrected":true}})");
  const auto result = results(steps[1]).at(0).result;
  BOOST_TEST(result.find(R"("answer":"correct")") != std::string::npos);
  BOOST_TEST(result.find(R"("correction":"dog")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_review_that_says_nothing_usable_is_refused) {
  const auto steps = create_steps(reviewed_by_route);
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  const auto lease = assigned(steps[1], "rex");
  const auto refused =
      call(msg::submit_judgment{steps[1], lease.unit, "rex", lease.token,
                                fresh<core::judgment_id>(), R"({"verdict":"correct"})"});
  BOOST_TEST(refused.code() == core::errc::payload_invalid);
}

// A20, A180: made anew by somebody else, from what was asked first, and not for ever
BOOST_AUTO_TEST_CASE(a_rejected_result_is_made_anew_by_others) {
  const auto steps = create_steps(reviewed_by_route);
  source(steps[0]);
  seal(steps[0]);
  answer(steps[0], "ana", "cat");
  BOOST_TEST(status_of(steps[0]) == core::step_status::completed);
  judge(steps[1], "rex", R"({"verdict":"reject"})");
  // The step is open again, and sealed as before.
  BOOST_TEST(status_of(steps[0]) == core::step_status::open);
  BOOST_TEST(statistics(steps[0]).step.sealed);
  BOOST_TEST(!statistics(steps[1]).step.sealed);
  BOOST_TEST(waiting(steps[0]) == std::vector<std::string>{R"({"url":"x"})"},
             boost::test_tools::per_element());
  restart();
  for (const auto* who : {"ana", "rex"})
    BOOST_TEST(assign(steps[0], who).code() == core::errc::no_unit_available, who);
  const auto explained = [&](const std::string& who) {
    std::string codes;
    for (const auto& [id, row] : database->tables().units)
      if (row.made.step == steps[0] && row.state == core::unit_state::judgable) {
        const auto explanation = call(msg::explain_unit{steps[0], id, who}).value;
        BOOST_REQUIRE(explanation);
        for (const auto& why : explanation->reasons)
          codes += why.code + " ";
      }
    return codes;
  };
  BOOST_TEST(explained("") == "barred waiting ");
  BOOST_TEST(explained("ana") == "barred waiting barred_for_them ");
  BOOST_TEST(explained("bob") == "barred waiting open_to_them ");
  BOOST_TEST((call(msg::explain_unit{steps[0], fresh<core::unit_id>(), ""}).code()
              == core::errc::not_found));
  answer(steps[0], "bob", "dog");
  // Nobody who had a part in it reviews it.
  for (const auto* who : {"ana", "rex", "bob"})
    BOOST_TEST(assign(steps[1], who).code() == core::errc::no_unit_available, who);
  judge(steps[1], "sue", R"({"verdict":"reject"})");
  // It was sent back once; another time no route is for it, and its chain ends.
  BOOST_TEST(waiting(steps[0]).empty());
  BOOST_TEST(waiting(steps[2]).empty());
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
  std::set<std::string> reasons;
  for (const auto& [id, row] : database->tables().units)
    reasons.insert(row.route_reason);
  BOOST_TEST(reasons.count("no route is for it (was sent back 1 times already)") == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

/// As most people would write it: nothing is said of who may do what.
const std::string plainly_reviewed = R"({"name":"plain","steps":[
  {"key":"label","judgments_per_unit":1,"next":["review"]},
  {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},
   "routes":[{"when":{"answer":"reject"},"to":["label"],"loops_max":1},
             {"when":{"answer":["approve","correct"]},"to":["export"]}]},
  {"key":"export","judgments_per_unit":1}]})";

// finding C10
BOOST_AUTO_TEST_CASE(people_review_the_work_of_others_and_get_back_what_others_did) {
  const auto steps = create_steps(plainly_reviewed);
  source(steps[0]);
  seal(steps[0]);
  answer(steps[0], "ana", "cat");
  BOOST_TEST(assign(steps[1], "ana").code() == core::errc::no_unit_available);
  judge(steps[1], "bob", R"({"verdict":"reject"})");
  BOOST_TEST(assign(steps[0], "ana").code() == core::errc::no_unit_available);
  // The reviewer may do better, but then somebody else reviews that: here the first.
  answer(steps[0], "bob", "dog");
  BOOST_TEST(assign(steps[1], "bob").code() == core::errc::no_unit_available);
  judge(steps[1], "ana", R"({"verdict":"approve"})");
  answer(steps[2], "ana", "ok"); // no review
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding C10: a correction is somebody's own work, too
BOOST_AUTO_TEST_CASE(a_review_of_a_review_is_by_nobody_who_had_a_part_in_the_result) {
  const auto steps = create_steps(R"({"name":"twice","steps":[
    {"key":"label","judgments_per_unit":1,"next":["review"]},
    {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},"next":["again"]},
    {"key":"again","judgments_per_unit":1,"aggregation":{"method":"review"}}]})");
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  judge(steps[1], "bob", R"({"verdict":"correct","answer":"dog"})");
  for (const auto* who : {"ana", "bob"})
    BOOST_TEST(assign(steps[2], who).code() == core::errc::no_unit_available, who);
  judge(steps[2], "eve", R"({"verdict":"approve"})");
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding C10: whoever is alone says so
BOOST_AUTO_TEST_CASE(a_route_may_let_people_review_their_own_work) {
  const auto steps = create_steps(R"({"name":"alone","steps":[
    {"key":"label","judgments_per_unit":1,
     "routes":[{"to":["review"],"exclude_judges":false}]},
    {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},
     "routes":[{"when":{"answer":"reject"},"to":["label"],"exclude_judges":false}]}]})");
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  judge(steps[1], "ana", R"({"verdict":"reject"})");
  answer(steps[0], "ana", "dog");
  judge(steps[1], "ana", R"({"verdict":"approve"})");
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding C10
BOOST_AUTO_TEST_CASE(an_item_that_ends_without_a_result_is_told_of) {
  const auto steps = create_steps(plainly_reviewed);
  for (const auto* key : {"a", "b"})
    source(steps[0], key);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "cat");
  judge(steps[1], "bob", R"({"verdict":"reject"})");
  judge(steps[1], "bob", R"({"verdict":"approve"})");
  BOOST_TEST(logged("item_without_result") == 0);
  answer(steps[0], "cid", "dog");
  judge(steps[1], "ana", R"({"verdict":"reject"})"); // it was sent back once
  BOOST_TEST(logged("item_without_result") == 1);
  BOOST_TEST(waiting(steps[0]).empty());
  std::ptrdiff_t told = 0;
  for (const auto& [shard, rows] : database->tables().outbox)
    for (const auto& row : rows)
      for (const auto& event : row.events)
        told += event.details.find(R"("without_result":true)") != std::string::npos ? 1 : 0;
  BOOST_TEST(told == 1);
}

// G-4: one unit becomes many
BOOST_AUTO_TEST_CASE(each_item_of_a_list_becomes_a_unit) {
  const auto steps = create_steps(R"({"name":"boxes","steps":[
    {"key":"draw","judgments_per_unit":1,"routes":[{"to":["name"],"for_each":true}]},
    {"key":"name","judgments_per_unit":1,"next":["check"]},
    {"key":"check","judgments_per_unit":1,"aggregation":{"method":"review"}}]})");
  source(steps[0], "image 1");
  source(steps[0], "image 2");
  source(steps[0], "image 3");
  seal(steps[0]);
  judge(steps[0], "ana", R"({"answer":[{"x":1},{"x":2}]})");
  judge(steps[0], "ana", R"({"answer":[]})");
  answer(steps[0], "ana", "none");
  BOOST_TEST(waiting(steps[1])
                 == (std::vector<std::string>{
                     R"({"data":{"url":"x"},"item":{"x":1},"result":{"answer":"{\"x\":1}"}})",
                     R"({"data":{"url":"x"},"item":{"x":2},"result":{"answer":"{\"x\":2}"}})",
                     R"({"data":{"url":"x"},"item":"none","result":{"answer":"none"}})"}),
             boost::test_tools::per_element());
  for (const auto* text : {"cat", "dog", "nothing"})
    answer(steps[1], "bob", text);
  const auto last = waiting(steps[2]);
  BOOST_REQUIRE(last.size() == 3U);
  BOOST_TEST(last[1].find(R"("item":{"x":2},"result":{"answer":"dog")") != std::string::npos);
  for (int i = 0; i < 3; ++i)
    judge(steps[2], "eve", R"({"verdict":"approve"})");
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A way back leads to one unit of the same chain, also where its `for_each` would find a list and
// the chain has not been yet. I-5
BOOST_AUTO_TEST_CASE(a_way_back_does_not_split_a_unit) {
  const auto steps = create_steps(R"({"name":"back","steps":[
    {"key":"draw","judgments_per_unit":1,"routes":[
      {"when":{"answer_not":["skip"]},"to":["name"]},{"to":["check"]}]},
    {"key":"name","judgments_per_unit":1,"next":["check"]},
    {"key":"check","judgments_per_unit":1,"routes":[
      {"when":{"answer_not":["fine"]},"to":["name"],"for_each":true,"loops_max":1},{"to":[]}]}]})");
  source(steps[0]);
  answer(steps[0], "ana", "skip"); // past the step that it is sent back to
  judge(steps[2], "bob", R"({"answer":["left","right"]})");
  const auto inputs = waiting(steps[1]);
  BOOST_REQUIRE(inputs.size() == 1U);
  BOOST_TEST(inputs[0].find(R"("item")") == std::string::npos);
  answer(steps[1], "eve", "cat");
  answer(steps[2], "bob", "fine");
  seal(steps[0]);
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A88, G-4: input mapping
BOOST_AUTO_TEST_CASE(a_route_shows_the_next_step_what_it_names_and_nothing_else) {
  const auto steps = create_steps(R"({"name":"less","steps":[
    {"key":"label","judgments_per_unit":1,"routes":[
      {"to":["check"],"input":{"said":"/result/answer","page":"/data/url","none":"/data/none"}}]},
    {"key":"check","judgments_per_unit":1,"next":["export"]},
    {"key":"export","judgments_per_unit":1}]})");
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  BOOST_TEST(waiting(steps[1])
                 == std::vector<std::string>{R"({"data":{"none":null,"page":"x","said":"cat"}})"},
             boost::test_tools::per_element());
  restart();
  answer(steps[1], "bob", "fine");
  // What was left out does not come back.
  const auto inputs = waiting(steps[2]);
  BOOST_REQUIRE(inputs.size() == 1U);
  BOOST_TEST(
      inputs[0].find(R"({"data":{"none":null,"page":"x","said":"cat"},"result":{"answer":"fine")")
          == 0U,
      inputs[0]);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A17, A19, A20, G-4: a review is shown less, but what it reviews; and what is sent back is asked
// as it was.
BOOST_AUTO_TEST_CASE(a_review_has_its_result_whatever_else_it_is_shown) {
  const auto steps = create_steps(R"({"name":"less","steps":[
    {"key":"label","judgments_per_unit":1,"routes":[
      {"to":["review"],"input":{"page":"/data/url"}}]},
    {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},"routes":[
      {"when":{"answer":"reject"},"to":["label"],"loops_max":1,"input":{"again":"/data/page"}},
      {"to":["export"],"input":{"page":"/data/page","label":"/result/answer"}}]},
    {"key":"export","judgments_per_unit":1}]})");
  source(steps[0]);
  answer(steps[0], "ana", "cat");
  const auto reviews = waiting(steps[1]);
  BOOST_REQUIRE(reviews.size() == 1U);
  BOOST_TEST(reviews[0].find(R"({"data":{"page":"x"},"result":{"answer":"cat",)") == 0U,
             reviews[0]);
  judge(steps[1], "rex", R"({"verdict":"reject"})");
  BOOST_TEST(waiting(steps[0]) == std::vector<std::string>{R"({"url":"x"})"},
             boost::test_tools::per_element());
  answer(steps[0], "bob", "dog");
  judge(steps[1], "rex", R"({"verdict":"correct","answer":"cow"})");
  BOOST_TEST(waiting(steps[2])
                 == std::vector<std::string>{R"({"data":{"label":"cow","page":"x"}})"},
             boost::test_tools::per_element());
  BOOST_TEST(broken_invariants(*database) == "");
}

// G-4: one unit becomes many, each with its own part
BOOST_AUTO_TEST_CASE(route_shows_the_members_of_each_item_of_a_list) {
  const auto steps = create_steps(R"({"name":"boxes","steps":[
    {"key":"draw","judgments_per_unit":1,"routes":[{"to":["name"],"for_each":true,
      "input":{"at":"/item/x","page":"/data/url","said":"/result/answer"}}]},
    {"key":"name","judgments_per_unit":1}]})");
  source(steps[0]);
  judge(steps[0], "ana", R"({"answer":[{"x":1},{"x":[2]},"none"]})");
  BOOST_TEST(
      waiting(steps[1])
          == (std::vector<std::string>{R"({"data":{"at":1,"page":"x","said":"{\"x\":1}"}})",
                                       R"({"data":{"at":[2],"page":"x","said":"{\"x\":[2]}"}})",
                                       R"({"data":{"at":null,"page":"x","said":"none"}})"}),
      boost::test_tools::per_element());
  BOOST_TEST(broken_invariants(*database) == "");
}

// G-4: where the chain has not been, there is nothing that was asked before.
BOOST_AUTO_TEST_CASE(a_way_back_to_a_step_that_was_passed_over_shows_what_it_names) {
  const auto steps = create_steps(R"({"name":"back","steps":[
    {"key":"draw","judgments_per_unit":1,"routes":[
      {"when":{"answer_not":["skip"]},"to":["name"]},{"to":["check"]}]},
    {"key":"name","judgments_per_unit":1,"next":["check"]},
    {"key":"check","judgments_per_unit":1,"routes":[
      {"when":{"answer":"what"},"to":["name"],"loops_max":1,"input":{"page":"/data/url"}},
      {"to":[]}]}]})");
  source(steps[0]);
  answer(steps[0], "ana", "skip");
  answer(steps[2], "bob", "what");
  BOOST_TEST(waiting(steps[1]) == std::vector<std::string>{R"({"data":{"page":"x"}})"},
             boost::test_tools::per_element());
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5
BOOST_AUTO_TEST_CASE(a_long_list_becomes_units_once_also_when_the_node_stops_meanwhile) {
  const auto steps = create_steps(R"({"name":"boxes","steps":[
    {"key":"draw","judgments_per_unit":1,"routes":[{"to":["name"],"for_each":true}]},
    {"key":"name","judgments_per_unit":1}]})");
  source(steps[0]);
  std::string list;
  for (int i = 0; i < 1000; ++i)
    list += (i > 0 ? "," : "") + std::to_string(i);
  const auto lease = assigned(steps[0], "ana");
  BOOST_REQUIRE(
      call(msg::submit_judgment{steps[0], lease.unit, "ana", lease.token,
                                fresh<core::judgment_id>(), R"({"answer":[)" + list + "]}"})
          .value);
  restart();
  advance(60s);
  BOOST_TEST(statistics(steps[1]).judgable == 1000U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
