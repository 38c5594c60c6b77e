// A worker on a connection without a socket, in the actor system of its node.

#include "client/connection.hpp"
#include "client/worker_agent.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;

namespace {

struct node_with_worker : test::node_fixture {
  using started =
      std::pair<std::shared_ptr<const msg::leased_task>, std::shared_ptr<client::lease_watch>>;

  node_with_worker() {
    start();
    BOOST_REQUIRE(call(msg::put_queue{"images", "{}"}).value);
    client::worker_agent_deps deps;
    deps.gateway = local->gateway();
    deps.request_timeout = local->request_timeout();
    deps.queue = "images";
    deps.name = "w";
    deps.types = {"resize"};
    deps.capacity = 2;
    deps.claim_wait = 2s;
    deps.grace = 10s;
    deps.cancel_grace = 2s;
    deps.now = [this] { return now(); };
    deps.run = [this](auto task, auto watch) { running.emplace_back(task, watch); };
    deps.counters = counters;
    agent = system->spawn(client::worker_agent, std::move(deps));
    lost = local->on_tasks_lost(
        [agent = agent](const msg::tasks_lost& told) { caf::anon_send(agent, told); });
    settle();
  }

  ~node_with_worker() {
    agent = nullptr;
    lost = nullptr;
    local.reset();
    settle();
  }

  /// What whoever runs the node does whenever it tells of a gateway.
  void reach() {
    local->reach(node->gateway);
    settle();
  }

  core::task_id enqueued() {
    msg::task_request request;
    request.task = fresh<core::task_id>();
    request.type = "resize";
    request.body = "{}";
    const auto answered = call(msg::enqueue_tasks{"images", {request}});
    BOOST_REQUIRE(answered.value);
    return answered.value->outcomes.front().task;
  }

  /// The handler of the task that was started as the `index`-th returns.
  void end(std::size_t index) {
    const auto& leased = *running.at(index).first;
    caf::anon_send(agent,
                   client::task_ended{{leased.task, leased.token},
                                      std::make_shared<const client::outcome>(client::done{})});
    settle();
  }

  std::string status(const core::task_id& task) {
    const auto view = call(msg::get_task{task});
    BOOST_REQUIRE(view.value);
    return view.value->status;
  }

  std::unique_ptr<client::connection> local =
      std::make_unique<client::connection>(*system, client::retry_policy{}, 1);
  client::worker_agent_actor agent;
  client::connection::subscription lost;
  std::vector<started> running;
  std::shared_ptr<client::worker_counters> counters = std::make_shared<client::worker_counters>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(local_connection, node_with_worker)

BOOST_AUTO_TEST_CASE(requests_wait_until_there_is_a_gateway) {
  const auto task = enqueued();
  BOOST_TEST(running.empty());
  reach();
  BOOST_REQUIRE_EQUAL(running.size(), 1U);
  end(0);
  BOOST_TEST(status(task) == "COMPLETED");
  BOOST_TEST(counters->completed == 1U);
}

// D6: a gateway that is started anew costs no lease, and what is said meanwhile is not lost
BOOST_AUTO_TEST_CASE(worker_outlives_the_gateway) {
  reach();
  const auto first = enqueued();
  BOOST_REQUIRE_EQUAL(running.size(), 1U);
  const auto old = node->gateway;
  crash(the_actor("gateway"));
  settle();
  end(0);
  BOOST_TEST(counters->completed == 0U);
  advance(1s);
  BOOST_REQUIRE((node->gateway && node->gateway != old));
  reach();
  BOOST_TEST(status(first) == "COMPLETED");
  BOOST_TEST(counters->completed == 1U);
  BOOST_TEST(counters->lost == 0U);
  const auto second = enqueued();
  advance(15s); // a claim that was under way is sent again once its try has timed out
  BOOST_REQUIRE_EQUAL(running.size(), 2U);
  end(1);
  BOOST_TEST(status(second) == "COMPLETED");
}

// D33
BOOST_AUTO_TEST_CASE(worker_hears_of_leases_that_were_taken_from_it) {
  reach();
  const auto task = enqueued();
  BOOST_REQUIRE_EQUAL(running.size(), 1U);
  BOOST_REQUIRE(call(msg::change_task{"images", task, 3}).value);
  BOOST_TEST(running.front().second->over);
  BOOST_TEST(counters->lost == 1U);
}

BOOST_AUTO_TEST_CASE(closing_ends_the_worker_and_tells_its_handlers) {
  reach();
  enqueued();
  BOOST_REQUIRE_EQUAL(running.size(), 1U);
  local->close();
  settle();
  BOOST_TEST(running.front().second->over);
  BOOST_TEST(counters->lost == 1U);
  BOOST_TEST(actors_named("worker_agent").empty());
}

BOOST_AUTO_TEST_SUITE_END()
