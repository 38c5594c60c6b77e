// The life of work on one node, in virtual time: create, feed, assign, submit, aggregate, complete.

#include "tests/support/printing.hpp"
#include "tests/support/virtual_world.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

constexpr auto one_step = R"({"name": "colours", "steps": [{
  "key": "label", "judgments_per_unit": 2,
  "lease": {"ttl_seconds": 60, "total_max_seconds": 120, "regrant_after_seconds": 30},
  "judgment_schema": {"type": "object", "required": ["answer"],
                      "properties": {"answer": {"enum": ["red", "blue"]}}}}]})";

struct node_fixture : virtual_world {
  virtual_node node{*this, "n1"};
  core::uuid_source ids{99};

  node_fixture() {
    node.start();
    settle();
    BOOST_REQUIRE(node.gateway);
  }
  template <class Id>
  Id fresh() {
    return {ids.next(now())};
  }
  core::step_id create(const std::string& definition) {
    const auto created = ask<msg::workflow_created>(
        node.gateway, msg::create_workflow{fresh<core::workflow_id>(), definition});
    BOOST_REQUIRE(created.value);
    return created.value->steps.front().step;
  }
  void feed(const core::step_id& step, std::size_t units) {
    msg::add_source_data data{step, {}};
    for (std::size_t i = 0; i < units; ++i)
      data.rows.push_back({"row-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}", 0});
    const auto added = ask<msg::source_data_added>(node.gateway, data);
    BOOST_REQUIRE(added.value);
    BOOST_TEST(added.value->added == units);
  }
  answer<msg::assignment> assign(const core::step_id& step, const std::string& who) {
    return ask<msg::assignment>(node.gateway,
                                msg::ask_assignment{step, who, fresh<core::assignment_id>()});
  }
  answer<msg::judgment_accepted> submit(const msg::assignment& a, const std::string& who,
                                        const std::string& payload) {
    return ask<msg::judgment_accepted>(
        node.gateway,
        msg::submit_judgment{a.step, a.unit, who, a.token, fresh<core::judgment_id>(), payload});
  }
  msg::unit_view unit(const msg::assignment& a) {
    const auto view = ask<msg::unit_view>(node.gateway, msg::get_unit{a.step, a.unit});
    BOOST_REQUIRE(view.value);
    return *view.value;
  }
  msg::step_view step_of(const core::step_id& step) {
    const auto stats = ask<msg::step_statistics>(node.gateway, msg::get_step_statistics{step});
    BOOST_REQUIRE(stats.value);
    return stats.value->step;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(work, node_fixture)

// A13, A29, A31, A34, A35, A107-A113, A123, A127, A128
BOOST_AUTO_TEST_CASE(units_are_judged_aggregated_and_complete_their_sealed_step) {
  const auto step = create(one_step);
  feed(step, 2);
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 2; ++i) {
      const auto a = assign(step, who);
      BOOST_REQUIRE(a.value);
      const auto done = submit(*a.value, who, R"({"answer":"red"})");
      BOOST_REQUIRE(done.value);
      BOOST_TEST(!done.value->repeated);
    }
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(1s);

  const auto results = ask<msg::result_page>(node.gateway, msg::list_results{step, 0, 10});
  BOOST_REQUIRE(results.value);
  BOOST_REQUIRE(results.value->results.size() == 2);
  for (const auto& r : results.value->results) {
    BOOST_TEST(r.result == R"({"answer":"red","confidence":1,"votes":{"red":2},"tied":1})");
    BOOST_TEST(r.state == core::unit_state::finalized);
  }
  BOOST_TEST(step_of(step).status == core::step_status::open); // not sealed: more may come
  BOOST_REQUIRE(ask<msg::step_view>(node.gateway, msg::seal_step{step}).value);
  BOOST_TEST(step_of(step).status == core::step_status::completed);
  BOOST_TEST(step_of(step).completed_units == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
