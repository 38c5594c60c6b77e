// Errors on the wire: what is sent of them, and what is understood of those of others.

#include "messages/errors.hpp"
#include "tests/messages/wire_fixture.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>

#include <string>

using namespace holdfast;
using test::hex;
using test::wire_fixture;

BOOST_FIXTURE_TEST_SUITE(errors_on_the_wire, wire_fixture)

BOOST_AUTO_TEST_CASE(code_category_and_detail_arrive) {
  for (int number = 1; number <= static_cast<int>(core::errc::rate_limited); ++number) {
    const core::failure sent{static_cast<core::errc>(number), "place " + std::to_string(number)};
    const auto as_error = msg::to_error(sent);
    caf::error received;
    BOOST_TEST(!read(written(as_error), received));
    BOOST_TEST(static_cast<int>(received.code()) == number);
    BOOST_TEST((received.category() == caf::atom("holdfast")));
    const auto understood = msg::failure_of(received);
    BOOST_TEST(understood.code == sent.code);
    BOOST_TEST(understood.detail == sent.detail);
  }
}

BOOST_AUTO_TEST_CASE(the_bytes_of_an_error_are_as_published) {
  // Code, category as an atom, then the context: a message of one text.
  BOOST_TEST(hex(written(msg::to_error(core::errc::stale_token, "x")))
             == "07" + hex(written(caf::atom("holdfast"))) + hex(written(caf::make_message("x"))));
}

BOOST_AUTO_TEST_CASE(the_pause_of_an_error_arrives) {
  core::failure sent{core::errc::rate_limited, "too often", std::chrono::milliseconds{2500}};
  caf::error received;
  BOOST_TEST(!read(written(msg::to_error(sent)), received));
  const auto understood = msg::failure_of(received);
  BOOST_TEST(understood.code == core::errc::rate_limited);
  BOOST_TEST(understood.detail == "too often");
  BOOST_TEST((understood.retry_after == sent.retry_after));
}

BOOST_AUTO_TEST_CASE(an_error_without_detail_has_none) {
  const auto understood = msg::failure_of(msg::to_error(core::errc::fenced, {}));
  BOOST_TEST(understood.code == core::errc::fenced);
  BOOST_TEST(understood.detail == "");
}

BOOST_AUTO_TEST_CASE(no_error_is_no_failure) {
  BOOST_TEST(msg::failure_of(caf::error{}).code == core::errc::none);
}

BOOST_AUTO_TEST_CASE(errors_of_caf_and_of_strangers_leave_the_outcome_open) {
  const auto timeout = msg::failure_of(caf::make_error(caf::sec::request_timeout));
  BOOST_TEST(timeout.code == core::errc::unavailable);
  BOOST_TEST(timeout.detail.find("request_timeout") != std::string::npos, timeout.detail);
  const caf::error stranger{7, caf::atom("stranger")};
  BOOST_TEST(msg::failure_of(stranger).code == core::errc::unavailable);
}

BOOST_AUTO_TEST_CASE(a_code_from_a_newer_peer_leaves_the_outcome_open) {
  const caf::error newer{200, caf::atom("holdfast"), caf::make_message(std::string{"news"})};
  const auto understood = msg::failure_of(newer);
  BOOST_TEST(understood.code == core::errc::unavailable);
  BOOST_TEST(understood.detail == "news");
}

BOOST_AUTO_TEST_CASE(a_context_of_another_shape_is_left_out) {
  const caf::error odd{7, caf::atom("holdfast"), caf::make_message(1, 2)};
  const auto understood = msg::failure_of(odd);
  BOOST_TEST(understood.code == core::errc::stale_token);
  BOOST_TEST(understood.detail == "");
}

BOOST_AUTO_TEST_CASE(an_error_prints_its_name_its_detail_and_what_to_do) {
  const std::string advice{core::describe(core::errc::stale_token).advice};
  BOOST_TEST(system.render(msg::to_error(core::errc::stale_token, "unit 5"))
             == "stale_token: unit 5. " + advice);
  BOOST_TEST(system.render(msg::to_error(core::errc::stale_token, {})) == "stale_token. " + advice);
}

BOOST_AUTO_TEST_SUITE_END()
