// Sessions of people at pages: sign-in by a token and by a link, the cookie, and the end.

#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "messages/task_messages.hpp"
#include "messages/token_messages.hpp"
#include "tests/http/fake_gateway.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

struct session_fixture : door_fixture {
  const core::api_token_id link_id{made_id(0x77)};
  const std::string link = core::text_of_link({link_id, std::string(64, 'd')});

  /// A request of a page of this node.
  http_reply page_asks(std::string_view method, std::string_view target, std::string_view body = {},
                       std::string_view cookie = {}) {
    std::vector<http::parameter> headers{{"x-holdfast-csrf", "1"},
                                         {"sec-fetch-site", "same-origin"}};
    if (!cookie.empty())
      headers.push_back({"cookie", std::string{cookie}});
    return ask({}, method, target, body, std::move(headers));
  }
  http_reply signs_in_with(std::string_view member, const std::string& text) {
    return page_asks("POST", "/v1/session", nlohmann::json{{std::string{member}, text}}.dump());
  }
  /// A link of a contributor, and the tokens that the gateway makes.
  void has_link() {
    links[link] = "contributor:ann|queues=mail";
    gateway.answers<msg::revoke_token>({});
    gateway.on<msg::create_token>(
        [this](const msg::create_token& m) -> fake_gateway::reply<msg::create_token> {
          msg::token_view view;
          view.token = m.token;
          view.expires_at = now + m.lifetime;
          return view;
        });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(page_sessions, session_fixture)

// --- a token ---

BOOST_AUTO_TEST_CASE(a_token_is_exchanged_for_a_cookie) {
  const auto good = signs_in_with("token", "auditor");
  BOOST_TEST(good.status == 200U);
  BOOST_TEST(good.body == R"({"role":"auditor","roles":["auditor"],"queues":[],"workflows":[]})");
  BOOST_TEST(good.header("Set-Cookie")
             == "holdfast=auditor; Max-Age=43200; HttpOnly; SameSite=Strict; Path=/v1");
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(a_token_that_is_not_good_gets_no_cookie) {
  const auto reply = signs_in_with("token", "nobody");
  BOOST_TEST(reply.status == 401U);
  BOOST_TEST(reply.header("Set-Cookie") == "");
}

BOOST_AUTO_TEST_CASE(a_token_that_no_cookie_can_hold_is_refused) {
  const auto reply = signs_in_with("token", "contributor:ann"); // a colon
  BOOST_TEST(reply.status == 400U);
  BOOST_TEST(reply.header("Set-Cookie") == "");
}

BOOST_AUTO_TEST_CASE(a_body_of_another_form_is_refused) {
  for (const auto* body : {"{}", R"({"token":"auditor","link":"x"})", R"({"name":"auditor"})"}) {
    const auto reply = page_asks("POST", "/v1/session", body);
    BOOST_TEST(reply.status == 400U, body);
    BOOST_TEST(reply.header("Set-Cookie") == "", body);
  }
  BOOST_TEST(page_asks("POST", "/v1/session", "no JSON").status == 422U);
  BOOST_TEST(page_asks("POST", "/v1/session").status == 415U);
  BOOST_TEST(page_asks("PATCH", "/v1/session", "{}").status == 405U);
}

// --- the cookie ---

BOOST_AUTO_TEST_CASE(a_session_may_do_what_its_token_may) {
  gateway.answers<msg::list_queues>({});
  BOOST_TEST(page_asks("GET", "/v1/queues", {}, "holdfast=auditor").status == 200U);
  BOOST_TEST(page_asks("DELETE", "/v1/queues/mail", {}, "holdfast=auditor").status == 403U);
  BOOST_TEST(page_asks("GET", "/v1/queues", {}, "holdfast=nobody").status == 401U);
}

BOOST_AUTO_TEST_CASE(a_foreign_page_may_do_nothing_in_a_session) {
  const auto asks = [&](std::string_view method, std::string_view target,
                        std::vector<http::parameter> headers) {
    headers.push_back({"cookie", "holdfast=admin"});
    return ask({}, method, target, method == "GET" ? "" : "{}", std::move(headers));
  };
  for (const auto& reply :
       {asks("PUT", "/v1/queues/mail", {}),
        asks("PUT", "/v1/queues/mail",
             {{"x-holdfast-csrf", "1"}, {"sec-fetch-site", "cross-site"}}),
        asks("PUT", "/v1/queues/mail",
             {{"x-holdfast-csrf", "1"}, {"origin", "http://evil"}, {"host", "node"}}),
        asks("GET", "/v1/queues", {{"sec-fetch-site", "same-site"}}),
        asks("POST", "/v1/session", {{"sec-fetch-site", "cross-site"}}),
        asks("GET", "/v1/session", {{"sec-fetch-site", "cross-site"}})}) {
    BOOST_TEST(reply.status == 403U);
    BOOST_TEST(reply.code() == "cross_site");
  }
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(a_token_in_the_header_needs_no_proof_of_the_page) {
  gateway.answers<msg::put_queue>({});
  BOOST_TEST(ask("admin", "PUT", "/v1/queues/mail", "{}", {{"origin", "http://elsewhere"}}).status
             == 200U);
}

// --- who is signed in ---

BOOST_AUTO_TEST_CASE(a_session_tells_its_role_and_scopes) {
  const auto reply = page_asks("GET", "/v1/session", {}, "holdfast=contributor:ann|queues=mail");
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.body
             == R"({"role":"contributor","roles":["contributor"],"contributor":"ann",)"
                R"("queues":["mail"],"workflows":[]})");
}

BOOST_AUTO_TEST_CASE(nobody_is_signed_in_without_a_cookie_or_with_one_that_is_over) {
  const auto none = page_asks("GET", "/v1/session");
  BOOST_TEST(none.status == 204U);
  BOOST_TEST(none.header("Set-Cookie") == "");
  const auto over = page_asks("GET", "/v1/session", {}, "holdfast=nobody");
  BOOST_TEST(over.status == 204U);
  BOOST_TEST(test::contains(over.header("Set-Cookie"), "holdfast=; Max-Age=0"));
}

// --- links ---

BOOST_AUTO_TEST_CASE(a_link_opens_a_session_with_a_token_of_its_own) {
  has_link();
  const auto reply = signs_in_with("link", link);
  BOOST_TEST(reply.status == 200U);
  BOOST_TEST(reply.json.at("contributor").get<std::string>() == "ann");
  BOOST_TEST(reply.json.at("expires_at").get<std::string>() == "2027-01-15T20:00:00.000000Z");
  BOOST_TEST((gateway.names() == std::vector<std::string>{"revoke_token", "create_token"}));
  BOOST_TEST((gateway.only<msg::revoke_token>().token == link_id));
  const auto& made = gateway.only<msg::create_token>();
  BOOST_TEST((made.token == core::session_of_link(link_id)));
  BOOST_TEST(made.role == "contributor");
  BOOST_TEST(made.name == "ann");
  BOOST_TEST((made.queues == std::vector<std::string>{"mail"}));
  BOOST_TEST((made.lifetime == core::session_lifetime));
  const auto token =
      core::to_string(core::api_token_text{core::session_of_link(link_id), std::string(64, 'a')});
  BOOST_TEST(reply.header("Set-Cookie")
             == "holdfast=link." + token + "; Max-Age=43200; HttpOnly; SameSite=Strict; Path=/v1");
}

BOOST_AUTO_TEST_CASE(of_two_exchanges_of_a_link_one_gets_a_session) {
  has_link();
  gateway.fails<msg::create_token>(core::errc::already_exists, "there is a token of this id");
  const auto reply = signs_in_with("link", link);
  BOOST_TEST(reply.status == 401U);
  BOOST_TEST(reply.header("Set-Cookie") == "");
  BOOST_TEST(test::contains(reply.detail(), "was used already"));
}

BOOST_AUTO_TEST_CASE(a_link_that_cannot_be_revoked_opens_nothing) {
  has_link();
  gateway.fails<msg::revoke_token>(core::errc::unavailable, "the database is away");
  BOOST_TEST(signs_in_with("link", link).status == 503U);
  BOOST_TEST(gateway.seen<msg::create_token>().empty());
}

BOOST_AUTO_TEST_CASE(a_link_is_no_token) {
  has_link();
  BOOST_TEST(signs_in_with("token", link).status == 401U);
  BOOST_TEST(ask(link, "GET", "/v1/queues").status == 401U);
  BOOST_TEST(signs_in_with("link", "auditor").status == 401U);
}

BOOST_AUTO_TEST_CASE(a_link_is_made_for_minutes_and_told_with_its_page) {
  msg::token_view view;
  view.role = "contributor";
  view.state = "good";
  gateway.answers<msg::create_token>(view);
  const auto reply =
      ask("admin", "POST", "/v1/sign-in-links", R"({"role":"contributor","contributor":"ann"})");
  BOOST_TEST(reply.status == 201U);
  const auto text = core::text_of_link({{made_id(1)}, std::string(64, 'a')});
  BOOST_TEST(reply.json.at("link").get<std::string>() == text);
  BOOST_TEST(reply.json.at("path").get<std::string>() == "/label#link=" + text);
  const auto& made = gateway.only<msg::create_token>();
  BOOST_TEST((made.lifetime == core::sign_in_link_lifetime));
  BOOST_TEST(made.name == "ann");
  BOOST_TEST(ask("requester", "POST", "/v1/sign-in-links", R"({"role":"admin"})").status == 403U);
}

// --- the end ---

BOOST_AUTO_TEST_CASE(sign_out_removes_the_cookie_and_leaves_the_token_of_the_person) {
  const auto reply = page_asks("DELETE", "/v1/session", {}, "holdfast=auditor");
  BOOST_TEST(reply.status == 204U);
  BOOST_TEST(test::contains(reply.header("Set-Cookie"), "holdfast=; Max-Age=0"));
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(sign_out_of_a_session_that_is_over_removes_the_cookie) {
  const auto token = core::to_string(core::api_token_text{link_id, std::string(64, 'a')});
  const auto reply = page_asks("DELETE", "/v1/session", {}, "holdfast=link." + token);
  BOOST_TEST(reply.status == 204U);
  BOOST_TEST(test::contains(reply.header("Set-Cookie"), "holdfast=; Max-Age=0"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
