// What the store keeps of repairs and of results that were taken back.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"

namespace holdfast::test {

namespace {

template <class World>
class repair_fixture : public store_fixture<World> {
public:
  core::repair_row new_repair(std::uint64_t through = 9) {
    core::repair_row row;
    row.id = {this->ids.next(at(0))};
    row.step = step.id;
    row.contributor = "ev\xc3\xa4";
    row.through = through;
    row.asked_at = row.changed_at = at(5);
    return row;
  }

  commit_result put(const core::repair_row& row) { return this->write({core::put_repair{row}}); }

  /// A unit with a judgment of each of `who`, finalized.
  core::unit_id given_finalized(std::uint64_t ordinal, const std::vector<std::string>& who) {
    const auto unit = this->given_unit(step.id, ordinal);
    core::token token = 0;
    for (const auto& name : who) {
      this->given_lease(unit, name, ++token);
      BOOST_TEST(is(this->write({this->judgment(unit, name, token)}), committed));
    }
    BOOST_TEST(
        is(this->write({core::finalize_unit{unit, R"({"answer":"x"})", 0.5, at(30), 1, "why"}}),
           committed));
    return unit;
  }

  std::vector<core::unit_id> judged(const std::string& who, std::uint64_t after,
                                    std::uint64_t through) {
    return value_of(this->db->find_judged(step.id, {who}, after, through)).finalized;
  }

  core::step_row step = this->given_step();
};

std::string text_of(const core::repair_row& row) {
  return write_text{}(core::put_repair{row}) + " step " + to_string(row.step)
         + (row.dry_run ? " dry" : "") + " asked " + describe(row.asked_at);
}

BOOST_AUTO_TEST_SUITE(store_repairs)

// I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(a_reopened_unit_has_no_result_and_counts_it, World, worlds) {
  repair_fixture<World> f;
  const auto unit = f.given_finalized(1, {"ana"});
  BOOST_TEST(f.load_step(f.step.id).open_units.empty());
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(40)}}), committed));
  const auto open = f.load(unit);
  BOOST_TEST((open.state == core::unit_state::judgable));
  BOOST_TEST(open.slots == 2U);
  BOOST_TEST(open.reopened == 1U);
  BOOST_TEST(open.result.empty());
  BOOST_TEST(open.route == core::no_route);
  BOOST_TEST(open.judgments.size() == 1U);
  BOOST_TEST(f.load_step(f.step.id).open_units.size() == 1U);
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(50)}}), committed));
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(60)}}), committed));
  BOOST_TEST(f.load(unit).reopened == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_finalized_units_are_reopened, World, worlds) {
  repair_fixture<World> f;
  const auto unit = f.given_unit(f.step.id, 1);
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(40)}}), refused));
  BOOST_TEST(
      is(f.write({core::set_unit_state{unit, core::unit_state::canceled, at(5)}}), committed));
  BOOST_TEST(is(f.write({core::reopen_unit{unit, 2, at(40)}}), refused));
  const core::unit_id nobody{f.ids.next(at(0))};
  BOOST_TEST(is(f.write({core::reopen_unit{nobody, 2, at(40)}}), refused));
  const auto done = f.given_finalized(2, {});
  BOOST_TEST(is(f.write({core::reopen_unit{done, 0, at(40)}}), refused));
  BOOST_TEST(f.load(done).reopened == 0U);
}

// A bookmark goes with the work, and everything of a repair is read as it was written.
BOOST_AUTO_TEST_CASE_TEMPLATE(repairs_are_kept_until_they_are_done, World, worlds) {
  repair_fixture<World> f;
  const auto other = f.given_step();
  auto first = f.new_repair();
  auto second = f.new_repair();
  second.asked_at = at(4);
  second.dry_run = true;
  auto elsewhere = f.new_repair();
  elsewhere.step = other.id;
  const auto nothing = f.new_repair(0);
  BOOST_TEST(is(f.put(first), committed));
  BOOST_TEST(is(f.put(second), committed));
  BOOST_TEST(is(f.put(elsewhere), committed));
  BOOST_TEST(is(f.put(nothing), committed));
  const auto open = [&](core::step_id step) {
    std::vector<std::string> texts;
    for (const auto& row : value_of(f.db->open_repairs(step)).open)
      texts.push_back(text_of(row));
    return texts;
  };
  BOOST_TEST(open(f.step.id) == (std::vector{text_of(second), text_of(first)}),
             boost::test_tools::per_element());
  BOOST_TEST(open({}).size() == 3U);

  first.bookmark = 9;
  first.figures = {10, 1, 2, 3, 4, 5, 2};
  first.changed_at = at(6);
  BOOST_TEST(is(f.put(first), committed));
  BOOST_TEST(open(f.step.id).size() == 1U);
  BOOST_TEST(text_of(value_of(f.db->find_repair(first.id))) == text_of(first));
  BOOST_TEST(value_of(f.db->find_repair(nothing.id)).done());
  BOOST_TEST(fails_with(f.db->find_repair({f.ids.next(at(0))}), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(of_several_in_a_batch_the_last_counts, World, worlds) {
  repair_fixture<World> f;
  auto row = f.new_repair();
  auto later = row;
  later.bookmark = 3;
  BOOST_TEST(is(f.write({core::put_repair{row}, core::put_repair{later}}), committed));
  BOOST_TEST(value_of(f.db->find_repair(row.id)).bookmark == 3U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_repairs_are_refused, World, worlds) {
  repair_fixture<World> f;
  const auto refuses = [&](auto change) {
    auto row = f.new_repair();
    change(row);
    return is(f.put(row), refused);
  };
  BOOST_TEST(refuses([](auto& row) { row.bookmark = 10; }));
  BOOST_TEST(refuses([](auto& row) { row.figures.found = 1; }));
  // Reissued is only what was taken back.
  BOOST_TEST(refuses([](auto& row) {
    row.bookmark = 3;
    row.figures = {3, 1, 1, 1, 0, 3, 3};
  }));
  BOOST_TEST(refuses([](auto& row) { row.contributor.clear(); }));
  BOOST_TEST(refuses([](auto& row) { row.contributor = std::string(129, 'x'); }));
  BOOST_TEST(refuses([](auto& row) { row.contributor = "\xff"; }));
  BOOST_TEST(refuses([&](auto& row) { row.step = {f.ids.next(at(0))}; }));
  auto moved = f.new_repair();
  BOOST_TEST(is(f.put(moved), committed));
  moved.step = f.given_step().id;
  BOOST_TEST(is(f.put(moved), refused));
}

// A27: in order of arrival, with what is not settled yet
BOOST_AUTO_TEST_CASE_TEMPLATE(units_are_found_by_who_has_judged_them, World, worlds) {
  repair_fixture<World> f;
  const auto first = f.given_finalized(1, {"ana", "eve"});
  const auto second = f.given_finalized(2, {"eve"});
  f.given_finalized(3, {"ana"});
  const auto fourth = f.given_finalized(4, {"eve", "ana"});
  const auto tainted = f.given_finalized(5, {"eve"});
  BOOST_TEST(is(f.write({core::taint_judgment{tainted, "eve", at(40)}}), committed));
  // also where they count no more: they may be back at work
  BOOST_TEST((f.judged("eve", 0, 5) == std::vector{first, second, fourth, tainted}));
  BOOST_TEST((f.judged("eve", 1, 3) == std::vector{second}));
  BOOST_TEST(f.judged("nobody", 0, 5).empty());

  // of several: each once, where any of them has judged it
  const auto by = [&](const std::vector<core::contributor_id>& whom) {
    return value_of(f.db->find_judged(f.step.id, whom, 0, 5)).finalized;
  };
  const core::contributor_id eve = "eve";
  BOOST_TEST((by({eve, "nobody"}) == std::vector{first, second, fourth, tainted}));
  BOOST_TEST(by({"ana", eve}).size() == 5U);
  BOOST_TEST(by({}).empty());

  const auto unsettled = [&](std::uint64_t through) {
    return value_of(f.db->find_judged(f.step.id, {"ana", eve}, 0, through)).unsettled;
  };
  BOOST_TEST(!unsettled(9));
  const auto open = f.given_unit(f.step.id, 6);
  f.given_lease(open, "eve", 1);
  BOOST_TEST(!unsettled(9));
  BOOST_TEST(is(f.write({f.judgment(open, "eve", 1)}), committed));
  BOOST_TEST(unsettled(6));
  BOOST_TEST(!unsettled(5));
  BOOST_TEST(is(f.write({core::set_unit_state{open, core::unit_state::paused, at(5)}}), committed));
  BOOST_TEST(!unsettled(6));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
