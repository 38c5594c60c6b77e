// Programs of two versions on one schema, that of the newer one.

#include "tests/persistence/conformance.hpp"
#include "tests/persistence/empty_database.hpp"

namespace holdfast::test {

namespace {

using persistence::embedded_migrations;
using persistence::migrate;

/// What a later program brings along: more of everything that a migration may add.
const std::string additions =
    "ALTER TABLE holdfast.units ADD COLUMN more integer NOT NULL DEFAULT 0;"
    "ALTER TABLE holdfast.nodes ADD COLUMN zone text;"
    "CREATE TABLE holdfast.more (n integer PRIMARY KEY);"
    "CREATE INDEX units_more ON holdfast.units (more);";

/// A database with the schema of this program.
class migrated_world : public empty_database {
public:
  migrated_world() { value_of(migrate(conninfo, embedded_migrations())); }

  std::unique_ptr<persistence::store> open() {
    return std::make_unique<persistence::postgres_store>(
        persistence::postgres_options{conninfo, "holdfast test"});
  }
};

struct mixed_versions : store_fixture<migrated_world> {
  /// A node of the next version starts.
  void upgrade(const std::string& first_line) {
    auto newer = embedded_migrations();
    auto number = std::to_string(newer.size() + 1);
    number.insert(0, 4 - number.size(), '0');
    newer.push_back(
        persistence::make_migration(number + "_more.sql", first_line + '\n' + additions));
    value_of(migrate(world.conninfo, newer));
  }
  static std::string works_with_this() {
    return "-- works with programs of migration " + std::to_string(embedded_migrations().size());
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(two_versions_on_one_schema, mixed_versions)

BOOST_AUTO_TEST_CASE(a_node_that_runs_goes_on_when_a_newer_one_migrates) { // F44
  const auto step = given_step();
  given_unit(step.id, 1);
  const auto units = [&] { return load_step(step.id).open_units.size(); };
  BOOST_TEST(units() == 1U); // the statements are prepared
  upgrade(works_with_this());
  given_unit(step.id, 2);
  BOOST_TEST(units() == 2U);
  BOOST_TEST(value_of(db->renew(node, 1h)).nodes.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_node_of_the_older_version_starts_and_works) { // F44
  const auto step = given_step();
  upgrade(works_with_this());
  const auto started = value_of(migrate(world.conninfo, embedded_migrations()));
  BOOST_TEST(started.version == embedded_migrations().size() + 1);
  BOOST_TEST(started.newly_applied.empty());
  db = world.open();
  value_of(db->register_node("a", node, "127.0.0.1:1"));
  for (const auto& fence : value_of(db->take_over("a", node, {0, 1, 2, 3}, 1h, {})))
    fences[fence.shard] = fence;
  given_unit(step.id, 1);
  BOOST_TEST(load_step(step.id).open_units.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_node_of_the_older_version_does_not_start_where_it_would_do_harm) { // F44
  upgrade("-- takes something away");
  const auto started = migrate(world.conninfo, embedded_migrations());
  BOOST_TEST(fails_with(started, core::errc::wrong_state));
  const auto next = std::to_string(embedded_migrations().size() + 1);
  const auto& why = started.error().detail;
  BOOST_TEST(why.find("migration " + next + " (more)") != std::string::npos, why);
  BOOST_TEST(why.find("start a newer program") != std::string::npos, why);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
