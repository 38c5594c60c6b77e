// What is stored of the ways that finished units go.

#include "tests/persistence/conformance.hpp"

#include <boost/mpl/list.hpp>

namespace holdfast::test {

BOOST_AUTO_TEST_SUITE(routes_in_the_store)

// A21, I-5
BOOST_AUTO_TEST_CASE_TEMPLATE(the_route_of_a_unit_is_read_as_written, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto unit = f.given_unit(step.id, 1);
  BOOST_TEST(f.load(unit).route == core::no_route);
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(6), -2, "x"}}), refused));
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(6), 3, "it is tied"}}), committed));
  BOOST_TEST(f.load(unit).route == 3);
}

// A20, A42, G-4
BOOST_AUTO_TEST_CASE_TEMPLATE(the_place_of_a_child_is_read_as_written, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  const auto parent = f.given_unit(step.id, 1);
  auto child = f.new_unit(step.id, 2);
  child.parent = child.root = parent;
  child.loops = 4;
  child.part = 7;
  BOOST_TEST(is(f.write({child}), committed));
  const auto loaded = f.load(child.id);
  BOOST_TEST(loaded.loops == 4U);
  BOOST_TEST(loaded.part == 7U);
  // Another item of the same parent is another unit, the same item is not.
  auto other = f.new_unit(step.id, 3);
  other.parent = other.root = parent;
  other.part = 8;
  BOOST_TEST(is(f.write({other}), committed));
  auto twin = f.new_unit(step.id, 4);
  twin.parent = twin.root = parent;
  twin.part = 7;
  BOOST_TEST(is(f.write({twin}), refused));
  auto without = f.new_unit(step.id, 5);
  without.part = 1; // of nothing
  BOOST_TEST(is(f.write({without}), refused));
}

// A20, I-2
BOOST_AUTO_TEST_CASE_TEMPLATE(who_is_excluded_is_barred_for_ever, World, worlds) {
  store_fixture<World> f;
  const auto step = f.given_step();
  auto unit = f.new_unit(step.id, 1);
  unit.excluded = {"ana", "bob"};
  BOOST_TEST(is(f.write({unit}), committed));
  const auto free = f.given_unit(step.id, 2);
  const auto names = [](std::vector<core::bar> bars) {
    std::string text;
    std::sort(bars.begin(), bars.end(),
              [](const auto& a, const auto& b) { return a.contributor < b.contributor; });
    for (const auto& bar : bars)
      text += bar.contributor + (bar.until == core::instant::max() ? " " : "? ");
    return text;
  };
  BOOST_TEST(names(f.load(unit.id).bars) == "ana bob ");
  BOOST_TEST(names(f.load(free).bars) == "");
  const auto open = f.load_step(step.id).open_units;
  BOOST_REQUIRE_EQUAL(open.size(), 2U);
  BOOST_TEST(names(open[0].touched) == "ana bob ");
  BOOST_TEST(names(open[1].touched) == "");
  auto twice = f.new_unit(step.id, 3);
  twice.excluded = {"ana", "ana"};
  BOOST_TEST(is(f.write({twice}), refused));
  auto nobody = f.new_unit(step.id, 3);
  nobody.excluded = {""};
  BOOST_TEST(is(f.write({nobody}), refused));
}

// A20, A42
BOOST_AUTO_TEST_CASE_TEMPLATE(a_chain_is_read_back_to_its_first_unit, World, worlds) {
  store_fixture<World> f;
  const auto first_step = f.given_step();
  const auto second_step = f.given_step();
  auto first = f.new_unit(first_step.id, 1);
  first.input = R"({"n":1})";
  auto second = f.new_unit(second_step.id, 1);
  second.parent = second.root = first.id;
  second.input = R"({"n":2})";
  auto third = f.new_unit(first_step.id, 2);
  third.parent = second.id;
  third.root = first.id;
  third.input = R"({"n":3})";
  BOOST_TEST(is(f.write({first}), committed));
  BOOST_TEST(is(f.write({second}), committed));
  BOOST_TEST(is(f.write({third}), committed));
  const auto judged = [&](core::unit_id unit, const std::string& who, core::token token) {
    f.write({core::insert_lease{unit, f.new_lease(who, token)}});
    BOOST_TEST(is(f.write({core::insert_judgment{
                      {f.ids.next(at(0))}, unit, who, token, "{}", "x", 1, at(2)}}),
                  committed));
  };
  judged(first.id, "cid", 1);
  judged(first.id, "ana", 2);
  judged(second.id, "bob", 1);
  judged(third.id, "ana", 1);

  const core::unit_id unknown{f.ids.next(at(0))};
  const auto chains = value_of(f.db->load_chains({third.id, first.id, unknown, third.id}));
  BOOST_REQUIRE_EQUAL(chains.size(), 2U);
  BOOST_TEST((chains[0].last == first.id && chains[1].last == third.id));
  BOOST_TEST(chains[0].links.size() == 1U);
  BOOST_TEST(chains[0].links[0].judges == (std::vector<std::string>{"ana", "cid"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(chains[1].links.size(), 3U);
  const auto& links = chains[1].links;
  BOOST_TEST((links[0].judges == std::vector<std::string>{"ana"}));
  BOOST_TEST((links[1].judges == std::vector<std::string>{"bob"}));
  BOOST_TEST((links[2].judges == std::vector<std::string>{"ana", "cid"}));
  BOOST_TEST(
      (links[0].unit == third.id && links[1].unit == second.id && links[2].unit == first.id));
  BOOST_TEST((links[0].step == first_step.id && links[1].step == second_step.id));
  BOOST_TEST(links[0].input == third.input);
  BOOST_TEST(links[2].input == first.input);
  BOOST_TEST(value_of(f.db->load_chains({})).empty());
}

// A74, A128
BOOST_AUTO_TEST_CASE_TEMPLATE(a_step_remembers_which_before_it_are_complete, World, worlds) {
  store_fixture<World> f;
  auto step = f.given_step();
  BOOST_TEST(f.load_step(step.id).row.upstreams_completed == 0U);
  for (const auto mask : {std::uint64_t{5}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    step.upstreams_completed = mask;
    BOOST_TEST(is(f.write({core::update_step{step}}), committed));
    BOOST_TEST(f.load_step(step.id).row.upstreams_completed == mask);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
