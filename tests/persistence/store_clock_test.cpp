// The database's clock is set back under nodes that run: who the node of a name is, and whose lease
// runs, does not hang on it (docs/adr/0078).

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

/// The memory store on a clock that can be set back.
class memory_clock {
public:
  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::memory_store>(database_);
  }
  void set_back(core::duration by) { *behind_ += by; }

private:
  std::shared_ptr<core::duration> behind_ = std::make_shared<core::duration>(0);
  std::shared_ptr<persistence::memory_database> database_ =
      std::make_shared<persistence::memory_database>([behind = behind_] {
        return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now())
               - *behind;
      });
};

/// PostgreSQL, whose clock nobody sets: what it has written is moved ahead instead.
class postgres_clock : public postgres_world {
public:
  void set_back(core::duration by) {
    const auto span = "interval '" + std::to_string(by.count()) + " us'";
    test_cluster::instance().sql("UPDATE holdfast.nodes SET started_at = started_at + " + span
                                 + ", expires_at = expires_at + " + span);
  }
};

using clock_worlds = boost::mpl::list<memory_clock, postgres_clock>;

BOOST_AUTO_TEST_SUITE(store_clock)

// finding R4
BOOST_AUTO_TEST_CASE_TEMPLATE(a_process_that_came_later_is_the_node_whatever_the_clock_says, World,
                              clock_worlds) {
  store_fixture<World> f;
  f.world.set_back(1h);
  const core::incarnation_id again{f.ids.next(at(0))};
  value_of(f.db->register_node("a", again, ""));
  value_of(f.db->renew(f.node, 1h)); // the one before runs on: it was frozen, perhaps
  BOOST_TEST(value_of(f.db->take_over("a", again, {0, 1, 2, 3}, 1h, {})).size() == 4U);
  const auto view = value_of(f.db->renew(again, 1h));
  BOOST_REQUIRE_EQUAL(view.nodes.size(), 2U);
  BOOST_TEST((view.nodes.back().incarnation == again));
  BOOST_TEST(!core::plan_hosting(view, again, {}).superseded);
  BOOST_TEST(core::plan_hosting(view, f.node, {}).superseded);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_lease_that_ends_where_no_lease_can_is_over, World, clock_worlds) {
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, ""));
  value_of(f.db->take_over("b", other, {}, 1min, {}));
  value_of(f.db->renew(f.node, 10s));
  f.world.set_back(5s); // less than a lease: nobody notices
  BOOST_TEST(find_node(value_of(f.db->renew(other, 1min)), f.node) != nullptr);
  BOOST_TEST(value_of(f.db->take_over("b", other, {0}, 1min, {})).empty());
  f.world.set_back(1h);
  BOOST_TEST(find_node(value_of(f.db->renew(other, 1min)), f.node) == nullptr);
  BOOST_TEST(value_of(f.db->take_over("b", other, {0}, 1min, {})).size() == 1U);
  // A node that lives renews, by the clock of now.
  BOOST_TEST(find_node(value_of(f.db->renew(f.node, 10s)), f.node) != nullptr);
  BOOST_TEST(value_of(f.db->take_over("b", other, {1}, 1min, {})).empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_dead_process_stays_dead_when_the_clock_comes_to_its_lease_again,
                              World, clock_worlds) {
  store_fixture<World> f;
  const core::incarnation_id other{f.ids.next(at(0))};
  value_of(f.db->register_node("b", other, ""));
  value_of(f.db->take_over("b", other, {}, 1min, {}));
  value_of(f.db->renew(f.node, 1min)); // its last: it is killed
  f.world.set_back(1h);
  value_of(f.db->renew(other, 1min));
  f.world.set_back(-1h); // an hour goes by
  BOOST_TEST(find_node(value_of(f.db->renew(other, 1min)), f.node) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
