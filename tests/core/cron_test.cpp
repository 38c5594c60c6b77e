#include "core/cron.hpp"
#include "core/never_due.hpp"

#include <boost/test/unit_test.hpp>

#include <ctime>
#include <map>
#include <string>

using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

instant utc(const std::string& text) { // 2026-03-29 01:30[:00]
  std::tm parts{};
  strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
  return instant{std::chrono::seconds{timegm(&parts)}};
}

std::string text_of(instant at) {
  const auto seconds = static_cast<std::time_t>(to_micros(at) / 1'000'000);
  char text[32];
  std::tm parts{};
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", gmtime_r(&seconds, &parts));
  return text;
}

struct offsets : time_zone {
  explicit offsets(duration first, std::map<instant, duration> later = {})
      : first_(first), later_(std::move(later)) {}

  duration offset_at(instant at) const override {
    const auto change = later_.upper_bound(at);
    return change == later_.begin() ? first_ : std::prev(change)->second;
  }

private:
  duration first_;
  std::map<instant, duration> later_;
};

const offsets at_utc{0h};
const offsets in_berlin{1h,
                        {{utc("2026-03-29 01:00:00"), 2h},
                         {utc("2026-10-25 01:00:00"), 1h},
                         {utc("2027-03-28 01:00:00"), 2h}}};
/// The clocks are changed by half an hour, at midnight of the day.
const offsets on_lord_howe{11h, {{utc("2026-04-04 15:00:00"), 10h + 30min}}};

cron parsed(const std::string& expression) {
  const auto c = parse_cron(expression);
  if (!c)
    BOOST_FAIL(expression + ": " + c.error().detail);
  return *c;
}

/// The next times, as UTC, by commas.
std::string next(int times, const std::string& expression, const time_zone& zone,
                 const std::string& after) {
  std::string out;
  auto at = utc(after);
  for (int i = 0; i < times; ++i) {
    const auto due = next_after(parsed(expression), zone, at);
    if (!due)
      return out + "never";
    BOOST_TEST((*due > at));
    at = *due;
    out += (out.empty() ? "" : ", ") + text_of(at);
  }
  return out;
}

std::string problem_of(const std::string& expression) {
  const auto c = parse_cron(expression);
  return c ? "none" : c.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cron_expressions)

BOOST_AUTO_TEST_CASE(the_fields_say_when) {
  const auto from = [](const std::string& expression) {
    return next(3, expression, at_utc, "2026-01-01 00:00:00"); // a Thursday
  };
  BOOST_TEST(from("* * * * *") == "2026-01-01 00:01, 2026-01-01 00:02, 2026-01-01 00:03");
  BOOST_TEST(from("*/20 9-10 * * *") == "2026-01-01 09:00, 2026-01-01 09:20, 2026-01-01 09:40");
  BOOST_TEST(from("5,50 0/8 * * *") == "2026-01-01 00:05, 2026-01-01 00:50, 2026-01-01 08:05");
  BOOST_TEST(from("0 12 * * MON-FRI") == "2026-01-01 12:00, 2026-01-02 12:00, 2026-01-05 12:00");
  BOOST_TEST(from("0 0 31 * *") == "2026-01-31 00:00, 2026-03-31 00:00, 2026-05-31 00:00");
  BOOST_TEST(from("0 0 29 feb *") == "2028-02-29 00:00, 2032-02-29 00:00, 2036-02-29 00:00");
  BOOST_TEST(from("0 0 * * 7") == "2026-01-04 00:00, 2026-01-11 00:00, 2026-01-18 00:00");
  BOOST_TEST(from("@monthly") == "2026-02-01 00:00, 2026-03-01 00:00, 2026-04-01 00:00");
  BOOST_TEST(from("  0   0 1 1 *  ") == "2027-01-01 00:00, 2028-01-01 00:00, 2029-01-01 00:00");
}

BOOST_AUTO_TEST_CASE(of_two_restricted_days_either_will_do) {
  BOOST_TEST(next(4, "0 0 13 * FRI", at_utc, "2026-02-01 00:00:00")
             == "2026-02-06 00:00, 2026-02-13 00:00, 2026-02-20 00:00, 2026-02-27 00:00");
}

BOOST_AUTO_TEST_CASE(leap_years_are_those_of_the_calendar) {
  BOOST_TEST(next(2, "0 0 29 2 *", at_utc, "2093-01-01 00:00:00")
             == "2096-02-29 00:00, 2104-02-29 00:00");
}

BOOST_AUTO_TEST_CASE(date_that_no_calendar_has_never_comes) {
  BOOST_TEST(next(1, "0 0 30 2 *", at_utc, "2026-01-01 00:00:00") == "never");
  BOOST_TEST(next(1, "0 0 31 4,6,9,11 *", at_utc, "2026-01-01 00:00:00") == "never");
}

// Found by tests/fuzz/cron_fuzz.cpp. St. John's did so at one past midnight until 2011.
BOOST_AUTO_TEST_CASE(clocks_that_are_set_back_over_midnight_leave_no_minute_out) {
  const offsets at_saint_johns{-150min, {{utc("2010-11-07 02:31:00"), -210min}}};
  BOOST_TEST(next(3, "* * * * *", at_saint_johns, "2010-11-07 02:29:00")
             == "2010-11-07 02:30, 2010-11-07 02:31, 2010-11-07 02:32");
  const auto due = due_between(*parse_cron("* * * * *"), at_saint_johns, utc("2010-11-07 02:25:00"),
                               utc("2010-11-07 02:35:00"), 100);
  BOOST_TEST(due.size() == 10U);
}

// finding Q14
BOOST_AUTO_TEST_CASE(an_expression_that_names_no_date_is_known_for_it) {
  for (const auto* never : {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "* * 31 APR *"})
    BOOST_TEST(!names_a_date(*parse_cron(never)), never);
  for (const auto* some : {"0 0 29 2 *", "0 0 30 2 MON", "0 0 31 2,3 *", "0 0 * 2 *", "@yearly"})
    BOOST_TEST(names_a_date(*parse_cron(some)), some);
}

BOOST_AUTO_TEST_CASE(times_are_those_of_the_place) {
  BOOST_TEST(next(2, "30 0 * * *", in_berlin, "2026-01-01 00:00:00")
             == "2026-01-01 23:30, 2026-01-02 23:30");
  BOOST_TEST(next(2, "30 0 * * *", in_berlin, "2026-07-01 00:00:00")
             == "2026-07-01 22:30, 2026-07-02 22:30");
}

BOOST_AUTO_TEST_CASE(a_local_time_that_is_skipped_comes_at_the_end_of_the_gap) {
  // In Berlin there is no 02:30 on 29 March 2026.
  BOOST_TEST(next(3, "30 2 * * *", in_berlin, "2026-03-27 12:00:00")
             == "2026-03-28 01:30, 2026-03-29 01:00, 2026-03-30 00:30");
  // Several in one gap are one.
  BOOST_TEST(next(3, "*/15 2 * * *", in_berlin, "2026-03-29 00:00:00")
             == "2026-03-29 01:00, 2026-03-30 00:00, 2026-03-30 00:15");
}

BOOST_AUTO_TEST_CASE(a_local_time_that_comes_twice_counts_once) {
  // In Berlin it is 02:30 twice on 25 October 2026.
  BOOST_TEST(next(3, "30 2 * * *", in_berlin, "2026-10-24 00:00:00")
             == "2026-10-24 00:30, 2026-10-25 00:30, 2026-10-26 01:30");
}

BOOST_AUTO_TEST_CASE(hourly_schedule_goes_on_as_time_does) {
  BOOST_TEST(next(4, "0 * * * *", in_berlin, "2026-10-24 23:30:00")
             == "2026-10-25 00:00, 2026-10-25 01:00, 2026-10-25 02:00, 2026-10-25 03:00");
  BOOST_TEST(next(4, "30 * * * *", in_berlin, "2026-03-29 00:00:00")
             == "2026-03-29 00:30, 2026-03-29 01:30, 2026-03-29 02:30, 2026-03-29 03:30");
}

BOOST_AUTO_TEST_CASE(clocks_may_be_changed_by_less_than_an_hour) {
  // At 02:00 the clocks go back to 01:30.
  BOOST_TEST(next(2, "45 1 * * *", on_lord_howe, "2026-04-04 00:00:00")
             == "2026-04-04 14:45, 2026-04-05 15:15");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_their_fields) {
  BOOST_TEST(problem_of("* * * *").find("five fields") != std::string::npos);
  BOOST_TEST(problem_of("").find("five fields") != std::string::npos);
  BOOST_TEST(problem_of("60 * * * *") == "minute \"60\": must be from 0 to 59");
  BOOST_TEST(problem_of("* 24 * * *") == "hour \"24\": must be from 0 to 23");
  BOOST_TEST(problem_of("* * 0 * *") == "day of the month \"0\": must be from 1 to 31");
  BOOST_TEST(problem_of("* * * JUNE *") == "month \"JUNE\": not a number from 1 to 12");
  BOOST_TEST(problem_of("* * * * 8") == "day of the week \"8\": must be from 0 to 7");
  BOOST_TEST(problem_of("9-5 * * * *") == "minute \"9-5\": ends before it begins");
  BOOST_TEST(problem_of("*/0 * * * *")
             == "minute \"*/0\": the step after / must be a number from 1");
  BOOST_TEST(problem_of("1,,2 * * * *") == "minute \"\": not a number from 0 to 59");
  BOOST_TEST(problem_of("1, * * * *") == "minute \"\": not a number from 0 to 59");
  BOOST_TEST(problem_of("-5 * * * *") == "minute \"-5\": not a number from 0 to 59");
  BOOST_TEST(problem_of("99999999999 * * * *")
             == "minute \"99999999999\": not a number from 0 to 59");
  BOOST_TEST(problem_of("@noon").find("five fields") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_of_any_size_leaves_the_first_number) {
  for (const auto* step : {"60", "64", "2147483647"})
    for (const auto* first : {"*", "0", "0-59"}) {
      const auto due = next_after(parsed(std::string{first} + "/" + step + " * * * *"), in_berlin,
                                  utc("2026-03-27 05:10:00"));
      BOOST_TEST((due == utc("2026-03-27 06:00:00")), first << "/" << step);
    }
}

BOOST_AUTO_TEST_CASE(of_what_was_due_the_latest_are_listed) {
  const auto due = [](std::size_t most) {
    std::string out;
    for (const auto at : due_between(parsed("0 6 * * *"), in_berlin, utc("2026-03-27 05:00:00"),
                                     utc("2026-03-31 04:00:00"), most))
      out += (out.empty() ? "" : ", ") + text_of(at);
    return out;
  };
  BOOST_TEST(due(9) == "2026-03-28 05:00, 2026-03-29 04:00, 2026-03-30 04:00, 2026-03-31 04:00");
  BOOST_TEST(due(2) == "2026-03-30 04:00, 2026-03-31 04:00");
  BOOST_TEST(due(0).empty());
}

// What is due between two instants is what follows the first, one after the other.
BOOST_AUTO_TEST_CASE(the_two_ways_to_ask_agree) {
  for (const auto* expression :
       {"* * * * *", "*/7 2-3 * * *", "0 * * * *", "30 2 25,29 * *", "0 0 * 3,10 SUN"})
    for (const auto* from : {"2026-03-28 20:00:00", "2026-10-24 20:00:00", "2026-06-01 00:00:00"}) {
      const auto c = parsed(expression);
      const auto until = utc(from) + 48h;
      std::vector<instant> one_by_one;
      for (auto at = next_after(c, in_berlin, utc(from)); at && *at <= until;
           at = next_after(c, in_berlin, *at))
        one_by_one.push_back(*at);
      BOOST_TEST((due_between(c, in_berlin, utc(from), until, 10'000) == one_by_one),
                 expression << " from " << from);
    }
}

BOOST_AUTO_TEST_SUITE_END()
