// What was once said on the wire is said so for ever, because programs of two versions talk to each
// other. F44
//
// With RECORD_WIRE in the environment what is new is written into the record: `./dev record-wire`.

#include "tests/messages/wire_contract.hpp"

#include "tests/messages/all_samples.hpp"
#include "tests/messages/interface_names.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace holdfast;
using holdfast::test::contains;
using test::broken_words;
using test::spoken;
using test::wire_contract;
using test::wire_fixture;

namespace {

std::string record_file() { return test::source_dir() + "/tests/messages/wire_contract.txt"; }

wire_contract recorded_so_far() {
  std::ifstream file{record_file()};
  std::ostringstream text;
  text << file.rdbuf();
  return test::read_contract(text.str());
}

template <class Interface>
void add_answers(spoken& all, const caf::actor_system& system) {
  for (const auto& names : test::signature_names(system, typename Interface::signatures{}))
    if (names.size() == 2) // a hint is answered by nobody
      all["answer " + names.front()] = names.back();
}

spoken spoken_now(wire_fixture& wire) {
  spoken all;
  for (const auto& sample : test::all_samples(wire))
    all["message " + sample.name] = test::hex(sample.wire);
  add_answers<msg::member_gateway_actor>(all, wire.system);
  add_answers<msg::door_actor>(all, wire.system);
  return all;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(wire_record, wire_fixture)

BOOST_AUTO_TEST_CASE(everything_is_said_as_it_was_recorded) {
  const auto now = spoken_now(*this);
  auto contract = recorded_so_far();
  if (std::getenv("RECORD_WIRE") != nullptr) {
    contract = test::recorded(contract, now, msg::own_protocols);
    std::ofstream file{record_file()};
    file << test::to_text(contract);
    BOOST_REQUIRE(file.flush());
  }
  for (const auto& broken : broken_words(contract, now, msg::own_protocols))
    BOOST_ERROR(broken);
}

// A message whose bytes are all that is said of it must have some.
BOOST_AUTO_TEST_CASE(every_sample_has_bytes) {
  for (const auto& [what, value] : spoken_now(*this))
    BOOST_TEST(!value.empty(), what);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rules_of_the_record)

namespace {
const msg::protocol_range own{1, 2};
const spoken both{{"message hf1.a", "01"}, {"answer hf1.a", "hf1.b"}};
wire_contract contract_of(const spoken& what) { return test::recorded({}, what, own); }
} // namespace

BOOST_AUTO_TEST_CASE(unchanged_message_breaks_nothing) {
  BOOST_TEST(broken_words(contract_of(both), both, own).empty());
}

BOOST_AUTO_TEST_CASE(a_record_is_read_as_it_was_written) {
  const auto again = test::read_contract(test::to_text(contract_of(both)));
  BOOST_REQUIRE_EQUAL(again.lines.size(), 2U);
  BOOST_TEST(again.lines[0].since == 2U);
  BOOST_TEST(again.lines[0].what == "answer hf1.a");
  BOOST_TEST(again.lines[0].value == "hf1.b");
  BOOST_TEST(broken_words(again, both, own).empty());
}

BOOST_AUTO_TEST_CASE(without_a_record_there_is_nothing_to_keep_to) {
  const auto broken = broken_words({}, both, own);
  BOOST_REQUIRE_EQUAL(broken.size(), 1U);
  BOOST_TEST(contains(broken[0], "record first"), broken[0]);
}

BOOST_AUTO_TEST_CASE(another_layout_or_answer_breaks_the_word) {
  auto now = both;
  now["message hf1.a"] = "0100";
  now["answer hf1.a"] = "hf1.c";
  const auto broken = broken_words(contract_of(both), now, own);
  BOOST_REQUIRE_EQUAL(broken.size(), 2U);
  BOOST_TEST(contains(broken[1], "message hf1.a is now\n  0100 and was recorded as\n  01\n"),
             broken[1]);
  BOOST_TEST(contains(broken[1], "own_protocols.newest"), broken[1]);
}

BOOST_AUTO_TEST_CASE(removed_message_breaks_the_contract) {
  const auto broken = broken_words(contract_of(both), {{"answer hf1.a", "hf1.b"}}, own);
  BOOST_REQUIRE_EQUAL(broken.size(), 1U);
  BOOST_TEST(contains(broken[0], "message hf1.a is gone"), broken[0]);
}

BOOST_AUTO_TEST_CASE(new_message_is_to_be_recorded_and_changes_nothing_else) {
  auto now = both;
  now["message hf1.c"] = "02";
  const auto broken = broken_words(contract_of(both), now, own);
  BOOST_REQUIRE_EQUAL(broken.size(), 1U);
  BOOST_TEST(contains(broken[0], "message hf1.c is new"), broken[0]);
  now["message hf1.a"] = "ff"; // a mistake, which recording does not cover up
  const auto longer = test::recorded(contract_of(both), now, {1, 3});
  BOOST_REQUIRE_EQUAL(longer.lines.size(), 3U);
  BOOST_TEST(longer.lines[2].what == "message hf1.c");
  BOOST_TEST(longer.lines[2].since == 3U);
  BOOST_TEST(broken_words(longer, now, {1, 3}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_protocol_never_goes_down) {
  const auto broken = broken_words(contract_of(both), both, {1, 1});
  BOOST_REQUIRE_EQUAL(broken.size(), 2U);
  BOOST_TEST(contains(broken[0], "never goes down"), broken[0]);
}

BOOST_AUTO_TEST_SUITE_END()
