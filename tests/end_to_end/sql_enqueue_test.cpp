// A producer that knows nothing of Holdfast but two SQL functions, on a real node.

#include "client/connection.hpp"
#include "client/envelope.hpp"
#include "client/peer_system.hpp"
#include "documents/envelope_document.hpp"
#include "examples/shared/exec_params.hpp"
#include "tests/end_to_end/running_node.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <vector>

namespace app = holdfast::app;
namespace client = holdfast::client;
namespace core = holdfast::core;
namespace documents = holdfast::documents;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;

namespace {

struct node_with_shop : test::running_node {
  node_with_shop() {
    connect();
    ask<msg::queue_view>(msg::put_queue{"orders", "{}"});
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    tx.exec("CREATE TABLE public.orders (n integer PRIMARY KEY);"
            "CREATE ROLE shop;"
            "GRANT SELECT, INSERT ON public.orders TO shop;"
            "GRANT USAGE ON SCHEMA holdfast TO shop;"
            "GRANT EXECUTE ON FUNCTION holdfast.enqueue, holdfast.enqueue_many TO shop");
    tx.commit();
  }

  void connect() {
    node.emplace(system, client::endpoint{"127.0.0.1", process->port()}, client::retry_policy{}, 1);
  }

  template <class Answer, class Request>
  Answer ask(const Request& request) {
    auto answer = node->ask<Answer>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }

  /// What a worker gets within ten seconds.
  std::vector<msg::leased_task> claim(std::uint32_t most) {
    msg::claim_tasks c;
    c.queue = "orders";
    c.worker = "worker";
    c.claim.value = ids.next(core::from_micros(1'700'000'000'000'000));
    c.most = most;
    c.wait = 10s;
    return ask<msg::leased_tasks>(c).tasks;
  }

  /// A shop's transaction: its own row, and the task that follows from it.
  static void order(pqxx::work& tx, int n) {
    const auto number = std::to_string(n);
    tx.exec("SET LOCAL ROLE shop");
    tx.exec("INSERT INTO public.orders VALUES (" + number + ")");
    tx.exec("SELECT holdfast.enqueue('orders', 'ship', '{\"order\": " + number + "}')");
  }

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  std::optional<client::connection> node;
  core::uuid_source ids{7};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(sql_enqueue, node_with_shop)

// C5, C25, I-12, I-13
BOOST_AUTO_TEST_CASE(task_exists_when_its_transaction_commits_and_only_then) {
  {
    pqxx::connection database{conninfo()};
    pqxx::work never{database};
    order(never, 1);
    never.abort();
    pqxx::work tx{database};
    order(tx, 2);
    tx.commit();
  }
  const auto got = claim(10);
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  BOOST_TEST(got[0].body == R"({"order": 2})");
  BOOST_TEST(got[0].type == "ship");
  ask<msg::task_outcomes>(
      msg::complete_tasks{"orders", "worker", {{{got[0].task, got[0].token}, "{}"}}});

  // Committed, and the node and its database are killed at once.
  {
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    for (int n = 100; n < 300; ++n)
      order(tx, n);
    tx.commit();
  }
  process->kill();
  BOOST_REQUIRE(process->ended_within(10s));
  start();
  connect();
  std::set<std::string> shipped;
  while (shipped.size() < 200) {
    const auto more = claim(1000);
    BOOST_REQUIRE(!more.empty());
    for (const auto& task : more)
      BOOST_TEST(shipped.insert(task.body).second, task.body << " came twice");
  }
  const auto counts = ask<msg::queue_statistics>(msg::get_queue_statistics{"orders"});
  BOOST_TEST(counts.live == 200U);
  BOOST_TEST(counts.completed == 1U);
  BOOST_TEST(test::run_program(HOLDFAST_BINARY, {"verify", "--data-dir", place()}, 60s).code == 0);
}

// C12-C20: a job goes in as an envelope, and its worker gets it as one
BOOST_AUTO_TEST_CASE(envelope_that_is_staged_comes_out_as_it_went_in) {
  const std::string id = "0af76519-16cd-43dd-8448-eb211c80319c";
  const std::string body = R"({"order": 7, "exactly": 12345678901234567890.10})";
  {
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    tx.exec("GRANT EXECUTE ON FUNCTION holdfast.enqueue_envelope TO shop");
    tx.exec("SET LOCAL ROLE shop");
    examples::exec_params(
        tx, "SELECT holdfast.enqueue_envelope('orders', $1::jsonb)",
        R"({"header": {"job_id": ")" + id
            + R"(", "type": "ship", "version": "2.1", "max_attempts": 3}, "body": )" + body
            + R"(, "tracing": {"trace_id": "t", "span_id": "s"}})");
    tx.commit();
  }
  const auto got = claim(1);
  BOOST_REQUIRE_EQUAL(got.size(), 1U);
  const auto envelope = documents::parse_envelope(client::envelope_of(got[0]), {});
  BOOST_REQUIRE_MESSAGE(envelope, (envelope ? "" : envelope.error().detail));
  BOOST_TEST(to_string(envelope->job_id) == id);
  BOOST_TEST(envelope->type == "ship");
  BOOST_TEST(envelope->version == "2.1");
  BOOST_TEST(envelope->attempt == 1U);
  BOOST_TEST(envelope->max_attempts == 3U);
  BOOST_TEST(envelope->body == body);
  BOOST_TEST(envelope->trace_id == "t");
  BOOST_TEST(envelope->span_id == "s");
}

BOOST_AUTO_TEST_SUITE_END()
