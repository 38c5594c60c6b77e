#include "metrics/page.hpp"
#include "metrics/scrape.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::metrics {

namespace {

using namespace std::chrono_literals;
using test::contains;

/// A registry with a source that answers when the test says so, and a clock.
struct metric_readers {
  metric_readers() {
    reported = all->join([this](const scrape_ptr& into) {
      ++asked;
      held.push_back(into);
    });
  }
  void answer() { held.clear(); }
  void read(page& from) {
    from.give([this](const std::string& text) { got.push_back(text); });
  }

  std::shared_ptr<registry> all = std::make_shared<registry>();
  std::chrono::steady_clock::time_point now{};
  std::size_t asked = 0;
  std::vector<std::string> got;
  std::vector<scrape_ptr> held; // after `got`: its end is the end of the readings
  registration reported;
};

std::string text_of(const std::shared_ptr<registry>& all) {
  std::string text;
  read_metrics(all, [&](std::string made) { text = std::move(made); });
  return text;
}

BOOST_FIXTURE_TEST_SUITE(metric_page, metric_readers)

BOOST_AUTO_TEST_CASE(the_page_waits_for_its_last_source) {
  page metrics{all, [this] { return now; }};
  read(metrics);
  BOOST_TEST(got.empty());
  held.front()->add(metric::units, {"label", "open"}, 3);
  held.front()->add(metric::units, {"label", "open"}, 4);
  held.front()->raise(metric::queue_oldest_ready_seconds, {"mail"}, 2.5);
  held.front()->raise(metric::queue_oldest_ready_seconds, {"mail"}, 1);
  answer();
  BOOST_REQUIRE(got.size() == 1U);
  BOOST_TEST(contains(got[0], "holdfast_units{step=\"label\",state=\"open\"} 7\n"), got[0]);
  BOOST_TEST(contains(got[0], "holdfast_queue_oldest_ready_seconds{queue=\"mail\"} 2.5\n"), got[0]);
  BOOST_TEST(contains(got[0], "# TYPE holdfast_units gauge\n"), got[0]);
}

BOOST_AUTO_TEST_CASE(readers_share_a_reading_that_is_under_way_or_a_second_old) {
  page metrics{all, [this] { return now; }};
  read(metrics);
  read(metrics);
  BOOST_TEST(asked == 1U);
  answer();
  BOOST_TEST(got.size() == 2U);
  now += 999ms;
  read(metrics);
  BOOST_TEST(got.size() == 3U);
  BOOST_TEST(asked == 1U);
  now += 1ms;
  read(metrics);
  BOOST_TEST(asked == 2U);
}

BOOST_AUTO_TEST_CASE(a_source_that_hangs_holds_up_one_reading) {
  page metrics{all, [this] { return now; }};
  read(metrics);
  const auto hangs = std::move(held);
  held.clear();
  now += 4999ms;
  read(metrics);
  BOOST_TEST(asked == 1U);
  now += 1ms;
  read(metrics);
  BOOST_TEST(asked == 2U);
  answer();
  BOOST_TEST(got.size() == 3U); // those who waited for the first reading, too
}

BOOST_AUTO_TEST_CASE(label_values_are_escaped) {
  all->count(metric::tasks_refused_total, {"a\"b\\c\nd"}).add();
  reported = {};
  const auto text = text_of(all);
  BOOST_TEST(contains(text, R"(holdfast_tasks_refused_total{queue="a\"b\\c\nd"} 1)"), text);
}

BOOST_AUTO_TEST_CASE(a_histogram_has_all_its_buckets_sum_and_count) {
  all->distribute(metric::commit_changes).observe(3);
  reported = {};
  const auto text = text_of(all);
  BOOST_TEST(contains(text, "holdfast_commit_changes_bucket{le=\"2\"} 0\n"), text);
  BOOST_TEST(contains(text, "holdfast_commit_changes_bucket{le=\"5\"} 1\n"), text);
  BOOST_TEST(contains(text, "holdfast_commit_changes_bucket{le=\"+Inf\"} 1\n"), text);
  BOOST_TEST(contains(text, "holdfast_commit_changes_sum 3\n"), text);
  BOOST_TEST(contains(text, "holdfast_commit_changes_count 1\n"), text);
}

BOOST_AUTO_TEST_CASE(large_counts_keep_all_their_digits) {
  constexpr std::uint64_t large = 1234567890123;
  all->count(metric::units_made_total).add(large);
  reported = {};
  BOOST_TEST(contains(text_of(all), "holdfast_units_made_total 1234567890123\n"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::metrics
