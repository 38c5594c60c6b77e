// The decisions of the example about links, as pure functions; its handler, producer and sweeper
// without a node; and its simulated API.

#include "core/uuid.hpp"
#include "examples/record_linker/match_handler.hpp"
#include "examples/record_linker/matching.hpp"
#include "examples/record_linker/metrics.hpp"
#include "examples/record_linker/producer.hpp"
#include "examples/record_linker/sweeper.hpp"
#include "tests/examples/memory_links.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace linker;
using namespace std::chrono_literals;
using holdfast::test::memory_links;
using nlohmann::json;

namespace {

const auto noon = core::from_micros(1'700'000'000'000'000);

template <class Kind>
Kind as(const decision& decided) {
  BOOST_REQUIRE(std::holds_alternative<Kind>(decided));
  return std::get<Kind>(decided);
}

client::failed failure_of(const reply& said, std::uint32_t attempt = 1) {
  return std::get<client::failed>(outcome_of(on_reply(said, attempt, 1)));
}

/// An API that says one thing, and lets something happen before it does.
class scripted_api : public entity_api {
public:
  reply ask(const std::string&, const std::string&, core::instant) override {
    ++calls;
    meanwhile();
    return says;
  }

  reply says = found{"Q42"};
  std::function<void()> meanwhile = [] {};
  int calls = 0;
};

/// One queued record, and the handler that matches it.
struct one_record {
  one_record() {
    store->add_project(1);
    row = store->add(1, anonymous);
    store->queue_project(1, noon);
  }

  client::outcome run(const std::string& body) {
    msg::leased_task task;
    task.body = body;
    match_handler handler{store, api, [this](const std::string& line) { log.push_back(line); }, 1};
    return handler.run({std::make_shared<const msg::leased_task>(task),
                        std::make_shared<client::lease_watch>(),
                        [](const msg::task_update&) { return true; }, [] { return noon; }});
  }
  client::outcome run() { return run(request_for(row, "").body); }

  link_status status() const { return store->rows().at(row.id).link.status; }

  std::shared_ptr<memory_links> store = std::make_shared<memory_links>();
  std::shared_ptr<scripted_api> api = std::make_shared<scripted_api>();
  link_row row;
  std::vector<std::string> log;
};

/// A node that keeps what it is asked, and answers what it is told to.
class scripted_node : public node_port {
public:
  core::outcome<msg::task_outcomes> ask(const msg::enqueue_tasks& request) override {
    if (dead_after == 0)
      return core::failure{core::errc::unavailable, "no node"};
    --dead_after;
    msg::task_outcomes answer;
    for (const auto& task : request.tasks)
      answer.outcomes.push_back({task.task, core::errc::none, "", !known.insert(task.task).second});
    batches.push_back(request.tasks.size());
    return answer;
  }
  core::outcome<msg::task_view> ask(const msg::get_task& request) override {
    if (known.count(request.task) == 0)
      return core::failure{core::errc::not_found, "task"};
    return view;
  }
  core::outcome<msg::tasks_redriven> ask(const msg::redrive_tasks& request) override {
    redrives.push_back(request);
    return msg::tasks_redriven{7, {}, redrives.size() < 3};
  }
  core::outcome<msg::queue_statistics> ask(const msg::get_queue_statistics&) override {
    return msg::queue_statistics{};
  }

  std::size_t dead_after = 1'000;
  std::set<core::task_id> known;
  std::vector<std::size_t> batches;
  std::vector<msg::redrive_tasks> redrives;
  msg::task_view view;
};

msg::task_view ended_as(const std::string& status, const std::string& error = "") {
  msg::task_view view;
  view.status = status;
  view.error_code = error;
  return view;
}

} // namespace

BOOST_AUTO_TEST_SUITE(linker_matching)

// C13, C18, C19, C21, C22
BOOST_AUTO_TEST_CASE(task_refers_to_its_record_and_is_named_after_it) {
  const link_row row{{7, 1000}, 500, "Mona Lisa", institution, link_status::queued};
  const auto made = request_for(row, "0af7651916cd43dd8448eb211c80319c", 3);
  BOOST_TEST(core::to_string(made.task) == "00000007-6c6b-8000-8000-0000000003e8");
  BOOST_TEST(json::parse(made.body)
             == json::parse(R"({"project_id": 7, "task_id": 1000, "dataset_entry_id": 500})"));
  BOOST_TEST(made.type == "entity.match");
  BOOST_TEST(made.version == "1.0");
  BOOST_TEST(made.credential == institution);
  BOOST_TEST(made.trace_id == "0af7651916cd43dd8448eb211c80319c");
  BOOST_TEST(made.span_id == "00000000000003e8");
  BOOST_TEST(made.priority == 3);
  BOOST_TEST((link_in(made.body) == row.id));
  BOOST_TEST((task_of({7, 1000}) != task_of({1000, 7})));
}

BOOST_AUTO_TEST_CASE(body_that_names_no_record_is_refused) {
  for (const auto* body :
       {"", "[", "[]", "{}", R"({"project_id": 1})", R"({"project_id": 1, "task_id": "2"})",
        R"({"project_id": 0, "task_id": 2})", R"({"project_id": 1, "task_id": -2})",
        R"({"project_id": 4294967296, "task_id": 2})",
        R"({"project_id": 1, "task_id": 281474976710656})"})
    BOOST_TEST(!link_in(body), body);
  BOOST_TEST(link_in(R"({"project_id": 4294967295, "task_id": 281474976710655})").has_value());
  one_record world;
  const auto how = std::get<client::failed>(world.run("{}"));
  BOOST_TEST(how.code == error_body);
  BOOST_TEST((how.kind == core::failure_kind::permanent));
  BOOST_TEST(world.api->calls == 0);
}

// C32
BOOST_AUTO_TEST_CASE(verdicts_end_a_record) {
  BOOST_TEST(as<conclude>(on_reply(found{"Q1"}, 1, 1)).result.entity == "Q1");
  const auto none = as<conclude>(on_reply(no_match{}, 1, 1)).result;
  BOOST_TEST((none.status == link_status::completed && none.entity.empty()));
  const auto bad = as<conclude>(on_reply(refused{"why"}, 1, 1)).result;
  BOOST_TEST((bad.status == link_status::failed && bad.message == "why"));
  BOOST_TEST((failure_of(refused{"why"}).kind == core::failure_kind::permanent));
  BOOST_TEST(failure_of(refused{"why"}).code == error_record);
}

// C31: 5 s, 30 s, and so on
BOOST_AUTO_TEST_CASE(outage_is_waited_for_longer_each_time) {
  const std::pair<std::uint32_t, core::duration> table[]{
      {1, 5s}, {2, 30s}, {3, 3min}, {4, 3min}, {std::numeric_limits<std::uint32_t>::max(), 3min}};
  for (const auto& [attempt, wait] : table)
    BOOST_TEST((as<try_again>(on_reply(outage{}, attempt, 1)).least_wait == wait));
  BOOST_TEST((as<try_again>(on_reply(outage{}, 2, 10)).least_wait == 3s));
  const auto how = failure_of(outage{}, 2);
  BOOST_TEST((how.kind == core::failure_kind::transient && how.retry_after == 30s));
}

// C36
BOOST_AUTO_TEST_CASE(retry_after_is_passed_on) {
  const auto how = failure_of(slow_down{17s});
  BOOST_TEST((how.kind == core::failure_kind::rate_limited && how.retry_after == 17s));
}

// C22, C27, C28
BOOST_AUTO_TEST_CASE(record_that_nobody_wants_is_not_asked_for) {
  for (const auto status :
       {link_status::pending, link_status::completed, link_status::failed, link_status::cancelled})
    BOOST_TEST(!reason_to_drop(link_row{{1, 1}, 1, "", "", status}).empty());
  BOOST_TEST(reason_to_drop(link_row{{1, 1}, 1, "", "", link_status::queued}).empty());
  BOOST_TEST(!reason_to_drop(std::nullopt).empty());

  one_record gone;
  gone.store->delete_project(1);
  BOOST_TEST(std::holds_alternative<client::done>(gone.run()));
  BOOST_TEST(gone.api->calls == 0);

  one_record twice;
  BOOST_TEST(std::holds_alternative<client::done>(twice.run()));
  BOOST_TEST(std::holds_alternative<client::done>(twice.run()));
  BOOST_TEST(twice.api->calls == 1);
  BOOST_TEST((twice.status() == link_status::completed));
}

// C29
BOOST_AUTO_TEST_CASE(record_that_changed_meanwhile_is_left_as_it_is) {
  one_record world;
  world.api->meanwhile = [&] { world.store->cancel_project(1); };
  BOOST_TEST(std::holds_alternative<client::done>(world.run()));
  BOOST_TEST((world.status() == link_status::cancelled));
  BOOST_TEST(world.store->refused_writes() == 1U);
  BOOST_TEST(world.log.size() == 1U);
}

BOOST_AUTO_TEST_CASE(error_that_may_pass_leaves_the_record_queued) {
  one_record world;
  for (const auto& said : {reply{outage{}}, reply{slow_down{1s}}}) {
    world.api->says = said;
    BOOST_TEST(std::holds_alternative<client::failed>(world.run()));
    BOOST_TEST((world.status() == link_status::queued));
  }
}

// C3, C10, C22-C24
BOOST_AUTO_TEST_CASE(request_fans_out_in_batches_and_can_be_repeated) {
  memory_links store;
  scripted_node node;
  store.add_project(1);
  for (int i = 0; i < 2'500; ++i)
    store.add(1, anonymous);
  BOOST_TEST((match_project(store, node, 2, "", noon).error().code == core::errc::not_found));

  node.dead_after = 1;
  BOOST_TEST((match_project(store, node, 1, "", noon).error().code == core::errc::unavailable));
  node.dead_after = 1'000;
  const auto again = match_project(store, node, 1, "", noon);
  BOOST_REQUIRE(static_cast<bool>(again));
  BOOST_TEST(again->made == 1'500U);
  BOOST_TEST(again->repeated == 1'000U);
  BOOST_TEST((node.batches == std::vector<std::size_t>{1'000, 1'000, 1'000, 500}));
}

// C7
BOOST_AUTO_TEST_CASE(dead_letters_of_an_outage_are_redriven_page_by_page) {
  scripted_node node;
  const auto total = redrive_after_outage(node);
  BOOST_REQUIRE(static_cast<bool>(total));
  BOOST_TEST(*total == 21U);
  BOOST_TEST(node.redrives.size() == 3U);
  BOOST_TEST(node.redrives.front().error_code == error_outage);
}

// C41
BOOST_AUTO_TEST_CASE(sweeper_helps_those_whom_nobody_else_will) {
  for (const auto* status : {"QUEUED", "EXECUTING"})
    BOOST_TEST(std::holds_alternative<leave>(care_for(ended_as(status))), status);
  BOOST_TEST(std::holds_alternative<leave>(care_for(ended_as("ERROR", error_outage))));
  for (const auto* code : {"WORKER_LOST", "TIMEOUT", "NO_PROGRESS"})
    BOOST_TEST(std::holds_alternative<give_up>(care_for(ended_as("ERROR", code))), code);
  for (const auto* status : {"COMPLETED", "FAILURE", "CANCELED"})
    BOOST_TEST(std::holds_alternative<give_up>(care_for(ended_as(status))), status);
  BOOST_TEST(
      std::holds_alternative<enqueue_again>(care_for(core::failure{core::errc::not_found, ""})));
  BOOST_TEST(std::holds_alternative<leave>(care_for(core::failure{core::errc::unavailable, ""})));
}

// C41: both sides of the hour
BOOST_AUTO_TEST_CASE(sweep_comes_back_after_its_patience_only) {
  one_record world;
  scripted_node node;
  BOOST_TEST(sweep(*world.store, node, noon + 1h, 1h)->looked_at == 0U);
  node.dead_after = 0;
  BOOST_TEST(!sweep(*world.store, node, noon + 1h + 1us, 1h));
  node.dead_after = 1;
  BOOST_TEST(sweep(*world.store, node, noon + 1h + 1us, 1h)->enqueued == 1U);
  BOOST_TEST(sweep(*world.store, node, noon + 2h + 1us, 1h)->looked_at == 0U);
  node.view = ended_as("CANCELED");
  BOOST_TEST(sweep(*world.store, node, noon + 2h + 2us, 1h)->given_up == 1U);
  BOOST_TEST((world.status() == link_status::failed));
}

// C41: however many there are, and nothing while the node does not answer
BOOST_AUTO_TEST_CASE(sweep_is_a_task_that_goes_on_until_all_are_seen_to) {
  const auto store = std::make_shared<memory_links>();
  const auto node = std::make_shared<scripted_node>();
  store->add_project(1);
  for (int i = 0; i < 2'300; ++i)
    store->add(1, anonymous);
  store->queue_project(1, noon);
  sweep_handler sweeper{store, node};
  const auto run_at = [&](core::instant now) {
    return sweeper.run({std::make_shared<const msg::leased_task>(),
                        std::make_shared<client::lease_watch>(),
                        [](const msg::task_update&) { return true; }, [now] { return now; }});
  };
  BOOST_TEST(std::get<client::done>(run_at(noon + sweep_patience)).result
             == R"({"enqueued":0,"given_up":0,"looked_at":0})");
  node->dead_after = 1;
  const auto broken_off = std::get<client::failed>(run_at(noon + sweep_patience + 1s));
  BOOST_TEST(broken_off.code == error_sweep);
  BOOST_TEST((broken_off.kind == core::failure_kind::transient));
  node->dead_after = 1'000;
  BOOST_TEST(std::get<client::done>(run_at(noon + sweep_patience + 2s)).result
             == R"({"enqueued":1300,"given_up":0,"looked_at":1300})");
}

// C37-C39
BOOST_AUTO_TEST_CASE(metrics_follow_from_two_counts) {
  msg::queue_statistics before;
  before.completed = 50;
  msg::queue_statistics now;
  now.live = 30;
  now.leased = 4;
  now.completed = 90;
  now.failed = 6;
  now.dead = 4;
  const auto m = metrics_of(before, now, 2s);
  BOOST_TEST(m.depth == 30U);
  BOOST_TEST(m.executing == 4U);
  BOOST_TEST(m.jobs_per_second == 25.0);
  BOOST_TEST(m.error_percent == 10.0);
  BOOST_TEST(m.dead_percent == 4.0);
  BOOST_TEST(metrics_of(now, before, 2s).jobs_per_second == 0.0); // after a redrive
  BOOST_TEST(metrics_of({}, {}, 0s).error_percent == 0.0);
  BOOST_TEST(to_string(m).find("25.0 jobs/s") != std::string::npos);
}

// C34-C36
BOOST_AUTO_TEST_CASE(api_holds_to_its_rates_and_is_the_same_for_a_seed) {
  simulated_api api{3, 1};
  simulated_api same{3, 1};
  const auto quiet = noon + 10s; // within a half minute, after its busy spell
  for (int i = 0; i < 5; ++i)
    BOOST_TEST((api.ask("x", anonymous, quiet).index() == truth_of(3, "x").index()));
  BOOST_TEST(std::holds_alternative<slow_down>(api.ask("x", anonymous, quiet)));
  BOOST_TEST(!std::holds_alternative<slow_down>(api.ask("x", institution, quiet)));
  BOOST_TEST(!std::holds_alternative<slow_down>(api.ask("x", anonymous, quiet + 200ms)));

  std::set<std::size_t> kinds;
  int busy = 0;
  for (int i = 0; i < 300; ++i) {
    const auto label = "record " + std::to_string(i);
    const auto at = core::instant{noon.time_since_epoch() / 30s * 30s} + i * 30s;
    const auto said = same.ask(label, institution, at);
    kinds.insert(truth_of(3, label).index());
    if (const auto* wait = std::get_if<slow_down>(&said)) {
      ++busy;
      BOOST_TEST((wait->retry_after == 4s));
    }
  }
  BOOST_TEST(kinds.size() == 3U);
  BOOST_TEST((busy > 20 && busy < 120));
}

BOOST_AUTO_TEST_SUITE_END()
