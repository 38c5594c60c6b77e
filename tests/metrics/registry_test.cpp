#include "metrics/registry.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::metrics {

namespace {

std::uint64_t value_of(const registry& of, metric one, const label_values& labels) {
  std::uint64_t found = 0;
  of.for_counters(one, [&](const label_values& under, std::uint64_t value) {
    if (under == labels)
      found = value;
  });
  return found;
}

std::size_t series_of(const registry& of, metric one) {
  std::size_t count = 0;
  of.for_counters(one, [&](const label_values&, std::uint64_t) { ++count; });
  return count;
}

BOOST_AUTO_TEST_SUITE(metric_registry)

BOOST_AUTO_TEST_CASE(a_counter_is_the_same_for_the_same_labels) {
  registry all;
  all.count(metric::judgments_total, {"late"}).add();
  all.count(metric::judgments_total, {"late"}).add(2);
  all.count(metric::judgments_total, {"surplus"}).add();
  BOOST_TEST(value_of(all, metric::judgments_total, {"late"}) == 3U);
  BOOST_TEST(value_of(all, metric::judgments_total, {"surplus"}) == 1U);
}

BOOST_AUTO_TEST_CASE(threads_that_count_lose_nothing) {
  constexpr std::uint64_t each = 20000;
  registry all;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      auto& mine = all.count(metric::units_made_total);
      for (std::uint64_t k = 0; k < each; ++k)
        mine.add();
    });
  for (auto& one : threads)
    one.join();
  BOOST_TEST(value_of(all, metric::units_made_total, {}) == 4 * each);
}

BOOST_AUTO_TEST_CASE(a_value_on_a_bound_belongs_to_its_bucket) {
  histogram times{bounds_of(kind::short_times)};
  times.observe(0.001);
  times.observe(0.0011);
  times.observe(1000);
  times.observe(-1); // a clock that went back
  const auto found = times.read();
  BOOST_TEST(found.cumulative.at(0) == 2U);
  BOOST_TEST(found.cumulative.at(1) == 3U);
  BOOST_TEST(found.cumulative.back() == 4U);
  BOOST_TEST(found.sum == 1000.0021, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(queues_beyond_the_bound_are_counted_together) {
  registry all;
  for (std::size_t i = 0; i < series_max + 5; ++i)
    all.count(metric::tasks_finished_total, {"q" + std::to_string(i), "send", "dead"}).add();
  BOOST_TEST(series_of(all, metric::tasks_finished_total) == series_max + 1);
  BOOST_TEST(value_of(all, metric::tasks_finished_total, {"q0", "send", "dead"}) == 1U);
  BOOST_TEST(value_of(all, metric::tasks_finished_total, {"other", "other", "dead"}) == 5U);
  BOOST_TEST(value_of(all, metric::series_folded_total, {}) == 5U);
  // A queue that is known stays.
  all.count(metric::tasks_finished_total, {"q0", "send", "dead"}).add();
  BOOST_TEST(value_of(all, metric::tasks_finished_total, {"q0", "send", "dead"}) == 2U);
}

BOOST_AUTO_TEST_CASE(histograms_have_a_narrower_bound) {
  registry all;
  for (std::size_t i = 0; i < histogram_series_max + 5; ++i)
    all.distribute(metric::task_wait_seconds, {"q" + std::to_string(i)}).observe(1);
  std::size_t series = 0;
  std::uint64_t folded = 0;
  all.for_histograms(metric::task_wait_seconds,
                     [&](const label_values& labels, const distribution& found) {
                       ++series;
                       if (labels.front() == "other")
                         folded = found.cumulative.back();
                     });
  BOOST_TEST(series == histogram_series_max + 1);
  BOOST_TEST(folded == 5U);
}

BOOST_AUTO_TEST_CASE(a_source_leaves_with_its_registration) {
  registry all;
  auto kept = all.join([](const scrape_ptr&) {});
  {
    const auto gone = all.join([](const scrape_ptr&) {});
    BOOST_TEST(all.sources().size() == 2U);
  }
  BOOST_TEST(all.sources().size() == 1U);
  registration moved = std::move(kept);
  BOOST_TEST(all.sources().size() == 1U);
  moved = {};
  BOOST_TEST(all.sources().empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::metrics
