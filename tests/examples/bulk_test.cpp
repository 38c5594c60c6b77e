// Bulk actions in virtual time: each one killed at every step it has, and each one frozen there
// until its lease is over and somebody else has done everything.

#include "tests/examples/bulk_world.hpp"

#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/csv.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using bulk::by_ids;
using bulk::by_query;
using bulk::program_status;

/// What is to be the same, whatever happened on the way.
void check_same(const college_tables& got, const college_tables& wanted) {
  BOOST_TEST((got.changes == wanted.changes));
  BOOST_TEST((got.watches == wanted.watches));
  BOOST_TEST((got.mails == wanted.mails));
  BOOST_TEST((got.units == wanted.units));
  BOOST_REQUIRE(got.people.size() == wanted.people.size());
  std::vector<bulk::person> some;
  std::vector<bulk::person> others;
  for (const auto& [id, who] : got.people)
    some.push_back(who);
  for (const auto& [id, who] : wanted.people)
    others.push_back(who);
  BOOST_TEST(bulk::csv_rows(some) == bulk::csv_rows(others));
}

struct acting : bulk_world {
  /// Does the action undisturbed, then with each mishap at each step, and compares. `check` looks
  /// at what is not in the tables. How many mishaps there were.
  template <class Action>
  std::size_t interrupt_everywhere(
      const Action& what, const std::string& ends_as,
      const std::function<void(const core::task_id&)>& check = [](const auto&) {}) {
    begin_anew();
    const auto undisturbed = enqueue(what);
    BOOST_TEST(!do_with(mishap::none, 0));
    BOOST_TEST(look(undisturbed).status == ends_as);
    check(undisturbed);
    const auto wanted = college().tables;
    std::size_t mishaps = 0;
    for (const auto kind : {mishap::death, mishap::hang}) {
      bool happened = true;
      for (std::size_t step = 1; happened; ++step) {
        BOOST_TEST_CONTEXT((kind == mishap::death ? "death" : "hang") << " at step " << step) {
          begin_anew();
          const auto task = enqueue(what);
          happened = do_with(kind, step);
          mishaps += happened ? 1U : 0U;
          const auto seen = look(task);
          BOOST_TEST(seen.status == ends_as);
          BOOST_TEST(seen.crashes == (happened ? 1U : 0U));
          check_same(college().tables, wanted);
          check(task);
        }
      }
    }
    BOOST_TEST_MESSAGE(Action::type << ": " << mishaps << " mishaps");
    return mishaps;
  }
};

const by_query everybody;

} // namespace

BOOST_FIXTURE_TEST_SUITE(bulk_actions, acting)

// B3, B22, B57, B58, B63, B64, B66, I-3, I-14
BOOST_AUTO_TEST_CASE(a_change_of_status_happens_once_whatever_happens_to_its_worker) {
  const bulk::change_program_status leave{by_query{"", program_status::active},
                                          program_status::on_leave, "for a term"};
  BOOST_TEST(interrupt_everywhere(leave, "COMPLETED") > 30U);
  BOOST_TEST(college().tables.changes.size() == college_size);
}

// B4, I-14
BOOST_AUTO_TEST_CASE(a_watch_and_its_end_happen_once) {
  BOOST_TEST(interrupt_everywhere(bulk::watch{everybody}, "COMPLETED") > 30U);
  BOOST_TEST(college().tables.watches.size() == college_size);
  BOOST_TEST(interrupt_everywhere(bulk::unwatch{by_ids{{10, 20, 35, 250}}}, "COMPLETED") > 10U);
}

// B3: the units of Holdfast, by their state; what is finished stays
BOOST_AUTO_TEST_CASE(units_are_changed_whatever_happens_to_the_worker) {
  const bulk::change_unit_status pause{
      {unit_numbered(99).value}, bulk::units_in_state{"Judgable"}, core::unit_verb::pause};
  const auto check = [&](const core::task_id& task) {
    BOOST_TEST(look(task).result == R"({"as_they_were":0,"changed":24})");
    for (const auto& [place, unit] : college().tables.units)
      BOOST_TEST(
          (unit.second == (place == 70 ? core::unit_state::finalized : core::unit_state::paused)));
  };
  BOOST_TEST(interrupt_everywhere(pause, "COMPLETED", check) > 60U);
}

// B38, B65, B66: by their names, whatever became of them; a node that is away is tried again
BOOST_AUTO_TEST_CASE(units_that_cannot_be_changed_keep_no_others_from_it) {
  const bulk::units_by_ids some{
      {unit_numbered(3), unit_numbered(7), unit_numbered(8), unit_numbered(200)}};
  const auto task =
      enqueue(bulk::change_unit_status{{unit_numbered(99).value}, some, core::unit_verb::pause});
  college().node_away = true;
  work();
  BOOST_TEST(look(task).status == "QUEUED");
  BOOST_TEST(look(task).attempts == 1U);
  college().node_away = false;
  const auto seen = see_through(task, 1h);
  BOOST_TEST(seen.status == "COMPLETED");
  BOOST_TEST(seen.result == R"({"as_they_were":1,"changed":2})"); // nobody knows the last one
  BOOST_TEST((college().tables.units.at(80).second == core::unit_state::paused));
  BOOST_TEST((college().tables.units.at(10).second == core::unit_state::judgable));
}

// A program with other bounds goes on with what one before it has written down.
BOOST_AUTO_TEST_CASE(units_written_down_by_a_program_of_smaller_chunks_are_not_all_there_are) {
  auto smaller = with;
  smaller.most.people_per_chunk = 5;
  use(smaller);
  const auto task = enqueue(bulk::change_unit_status{
      {unit_numbered(99).value}, bulk::units_in_state{"Judgable"}, core::unit_verb::pause});
  college().node_away = true;
  work();
  BOOST_TEST(college().tables.planned[task].size() == 5U);
  college().node_away = false;
  use(with);
  BOOST_TEST(see_through(task, 1h).result == R"({"as_they_were":0,"changed":24})");
}

// B40: without a target its place is one in the list
BOOST_AUTO_TEST_CASE(nobody_is_enrolled_twice) {
  bulk::enrol newcomers{"chemistry", {}};
  for (int i = 0; i < 25; ++i)
    newcomers.people.push_back({"New " + std::to_string(i), "n@campus.example", "south"});
  BOOST_TEST(interrupt_everywhere(newcomers, "COMPLETED") > 30U);
  BOOST_TEST(college().tables.people.size() == college_size + 25);
}

// B2, B7, I-14: byte for byte
BOOST_AUTO_TEST_CASE(an_export_has_the_same_bytes_whatever_happens_to_its_worker) {
  std::vector<bulk::person> all;
  for (const auto& [id, who] : college().tables.people)
    all.push_back(who);
  const auto whole = bulk::csv_header() + bulk::csv_rows(all);
  const auto check = [&](const core::task_id& task) {
    BOOST_TEST(exported(task) == whole);
    BOOST_TEST(left_behind() == 0U);
  };
  BOOST_TEST(interrupt_everywhere(bulk::export_search{everybody}, "COMPLETED", check) > 30U);
}

// B5: what is outside cannot be rolled back, but it is known to be the same
BOOST_AUTO_TEST_CASE(at_most_the_mail_under_way_is_sent_again_and_as_the_same_one) {
  const auto check = [&](const core::task_id& task) {
    std::set<std::string> known;
    for (const auto& sent : post.delivered)
      known.insert(sent.id);
    BOOST_TEST(known.size() == college_size);
    BOOST_TEST(post.delivered.size() <= college_size + 1);
    BOOST_TEST(known.count(bulk::message_id(task, 10)) == 1U);
  };
  BOOST_TEST(interrupt_everywhere(bulk::send_mail{everybody, "Hello", "you"}, "COMPLETED", check)
             > 100U);
}

// B21
BOOST_AUTO_TEST_CASE(copies_of_each_mail_go_to_those_who_are_to_have_them) {
  const std::vector<std::string> copies{"dean@campus.example"};
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you", copies});
  work();
  BOOST_TEST(look(task).status == "COMPLETED");
  BOOST_REQUIRE(post.delivered.size() == college_size);
  for (const auto& sent : post.delivered)
    BOOST_TEST(sent.cc == copies);
}

// B65: those who are refused do not keep the others from having theirs
BOOST_AUTO_TEST_CASE(refused_recipients_fail_the_task_when_all_others_have_their_mail) {
  post.gone = {"p3@campus.example", "p25@campus.example"};
  college().tables.people.at(40).email = "no address";
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you"});
  work();
  const auto seen = look(task);
  BOOST_TEST(seen.status == "FAILURE");
  BOOST_TEST(seen.error_code == bulk::error::recipients_refused);
  BOOST_TEST(post.delivered.size() == college_size - 3);
  BOOST_TEST(college().tables.mails.size() == college_size);
}

// B65-B67: who is put off is tried again when all others have their mail, and not for ever
BOOST_AUTO_TEST_CASE(a_recipient_who_is_put_off_keeps_nobody_waiting) {
  for (const auto* address : {"p3@campus.example", "p4@campus.example", "p25@campus.example"})
    post.later[address] = 2;
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you"});
  work();
  BOOST_TEST(post.delivered.size() == college_size - 3); // each of the three was asked twice
  BOOST_TEST(look(task).attempts == 0U);                 // it got on
  BOOST_TEST((look(task).next_action >= now() + 5min));
  BOOST_TEST(see_through(task, 1h).status == "COMPLETED");
  BOOST_TEST(post.delivered.size() == college_size);
  BOOST_TEST(college().tables.mails.size() == college_size);
}

// B62: between two tries, too
BOOST_AUTO_TEST_CASE(a_recipient_who_cannot_be_seen_any_more_gets_no_second_try) {
  for (const auto* address : {"p3@campus.example", "p6@campus.example"})
    post.later[address] = 2;
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you"}, coach);
  work();
  BOOST_TEST(look(task).status == "QUEUED");
  const auto before = post.delivered.size();
  for (auto& [id, who] : college().tables.people)
    if (who.email == "p6@campus.example")
      who.campus = "south";
  BOOST_TEST(see_through(task, 1h).status == "COMPLETED");
  BOOST_REQUIRE(post.delivered.size() == before + 1);
  BOOST_TEST(post.delivered.back().to == "p3@campus.example");
}

BOOST_AUTO_TEST_CASE(a_recipient_who_is_put_off_for_ever_is_given_up) {
  post.later["p3@campus.example"] = 1'000;
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you"});
  const auto seen = see_through(task, 12h);
  BOOST_TEST(seen.status == "ERROR");
  BOOST_TEST(seen.error_code == bulk::error::recipients_put_off);
  BOOST_TEST(seen.attempts == 5U);
  BOOST_TEST(post.delivered.size() == college_size - 1);
}

// B65-B67: short outages cost nothing as long as it gets on; a long one ends it
BOOST_AUTO_TEST_CASE(a_mail_server_that_is_down_costs_tries_only_when_nothing_gets_through) {
  const auto task = enqueue(bulk::send_mail{everybody, "Hello", "you"});
  for (post.until_down = 4; post.until_down < 24; post.until_down += 4) {
    work(); // four more mails, then it is down again
    BOOST_TEST(look(task).attempts == 0U);
    advance(5s);
  }
  const auto ended = see_through(task, 1h);
  BOOST_TEST(ended.status == "ERROR");
  BOOST_TEST(ended.error_code == bulk::error::mail_unavailable);
  BOOST_TEST(ended.attempts == 5U);
  BOOST_TEST(post.delivered.size() == 24U);

  // An operator revives it when the server is up: it goes on where it was.
  post.until_down = SIZE_MAX;
  msg::redrive_tasks again;
  again.queue = bulk::queue_name;
  BOOST_REQUIRE(call(again).value);
  BOOST_TEST(see_through(task, 1h).status == "COMPLETED");
  BOOST_TEST(post.delivered.size() == college_size);
}

// B19, B62: asked again with every chunk
BOOST_AUTO_TEST_CASE(a_right_that_is_withdrawn_stops_a_task_between_two_chunks) {
  const auto task = enqueue(bulk::export_search{everybody}, coach);
  college().tables.staff[coach].campus = "";
  college().at_step = [&] { // at the latest when the second chunk is committed
    if (college().tables.bookmarks[task].second.done == 20)
      college().tables.staff[coach].rights.clear();
  };
  work();
  const auto seen = look(task);
  BOOST_TEST(seen.status == "FAILURE");
  BOOST_TEST(seen.error_code == bulk::error::rights_revoked);
  BOOST_TEST(seen.percent == 80U);
  BOOST_TEST(exported(task).empty());
  BOOST_TEST(left_behind() == 0U);
}

// B19, B67: what was given up has left nothing, and somebody may revive it
BOOST_AUTO_TEST_CASE(an_export_that_is_revived_begins_anew) {
  const auto rights = college().tables.staff[coach].rights;
  const auto task = enqueue(bulk::export_search{everybody}, coach);
  college().tables.staff[coach].campus = "";
  college().at_step = [&] {
    if (college().tables.bookmarks[task].second.done == 20)
      college().tables.staff[coach].rights.clear();
  };
  work();
  BOOST_TEST(look(task).error_code == bulk::error::rights_revoked);

  college().at_step = nullptr;
  college().tables.staff[coach].rights = rights;
  msg::redrive_tasks again;
  again.queue = bulk::queue_name;
  BOOST_REQUIRE(call(again).value);
  BOOST_TEST(see_through(task, 1h).status == "COMPLETED");
  std::vector<bulk::person> all;
  for (const auto& [id, who] : college().tables.people)
    all.push_back(who);
  BOOST_TEST(exported(task) == bulk::csv_header() + bulk::csv_rows(all));
  BOOST_TEST(left_behind() == 0U);
}

// B62: nobody is reached whom the person it runs as does not see
BOOST_AUTO_TEST_CASE(a_task_reaches_whom_the_person_sees_that_it_runs_as) {
  const auto task = enqueue(bulk::watch{everybody}, coach);
  work();
  BOOST_TEST(look(task).status == "COMPLETED");
  BOOST_TEST(college().tables.watches.size() == 8U);
  for (const auto& [watcher, who] : college().tables.watches) {
    BOOST_TEST(watcher == coach);
    BOOST_TEST(college().tables.people.at(who).campus == "north");
  }
}

// B7: the bound holds at run too, because a query is live
BOOST_AUTO_TEST_CASE(an_export_that_has_grown_beyond_its_bound_is_refused_and_leaves_nothing) {
  auto narrow = with;
  narrow.most.export_rows_max = 20;
  use(narrow);
  const auto task = enqueue(bulk::export_search{everybody});
  work();
  const auto seen = look(task);
  BOOST_TEST(seen.status == "FAILURE");
  BOOST_TEST(seen.error_code == bulk::error::export_too_large);
  BOOST_TEST(exported(task).empty());
  BOOST_TEST(left_behind() == 0U);
}

// B39: live, in order of id, each once
BOOST_AUTO_TEST_CASE(record_that_stops_matching_makes_no_other_be_skipped) {
  enqueue(bulk::change_program_status{by_query{"", program_status::active},
                                      program_status::graduated, ""});
  work();
  for (const auto& [id, who] : college().tables.people)
    BOOST_TEST((who.status == program_status::graduated), id);
}

// B43: a body of an older form is read, one of a newer form is left to newer programs
BOOST_AUTO_TEST_CASE(versions_of_bodies) {
  const auto old = enqueue("bulk.change_program_status", "1.0",
                           R"({"who": {"ids": [10]}, "to": "WITHDRAWN"})", registrar);
  work();
  BOOST_TEST(look(old).status == "COMPLETED");
  BOOST_TEST(college().tables.changes.size() == 1U);

  const auto newer = enqueue("bulk.watch", "1.9", R"({"who": {"groups": ["chess"]}})", registrar);
  work();
  BOOST_TEST(look(newer).status == "QUEUED"); // there may be a worker that knows it
  BOOST_REQUIRE(call(msg::change_task{bulk::queue_name, newer, 3}).value);

  const auto broken = enqueue("bulk.watch", "1.0", R"({"who": {}})", registrar);
  work();
  BOOST_TEST(look(broken).error_code == bulk::error::spec_unreadable);
  BOOST_TEST(look(broken).status == "FAILURE");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
