// API tokens of the real binary: made over HTTP and by the command line, used, refused, revoked.

#include "core/api_token.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct token_node : http_node {
  /// Makes a token over HTTP.
  json made(const json& wanted) { return body_of(client().post("/v1/tokens", wanted.dump()), 201); }
  http_client with(const json& token) const {
    return http_client{port(), token.at("token").get<std::string>()};
  }
  std::string log() const {
    std::ifstream in{directory->path() / "node.log"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  /// Runs `holdfast token ...` against this node.
  program_end run_token(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "token");
    arguments.insert(arguments.end(), {"--data-dir", directory->path().string()});
    return run_program(HOLDFAST_BINARY, arguments, 60s);
  }
};

BOOST_FIXTURE_TEST_SUITE(api_tokens_over_http, token_node)

BOOST_AUTO_TEST_CASE(a_token_lets_its_holder_do_what_its_role_may) {
  auto admin = client();
  body_of(admin.put("/v1/queues/mail", "{}"), 200);
  auto producer = with(made({{"role", "producer"}}));
  const auto task =
      body_of(producer.post("/v1/queues/mail/tasks", R"({"type": "send", "body": {}})"), 201);
  const auto refused = producer.post("/v1/queues/mail/claims", R"({"worker": "w"})");
  BOOST_TEST(refused.status == 403U);
  BOOST_TEST(json::parse(refused.body).at("code") == "not_allowed");
  BOOST_TEST(producer.get("/v1/tokens").status == 403U);

  // The worker is the one that the token is bound to.
  auto worker = with(made({{"role", "worker"}, {"worker", "w1"}}));
  BOOST_TEST(worker.post("/v1/queues/mail/claims", R"({"worker": "w2"})").status == 403U);
  const auto claimed = body_of(worker.post("/v1/queues/mail/claims", "{}"), 200);
  BOOST_TEST(claimed.at("tasks").at(0).at("id") == task.at("id"));
}

BOOST_AUTO_TEST_CASE(a_token_with_queues_reaches_no_other) {
  auto admin = client();
  for (const auto* queue : {"mail-eu", "print"})
    body_of(admin.put(std::string{"/v1/queues/"} + queue, "{}"), 200);
  const auto foreign =
      body_of(admin.post("/v1/queues/print/tasks", R"({"type": "send", "body": {}})"), 201);
  auto producer = with(made({{"role", "producer"}, {"queues", json::array({"mail"})}}));
  const auto own =
      body_of(producer.post("/v1/queues/mail-eu/tasks", R"({"type": "send", "body": {}})"), 201);
  BOOST_TEST(producer.post("/v1/queues/print/tasks", R"({"type": "send", "body": {}})").status
             == 403U);
  const auto path_of = [](const json& task) {
    return "/v1/tasks/" + task.at("id").get<std::string>();
  };
  BOOST_TEST(producer.get(path_of(own)).status == 200U);
  BOOST_TEST(producer.get(path_of(foreign)).status == 404U);
  const auto queues = body_of(producer.get("/v1/queues"), 200).at("queues");
  BOOST_REQUIRE_EQUAL(queues.size(), 1U);
}

BOOST_AUTO_TEST_CASE(a_token_with_workflows_reaches_no_other) {
  auto admin = client();
  const auto definition =
      R"({"name": "pets", "steps": [{"key": "label", "judgments_per_unit": 1}]})";
  const auto own = body_of(admin.post("/v1/workflows", definition), 201);
  const auto foreign = body_of(admin.post("/v1/workflows", definition), 201);
  const auto step_of = [](const json& workflow) {
    return workflow.at("steps").at(0).at("id").get<std::string>();
  };
  auto requester =
      with(made({{"role", "requester"}, {"workflows", json::array({own.at("workflow_id")})}}));
  const auto rows = R"({"rows": [{"key": "a", "input": {}}]})";
  BOOST_TEST(requester.post("/v1/job-steps/" + step_of(own) + "/source-data", rows).status == 200U);
  BOOST_TEST(requester.post("/v1/job-steps/" + step_of(foreign) + "/source-data", rows).status
             == 404U);
  const auto listed = body_of(requester.get("/v1/workflows"), 200).at("workflows");
  BOOST_REQUIRE_EQUAL(listed.size(), 1U);
  BOOST_TEST(body_of(requester.get("/v1/job-steps"), 200).at("steps").size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_revoked_token_is_refused_within_seconds) {
  const auto token = made({{"role", "auditor"}});
  auto auditor = with(token);
  BOOST_TEST(auditor.get("/v1/queues").status == 200U);
  const auto target = "/v1/tokens/" + token.at("id").get<std::string>();
  auto admin = client();
  BOOST_TEST(body_of(admin.remove(target), 200).at("state") == "revoked");
  const auto until = std::chrono::steady_clock::now() + 30s;
  auto refused = auditor.get("/v1/queues");
  for (; refused.status == 200U; refused = auditor.get("/v1/queues"))
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  BOOST_TEST(refused.status == 401U);
  BOOST_TEST(contains(refused.body, "the token was revoked"));
  BOOST_TEST(body_of(admin.remove(target), 200).at("state") == "revoked"); // once more
}

BOOST_AUTO_TEST_CASE(a_token_expires) {
  auto auditor = with(made({{"role", "auditor"}, {"expires_in", 2}}));
  const auto until = std::chrono::steady_clock::now() + 30s;
  auto answered = auditor.get("/v1/queues");
  BOOST_TEST(answered.status == 200U);
  for (; answered.status == 200U; answered = auditor.get("/v1/queues"))
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  BOOST_TEST(answered.status == 401U);
  BOOST_TEST(contains(answered.body, "the token has expired"));
}

BOOST_AUTO_TEST_CASE(a_token_outlives_its_node_and_tells_its_last_use) {
  const auto token = made({{"role", "auditor"}});
  process->kill();
  start();
  auto auditor = with(token);
  BOOST_TEST(auditor.get("/v1/queues").status == 200U);
  auto admin = client();
  const auto until = std::chrono::steady_clock::now() + 30s;
  for (;;) {
    const auto all = body_of(admin.get("/v1/tokens"), 200);
    BOOST_REQUIRE_EQUAL(all.at("tokens").size(), 1U);
    BOOST_TEST(!all.at("tokens").at(0).contains("token"));
    if (all.at("tokens").at(0).contains("last_used_at"))
      break;
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  }
}

BOOST_AUTO_TEST_CASE(guesses_are_slowed_and_a_good_token_passes) {
  const auto token = made({{"role", "auditor"}});
  const auto until = std::chrono::steady_clock::now() + 30s;
  http_answer slowed;
  for (std::uint8_t guess = 1; slowed.status != 429U; ++guess) {
    core::api_token_id id;
    id.value.bytes.fill(guess);
    const auto text = core::to_string(core::api_token_text{id, std::string(64, 'a')});
    slowed = http_client{port(), text}.get("/v1/queues");
    BOOST_REQUIRE((slowed.status == 401U || slowed.status == 429U));
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  }
  BOOST_TEST(json::parse(slowed.body).at("code") == "too_many_guesses");
  BOOST_TEST(slowed.headers.count("retry-after") == 1U);
  auto admin = client();
  BOOST_TEST(admin.get("/v1/queues").status == 200U);
  // One second later at the latest, though the node has not seen this token before.
  auto auditor = with(token);
  while (auditor.get("/v1/queues").status != 200U)
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  BOOST_TEST(contains(log(), "http_token_guesses_slowed"));
}

BOOST_AUTO_TEST_CASE(a_token_that_is_made_twice_is_refused_the_second_time) {
  auto admin = client();
  const auto wanted = R"({"role": "auditor", "id": "018f0000-0000-7000-8000-0000000000f1"})";
  body_of(admin.post("/v1/tokens", wanted), 201);
  const auto again = admin.post("/v1/tokens", wanted);
  BOOST_TEST(again.status == 409U);
  BOOST_TEST(json::parse(again.body).at("code") == "already_exists");
}

BOOST_AUTO_TEST_CASE(no_secret_is_in_the_log_or_the_database_list) {
  const auto token = made({{"role", "auditor"}}).at("token").get<std::string>();
  http_client auditor{port(), token};
  BOOST_TEST(auditor.get("/v1/queues").status == 200U);
  const auto secret = token.substr(token.rfind('_') + 1);
  BOOST_REQUIRE_EQUAL(secret.size(), 64U);
  BOOST_TEST(!contains(log(), secret));
  BOOST_TEST(!contains(client().get("/v1/tokens").body, secret));
}

BOOST_AUTO_TEST_CASE(the_command_line_makes_lists_and_revokes_tokens) {
  const auto created = run_token({"create", "--role", "worker", "--worker", "w1", "--queues",
                                  "mail,img-", "--expires", "30d", "--json"});
  BOOST_REQUIRE_MESSAGE(created.code == 0, created.err);
  const auto token = json::parse(created.out);
  BOOST_TEST(token.at("queues").size() == 2U);
  BOOST_TEST(!token.at("expires_at").is_null());
  auto worker = with(token);
  BOOST_TEST(worker.post("/v1/queues/mail/claims", "{}").status == 404U); // no such queue
  BOOST_TEST(worker.post("/v1/queues/print/claims", "{}").status == 403U);

  const auto plain = run_token({"create", "--role", "auditor"});
  BOOST_REQUIRE_MESSAGE(plain.code == 0, plain.err);
  BOOST_TEST(plain.out.substr(0, 3) == "hf_");

  const auto listed = run_token({"list", "--json"});
  BOOST_REQUIRE_MESSAGE(listed.code == 0, listed.err);
  BOOST_TEST(json::parse(listed.out).at("tokens").size() == 2U);
  BOOST_TEST(contains(run_token({"list"}).out, "auditor"));

  const auto id = token.at("id").get<std::string>();
  const auto revoked = run_token({"revoke", id});
  BOOST_REQUIRE_MESSAGE(revoked.code == 0, revoked.err);
  BOOST_TEST(contains(run_token({"list"}).out, "revoked"));
}

BOOST_AUTO_TEST_CASE(wrong_flags_are_usage_errors) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"create"},
           {"create", "--role", "admin", "--worker", "w1"},
           {"create", "--role", "worker", "--contributor", "ana"},
           {"create", "--role", "worker", "--expires", "soon"},
           {"create", "--role", "requester", "--workflows", "pets"},
           {"revoke", "pets"}})
    BOOST_TEST(run_token(arguments).code == 2, arguments.back());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
