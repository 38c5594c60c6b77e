// The decisions of bulk actions: who may, how far a task is, what a requester is told.

#include "core/uuid.hpp"
#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/rules.hpp"
#include "examples/bulk_actions/view.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <set>
#include <string>
#include <variant>

namespace bulk {

namespace {

using namespace std::chrono_literals;
using core::failure_kind;

const staff_member rosa{1, "Rosa", {right::change_status, right::run_as_others}, ""};
const staff_member dora{2, "Dora", {right::change_status}, ""};
const staff_member ian{3, "Ian", {}, ""};

const core::instant now = core::from_micros(1'700'000'000'000'000);

template <class Action>
Action written_and_read(const Action& what) {
  auto read = decode<Action>(Action::version, encode(what));
  BOOST_REQUIRE(std::holds_alternative<Action>(read));
  return std::get<Action>(read);
}

template <class Action>
unreadable not_read(const std::string& version, const std::string& body) {
  const auto read = decode<Action>(version, body);
  BOOST_REQUIRE(std::holds_alternative<unreadable>(read));
  return std::get<unreadable>(read);
}

request_row request() {
  request_row made;
  made.task.value = *core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001");
  made.action = "bulk.watch";
  made.owner = 1;
  made.run_as = 2;
  made.created = now;
  return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(bulk_rules)

// --- who may: B19, B62 ---

BOOST_AUTO_TEST_CASE(user_with_the_right_may_act_as_themselves) {
  BOOST_TEST(objection_to(right::change_status, dora, dora).empty());
  BOOST_TEST(!objection_to(right::send_mail, dora, dora).empty());
  BOOST_TEST(!objection_to(right::change_status, ian, ian).empty());
}

BOOST_AUTO_TEST_CASE(acting_as_somebody_else_needs_a_right_of_its_own) {
  BOOST_TEST(objection_to(right::change_status, rosa, dora).empty());
  BOOST_TEST(!objection_to(right::change_status, dora, rosa).empty());
}

BOOST_AUTO_TEST_CASE(the_rights_that_count_are_those_of_whom_it_runs_as) {
  BOOST_TEST(!objection_to(right::change_status, rosa, ian).empty());
}

BOOST_AUTO_TEST_CASE(user_who_has_left_may_do_nothing) {
  BOOST_TEST(!objection_to(right::change_status, std::nullopt, dora).empty());
  BOOST_TEST(!objection_to(right::change_status, rosa, std::nullopt).empty());
}

// --- how far: B22, B63, B64 ---

BOOST_AUTO_TEST_CASE(a_full_chunk_may_not_be_the_last) {
  bookmark at;
  at.total = 25;
  at = after_chunk(at, 10, 10, 100);
  BOOST_TEST(at.position == 100);
  BOOST_TEST(at.done == 10);
  BOOST_TEST(!at.finished);
  BOOST_TEST(percent(at) == 40U);
}

BOOST_AUTO_TEST_CASE(a_chunk_that_is_not_full_is_the_last) {
  bookmark at{100, 10, 0, 15, 0, 0, false};
  at = after_chunk(at, 5, 10, 150);
  BOOST_TEST(at.finished);
  BOOST_TEST(percent(at) == 100U);
  at = after_chunk(bookmark{100, 10, 0, 10, 0, 0, false}, 0, 10, 0);
  BOOST_TEST(at.position == 100);
  BOOST_TEST(at.finished);
}

BOOST_AUTO_TEST_CASE(a_hundred_percent_means_finished) {
  bookmark at{500, 500, 0, 400, 0, 0, false}; // more have come than were counted
  BOOST_TEST(percent(at) == 99U);
  at.total = 0;
  BOOST_TEST(percent(at) == 0U);
  at.total = -1;
  BOOST_TEST(percent(at) == 0U);
}

// --- what is in the way: B65-B67 ---

BOOST_AUTO_TEST_CASE(task_with_progress_comes_back_soon_and_uses_up_no_try) {
  const trouble down{error::mail_unavailable, "421", failure_kind::transient};
  const auto later = outcome_of(down, true, now);
  BOOST_REQUIRE(std::holds_alternative<client::wait_until>(later));
  BOOST_TEST((std::get<client::wait_until>(later).next_action > now));

  const auto tried = outcome_of(down, false, now);
  BOOST_REQUIRE(std::holds_alternative<client::failed>(tried));
  BOOST_TEST((std::get<client::failed>(tried).kind == failure_kind::transient));
  BOOST_TEST(std::get<client::failed>(tried).code == error::mail_unavailable);
}

BOOST_AUTO_TEST_CASE(permanent_error_ends_a_task_however_far_it_got) {
  const auto how = outcome_of({error::rights_revoked, "Dora", failure_kind::permanent}, true, now);
  BOOST_REQUIRE(std::holds_alternative<client::failed>(how));
  BOOST_TEST((std::get<client::failed>(how).kind == failure_kind::permanent));
}

// --- bodies: B21, B38-B40, B43 ---

BOOST_AUTO_TEST_CASE(parameters_written_at_submit_are_read_at_run) {
  const auto change =
      written_and_read(change_program_status{by_ids{{3, 5}}, program_status::on_leave, "illness"});
  BOOST_TEST(std::get<by_ids>(change.who).ids == (std::vector<person_id>{3, 5}));
  BOOST_TEST((change.to == program_status::on_leave));
  BOOST_TEST(change.reason == "illness");

  const auto search =
      written_and_read(export_search{by_query{"biology", program_status::graduated}});
  BOOST_TEST(std::get<by_query>(search.who).program == "biology");
  BOOST_TEST((std::get<by_query>(search.who).status == program_status::graduated));
  BOOST_TEST(!std::get<by_query>(written_and_read(watch{by_query{}}).who).status);
  BOOST_TEST(std::get<by_ids>(written_and_read(unwatch{by_ids{{7}}}).who).ids.front() == 7);

  const auto letter = written_and_read(send_mail{by_query{}, "Grüße", "Zeile\nZeile"});
  BOOST_TEST(letter.subject == "Grüße");
  BOOST_TEST(letter.text == "Zeile\nZeile");
  BOOST_TEST(letter.cc.empty());
  const std::vector<std::string> copies{"dean@x.example", "archive@x.example"};
  BOOST_TEST(written_and_read(send_mail{by_query{}, "s", "t", copies}).cc == copies);

  const core::step_id essays{*core::parse_uuid("018f2c5e-7c1a-7000-8000-0000000000aa")};
  const core::unit_id one{*core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001")};
  const auto listed =
      written_and_read(change_unit_status{essays, units_by_ids{{one}}, core::unit_verb::cancel});
  BOOST_TEST((listed.step == essays && listed.order == core::unit_verb::cancel));
  BOOST_TEST((std::get<units_by_ids>(listed.who).ids == std::vector<core::unit_id>{one}));
  const auto open = written_and_read(
      change_unit_status{essays, units_in_state{"Paused"}, core::unit_verb::resume});
  BOOST_TEST(std::get<units_in_state>(open.who).state == "Paused");
  BOOST_TEST((open.order == core::unit_verb::resume));

  const auto fresh = written_and_read(enrol{"law", {{"Ann", "ann@x.example", "north"}}});
  BOOST_TEST(fresh.program == "law");
  BOOST_REQUIRE(fresh.people.size() == 1U);
  BOOST_TEST(fresh.people.front().email == "ann@x.example");
}

BOOST_AUTO_TEST_CASE(a_body_of_an_older_form_is_read_and_one_of_a_newer_form_left_to_others) {
  const auto letter =
      decode<send_mail>("1.0", R"({"who": {"ids": [1]}, "subject": "s", "text": "t"})");
  BOOST_REQUIRE(std::holds_alternative<send_mail>(letter));
  BOOST_TEST(std::get<send_mail>(letter).cc.empty());
  const auto* old = R"({"who": {"ids": [1]}, "to": "ACTIVE"})";
  const auto read = decode<change_program_status>("1.0", old);
  BOOST_REQUIRE(std::holds_alternative<change_program_status>(read));
  BOOST_TEST(std::get<change_program_status>(read).reason.empty());
  BOOST_TEST(not_read<change_program_status>("1.2", old).newer);
  BOOST_TEST(!not_read<change_program_status>("2.0", old).newer);
}

BOOST_AUTO_TEST_CASE(a_broken_body_is_no_exception) {
  for (const auto* body : {"", "[]", "{}", R"({"who": 1})", R"({"who": {"ids": ["a"]}})",
                           R"({"who": {"query": {"status": "ASLEEP"}}})"})
    BOOST_TEST(!not_read<watch>("1.0", body).why.empty(), body);
  for (const auto* version : {"", "1", "1.", ".0", "1.0x", "x"})
    BOOST_TEST(!not_read<watch>(version, R"({"who": {"ids": [1]}})").newer, version);
}

// --- requests: B36, B38 ---

BOOST_AUTO_TEST_CASE(requests_have_bounds_on_both_sides) {
  by_ids many;
  for (std::size_t i = 0; i < ids_max; ++i)
    many.ids.push_back(static_cast<person_id>(i + 1));
  BOOST_TEST(objection(watch{many}).empty());
  many.ids.push_back(1'000'000);
  BOOST_TEST(!objection(watch{many}).empty());
  BOOST_TEST(!objection(watch{by_ids{}}).empty());
  BOOST_TEST(!objection(unwatch{by_ids{{0}}}).empty());
  BOOST_TEST(objection(export_search{by_query{}}).empty());

  BOOST_TEST(
      objection(send_mail{by_query{}, std::string(200, 's'), std::string(20'000, 't')}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, std::string(201, 's'), "t"}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "s", std::string(20'001, 't')}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "", "t"}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "s", ""}).empty());
  std::vector<std::string> copies(10, "a@x.example");
  BOOST_TEST(objection(send_mail{by_query{}, "s", "t", copies}).empty());
  copies.emplace_back("b@x.example");
  BOOST_TEST(!objection(send_mail{by_query{}, "s", "t", copies}).empty());

  const newcomer ann{"Ann", "ann@x.example", "north"};
  BOOST_TEST(objection(enrol{"law", std::vector<newcomer>(1'000, ann)}).empty());
  BOOST_TEST(!objection(enrol{"law", std::vector<newcomer>(1'001, ann)}).empty());
  BOOST_TEST(!objection(enrol{"law", {}}).empty());
  BOOST_TEST(!objection(enrol{"", {ann}}).empty());
  BOOST_TEST(objection(enrol{"law", {ann, {"Bob", "nowhere", "north"}}}).find("person 2") == 0U);
}

// B43: each part may be within its bounds, and all of it more than a task holds.
BOOST_AUTO_TEST_CASE(a_request_as_a_whole_has_a_bound) {
  BOOST_TEST(objection_to_spec(std::string(spec_bytes_max, ' ')).empty());
  BOOST_TEST(!objection_to_spec(std::string(spec_bytes_max + 1, ' ')).empty());
  by_ids many;
  for (std::size_t i = 0; i < ids_max; ++i)
    many.ids.push_back(static_cast<person_id>(1'000'000 + i));
  BOOST_TEST(objection_to_spec(encode(watch{many})).empty());
  const newcomer ann{"Ann of the long name", "ann.of.the.long.name@campus.example", "north"};
  BOOST_TEST(
      objection_to_spec(encode(enrol{"law", std::vector<newcomer>(newcomers_max, ann)})).empty());
  const newcomer wordy{std::string(200, 'n'), "n@x.example", std::string(200, 'c')};
  BOOST_TEST(!objection_to_spec(encode(enrol{"law", std::vector<newcomer>(newcomers_max, wordy)}))
                  .empty());
}

BOOST_AUTO_TEST_CASE(requests_about_units_have_bounds) {
  const core::step_id step{*core::parse_uuid("018f2c5e-7c1a-7000-8000-0000000000aa")};
  const auto pause = core::unit_verb::pause;
  BOOST_TEST(objection(change_unit_status{step, units_in_state{"Judgable"}, pause}).empty());
  BOOST_TEST(!objection(change_unit_status{{}, units_in_state{"Judgable"}, pause}).empty());
  for (const auto* state : {"", "Golden", "Finalized", "Canceled", "Gathered"})
    BOOST_TEST(!objection(change_unit_status{step, units_in_state{state}, pause}).empty(), state);
  BOOST_TEST(!objection(change_unit_status{step, units_by_ids{}, pause}).empty());
  const units_by_ids many{std::vector<core::unit_id>(ids_max + 1)};
  BOOST_TEST(!objection(change_unit_status{step, many, pause}).empty());
  const std::string in = R"({"step": "018f2c5e-7c1a-7000-8000-0000000000aa", )";
  for (const auto& body :
       {std::string{R"({"step": "x", "who": {"state": "Paused"}, "order": "pause"})"},
        in + R"("who": {}, "order": "pause"})",
        in + R"("who": {"state": "Paused"}, "order": "stop"})"})
    BOOST_TEST(!not_read<change_unit_status>("1.0", body).why.empty(), body);
}

BOOST_AUTO_TEST_CASE(nothing_gets_into_a_mail_or_a_table_that_has_no_place_there) {
  BOOST_TEST(!objection(send_mail{by_query{}, "Hello\r\nBcc: all@x.example", "t"}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "s", std::string("a\0b", 3)}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "s", "\xff"}).empty());
  BOOST_TEST(
      !objection(send_mail{by_query{}, "s", "t", {"a@x.example\r\nBcc: b@x.example"}}).empty());
  BOOST_TEST(!objection(send_mail{by_query{}, "s", "t", {"nobody"}}).empty());
  BOOST_TEST(!objection(export_search{by_query{"\xff", std::nullopt}}).empty());
}

BOOST_AUTO_TEST_CASE(ids_are_put_in_order_each_once) {
  BOOST_TEST(in_order({{3, 1, 3, 2}}).ids == (std::vector<person_id>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(addresses) {
  BOOST_TEST(is_address("ann@x.example"));
  BOOST_TEST(is_address(std::string(252, 'a') + "@b"));
  BOOST_TEST(!is_address(std::string(253, 'a') + "@b"));
  for (const auto* other : {"", "ann", "@x", "ann@", "a b@x", "a@b@c", "a@x\r\n", "<a@x>", "ä@x"})
    BOOST_TEST(!is_address(other), other);
}

// --- what people are told: B29, B37, B41, B42 ---

BOOST_AUTO_TEST_CASE(the_receipt_has_the_id_and_the_audit_fields) {
  const auto told = nlohmann::json::parse(to_json(receipt_of(request())));
  std::set<std::string> members;
  for (const auto& [name, value] : told.items())
    members.insert(name);
  BOOST_TEST((members
              == std::set<std::string>{"task_id", "location", "created_date", "created_by",
                                       "modified_date", "modified_by"}));
  BOOST_TEST(told["created_by"] == 1);
  BOOST_TEST(told["created_date"] == "2023-11-14T22:13:20Z");
  BOOST_TEST(told["location"] == "/bulk/tasks/018f2c5e-7c1a-7000-8000-000000000001");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_not_taken_in_yet_waits) {
  const auto view = view_of(request(), task_row{"STAGED", 0, "", "", now});
  BOOST_TEST(view.status == "QUEUED");
  BOOST_TEST(view.percent == 0U);
  BOOST_TEST(view.error_code.empty());
}

// Its queue keeps what has ended for a while only, and the request is kept for ever.
BOOST_AUTO_TEST_CASE(a_task_that_is_forgotten_does_not_wait) {
  const auto view = view_of(request(), task_row{"FORGOTTEN", 0, "", "", now});
  BOOST_TEST(view.status == "FORGOTTEN");
  BOOST_TEST(view.error_code == error::not_kept);
  BOOST_TEST(!view.message.empty());
}

BOOST_AUTO_TEST_CASE(progress_and_result_are_shown) {
  const auto at_work = view_of(request(), task_row{"EXECUTING", 40, "", "", now + 5s});
  BOOST_TEST(at_work.status == "EXECUTING");
  BOOST_TEST(at_work.percent == 40U);
  BOOST_TEST((at_work.about.modified == now + 5s));
  BOOST_TEST(at_work.about.modified_by == 2);
  const auto done = view_of(request(), task_row{"COMPLETED", 100, "", R"({"done": 3})", now});
  BOOST_TEST(nlohmann::json::parse(to_json(done))["result"]["done"] == 3);
}

BOOST_AUTO_TEST_CASE(errors_are_told_by_the_catalogue) {
  for (const auto& entry : catalogue()) {
    BOOST_TEST(!entry.message.empty());
    BOOST_TEST(entry_for(entry.code).code == entry.code);
  }
  const auto known = view_of(request(), task_row{"FAILURE", 10, "RIGHTS_REVOKED", "", now});
  BOOST_TEST(known.error_code == "RIGHTS_REVOKED");
  BOOST_TEST(!known.message.empty());
  for (const auto* inside : {"HANDLER_EXCEPTION", "WORKER_LOST", ""}) {
    const auto view = view_of(request(), task_row{"ERROR", 10, inside, "", now});
    BOOST_TEST(view.error_code == error::internal, inside);
  }
  const auto refused = view_of(request(), task_row{"REFUSED", 0, "already_exists", "", now});
  BOOST_TEST(refused.status == "ERROR");
  BOOST_TEST(refused.error_code == error::internal);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace bulk
