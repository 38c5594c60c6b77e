// The routes of API tokens.

#include "core/access.hpp"
#include "core/api_token.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

constexpr std::string_view token_id_text = "018f0000-0000-7000-8000-0000000000f1";

} // namespace

BOOST_FIXTURE_TEST_SUITE(token_routes, door_fixture)

BOOST_AUTO_TEST_CASE(a_token_is_made_and_its_secret_is_shown_once_and_sent_nowhere) {
  gateway.on<msg::create_token>(
      [](const msg::create_token& m) -> fake_gateway::reply<msg::create_token> {
        msg::token_view view;
        view.token = m.token;
        view.role = m.role;
        view.name = m.name;
        view.queues = m.queues;
        view.state = "good";
        return view;
      });
  const auto made = ask("admin", "POST", "/v1/tokens",
                        R"({"role":"worker","worker":"w1","queues":["mail"],"expires_in":3600})");
  BOOST_TEST(made.status == 201U);
  const auto secret = std::string(64, 'a');
  const auto id = core::to_string(made_id(1));
  BOOST_TEST(made.json.at("token").get<std::string>() == "hf_" + id + '_' + secret);
  BOOST_TEST(made.json.at("id").get<std::string>() == id);
  BOOST_TEST(made.json.at("role").get<std::string>() == "worker");
  const auto& sent = gateway.only<msg::create_token>();
  BOOST_TEST(sent.secret_hash == std::string(64, 'b'));
  BOOST_TEST(sent.name == "w1");
  BOOST_TEST((sent.queues == std::vector<std::string>{"mail"}));
  BOOST_TEST((sent.lifetime == std::chrono::hours{1}));
  BOOST_TEST(sent.created_by == "token:admin");
}

BOOST_AUTO_TEST_CASE(a_repeated_key_makes_the_same_id) {
  gateway.fails<msg::create_token>(core::errc::already_exists, "there is a token of this id");
  const auto again = ask("admin", "POST", "/v1/tokens", R"({"role":"auditor"})",
                         {{"idempotency-key", std::string{token_id_text}}});
  BOOST_TEST(again.status == 409U);
  BOOST_TEST(again.code() == "already_exists");
  BOOST_TEST(core::to_string(gateway.only<msg::create_token>().token) == token_id_text);
}

BOOST_AUTO_TEST_CASE(a_wrong_token_is_refused_with_the_place) {
  gateway.answers<msg::create_token>({});
  const auto places = [&](std::string_view body) {
    const auto reply = ask("admin", "POST", "/v1/tokens", body);
    BOOST_TEST(reply.status == 400U);
    std::string all;
    for (const auto& one : reply.json.at("errors"))
      all += one.at("place").get<std::string>() + ' ';
    return all;
  };
  BOOST_TEST(places("{}") == "/role ");
  BOOST_TEST(places(R"({"role":"king"})") == "/role ");
  BOOST_TEST(places(R"({"role":"admin","worker":"w"})") == "/worker ");
  BOOST_TEST(places(R"({"role":"worker","contributor":"ann"})") == "/contributor ");
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(tokens_are_listed_and_revoked_without_their_secrets) {
  msg::token_view view;
  view.token = {*core::parse_uuid(token_id_text)};
  view.role = "worker";
  view.state = "good";
  view.created_at = now;
  gateway.answers<msg::list_tokens>({{view}, false});
  const auto listed = ask("admin", "GET", "/v1/tokens?limit=5");
  BOOST_TEST(listed.body
             == R"({"tokens":[{"id":"018f0000-0000-7000-8000-0000000000f1","role":"worker",)"
                R"("queues":[],"workflows":[],"state":"good",)"
                R"("created_at":"2027-01-15T08:00:00.000000Z"}],"more":false})");
  BOOST_TEST(gateway.only<msg::list_tokens>().limit == 5U);
  gateway.answers<msg::revoke_token>(view);
  BOOST_TEST(ask("admin", "DELETE", "/v1/tokens/" + std::string{token_id_text}).status == 200U);
  BOOST_TEST((gateway.only<msg::revoke_token>().token == view.token));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
