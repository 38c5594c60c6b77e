// Inputs of units and payloads of judgments that are too large for a row, through a whole node in
// virtual time (docs/adr/0032).

#include "core/object_ref.hpp"
#include "objects/sha256.hpp"
#include "tests/support/large_documents.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// A judgment of about that size.
std::string large_judgment(const std::string& answer, char mark = 'j') {
  return R"({"answer":")" + answer + R"(","text":")" + std::string(large_bytes, mark) + "\"}";
}

core::object_ref ref_of(const std::string& text) { return {objects::sha256(text), text.size()}; }

const std::string chain =
    workflow_json("chain", {step_json("first", 1, {"second"}), step_json("second", 1, {})});

const std::string asks_large = R"({"name":"asks","steps":[
  {"key":"first","judgments_per_unit":1,"routes":[
    {"when":{"input":{"/kind":"wanted"}},"to":["second"]},{"to":[]}]},
  {"key":"second","judgments_per_unit":1}]})";

std::string large_of_kind(const std::string& kind) {
  // In the spelling in which inputs are stored.
  return R"({"kind":")" + kind + R"(","text":")" + std::string(large_bytes, 'k') + "\"}";
}

const std::string in_pairs = R"({"name":"pairs","steps":[
  {"key":"label","judgments_per_unit":1,"next":["page"]},
  {"key":"page","judgments_per_unit":1,"gather":{"by":"count","size":2}}]})";

const std::string with_tests = R"({"name":"tested","steps":[
  {"key":"label","judgments_per_unit":1,
   "test_questions":{"quiz":1,"quiz_pass":1,"every":2}}]})";

const std::string with_tasks = R"({"name":"judged","steps":[
  {"key":"label","judgments_per_unit":1,
   "tasks":{"queue":"models","type":"label","judgments":1,"patience_seconds":600}}]})";

struct node_with_large_units : node_fixture {
  node_with_large_units() { start(); }

  answer<msg::source_data_added> add(const core::step_id& step,
                                     const std::vector<std::string>& inputs,
                                     const std::string& prefix = "u") {
    msg::add_source_data request{step, {}};
    for (const auto& input : inputs)
      request.rows.push_back({prefix + std::to_string(request.rows.size()), input, 0});
    return call(request);
  }
  void added(const core::step_id& step, const std::vector<std::string>& inputs) {
    const auto answered = add(step, inputs);
    BOOST_REQUIRE(answered.value);
    BOOST_TEST(answered.value->added == inputs.size());
  }
  answer<msg::judgment_accepted> hand_in(const msg::assignment& a, const std::string& who,
                                         const std::string& payload) {
    return call(
        msg::submit_judgment{a.step, a.unit, who, a.token, fresh<core::judgment_id>(), payload});
  }
  /// The units of the step, in order of arrival.
  std::vector<persistence::memory::unit_row> rows(const core::step_id& step) const {
    std::vector<persistence::memory::unit_row> found;
    for (const auto& [key, id] : database->tables().units_by_ordinal)
      if (key.first == step)
        found.push_back(database->tables().units.at(id));
    return found;
  }
  const core::insert_judgment& judged(const msg::assignment& a, const std::string& who) const {
    return database->tables().judgments.at({a.unit, who}).made;
  }
  bool has_object(const std::string& text) { return bool{objects->get(ref_of(text))}; }
  /// What a disk that has lost the file does.
  void lose_object(const std::string& text) {
    const auto gone = objects->remove_if_older(objects::sha256(text), core::instant::max());
    BOOST_REQUIRE(gone);
    BOOST_REQUIRE(*gone);
  }
  /// What keeps the unit, by codes.
  std::string explained(const core::step_id& step, const core::unit_id& id) {
    const auto told = call(msg::explain_unit{step, id, ""});
    BOOST_REQUIRE(told.value);
    std::string codes;
    for (const auto& why : told.value->reasons)
      codes += why.code + ' ';
    return codes;
  }
  msg::unit_lineage lineage(const core::unit_id& any) {
    const auto found = call(msg::get_lineage{any, {}, 100});
    BOOST_REQUIRE(found.value);
    return *found.value;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(large_units, node_with_large_units)

// A80, I-12
BOOST_AUTO_TEST_CASE(large_inputs_go_to_the_store_and_come_back_whole) {
  const auto step = create();
  added(step, {large('a'), R"({"text":"small"})"});
  const auto units = rows(step);
  BOOST_TEST((units[0].made.input == core::to_json(ref_of(large('a')))));
  BOOST_TEST(units[1].made.input == R"({"text":"small"})");
  const auto lease = assigned(step, "ann");
  BOOST_TEST((lease.unit == units[0].made.id));
  BOOST_TEST((lease.input == large('a')));
  BOOST_TEST((unit(step, lease.unit).input == large('a')));
  BOOST_TEST((lineage(lease.unit).units.at(0).input == large('a')));
  BOOST_TEST(assigned(step, "ann").input == R"({"text":"small"})");
  BOOST_TEST(broken_invariants(*database) == "");
}

// A80, A82: what is refused anyway fills no disk
BOOST_AUTO_TEST_CASE(source_data_for_a_canceled_step_is_not_stored) {
  const auto step = create();
  added(step, {large('a')});
  BOOST_REQUIRE(
      call(msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::cancel)}).value);
  BOOST_TEST((add(step, {large('b')}, "new").code() == core::errc::wrong_state));
  BOOST_TEST(!has_object(large('b')));
  const auto again = add(step, {large('a')});
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->already_there == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A80: the same request, the same lease; the same rows, no new unit
BOOST_AUTO_TEST_CASE(repetitions_are_recognised) {
  const auto step = create();
  added(step, {large('a')});
  const auto again = add(step, {large('a')});
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->added == 0U);
  BOOST_TEST(again.value->already_there == 1U);
  const msg::ask_assignment ask{step, "ann", fresh<core::assignment_id>()};
  const auto first = call(ask);
  const auto second = call(ask);
  BOOST_REQUIRE(first.value);
  BOOST_REQUIRE(second.value);
  BOOST_TEST((first.value->unit == second.value->unit));
  BOOST_TEST(first.value->token == second.value->token);
  BOOST_TEST((second.value->input == large('a')));
  BOOST_TEST(active_leases() == 1U);
}

BOOST_AUTO_TEST_CASE(a_document_that_looks_like_a_reference_is_refused) {
  const auto step = create();
  added(step, {large('a')});
  const auto stolen = core::to_json(ref_of(large('a')));
  const auto answered = add(step, {stolen}, "thief");
  BOOST_REQUIRE(answered.value);
  BOOST_REQUIRE_EQUAL(answered.value->problems.size(), 1U);
  BOOST_TEST(
      (static_cast<core::errc>(answered.value->problems[0].code) == core::errc::payload_invalid));
  const auto lease = assigned(step, "ann");
  BOOST_TEST((hand_in(lease, "ann", stolen).code() == core::errc::payload_invalid));
}

BOOST_AUTO_TEST_CASE(while_the_store_is_away_large_inputs_are_refused_and_no_others) {
  const auto step = create();
  objects->reachable(false);
  BOOST_TEST((add(step, {large('a')}).code() == core::errc::unavailable));
  BOOST_TEST(rows(step).empty());
  added(step, {R"({"text":"small"})"});
  objects->reachable(true);
  const auto answered = add(step, {large('a')}, "v");
  BOOST_REQUIRE(answered.value);
  BOOST_TEST(answered.value->added == 1U);
}

// A80, C22: order of one caller
BOOST_AUTO_TEST_CASE(requests_to_add_keep_their_order_while_one_stores) {
  const auto step = create();
  held_back = "object_keeper";
  const auto slow = send_to_node(msg::add_source_data{step, {{"a", large('a'), 0}}});
  const auto behind = send_to_node(msg::add_source_data{step, {{"b", "{}", 0}}});
  client other{*this};
  const auto apart = other.send(node->gateway, msg::add_source_data{step, {{"c", "{}", 0}}});
  advance(2s);
  BOOST_TEST(apart->arrived());
  BOOST_TEST(!behind->arrived());
  held_back.clear();
  settle();
  BOOST_REQUIRE(slow->value);
  BOOST_REQUIRE(behind->value);
  const auto units = rows(step);
  BOOST_REQUIRE_EQUAL(units.size(), 3U);
  BOOST_TEST(units[0].made.source_key == "c");
  BOOST_TEST(units[1].made.source_key == "a");
  BOOST_TEST(units[2].made.source_key == "b");
}

// No lease runs for an input that its owner was not given; the slot comes back.
BOOST_AUTO_TEST_CASE(while_the_store_is_away_large_units_are_not_leased) {
  const auto step = create(workflow_json("w", {step_json("label", 1, {})}));
  added(step, {large('a')});
  objects->reachable(false);
  BOOST_TEST((assign(step, "ann").code() == core::errc::unavailable));
  BOOST_TEST(active_leases() == 0U);
  objects->reachable(true);
  BOOST_TEST((assigned(step, "ann").input == large('a')));
  BOOST_TEST((assign(step, "bob").code() == core::errc::no_unit_available));
}

// A80, I-10: a unit whose input is lost harms no other
BOOST_AUTO_TEST_CASE(a_unit_whose_input_is_lost_is_paused_and_others_go_on) {
  const auto step = create();
  added(step, {large('l'), large('w')});
  const auto units = rows(step);
  lose_object(large('l'));
  const auto lease = assigned(step, "ann");
  BOOST_TEST((lease.unit == units[1].made.id));
  BOOST_TEST((lease.input == large('w')));
  BOOST_TEST((unit(step, units[0].made.id).state == core::unit_state::paused));
  BOOST_TEST(is_ref(unit(step, units[0].made.id).input));
  BOOST_TEST(logged("payload_unreadable"));
  restart();
  BOOST_TEST((rows(step)[0].state == core::unit_state::paused));
  BOOST_TEST((assigned(step, "bob").unit == units[1].made.id));
  BOOST_TEST(explained(step, units[0].made.id) == "paused input_lost ");
  // Once the file is there again and the unit resumed, it is offered.
  objects->put(large('l'));
  BOOST_REQUIRE(call(msg::change_unit{step, units[0].made.id,
                                      static_cast<std::uint8_t>(core::unit_verb::resume)})
                    .value);
  BOOST_TEST((assigned(step, "cid").input == large('l')));
  BOOST_TEST(explained(step, units[0].made.id) == "leased waiting ");
}

BOOST_AUTO_TEST_CASE(contributor_removed_while_an_input_is_fetched_gets_no_lease) {
  const auto step = create();
  added(step, {large('a')});
  held_back = "object_keeper";
  const auto asking = send_to_node(msg::ask_assignment{step, "ann", fresh<core::assignment_id>()});
  settle();
  BOOST_REQUIRE(call(msg::remove_contributor{step, "ann"}).value);
  held_back.clear();
  settle();
  BOOST_TEST((asking->code() == core::errc::not_qualified));
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST((assigned(step, "bob").input == large('a')));
  BOOST_TEST((assigned(step, "cid").input == large('a'))); // both slots are there
}

// I-1: an id that is under way already begins nothing, and keeps no slot
BOOST_AUTO_TEST_CASE(an_offer_under_the_id_of_another_one_gives_its_slot_back) {
  const auto step = create();
  added(step, {large('a')});
  held_back = "object_keeper";
  const auto id = fresh<core::assignment_id>();
  const auto first = send_to_node(msg::ask_assignment{step, "ann", id});
  settle();
  const auto second = send_to_node(msg::ask_assignment{step, "bob", id});
  settle();
  BOOST_TEST((second->code() == core::errc::unavailable));
  held_back.clear();
  settle();
  BOOST_TEST(first->arrived());
  BOOST_TEST(active_leases() == 1U);
  BOOST_TEST((assigned(step, "cid").input == large('a')));
}

// A81, I-12
BOOST_AUTO_TEST_CASE(large_judgments_go_to_the_store_and_show_whole) {
  const auto step = create(workflow_json("w", {step_json("label", 1, {})}));
  added(step, {R"({"text":"small"})"});
  const auto lease = assigned(step, "ann");
  const auto payload = large_judgment("red");
  const auto accepted = hand_in(lease, "ann", payload);
  BOOST_REQUIRE(accepted.value);
  BOOST_TEST(judged(lease, "ann").payload == core::to_json(ref_of(payload)));
  BOOST_TEST(judged(lease, "ann").answer == "red");
  advance(1s);
  BOOST_TEST((unit(step, lease.unit).state == core::unit_state::finalized));
  const auto told = lineage(lease.unit);
  BOOST_REQUIRE_EQUAL(told.units.at(0).judgments.size(), 1U);
  BOOST_TEST((told.units[0].judgments[0].payload == payload));
  // What is lost shows as its reference, and the rest of the item is told all the same.
  lose_object(payload);
  BOOST_TEST(is_ref(lineage(lease.unit).units.at(0).judgments.at(0).payload));
}

// A81: what the unit would refuse fills no disk
BOOST_AUTO_TEST_CASE(a_large_judgment_that_is_refused_is_not_stored) {
  const auto step = create();
  added(step, {R"({"text":"small"})"});
  const auto lease = assigned(step, "ann");
  BOOST_TEST(
      (hand_in(lease, "ann", large_judgment("mauve")).code() == core::errc::payload_invalid));
  auto wrong = lease;
  wrong.token += 1;
  BOOST_TEST((hand_in(wrong, "ann", large_judgment("red")).code() == core::errc::stale_token));
  BOOST_TEST(objects->list({}, 10)->empty());
  BOOST_TEST(hand_in(lease, "ann", large_judgment("red")).value.has_value());
}

BOOST_AUTO_TEST_CASE(a_large_judgment_is_handed_in_before_what_came_behind_it) {
  const auto step = create();
  added(step, {R"({"text":"small"})"});
  const auto lease = assigned(step, "ann");
  held_back = "object_keeper";
  const auto sent = send_to_node(msg::submit_judgment{
      step, lease.unit, "ann", lease.token, fresh<core::judgment_id>(), large_judgment("red")});
  const auto given_back =
      send_to_node(msg::release_assignment{step, lease.unit, "ann", lease.token, false});
  advance(2s);
  BOOST_TEST(!given_back->arrived());
  held_back.clear();
  settle();
  BOOST_TEST(sent->value.has_value());
  BOOST_TEST((given_back->code() == core::errc::already_judged));
}

BOOST_AUTO_TEST_CASE(while_the_store_is_away_large_judgments_are_refused_and_the_lease_stays) {
  const auto step = create();
  added(step, {R"({"text":"small"})"});
  const auto lease = assigned(step, "ann");
  objects->reachable(false);
  BOOST_TEST((hand_in(lease, "ann", large_judgment("red")).code() == core::errc::unavailable));
  BOOST_TEST(active_leases() == 1U);
  objects->reachable(true);
  BOOST_TEST(hand_in(lease, "ann", large_judgment("red")).value.has_value());
}

// A82, I-5
BOOST_AUTO_TEST_CASE(the_child_of_a_large_unit_brings_the_whole_source_data) {
  const auto steps = create_steps(chain);
  added(steps[0], {large('p')});
  work(steps[0], "ann");
  advance(2s);
  const auto children = rows(steps[1]);
  BOOST_REQUIRE_EQUAL(children.size(), 1U);
  BOOST_TEST(is_ref(children[0].made.input));
  const auto lease = assigned(steps[1], "bob");
  const auto input = nlohmann::json::parse(lease.input);
  BOOST_TEST((input.at("data") == nlohmann::json::parse(large('p'))));
  BOOST_TEST(input.at("result").at("answer") == "red");
}

// A82, I-5: no unit silently becomes nothing
BOOST_AUTO_TEST_CASE(unit_made_from_a_lost_input_waits_until_it_is_there_again) {
  const auto steps = create_steps(chain);
  added(steps[0], {large('p')});
  const auto lease = assigned(steps[0], "ann");
  lose_object(large('p'));
  BOOST_REQUIRE(submit(lease, "ann").value);
  advance(2s);
  BOOST_TEST(rows(steps[1]).empty());
  BOOST_TEST(logged("payload_unreadable"));
  objects->put(large('p'));
  advance(5min);
  BOOST_TEST(rows(steps[1]).size() == 1U);
}

// A80, A88: a route looks at the whole input, wherever that is
BOOST_AUTO_TEST_CASE(routes_ask_about_large_inputs_too) {
  const auto steps = create_steps(asks_large);
  added(steps[0], {large_of_kind("wanted"), large_of_kind("other")});
  const auto wanted = assigned(steps[0], "ann");
  const auto other = assigned(steps[0], "ann");
  objects->reachable(false);
  BOOST_REQUIRE(submit(wanted, "ann").value);
  BOOST_REQUIRE(submit(other, "ann").value);
  advance(2s);
  BOOST_TEST((database->tables().units.at(wanted.unit).state == core::unit_state::judgable));
  objects->reachable(true);
  advance(5min);
  for (const auto& each : {wanted, other})
    BOOST_TEST((unit(steps[0], each.unit).state == core::unit_state::finalized));
  const auto children = rows(steps[1]);
  BOOST_REQUIRE_EQUAL(children.size(), 1U);
  BOOST_TEST((children[0].made.parent == wanted.unit));
  BOOST_TEST(broken_invariants(*database) == "");
}

// A80, I-5: no unit silently goes where it does not belong
BOOST_AUTO_TEST_CASE(a_judged_unit_whose_input_is_asked_about_and_lost_waits_for_it) {
  const auto steps = create_steps(asks_large);
  const auto input = large_of_kind("wanted");
  added(steps[0], {input, large_of_kind("lost for ever")});
  const auto lost = assigned(steps[0], "ann");
  const auto gone = assigned(steps[0], "ann");
  lose_object(input);
  lose_object(large_of_kind("lost for ever"));
  BOOST_REQUIRE(submit(lost, "ann").value);
  BOOST_REQUIRE(submit(gone, "ann").value);
  advance(2s);
  BOOST_TEST((database->tables().units.at(lost.unit).state == core::unit_state::judgable));
  BOOST_TEST(explained(steps[0], lost.unit) == "judged input_lost ");
  BOOST_TEST(logged("payload_unreadable"));
  restart();
  objects->put(input);
  // Nobody waits for one that is given up.
  BOOST_REQUIRE(call(msg::change_unit{steps[0], gone.unit,
                                      static_cast<std::uint8_t>(core::unit_verb::cancel)})
                    .value);
  advance(5min);
  BOOST_TEST((unit(steps[0], lost.unit).state == core::unit_state::finalized));
  BOOST_TEST(rows(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A82, A88, I-5, I-6: it alone waits, and so does the end of the next step, in whatever life
BOOST_AUTO_TEST_CASE(unit_made_from_a_lost_input_keeps_nothing_else_waiting) {
  const auto steps = create_steps(chain);
  added(steps[0], {large('p'), large('q'), large('r')});
  std::vector<msg::assignment> leases;
  for (int i = 0; i < 3; ++i)
    leases.push_back(assigned(steps[0], "ann"));
  lose_object(large('q'));
  held_back = "consumer"; // so that their events come together
  for (const auto& lease : leases)
    BOOST_REQUIRE(submit(lease, "ann").value);
  seal(steps[0]);
  held_back.clear();
  advance(2s);
  BOOST_TEST(rows(steps[1]).size() == 2U);
  BOOST_TEST((statistics(steps[0]).step.status == core::step_status::completed));
  for (int i = 0; i < 2; ++i)
    work(steps[1], "bob");
  advance(2s);
  const auto is_open = [&] {
    const auto step = statistics(steps[1]).step;
    return step.status == core::step_status::open && !step.sealed;
  };
  BOOST_TEST(is_open());
  const auto told = [&] {
    return std::count_if(node->log.begin(), node->log.end(), [](const auto& line) {
      return line.find("event_set_aside") != std::string::npos;
    });
  };
  BOOST_TEST(told() == 1);
  restart();
  advance(10min);
  BOOST_TEST(told() == 1);
  BOOST_TEST(rows(steps[1]).size() == 2U);
  BOOST_TEST(is_open());
  objects->put(large('q'));
  advance(61s);
  BOOST_TEST(rows(steps[1]).size() == 3U);
  work(steps[1], "bob");
  advance(2s);
  BOOST_TEST((statistics(steps[1]).step.status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database) == "");
}

// A82
BOOST_AUTO_TEST_CASE(a_batch_of_large_members_is_made_of_the_whole_of_them) {
  const auto steps = create_steps(in_pairs);
  added(steps[0], {large('p'), large('q')});
  for (int i = 0; i < 2; ++i)
    work(steps[0], "ann");
  advance(2s);
  const auto units = rows(steps[1]);
  BOOST_REQUIRE_EQUAL(units.size(), 3U);
  for (const auto& row : units)
    BOOST_TEST(is_ref(row.made.input));
  const auto input = nlohmann::json::parse(assigned(steps[1], "bob").input);
  BOOST_REQUIRE_EQUAL(input.at("data").size(), 2U);
  BOOST_TEST((input["data"][0] == nlohmann::json::parse(large('p'))));
  BOOST_TEST((input["data"][1] == nlohmann::json::parse(large('q'))));
}

// A82, I-5: others do not wait with a batch of which an input is lost
BOOST_AUTO_TEST_CASE(a_batch_of_which_an_input_is_lost_waits_alone) {
  const auto steps = create_steps(in_pairs);
  added(steps[0], {large('p'), large('q'), large('r'), large('s')});
  const auto open = [&] {
    std::size_t count = 0;
    for (const auto& row : rows(steps[1]))
      count += row.state == core::unit_state::judgable ? 1 : 0;
    return count;
  };
  work(steps[0], "ann");
  advance(2s);
  const auto waiting = rows(steps[1]);
  BOOST_REQUIRE_EQUAL(waiting.size(), 1U);
  const auto ref = core::parse_object_ref(waiting[0].made.input);
  BOOST_REQUIRE(ref);
  const auto whole = objects->get(*ref);
  BOOST_REQUIRE(whole);
  lose_object(*whole);
  work(steps[0], "ann");
  advance(2s);
  BOOST_TEST(open() == 0U);
  for (int i = 0; i < 2; ++i)
    work(steps[0], "ann");
  advance(2s);
  BOOST_TEST(open() == 1U);
  const auto told = call(msg::explain_unit{steps[1], waiting[0].made.id, {}});
  BOOST_REQUIRE(told.value);
  const auto& reasons = told.value->reasons;
  BOOST_TEST(std::any_of(reasons.begin(), reasons.end(),
                         [](const auto& why) { return why.code == "batch_put_off"; }));
  advance(10min);
  BOOST_TEST(std::count_if(node->log.begin(), node->log.end(),
                           [](const auto& line) { return line.find("batch_set_aside") == 0; })
             == 1);
  BOOST_TEST(open() == 1U);
  objects->put(*whole);
  advance(61s);
  BOOST_TEST(open() == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A82: small members, a large batch
BOOST_AUTO_TEST_CASE(a_batch_waits_for_a_store_that_is_away) {
  const auto half = [](char mark) { return R"({"text":")" + std::string(40'000, mark) + "\"}"; };
  const auto steps = create_steps(in_pairs);
  added(steps[0], {half('p'), half('q')});
  objects->reachable(false);
  for (int i = 0; i < 2; ++i)
    work(steps[0], "ann");
  advance(5s);
  BOOST_TEST(rows(steps[1]).size() == 2U);
  objects->reachable(true);
  advance(2s);
  const auto units = rows(steps[1]);
  BOOST_REQUIRE_EQUAL(units.size(), 3U);
  BOOST_TEST(!is_ref(units[0].made.input));
  BOOST_TEST(is_ref(units[2].made.input));
}

// A80, A81, I-11: nobody can tell it from another unit
BOOST_AUTO_TEST_CASE(a_large_test_question_is_asked_and_answered_like_any_unit) {
  const auto step = create(with_tests);
  added(step, {large('u')});
  BOOST_REQUIRE(
      call(msg::add_test_questions{step, {{"q", large('q'), R"({"answer":"red"})"}}}).value);
  const auto lease = assigned(step, "ann");
  BOOST_TEST((lease.input == large('q')));
  BOOST_REQUIRE(hand_in(lease, "ann", large_judgment("red")).value);
  const auto& told = judged(lease, "ann");
  BOOST_TEST(is_ref(told.payload));
  BOOST_TEST((told.test_correct == true));
  BOOST_TEST((assigned(step, "ann").input == large('u')));
}

// A80, A81: tasks that judge units
BOOST_AUTO_TEST_CASE(a_task_is_given_the_whole_input_and_judges_with_a_large_result) {
  BOOST_REQUIRE(call(msg::put_queue{"models", "{}"}).value);
  const auto step = create(with_tasks);
  added(step, {large('t')});
  advance(node->settings.intake_interval);
  msg::claim_tasks claim;
  claim.queue = "models";
  claim.worker = "gpu";
  claim.claim = fresh<core::assignment_id>();
  claim.most = 10;
  const auto claimed = call(claim);
  BOOST_REQUIRE(claimed.value);
  BOOST_REQUIRE_EQUAL(claimed.value->tasks.size(), 1U);
  const auto& task = claimed.value->tasks[0];
  BOOST_TEST((task.body == large('t')));
  const auto result = large_judgment("red");
  BOOST_REQUIRE(
      call(msg::complete_tasks{"models", "gpu", {{{task.task, task.token}, result}}}).value);
  advance(2s);
  const auto& judgments = database->tables().judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 1U);
  BOOST_TEST(judgments.begin()->second.made.payload == core::to_json(ref_of(result)));
  BOOST_TEST(judgments.begin()->second.made.answer == "red");
  BOOST_TEST((rows(step)[0].state == core::unit_state::finalized));
}

// A80: a task whose unit's input is lost is set aside, and the slot goes to people in time
BOOST_AUTO_TEST_CASE(a_task_of_a_unit_whose_input_is_lost_is_not_made) {
  BOOST_REQUIRE(call(msg::put_queue{"models", "{}"}).value);
  const auto step = create(with_tasks);
  held_back = "queue";
  added(step, {large('t')});
  lose_object(large('t'));
  held_back.clear();
  advance(node->settings.intake_interval);
  BOOST_TEST(database->tables().tasks.empty());
  BOOST_REQUIRE_EQUAL(database->tables().task_intake.size(), 1U);
  BOOST_TEST(database->tables().task_intake.begin()->second.refused.has_value());
  BOOST_TEST(logged("payload_unreadable"));
  objects->put(large('t'));
  advance(11min);
  BOOST_TEST((assigned(step, "ann").input == large('t')));
}

// A82, I-12
BOOST_AUTO_TEST_CASE(the_sweep_keeps_what_units_and_judgments_refer_to) {
  const auto step = create();
  added(step, {large('a')});
  const auto lease = assigned(step, "ann");
  BOOST_REQUIRE(hand_in(lease, "ann", large_judgment("red")).value);
  objects->put(large('z'));
  advance(31h);
  BOOST_TEST(!has_object(large('z')));
  BOOST_TEST(has_object(large('a')));
  BOOST_TEST(has_object(large_judgment("red")));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
