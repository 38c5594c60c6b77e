// JSON Web Tokens of an issuer, shown to the real binary.

#include "tests/connectors/jwt_maker.hpp"
#include "tests/node_http/http_node.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// The keys of an issuer in a file, which is there before the node starts.
struct issuer_directory {
  issuer_directory() {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    place.emplace(std::move(*made));
    publish({own});
  }
  std::filesystem::path file() const { return place->path() / "keys.json"; }
  void publish(const std::vector<signing_key>& keys) const {
    const auto draft = place->path() / "draft";
    std::ofstream{draft, std::ios::binary} << key_set_of(keys);
    std::filesystem::rename(draft, file());
  }

  const signing_key own = signing_key::p256("own");
  std::optional<app::demo::scratch_directory> place;
};

struct jwt_node : issuer_directory, http_node {
  jwt_node()
      : http_node(std::vector<std::string>{
          "--set", "jwt.issuer=https://id.example.org", "--set", "jwt.audience=holdfast", "--set",
          "jwt.keys=" + file().string(), "--set", "jwt.queues_claim=queues"}) {}

  static std::int64_t seconds_now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  static json claims(const std::string& role, const std::string& name) {
    return {{"iss", "https://id.example.org"},
            {"aud", "holdfast"},
            {"sub", name},
            {"role", role},
            {"iat", seconds_now()},
            {"exp", seconds_now() + 600}};
  }
  http_client with(const json& of) const { return http_client{port(), token_of(of, own)}; }
  std::string log() const {
    std::ifstream in{directory->path() / "node.log"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

BOOST_FIXTURE_TEST_SUITE(jwts_over_http, jwt_node)

BOOST_AUTO_TEST_CASE(a_contributor_of_the_issuer_works_under_the_own_name_alone) {
  auto admin = client();
  const auto workflow = body_of(
      admin.post("/v1/workflows",
                 R"({"name": "pets", "steps": [{"key": "label", "judgments_per_unit": 1}]})"),
      201);
  const auto step = workflow.at("steps").at(0).at("id").get<std::string>();
  body_of(admin.post("/v1/job-steps/" + step + "/source-data",
                     R"({"rows": [{"key": "a", "input": {"image": "a.png"}}]})"),
          200);

  auto ana = with(claims("contributor", "ana"));
  const json for_bob{{"step_id", step}, {"contributor_id", "bob"}};
  BOOST_TEST(ana.post("/v1/assignments", for_bob.dump()).status == 403U);
  const auto given = body_of(ana.post("/v1/assignments", json{{"step_id", step}}.dump()), 200);
  BOOST_TEST(given.at("input").at("image") == "a.png");
  const json judgment{{"step_id", step},
                      {"unit_id", given.at("unit_id")},
                      {"assignment_id", given.at("assignment_id")},
                      {"token", given.at("token")},
                      {"data", {{"answer", "cat"}}}};
  body_of(ana.post("/v1/judgments", judgment.dump()), 202);

  BOOST_TEST(ana.get("/v1/tokens").status == 403U);
  BOOST_TEST(ana.get("/v1/audit").status == 403U);
  BOOST_TEST(ana.post("/v1/workflows", R"({"name": "x", "steps": []})").status == 403U);
}

BOOST_AUTO_TEST_CASE(a_producer_of_the_issuer_reaches_the_queues_of_the_claim) {
  auto admin = client();
  for (const auto* queue : {"mail", "print"})
    body_of(admin.put(std::string{"/v1/queues/"} + queue, "{}"), 200);
  auto wanted = claims("producer", "shop");
  wanted["queues"] = json::array({"mail"});
  auto producer = with(wanted);
  const auto task = R"({"type": "send", "body": {}})";
  BOOST_TEST(producer.post("/v1/queues/mail/tasks", task).status == 201U);
  BOOST_TEST(producer.post("/v1/queues/print/tasks", task).status == 403U);
}

BOOST_AUTO_TEST_CASE(tokens_that_are_not_good_are_refused) {
  BOOST_TEST(with(claims("auditor", "eve")).get("/v1/queues").status == 200U);
  auto expired = claims("auditor", "eve");
  expired["exp"] = seconds_now() - 600;
  auto early = claims("auditor", "eve");
  early["nbf"] = seconds_now() + 600;
  auto foreign = claims("auditor", "eve");
  foreign["iss"] = "https://other.example.org";
  auto elsewhere = claims("auditor", "eve");
  elsewhere["aud"] = "other";
  auto roleless = claims("nobody", "eve");
  for (const auto& wrong : {expired, early, foreign, elsewhere, roleless})
    BOOST_TEST(with(wrong).get("/v1/queues").status == 401U, wrong.dump());
  BOOST_TEST(contains(with(expired).get("/v1/queues").body, "the token has expired"));

  const auto claim = claims("admin", "eve");
  const auto forged = token_of(claim, signing_key::p256("own"));
  const auto unsigned_one = unsigned_token({{"alg", "none"}}, claim) + '.';
  for (const auto& token : {forged, unsigned_one, hmac_token(claim, "own", own.public_pem())}) {
    http_client stranger{port(), token};
    BOOST_TEST(stranger.get("/v1/queues").status == 401U);
  }
}

BOOST_AUTO_TEST_CASE(a_new_key_is_taken_and_one_that_was_removed_is_refused) {
  const auto next = signing_key::rsa("next");
  http_client before{port(), token_of(claims("auditor", "ana"), own)};
  BOOST_TEST(before.get("/v1/queues").status == 200U);
  publish({next});
  process->signal(SIGHUP);
  http_client after{port(), token_of(claims("auditor", "ana"), next)};
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (after.get("/v1/queues").status != 200U)
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  // The old one is remembered for some seconds.
  while (before.get("/v1/queues").status != 401U)
    BOOST_REQUIRE(std::chrono::steady_clock::now() < until);
  BOOST_TEST(contains(log(), "jwt_keys_read"));
}

BOOST_AUTO_TEST_CASE(no_token_is_in_the_log) {
  const auto token = token_of(claims("auditor", "ana"), own);
  http_client ana{port(), token};
  BOOST_TEST(ana.get("/v1/queues").status == 200U);
  BOOST_TEST(!contains(log(), token.substr(token.rfind('.') + 1)));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
