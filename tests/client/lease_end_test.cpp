#include "client/lease_end.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;

namespace {

client::lease_holder holder() {
  return {"images", "w", {{*core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001")}, 7}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(lease_end)

BOOST_AUTO_TEST_CASE(every_way_to_end_names_the_lease) {
  const auto by = holder();
  const auto completed = client::lease_end(by, client::done{"1"});
  BOOST_TEST((completed.task.task == by.task.task && completed.task.token == 7U));
  BOOST_TEST(completed.result == "1");

  msg::task_update update;
  update.state = "HALF";
  const auto released = client::lease_end(by, client::wait_until{core::from_micros(5), update});
  BOOST_TEST((released.queue == "images" && released.worker == "w" && released.task.token == 7U));
  BOOST_TEST((released.next_action == core::from_micros(5)));
  BOOST_TEST(released.update.state == "HALF");

  const auto failed = client::lease_end(
      by, client::failed{"BUSY", "421", core::failure_kind::rate_limited, 3s, update});
  BOOST_TEST((failed.queue == "images" && failed.worker == "w" && failed.task.token == 7U));
  BOOST_TEST(failed.kind == 3U);
  BOOST_TEST((failed.error_code == "BUSY" && failed.detail == "421" && failed.retry_after == 3s));
  BOOST_TEST(failed.update.state == "HALF");

  client::next next;
  next.task.type = "second";
  next.result = "1";
  const core::assignment_id claim{by.task.task.value};
  const auto followed = client::lease_end(by, next, claim);
  BOOST_TEST((followed.queue == "images" && followed.worker == "w"));
  BOOST_TEST((followed.done.task.token == 7U && followed.done.result == "1"));
  BOOST_TEST((followed.next.type == "second" && followed.claim == claim));
}

BOOST_AUTO_TEST_CASE(long_details_are_cut_between_characters) {
  const std::string text = std::string(4095, 'x') + "\u00e4" + "rest";
  const auto failed = client::lease_end(holder(), client::failed{"LONG", text});
  BOOST_TEST(failed.detail == std::string(4095, 'x'));
  BOOST_TEST(client::lease_end(holder(), client::failed{"SHORT", "why"}).detail == "why");
}

// finding Q7
BOOST_AUTO_TEST_CASE(details_that_are_not_utf8_are_mended) {
  BOOST_TEST(client::lease_end(holder(), client::failed{"X", "caf\xe9"}).detail == "caf\ufffd");
}

// D29
BOOST_AUTO_TEST_CASE(refusals_tell_whether_the_lease_is_over) {
  for (const auto over : {core::errc::lease_not_held, core::errc::stale_token,
                          core::errc::lease_expired, core::errc::not_found})
    BOOST_TEST(client::lease_is_over(over));
  for (const auto alive : {core::errc::none, core::errc::wrong_state, core::errc::unavailable,
                           core::errc::overloaded, core::errc::payload_invalid})
    BOOST_TEST(!client::lease_is_over(alive));
}

BOOST_AUTO_TEST_SUITE_END()
