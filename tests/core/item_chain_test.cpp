// Where the chains of an item end, and the places that a list of results goes on from.

#include "core/item_chain.hpp"

#include "core/item_result.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/workflow_builders.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::step_named;
using holdfast::test::workflow_of;

namespace {

/// Boxes are drawn, each is named, and a review that rejects sends the name back once.
struct chains_of_boxes {
  chains_of_boxes() {
    for (std::uint32_t position = 0; position < 3; ++position) {
      step_row row;
      row.id.value.bytes[15] = static_cast<std::uint8_t>(100 + position);
      row.position = position;
      steps.push_back(row);
    }
  }

  static versioned_workflow boxes() {
    auto draw = step_named("draw");
    route each;
    each.to = {"name"};
    each.for_each = true;
    draw.routes = {each};
    auto review = step_named("review");
    review.aggregation.method = aggregation_method::review;
    route again;
    again.when.answers = {"reject"};
    again.to = {"name"};
    review.routes = {again};
    return versioned_workflow{{workflow_of({draw, step_named("name", {"review"}), review})}};
  }

  static unit_id numbered(std::uint8_t n) {
    unit_id id;
    id.value.bytes[15] = n;
    return id;
  }

  /// A unit of the item whose first unit is number 1, with a result.
  chain_unit finished(std::uint8_t n, std::uint8_t parent, std::size_t step,
                      std::int16_t route = no_route) {
    chain_unit unit;
    unit.id = numbered(n);
    if (parent != 0)
      unit.parent = numbered(parent);
    unit.root = numbered(1);
    unit.step = steps[step].id;
    unit.state = unit_state::finalized;
    unit.route = route;
    unit.result_bytes = 2;
    return unit;
  }
  chain_unit open(std::uint8_t n, std::uint8_t parent, std::size_t step) {
    auto unit = finished(n, parent, step);
    unit.state = unit_state::judgable;
    unit.result_bytes = 0;
    return unit;
  }
  chain_unit canceled(std::uint8_t n, std::uint8_t parent, std::size_t step) {
    auto unit = open(n, parent, step);
    unit.state = unit_state::canceled;
    return unit;
  }

  chain_end end_of(const chain_unit& unit) {
    chains.add(unit);
    return chains.end_at(unit);
  }

  versioned_workflow workflow = boxes();
  std::vector<step_row> steps;
  item_chains chains{workflow, steps};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(item_chain, chains_of_boxes)

BOOST_AUTO_TEST_CASE(chain_ends_where_no_way_is_taken) {
  chains.add(finished(1, 0, 0, 0));
  BOOST_TEST((end_of(finished(2, 1, 1, 0)) == chain_end::none)); // on to the review
  BOOST_TEST((end_of(finished(3, 2, 2, 0)) == chain_end::none)); // back to the name
  BOOST_TEST((end_of(finished(4, 3, 1, 0)) == chain_end::none));
  const auto last = finished(5, 4, 2);
  BOOST_TEST((end_of(last) == chain_end::result));
  std::string path;
  for (const auto* unit : chains.path_to(last))
    path += chains.key_of(*unit) + ' ';
  BOOST_TEST(path == "draw name review name review ");
  BOOST_TEST(chains.is_review(last));
  BOOST_TEST(!chains.is_review(*chains.parent_of(last)));
}

BOOST_AUTO_TEST_CASE(chain_that_waits_for_people_has_no_end) {
  chains.add(finished(1, 0, 0, 0));
  auto paused = open(2, 1, 1);
  BOOST_TEST((end_of(paused) == chain_end::none));
  paused.state = unit_state::paused;
  BOOST_TEST((end_of(paused) == chain_end::none));
}

BOOST_AUTO_TEST_CASE(list_is_an_end_where_it_has_no_items) {
  const auto drawn = finished(1, 0, 0, 0);
  BOOST_TEST((end_of(drawn) == chain_end::if_childless));
  BOOST_TEST((chains.childless_end(drawn, true) == chain_end::result));
  // Its units are on their way.
  BOOST_TEST((chains.childless_end(drawn, false) == chain_end::none));
}

BOOST_AUTO_TEST_CASE(way_to_a_canceled_step_ends_the_chain_where_nothing_went_along_it) {
  chains.add(finished(1, 0, 0, 0));
  const auto named = finished(2, 1, 1, 0);
  BOOST_TEST((end_of(named) == chain_end::none));
  steps[2].status = step_status::canceled;
  BOOST_TEST((chains.end_at(named) == chain_end::if_childless));
  BOOST_TEST((chains.childless_end(named, false) == chain_end::canceled));
}

BOOST_AUTO_TEST_CASE(canceled_unit_is_superseded_where_its_parent_was_taken_back) {
  auto drawn = finished(1, 0, 0, 0);
  chains.add(drawn);
  auto named = canceled(2, 1, 1);
  BOOST_TEST((end_of(named) == chain_end::canceled));
  drawn.reopened = 1;
  chains.add(drawn);
  BOOST_TEST((end_of(named) == chain_end::superseded));
  named.parent_reopened = 1; // made from what came after that
  BOOST_TEST((end_of(named) == chain_end::canceled));
  // So is all that comes of it.
  named = finished(2, 1, 1, 0);
  chains.add(named);
  BOOST_TEST((end_of(canceled(3, 2, 2)) == chain_end::superseded));
}

BOOST_AUTO_TEST_CASE(unit_of_a_batch_ends_there_if_the_batch_is_of_another_item) {
  auto member = open(1, 0, 0);
  member.state = unit_state::gathered;
  BOOST_TEST((end_of(member) == chain_end::none)); // it waits
  member.batch = numbered(9);
  member.batch_root = numbered(8);
  BOOST_TEST((end_of(member) == chain_end::gathered));
  member.batch_root = member.root;
  BOOST_TEST((end_of(member) == chain_end::none));
}

BOOST_AUTO_TEST_CASE(unit_of_a_list_is_told_from_one_that_was_sent_back) {
  chains.add(finished(1, 0, 0, 0));
  chains.add(finished(2, 1, 1, 0));
  chains.add(finished(3, 2, 2, 0));
  chains.add(open(4, 3, 1));
  BOOST_TEST(!chains.is_list_item(*chains.find(numbered(1))));
  BOOST_TEST(chains.is_list_item(*chains.find(numbered(2))));
  BOOST_TEST(!chains.is_list_item(*chains.find(numbered(3))));
  BOOST_TEST(!chains.is_list_item(*chains.find(numbered(4))));
}

BOOST_AUTO_TEST_CASE(batch_follows_a_unit_of_its_own_step_that_has_no_result) {
  auto member = open(1, 0, 0);
  member.state = unit_state::gathered;
  chains.add(member);
  const auto batch = open(2, 1, 0);
  chains.add(batch);
  BOOST_TEST(chains.is_batch(batch));
  BOOST_TEST(!chains.is_batch(member));
}

BOOST_AUTO_TEST_CASE(path_with_a_gap_or_a_ring_is_empty) {
  const auto named = finished(2, 1, 1, 0);
  chains.add(named);
  BOOST_TEST((chains.missing_parents() == std::vector<unit_id>{numbered(1)}));
  BOOST_TEST(chains.path_to(named).empty());
  chains.add(finished(1, 2, 0, 0)); // each is the parent of the other
  BOOST_TEST(chains.missing_parents().empty());
  BOOST_TEST(chains.path_to(named).empty());
  BOOST_TEST((end_of(canceled(3, 2, 2)) == chain_end::canceled));
}

BOOST_AUTO_TEST_CASE(row_that_names_no_step_or_version_of_the_workflow_is_no_crash) {
  auto strange = finished(1, 0, 0, 0);
  strange.step.value.bytes[0] = 0xff;
  BOOST_TEST((end_of(strange) == chain_end::result));
  BOOST_TEST(chains.key_of(strange) == "");
  auto other = finished(2, 0, 0, 7); // a route that there is not
  BOOST_TEST((end_of(other) == chain_end::result));
  for (const std::uint32_t version : {0U, 2U}) {
    other.version = version;
    BOOST_TEST((chains.definition_of(other) == nullptr), "version " << version);
    BOOST_TEST((end_of(other) == chain_end::result), "version " << version);
  }
}

BOOST_AUTO_TEST_CASE(place_of_a_result_is_read_as_it_was_written) {
  const result_place places[] = {{}, {1, {}}, {INT64_MAX, {}}, {7, numbered(5)}};
  for (const auto& place : places) {
    const auto text = to_string(place);
    const auto read = result_place_of(text);
    BOOST_REQUIRE_MESSAGE(read, text);
    BOOST_TEST(read->ordinal == place.ordinal);
    BOOST_TEST((read->unit == place.unit), text);
  }
  BOOST_TEST(to_string(places[0]) == "");
  BOOST_TEST(to_string(places[1]) == "1");
  BOOST_TEST(to_string(places[3]) == "7-00000000-0000-0000-0000-000000000005");
  for (const auto* text :
       {"0", "-1", "+1", " 1", "1 ", "1-", "1-x", "x", "1.5", "9223372036854775808",
        "99999999999999999999", "1-00000000-0000-0000-0000-00000000000",
        "0-00000000-0000-0000-0000-000000000005"})
    BOOST_TEST(!result_place_of(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(states_of_results_have_names_and_bits_of_their_own) {
  std::uint8_t all = 0;
  for (std::uint8_t n = 1; n <= result_states; ++n) {
    const auto state = static_cast<result_state>(n);
    BOOST_TEST((result_state_named(to_string(state)) == state));
    BOOST_TEST((all & bit_of(state)) == 0);
    all = static_cast<std::uint8_t>(all | bit_of(state));
  }
  BOOST_TEST(all == all_result_states);
  BOOST_TEST(!result_state_named("Final").has_value());
  BOOST_TEST(!result_state_named("").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
