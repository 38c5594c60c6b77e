// What the store keeps of workflows that go on in another form, and of units that keep theirs.

#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

core::insert_workflow_version version_of(core::workflow_id workflow, std::uint32_t version,
                                         std::string definition = "{}") {
  return {workflow, version, std::move(definition), at(5)};
}

template <class World>
class version_fixture : public store_fixture<World> {
public:
  std::vector<std::string> definitions() {
    return value_of(this->db->load_workflow(step.workflow)).definitions;
  }

  core::unit_id given_unit_of(std::uint32_t version, std::uint64_t ordinal) {
    auto unit = this->new_unit(step.id, ordinal);
    unit.version = version;
    BOOST_TEST(is(this->write({unit}), committed));
    return unit.id;
  }

  /// Ana lets a lease of the unit expire.
  void expire(core::unit_id unit, core::instant when) {
    this->given_lease(unit, "ana", 1);
    BOOST_TEST(
        is(this->write({core::end_lease_row{unit, "ana", 1, core::lease_end::expired, when}}),
           committed));
  }

  core::step_row step = this->given_step();
};

BOOST_AUTO_TEST_SUITE(store_versions)

// A72
BOOST_AUTO_TEST_CASE_TEMPLATE(versions_are_read_in_order, World, worlds) {
  version_fixture<World> f;
  const auto other = f.given_step();
  const auto workflow = f.step.workflow;
  BOOST_TEST(is(f.write({version_of(workflow, 2, R"({"n":2})")}), committed));
  // Several at once, also with the workflow itself.
  const core::workflow_id made{f.ids.next(at(0))};
  BOOST_TEST(is(f.write({version_of(workflow, 3, R"({"n":3})"), version_of(made, 2),
                         version_of(workflow, 4, R"({"n":4})"),
                         core::insert_workflow{made, "m", R"({"n":1})", at(0)}}),
                committed));

  BOOST_TEST(f.definitions()
                 == (std::vector<std::string>{R"({"steps":[]})", R"({"n":2})", R"({"n":3})",
                                              R"({"n":4})"}),
             boost::test_tools::per_element());
  BOOST_TEST(value_of(f.db->load_workflow(made)).definitions
                 == (std::vector<std::string>{R"({"n":1})", "{}"}),
             boost::test_tools::per_element());
  BOOST_TEST(value_of(f.db->load_workflow(other.workflow)).definitions.size() == 1U);
}

// I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_version_that_is_not_the_next_is_refused, World, worlds) {
  version_fixture<World> f;
  const auto workflow = f.step.workflow;
  for (const auto version : {0U, 1U, 3U, 32'768U, 65'538U})
    BOOST_TEST(is(f.write({version_of(workflow, version)}), refused));
  BOOST_TEST(is(f.write({version_of(workflow, 2), version_of(workflow, 2)}), refused));
  BOOST_TEST(is(f.write({version_of(workflow, 3), version_of(workflow, 2)}), refused));
  BOOST_TEST(f.definitions().size() == 1U);

  BOOST_TEST(is(f.write({version_of(workflow, 2)}), committed));
  for (const auto version : {1U, 2U, 4U})
    BOOST_TEST(is(f.write({version_of(workflow, version)}), refused));
  BOOST_TEST(is(f.write({version_of(workflow, 3, "\xff")}), refused)); // no text
  BOOST_TEST(f.definitions().size() == 2U);
  BOOST_TEST(is(f.write({version_of({f.ids.next(at(0))}, 2)}), refused)); // of no workflow
}

// What a stopping rule has saved is said by the version of the unit.
BOOST_AUTO_TEST_CASE_TEMPLATE(finished_units_are_counted_by_their_version, World, worlds) {
  version_fixture<World> f;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    const auto unit = f.given_unit_of(n == 1 ? 1 : 2, n);
    f.given_lease(unit, "ana", 1);
    BOOST_TEST(is(f.write({f.judgment(unit, "ana", 1)}), committed));
    BOOST_TEST(
        is(f.write({core::finalize_unit{unit, "{}", n == 3 ? 0.5 : 1.0, at(60)}}), committed));
  }
  const auto finished = value_of(f.db->load_survey(f.step.id, 0.9, 10)).finished;
  BOOST_REQUIRE(finished.size() == 2U);
  BOOST_TEST(finished.at(1).units == 1U);
  BOOST_TEST(finished.at(1).unsure == 0U);
  BOOST_TEST(finished.at(2).units == 2U);
  BOOST_TEST(finished.at(2).judgments == 2U);
  BOOST_TEST(finished.at(2).unsure == 1U);
}

// A88
BOOST_AUTO_TEST_CASE_TEMPLATE(a_unit_keeps_its_version, World, worlds) {
  version_fixture<World> f;
  const auto first = f.given_unit(f.step.id, 1);
  const auto second = f.given_unit_of(2, 2);
  BOOST_TEST(f.load(first).version == 1U);
  BOOST_TEST(f.load(second).version == 2U);
  BOOST_TEST(is(f.write({core::finalize_unit{second, "{}", 1, at(6)}}), committed));
  BOOST_TEST(is(f.write({core::reopen_unit{second, 3, at(7)}}), committed));
  BOOST_TEST(f.load(second).version == 2U);

  auto child = f.new_unit(f.step.id, 3);
  child.parent = child.root = second;
  child.version = 2;
  BOOST_TEST(is(f.write({child}), committed));
  BOOST_TEST(value_of(f.db->load_lineage(first, {}, 10)).units.at(0).version == 1U);
  const auto item = value_of(f.db->load_lineage(child.id, {}, 10));
  BOOST_REQUIRE_EQUAL(item.units.size(), 2U);
  for (const auto& unit : item.units)
    BOOST_TEST(unit.version == 2U);

  for (const auto version : {0U, 32'768U, 65'537U}) {
    auto unit = f.new_unit(f.step.id, 4);
    unit.version = version;
    BOOST_TEST(is(f.write({unit}), refused));
  }
}

// G-5
BOOST_AUTO_TEST_CASE_TEMPLATE(ended_leases_bar_by_the_policy_of_the_units_version, World, worlds) {
  version_fixture<World> f;
  BOOST_TEST(is(f.write({version_of(f.step.workflow, 2, R"({"n":2})")}), committed));
  const auto first = f.given_unit(f.step.id, 1);
  const auto second = f.given_unit_of(2, 2);
  auto question = f.new_unit(f.step.id, 3);
  question.truth = R"("x")";
  BOOST_TEST(is(f.write({question}), committed));
  for (const auto& unit : {first, second, question.id})
    f.expire(unit, at(50));
  core::lease_policy slow;
  slow.regrant_after = 30s;
  core::lease_policy fast;
  fast.regrant_after = 10s;
  core::lease_policies policies{std::vector{slow, fast}};

  const auto policies_of = [&](const std::vector<std::string>& definitions,
                               const std::string& key) {
    BOOST_TEST(definitions == (std::vector<std::string>{R"({"steps":[]})", R"({"n":2})"}),
               boost::test_tools::per_element());
    BOOST_TEST(key == f.step.key);
    return policies;
  };
  const auto open = value_of(f.db->load_step(f.step.id, policies_of)).open_units;
  const auto units = value_of(f.db->load_units({first, second, question.id}, policies));
  BOOST_REQUIRE_EQUAL(open.size(), 3U);
  BOOST_REQUIRE_EQUAL(units.size(), 3U);
  // The test question is of the first version, and goes by the latest.
  const std::vector<core::instant> until{at(80), at(60), at(60)};
  for (std::size_t i = 0; i < until.size(); ++i) {
    BOOST_REQUIRE_EQUAL(open[i].touched.size(), 1U);
    BOOST_TEST((open[i].touched[0].until == until[i]));
    BOOST_REQUIRE_EQUAL(units[i].bars.size(), 1U);
    BOOST_TEST((units[i].bars[0].until == until[i]));
  }
}

// I-1
BOOST_AUTO_TEST_CASE_TEMPLATE(late_submissions_are_kept_by_the_policy_of_the_units_version, World,
                              worlds) {
  version_fixture<World> f;
  const auto first = f.given_unit(f.step.id, 1);
  const auto second = f.given_unit_of(2, 2);
  core::lease_policy rejecting;
  core::lease_policy keeping;
  keeping.late_submit = core::late_submit::surplus;
  for (const auto unit : {first, second}) {
    f.expire(unit, at(71));
    BOOST_TEST(is(f.write({core::insert_surplus_judgment{f.judgment(unit, "ana", 1)}}), committed));
  }
  const auto lapsed = [&](const std::vector<core::lease_policy>& by_version) {
    std::string text;
    for (const auto& unit :
         value_of(f.db->load_units({first, second}, core::lease_policies{by_version})))
      text += std::to_string(unit.lapsed.size()) + ' ';
    return text;
  };
  BOOST_TEST(lapsed({rejecting, keeping}) == "0 1 ");
  BOOST_TEST(lapsed({keeping, rejecting}) == "1 0 ");
  BOOST_TEST(lapsed({rejecting, rejecting}) == "0 0 ");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
