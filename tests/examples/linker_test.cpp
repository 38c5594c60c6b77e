// Ten thousand records matched in virtual time by fifty workers: 429s, an outage that outlasts the
// tries, workers that die or hang, a record that kills whoever touches it, a project that is
// deleted and one that is cancelled while they are matched.

#include "tests/examples/linker_world.hpp"

#include "examples/record_linker/metrics.hpp"
#include "examples/record_linker/producer.hpp"
#include "examples/record_linker/sweeper.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <variant>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using linker::link_status;

constexpr std::uint32_t bulk = 1;      ///< By far the largest, matched as an institution.
constexpr std::uint32_t modest = 2;    ///< Matched without a credential.
constexpr std::uint32_t deleted = 3;   ///< While everybody works on it.
constexpr std::uint32_t cancelled = 4; ///< The same, but its rows stay.
constexpr std::uint32_t forgotten = 5; ///< Its producer dies after its own commit.

constexpr const char* trace = "0af7651916cd43dd8448eb211c80319c";

struct linking : linker_world {
  explicit linking(std::uint64_t seed) : linker_world(seed) {
    add_project(bulk, 7'000, linker::institution);
    add_project(modest, 500, linker::anonymous);
    add_project(deleted, 2'000, linker::institution);
    add_project(cancelled, 450, linker::institution);
    add_project(forgotten, 50, linker::institution);
    poison("piece 5");
  }

  linker::fan_out match(std::uint32_t project) {
    const auto asked = linker::match_project(*links, port(), project, trace, now());
    BOOST_REQUIRE(static_cast<bool>(asked));
    BOOST_TEST(asked->refused == 0U);
    return *asked;
  }

  std::size_t records(std::uint32_t project, link_status status) const {
    std::size_t number = 0;
    for (const auto& [id, row] : links->rows())
      number += id.project == project && row.link.status == status ? 1U : 0U;
    return number;
  }

  std::string status_of(const linker::link_id& which) {
    const auto view = port().ask(msg::get_task{linker::task_of(which)});
    return view ? view->status : "";
  }

  /// C30: whoever is at work on it finds out at the end, whoever comes later at the start.
  void lose_two_projects() {
    BOOST_TEST(at_work_on(deleted) > 0U);
    BOOST_TEST(at_work_on(cancelled) > 0U);
    links->delete_project(deleted);
    links->cancel_project(cancelled);
    given_up_results =
        records(cancelled, link_status::completed) + records(cancelled, link_status::failed);
  }

  /// C49: somebody waits for one record of a project that has thousands before it.
  void ask_for_one_at_once() {
    const auto one = links->add(bulk, linker::institution);
    links->queue_project(bulk, now());
    const auto made = linker::enqueue(port(), {one}, trace, linker::interactive);
    BOOST_REQUIRE(static_cast<bool>(made));
    BOOST_TEST(made->made == 1U);
    run_for(15s); // the busy spells of the API included
    BOOST_TEST((status_of(one.id) == "COMPLETED" || status_of(one.id) == "FAILURE"));
  }

  /// C7: the tries ended before the outage did.
  void redrive() {
    const auto dead = queue_counts().dead;
    BOOST_TEST(dead > 100U);
    const auto again = linker::redrive_after_outage(port());
    BOOST_REQUIRE(static_cast<bool>(again));
    BOOST_TEST(*again == dead - 1); // all but the poisoned one
    run_until_empty(30min);
    BOOST_TEST(queue_counts().dead == 1U);
  }

  /// C26, C41: every quarter of an hour, and an hour later nothing is queued that nobody does.
  void sweep_after_an_hour() {
    BOOST_TEST(records(forgotten, link_status::queued) == 50U);
    BOOST_REQUIRE(call(msg::put_queue{linker::sweep_queue, "{}"}).value);
    const auto planned =
        call(msg::put_schedule{linker::sweep_queue, "quarterly", linker::sweep_schedule()});
    BOOST_REQUIRE(planned.value);
    BOOST_TEST((planned.value->next_due <= now() + 15min));
    run_for(1h + 1s);
    BOOST_TEST(sweep_as_scheduled()
               == R"({"enqueued":50,"given_up":1,"looked_at":51})"); // C33: the poisoned one
    BOOST_REQUIRE(call(msg::remove_schedule{linker::sweep_queue, "quarterly"}).value);
    run_until_empty(5min);
    for (const auto& [id, row] : links->rows())
      BOOST_TEST((row.link.status != link_status::queued), core::to_string(linker::task_of(id)));
  }

  /// Each record has one result, and that is the truth.
  void check_results() const {
    for (const auto& [id, row] : links->rows()) {
      if (row.link.status == link_status::cancelled || row.link.label == "piece 5")
        continue;
      const auto said = truth(row.link.label);
      if (const auto* entity = std::get_if<linker::found>(&said))
        BOOST_TEST(row.result.entity == entity->entity, row.link.label);
      else
        BOOST_TEST(row.result.entity.empty(), row.link.label);
      const bool unacceptable = std::holds_alternative<linker::refused>(said);
      BOOST_TEST((row.link.status == (unacceptable ? link_status::failed : link_status::completed)),
                 row.link.label);
      BOOST_TEST(row.result.message.empty() != unacceptable, row.link.label);
    }
  }

  std::size_t given_up_results = 0; ///< Of the cancelled project, before it was.
};

} // namespace

BOOST_AUTO_TEST_SUITE(record_linker)

// C1, C2, C7-C9, C11, C22-C24, C27-C37, C39, C41, C49
BOOST_AUTO_TEST_CASE(ten_thousand_records_end_once_with_what_the_api_knows) {
  linking world{1};

  // given: everything is asked for, and the producer of the last one dies before it asks the node
  for (const auto project : {bulk, modest, deleted, cancelled})
    BOOST_TEST(world.match(project).repeated == 0U);
  world.links->queue_project(forgotten, world.now());

  // when: two projects are lost in the midst, people ask again, and the API is out for two minutes
  world.run_for(20s);
  world.lose_two_projects();
  world.ask_for_one_at_once();
  BOOST_TEST(world.match(bulk).made == 0U);
  world.out_of_order(10s, 130s);
  world.run_until_empty(30min);
  const auto all = world.queue_counts();
  BOOST_TEST(all.completed + all.failed + all.dead == 9'951U);
  BOOST_TEST_MESSAGE("before the redrive: "
                     << linker::to_string(linker::metrics_of({}, all, std::chrono::seconds{1})));
  world.redrive();
  world.sweep_after_an_hour();

  // then
  world.check_results();
  world.check_rates();
  world.check_pauses_after_429();
  world.check_calls_per_record();
  BOOST_TEST(world.records(deleted, link_status::completed) == 0U);
  BOOST_TEST(world.records(cancelled, link_status::completed)
                 + world.records(cancelled, link_status::failed)
             == world.given_up_results); // C28, C29
  BOOST_TEST(world.most_at_work() == 50U);
  const auto end = world.queue_counts();
  BOOST_TEST(end.live == 0U);
  BOOST_TEST(end.completed + end.failed + end.dead == 10'001U);
  const auto& seen = world.counts;
  BOOST_TEST_MESSAGE("deaths " << seen.deaths << ", hung " << seen.hung << ", refused "
                               << seen.refused << ", told of 429 " << seen.rate_limited
                               << ", calls in the outage " << seen.failed_calls << ", dropped "
                               << seen.dropped << ", writes that came too late "
                               << world.links->refused_writes());
  // A run in which nothing went wrong would show nothing.
  for (const auto happened : {seen.deaths, seen.hung, seen.refused, seen.rate_limited,
                              seen.failed_calls, seen.dropped, world.links->refused_writes()})
    BOOST_TEST(happened > 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
