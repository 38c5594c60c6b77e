// What the store keeps of monitors' flags, and what a step is surveyed by.

#include "tests/persistence/conformance.hpp"
#include "tests/persistence/history_text.hpp"

namespace holdfast::test {

namespace {

using core::monitor;

template <class World>
class survey_fixture : public store_fixture<World> {
public:
  void given_judgment(core::unit_id unit, const std::string& who, core::token token,
                      std::int64_t submitted_s, const std::string& payload = R"({"label":"x"})") {
    this->given_lease(unit, who, token); // granted at 10
    auto answer = this->judgment(unit, who, token);
    answer.submitted_at = at(submitted_s);
    answer.payload = payload;
    BOOST_TEST(is(this->write({answer}), committed));
  }

  std::string flags() { return history_text(value_of(this->db->load_step_history(step.id, {}))); }

  core::step_row step = this->given_step();
};

BOOST_AUTO_TEST_SUITE(store_survey)

// A28
BOOST_AUTO_TEST_CASE_TEMPLATE(flags_are_read_by_contributor_and_monitor, World, worlds) {
  survey_fixture<World> f;
  const auto other = f.given_step();
  const auto flag = [&](const std::string& who, monitor what) {
    return core::insert_flag{f.step.id, who, what, "why", at(30)};
  };
  BOOST_TEST(f.flags().empty());
  BOOST_TEST(is(f.write({flag("bob", monitor::speed), flag("ana", monitor::patterns),
                         core::insert_flag{other.id, "cid", monitor::copying, "why", at(30)},
                         flag("bob", monitor::agreement)}),
                committed));
  BOOST_TEST(f.flags() == "flag ana patterns\nflag bob agreement\nflag bob speed\n");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_flag_is_raised_once, World, worlds) {
  survey_fixture<World> f;
  const core::insert_flag flag{f.step.id, "ana", monitor::speed, "why", at(30)};
  BOOST_TEST(is(f.write({flag}), committed));
  BOOST_TEST(is(f.write({flag}), refused));
  BOOST_TEST(f.flags() == "flag ana speed\n");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_flags_are_refused, World, worlds) {
  survey_fixture<World> f;
  const auto refuses = [&](void (*change)(core::insert_flag&)) {
    core::insert_flag w{f.step.id, "ana", monitor::speed, "why", at(30)};
    change(w);
    BOOST_TEST(is(f.write({w}), refused));
  };
  refuses([](auto& w) { w.step.value.bytes[3] ^= 1; }); // no such step
  refuses([](auto& w) { w.contributor.clear(); });
  refuses([](auto& w) { w.contributor = std::string(129, 'a'); });
  refuses([](auto& w) { w.contributor = "\xff"; });
  refuses([](auto& w) { w.what = static_cast<monitor>(0); });
  refuses([](auto& w) { w.what = static_cast<monitor>(5); });
  refuses([](auto& w) { w.why.clear(); });
  refuses([](auto& w) { w.why = std::string(513, 'a'); });
  BOOST_TEST(f.flags().empty());
}

// A23 to A26: what counts, in order of submission, the last of it
BOOST_AUTO_TEST_CASE_TEMPLATE(a_step_is_surveyed_by_what_counts, World, worlds) {
  survey_fixture<World> f;
  const auto first = f.given_unit(f.step.id, 1);
  const auto second = f.given_unit(f.step.id, 2);
  const auto elsewhere = f.given_unit(f.given_step().id, 1);
  auto question = f.new_unit(f.step.id, 3);
  question.truth = R"("x")";
  BOOST_TEST(is(f.write({question}), committed));
  f.given_judgment(second, "ana", 1, 40);
  f.given_judgment(first, "ana", 1, 20);
  f.given_judgment(first, "bob", 2, 30, R"({"label": "x"})");
  f.given_judgment(second, "eve", 2, 25);
  f.given_judgment(elsewhere, "ana", 1, 21);
  f.given_judgment(question.id, "ana", 1, 22);
  BOOST_TEST(is(f.write({core::taint_judgment{second, "eve", at(50)}}), committed));

  const auto whole = value_of(f.db->load_survey(f.step.id, 0.9, 10)).judgments;
  BOOST_REQUIRE(whole.size() == 3U);
  BOOST_TEST(whole[0].contributor == "ana");
  BOOST_TEST((whole[0].unit == first));
  BOOST_TEST(whole[0].answer == "x");
  BOOST_TEST((whole[0].taken == std::chrono::seconds{10}));
  BOOST_TEST(whole[1].contributor == "bob");
  BOOST_TEST((whole[1].taken == std::chrono::seconds{20}));
  BOOST_TEST((whole[2].unit == second));
  // Equal payloads have equal numbers.
  BOOST_TEST(whole[0].payload == whole[2].payload);
  BOOST_TEST(whole[0].payload != whole[1].payload);

  const auto last = value_of(f.db->load_survey(f.step.id, 0.9, 2)).judgments;
  BOOST_REQUIRE(last.size() == 2U);
  BOOST_TEST(last[0].contributor == "bob");
  BOOST_TEST((last[1].unit == second));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(finished_units_are_counted_with_what_counts_in_them, World, worlds) {
  survey_fixture<World> f;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    const auto unit = f.given_unit(f.step.id, n);
    f.given_judgment(unit, "ana", 1, 20);
    f.given_judgment(unit, "bob", 2, 20);
    if (n == 2)
      BOOST_TEST(is(f.write({core::taint_judgment{unit, "bob", at(50)}}), committed));
    if (n < 3)
      BOOST_TEST(
          is(f.write({core::finalize_unit{unit, "{}", n == 1 ? 0.9 : 0.5, at(60)}}), committed));
  }
  const auto by_version = value_of(f.db->load_survey(f.step.id, 0.9, 1)).finished;
  BOOST_REQUIRE(by_version.size() == 1U);
  const auto finished = by_version.at(1);
  BOOST_TEST(finished.units == 2U);
  BOOST_TEST(finished.judgments == 3U);
  BOOST_TEST(finished.unsure == 1U);
  const core::step_id nobody{f.ids.next(at(0))};
  const auto nothing = value_of(f.db->load_survey(nobody, 0.9, 10));
  BOOST_TEST(nothing.judgments.empty());
  BOOST_TEST(nothing.finished.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
