// Bulk actions of queues: what the store keeps of each, and what it forgets.

#include "tests/core/describe.hpp"
#include "tests/persistence/task_fixture.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

template <class World>
struct queue_action_fixture : task_fixture<World> {
  core::queue_action_row new_action(int second, const std::string& queue = "mail") {
    core::queue_action_row row;
    row.queue = queue;
    row.id = {this->ids.next(at(second))};
    row.kind = core::queue_action_kind::redrive;
    row.filter = {"mail.send", "gold", "GONE", core::queue_action_scope::dead, at(1), at(9)};
    row.asked_by = "token:1";
    row.asked_at = row.changed_at = at(second);
    return row;
  }
  void given(const core::queue_action_row& row) {
    BOOST_TEST(is(this->write({core::put_queue_action{row}}), committed));
  }
  core::queue_action_row given_ended(int second) {
    auto row = new_action(second);
    row.status = core::queue_action_status::done;
    given(row);
    return row;
  }
  static std::string text_of(const core::queue_action_row& row) {
    return write_text{}(core::put_queue_action{row});
  }
  std::string found(const core::queue_action_row& row) {
    const auto known = this->db->find_queue_action(row.queue, row.id);
    return known ? text_of(*known) : std::string{to_string(known.error().code)};
  }
  /// The ids, in order.
  std::vector<core::queue_action_id> listed(core::queue_action_id after = {},
                                            std::uint32_t limit = 10) {
    std::vector<core::queue_action_id> ids;
    for (const auto& row : value_of(this->db->list_queue_actions("mail", after, limit)))
      ids.push_back(row.id);
    return ids;
  }
};

using some_actions = std::vector<core::queue_action_id>;

BOOST_AUTO_TEST_SUITE(store_queue_actions)

BOOST_AUTO_TEST_CASE_TEMPLATE(action_is_read_as_it_was_written, World, worlds) {
  queue_action_fixture<World> f;
  auto row = f.new_action(5);
  BOOST_TEST(f.found(row) == "not_found");
  f.given(row);
  BOOST_TEST(f.found(row) == f.text_of(row));
  row.status = core::queue_action_status::failed;
  row.bookmark = {f.ids.next(at(6))};
  row.counts = {7, 2, {{core::errc::already_exists, 3}, {core::errc::damaged, 1}}};
  row.changed_at = at(7);
  row.problem = "the rows cannot be read";
  f.given(row);
  BOOST_TEST(f.found(row) == f.text_of(row));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(request_of_an_action_never_changes, World, worlds) {
  queue_action_fixture<World> f;
  const auto row = f.new_action(5);
  f.given(row);
  auto other = row;
  other.kind = core::queue_action_kind::cancel;
  other.filter = {};
  other.asked_by = "token:2";
  other.asked_at = at(6);
  f.given(other);
  BOOST_TEST(f.found(row) == f.text_of(row));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(one_id_means_an_action_in_each_queue, World, worlds) {
  queue_action_fixture<World> f;
  BOOST_TEST(is(f.write({f.queue_row("other")}), committed));
  const auto row = f.new_action(5);
  auto other = row;
  other.queue = "other";
  other.kind = core::queue_action_kind::cancel;
  f.given(row);
  f.given(other);
  BOOST_TEST(f.found(row) == f.text_of(row));
  BOOST_TEST(f.found(other) == f.text_of(other));
  BOOST_TEST((f.listed() == some_actions{row.id}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(action_needs_its_queue_and_goes_with_it, World, worlds) {
  queue_action_fixture<World> f;
  BOOST_TEST(is(f.write({core::put_queue_action{f.new_action(5, "none")}}), refused));
  const auto row = f.new_action(5);
  f.given(row);
  BOOST_TEST(is(f.write({core::delete_queue{"mail", at(9)}}), committed));
  BOOST_TEST(f.found(row) == "not_found");
  BOOST_TEST(value_of(f.db->running_queue_actions("mail")).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(actions_that_run_are_found_the_oldest_first, World, worlds) {
  queue_action_fixture<World> f;
  const auto second = f.new_action(6);
  const auto first = f.new_action(5);
  f.given(second);
  f.given(first);
  f.given_ended(4);
  const auto running = value_of(f.db->running_queue_actions("mail"));
  BOOST_REQUIRE_EQUAL(running.size(), 2U);
  BOOST_TEST((running[0].id == first.id));
  BOOST_TEST((running[1].id == second.id));
  BOOST_TEST(value_of(f.db->running_queue_actions("other")).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(latest_actions_are_listed_first_page_by_page, World, worlds) {
  queue_action_fixture<World> f;
  const auto first = f.given_ended(5).id;
  const auto third = f.given_ended(7).id;
  const auto second = f.given_ended(6).id;
  BOOST_TEST((f.listed() == some_actions{third, second, first}));
  BOOST_TEST((f.listed({}, 2) == some_actions{third, second}));
  BOOST_TEST((f.listed(second, 2) == some_actions{first}));
  BOOST_TEST(f.listed(first).empty());
  BOOST_TEST(f.listed({f.ids.next(at(8))}).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(oldest_actions_that_have_ended_are_forgotten, World, worlds) {
  queue_action_fixture<World> f;
  const auto running = f.new_action(1);
  f.given(running);
  const auto first = f.given_ended(5).id;
  const auto second = f.given_ended(6).id;
  const auto third = f.given_ended(7).id;
  BOOST_TEST(is(f.write({core::forget_queue_actions{"mail", 3}}), committed));
  BOOST_TEST((f.listed() == some_actions{third, second, first, running.id}));
  BOOST_TEST(is(f.write({core::forget_queue_actions{"mail", 2}}), committed));
  BOOST_TEST((f.listed() == some_actions{third, second, running.id}));
  BOOST_TEST(is(f.write({core::forget_queue_actions{"other", 0}}), committed));
  BOOST_TEST(f.listed().size() == 3U);
  BOOST_TEST(is(f.write({core::forget_queue_actions{"mail", 0}}), committed));
  BOOST_TEST((f.listed() == some_actions{running.id}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
