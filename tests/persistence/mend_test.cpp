// Faults that earlier versions have left behind in a database, and the mends for them.

#include "persistence/mend.hpp"

#include "persistence/migrate.hpp"
#include "persistence/verify.hpp"
#include "tests/persistence/empty_database.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

/// A database as programs of migration 34 have left it.
struct old_database : empty_database {
  old_database() {
    auto history = persistence::embedded_migrations();
    history.resize(34);
    BOOST_REQUIRE(persistence::migrate(conninfo, history));
    sql("INSERT INTO holdfast.workflows (workflow_id, name, definition, created_at)"
        " VALUES (gen_random_uuid(), 'w', '{\"steps\":[]}', now());"
        "INSERT INTO holdfast.steps (step_id, workflow_id, created_at, total_units,"
        " completed_units, revision, position, status, sealed, key)"
        " SELECT gen_random_uuid(), workflow_id, now(), 3, 0, 1, 0, 1, false, 'only'"
        " FROM holdfast.workflows");
    for (const auto* unit : {"1", "2", "3"})
      sql(std::string{"INSERT INTO holdfast.units (unit_id, step_id, root_id, ordinal, created_at,"
                      " slots, source_key, input) SELECT '"}
          + id(unit) + "', step_id, '" + id(unit) + "', " + unit + ", now(), 3, 'row-" + unit
          + "', '{}' FROM holdfast.steps");
  }

  static std::string id(const std::string& last) {
    return "00000000-0000-0000-0000-00000000000" + last;
  }
  void lease(const std::string& unit, const std::string& who, const std::string& assignment) {
    sql("INSERT INTO holdfast.active_leases VALUES ('" + id(unit) + "', '" + who + "', 1, '"
        + id(assignment) + "', now(), now() + interval '1 h')");
  }
  void ended(const std::string& unit, const std::string& who, const std::string& assignment) {
    sql("INSERT INTO holdfast.ended_leases VALUES ('" + id(unit) + "', '" + who + "', 1, '"
        + id(assignment) + "', now() - interval '2 h', now() - interval '1 h', now(), 2)");
  }
  void migrate() {
    const auto report = persistence::migrate(conninfo, persistence::embedded_migrations());
    BOOST_REQUIRE_MESSAGE(report, (report ? "" : report.error().detail));
  }
  /// Violations of the check, and what it says of the first.
  std::pair<std::uint64_t, std::string> found_by(const std::string& name) {
    const auto results = persistence::verify(conninfo);
    BOOST_REQUIRE_MESSAGE(results, (results ? "" : results.error().detail));
    for (const auto& result : *results)
      if (result.what.name == name)
        return {result.violations,
                result.samples.empty() ? "" : result.what.says + ": " + result.samples.front()};
    BOOST_FAIL("there is no check " + name);
    return {};
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(mends, old_database)

// finding B2: the key of live leases comes to a database that has them twice
BOOST_AUTO_TEST_CASE(live_leases_that_share_an_id_are_told_apart_by_the_migration) {
  lease("1", "ana", "7");
  lease("2", "bob", "7");
  lease("3", "cat", "8");
  migrate();
  BOOST_TEST(sql("SELECT count(*) FROM holdfast.active_leases")[0][0].as<int>() == 3);
  BOOST_TEST(sql("SELECT contributor_id FROM holdfast.active_leases WHERE assignment_id = '"
                 + id("7") + "'")[0][0]
                 .c_str()
             == std::string{"ana"});
  BOOST_TEST(sql("SELECT count(*) FROM holdfast.active_leases WHERE assignment_id = '" + id("8")
                 + "'")[0][0]
                 .as<int>()
             == 1);
  BOOST_TEST(found_by("assignment_ids_unique").first == 0U);
}

// finding B2: verify names what the histories share, and --repair mends it
BOOST_AUTO_TEST_CASE(leases_of_the_histories_that_share_an_id_are_named_and_mended) {
  lease("1", "ana", "7");
  ended("2", "bob", "7");
  ended("3", "cat", "8");
  migrate();
  const auto [violations, said] = found_by("assignment_ids_unique");
  BOOST_TEST(violations == 1U);
  for (const auto& part : {id("7"), std::string{"first_contributor=ana"},
                           std::string{"last_contributor=bob"}, std::string{"verify --repair"}})
    BOOST_TEST(contains(said, part), said);
  const auto done = persistence::mend(conninfo);
  BOOST_REQUIRE_MESSAGE(done, (done ? "" : done.error().detail));
  const auto mended = std::find_if(done->begin(), done->end(), [](const auto& one) {
    return one.name == "assignment_ids_unique";
  });
  BOOST_REQUIRE(mended != done->end());
  BOOST_TEST(mended->rows == 1U);
  BOOST_TEST(found_by("assignment_ids_unique").first == 0U);
  // Bob's lease began before, so that it keeps the id.
  BOOST_TEST(sql("SELECT contributor_id FROM holdfast.ended_leases WHERE assignment_id = '"
                 + id("7") + "'")
                 .size()
             == 1U);
  BOOST_TEST(persistence::mend(conninfo)->front().rows == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
