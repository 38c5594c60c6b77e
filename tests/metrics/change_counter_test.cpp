#include "metrics/change_counter.hpp"
#include "metrics/scrape.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::metrics {

namespace {

using namespace std::chrono_literals;
using test::contains;

const core::queue_name mail = "mail";
constexpr core::instant noon{core::duration{12h}};

struct counted_changes {
  void count(core::write_op write, const core::hosted_item& by = mail) {
    core::change change;
    change.writes.push_back(std::move(write));
    counter.count(change, by);
  }
  std::string page() const {
    std::string text;
    read_metrics(all, [&](std::string made) { text = std::move(made); });
    return text;
  }

  std::shared_ptr<registry> all = std::make_shared<registry>();
  change_counter counter{all};
};

BOOST_FIXTURE_TEST_SUITE(changes_in_metrics, counted_changes)

BOOST_AUTO_TEST_CASE(the_life_of_a_task_is_counted) {
  core::insert_task made;
  made.queue = mail;
  made.spec.type = "send";
  count(made);
  core::insert_task_lease granted;
  granted.lease.granted_at = noon + 7s;
  granted.due = noon;
  count(granted);
  core::end_task_lease over;
  over.how = core::attempt_ending::rate_limited;
  count(over);
  over.how = core::attempt_ending::expired;
  count(over);
  core::finish_task done;
  done.type = "send";
  done.token = 3;
  done.leased_at = noon + 7s;
  done.at = noon + 9s;
  count(done);
  const auto text = page();
  for (const auto* line :
       {"holdfast_tasks_made_total{queue=\"mail\",type=\"send\"} 1\n",
        "holdfast_task_wait_seconds_sum{queue=\"mail\"} 7\n",
        "holdfast_task_wait_seconds_bucket{queue=\"mail\",le=\"5\"} 0\n",
        "holdfast_task_wait_seconds_bucket{queue=\"mail\",le=\"10\"} 1\n",
        "holdfast_task_attempts_ended_total{queue=\"mail\",outcome=\"rate_limited\"} 1\n",
        "holdfast_task_attempts_ended_total{queue=\"mail\",outcome=\"expired\"} 1\n",
        "holdfast_leases_expired_total{item=\"task\"} 1\n",
        "holdfast_leases_expired_total{item=\"unit\"} 0\n",
        "holdfast_tasks_finished_total{queue=\"mail\",type=\"send\",outcome=\"completed\"} 1\n",
        "holdfast_task_run_seconds_sum{queue=\"mail\"} 2\n"})
    BOOST_TEST(contains(text, line), line << " is not in\n" << text);
}

BOOST_AUTO_TEST_CASE(a_task_that_ends_without_a_lease_has_no_run_time) {
  core::finish_task canceled;
  canceled.type = "send";
  canceled.ending = core::task_ending::canceled;
  canceled.at = noon;
  count(canceled);
  const auto text = page();
  BOOST_TEST(contains(text, "outcome=\"canceled\"} 1\n"), text);
  BOOST_TEST(contains(text, "holdfast_task_run_seconds_count{queue=\"mail\"} 0\n"), text);
}

BOOST_AUTO_TEST_CASE(the_work_of_a_step_is_counted) {
  const core::hosted_item step = core::step_id{};
  count(core::insert_unit{}, step);
  count(core::insert_lease{}, step);
  count(core::insert_judgment{}, step);
  count(core::insert_late_judgment{}, step);
  count(core::insert_surplus_judgment{}, step);
  core::end_lease_row over;
  over.how = core::lease_end::expired;
  count(over, step);
  count(core::finalize_unit{}, step);
  count(core::reopen_unit{}, step);
  const auto text = page();
  for (const auto* line :
       {"holdfast_units_made_total 1\n", "holdfast_assignments_total{outcome=\"granted\"} 1\n",
        "holdfast_assignments_total{outcome=\"submitted\"} 1\n",
        "holdfast_assignments_total{outcome=\"expired\"} 1\n",
        "holdfast_assignments_total{outcome=\"declined\"} 0\n",
        "holdfast_judgments_total{outcome=\"in_time\"} 1\n",
        "holdfast_judgments_total{outcome=\"late\"} 1\n",
        "holdfast_judgments_total{outcome=\"surplus\"} 1\n",
        "holdfast_leases_expired_total{item=\"unit\"} 1\n", "holdfast_units_finalized_total 1\n",
        "holdfast_units_reopened_total 1\n"})
    BOOST_TEST(contains(text, line), line << " is not in\n" << text);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::metrics
