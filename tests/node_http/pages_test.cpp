// The pages of the real binary: their files, sign-in by token and by link, and the end of sessions.

#include "tests/node_http/http_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct pages_node : http_node {
  /// A client that sends as a page of this node does, with the cookie if there is one.
  std::unique_ptr<http_client> page(const std::string& cookie = {}) const {
    auto made = std::make_unique<http_client>(port());
    made->set_header("X-Holdfast-CSRF", "1");
    made->set_header("Sec-Fetch-Site", "same-origin");
    made->set_header("Cookie", cookie);
    return made;
  }
  http_answer sign_in(const std::string& member, const std::string& text) const {
    return page()->post("/v1/session", json{{member, text}}.dump());
  }
  /// The secret of a link that the command line makes.
  std::string made_link(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"token", "link"});
    arguments.insert(arguments.end(), {"--data-dir", directory->path().string(), "--url",
                                       "https://label.example.org/"});
    const auto end = run_program(HOLDFAST_BINARY, arguments, 60s);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
    const std::string begin = "https://label.example.org/label#link=";
    BOOST_REQUIRE_MESSAGE(end.out.substr(0, begin.size()) == begin, end.out);
    return end.out.substr(begin.size(), end.out.find('\n') - begin.size());
  }
  /// The cookie that an answer sets, as the browser sends it back.
  static std::string cookie_of(const http_answer& answer) {
    const auto field = answer.headers.find("set-cookie");
    BOOST_REQUIRE(field != answer.headers.end());
    return field->second.substr(0, field->second.find(';'));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(pages, pages_node)

BOOST_AUTO_TEST_CASE(pages_are_served_from_the_binary_without_a_token) {
  http_client anybody{port()};
  const auto page = anybody.get("/console");
  BOOST_TEST(page.status == 200U);
  BOOST_TEST(test::contains(page.headers.at("content-security-policy"), "default-src 'self'"));
  BOOST_TEST(page.headers.at("x-content-type-options") == "nosniff");
  BOOST_TEST(page.headers.at("referrer-policy") == "no-referrer");
  BOOST_TEST(test::contains(page.body, "/assets/console.js"));
  BOOST_TEST(anybody.get("/").headers.at("location") == "/console");
  BOOST_TEST(anybody.get("/label/steps/1").status == 200U);

  const auto script = anybody.get("/assets/console.js");
  BOOST_TEST(script.status == 200U);
  anybody.set_header("If-None-Match", script.headers.at("etag"));
  const auto again = anybody.get("/assets/console.js");
  BOOST_TEST(again.status == 304U);
  BOOST_TEST(again.body.empty());
}

BOOST_AUTO_TEST_CASE(a_session_ends_with_its_token) {
  auto admin = client();
  const auto token = body_of(admin.post("/v1/tokens", R"({"role": "operator"})"), 201);
  const auto opened = sign_in("token", token.at("token").get<std::string>());
  BOOST_TEST(body_of(opened, 200).at("role") == "operator");
  const auto cookie = cookie_of(opened);
  BOOST_TEST(test::contains(opened.headers.at("set-cookie"), "HttpOnly; SameSite=Strict"));
  BOOST_TEST(page(cookie)->put("/v1/queues/mail", "{}").status == 200U);
  BOOST_TEST(body_of(page(cookie)->get("/v1/session"), 200).at("role") == "operator");

  // Another site has the cookie sent along, and cannot send the header.
  http_client foreign{port()};
  foreign.set_header("Cookie", cookie);
  BOOST_TEST(foreign.put("/v1/queues/mail", "{}").status == 403U);

  body_of(admin.remove("/v1/tokens/" + token.at("id").get<std::string>()), 200);
  const auto limit = std::chrono::steady_clock::now() + 30s; // remembered for 5 seconds
  auto status = 200U;
  while (status == 200U && std::chrono::steady_clock::now() < limit)
    status = page(cookie)->get("/v1/session").status;
  BOOST_TEST(status == 204U);
}

BOOST_AUTO_TEST_CASE(a_link_signs_in_once) {
  const auto link = made_link({"--role", "contributor", "--contributor", "ann"});
  const auto opened = sign_in("link", link);
  const auto session = body_of(opened, 200);
  BOOST_TEST(session.at("contributor") == "ann");
  BOOST_TEST(session.at("expires_at").is_string());
  const auto cookie = cookie_of(opened);
  BOOST_TEST(page(cookie)->get("/v1/available-steps").status == 200U);
  BOOST_TEST(page(cookie)->get("/v1/tokens").status == 403U);

  const auto again = sign_in("link", link);
  BOOST_TEST(again.status == 401U);
  BOOST_TEST(again.headers.count("set-cookie") == 0U);
  BOOST_TEST(http_client(port(), link).get("/v1/available-steps").status == 401U);

  // The session has a token of its own, which ends with it.
  BOOST_TEST(page(cookie)->remove("/v1/session").status == 204U);
  auto admin = client();
  const auto tokens = body_of(admin.get("/v1/tokens"), 200).at("tokens");
  BOOST_TEST(tokens.size() == 2U);
  for (const auto& one : tokens)
    BOOST_TEST(one.at("state") == "revoked");
}

BOOST_AUTO_TEST_CASE(of_many_exchanges_of_a_link_at_once_one_gets_a_session) {
  const auto link = made_link({"--role", "contributor", "--contributor", "ann"});
  std::vector<std::unique_ptr<http_client>> pages;
  for (int i = 0; i < 8; ++i)
    pages.push_back(page());
  for (const auto& one : pages)
    one->begin("POST", "/v1/session", json{{"link", link}}.dump());
  std::size_t opened = 0;
  for (const auto& one : pages) {
    const auto answer = one->receive();
    BOOST_TEST((answer.status == 200U || answer.status == 401U), answer.status);
    opened += answer.status == 200U ? 1 : 0;
  }
  BOOST_TEST(opened == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
