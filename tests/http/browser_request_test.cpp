// Requests of browsers: the session cookie, and pages of other sites.

#include "http/browser_request.hpp"

#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

http::request browser_asks(std::string method, std::vector<http::parameter> headers) {
  http::request made;
  made.method = std::move(method);
  made.target = "/v1/queues";
  made.headers = std::move(headers);
  return made;
}

http::credential shown_by(std::vector<http::parameter> headers) {
  static http::request asked; // the credential is a part of it
  asked = browser_asks("GET", std::move(headers));
  return http::credential_of(asked);
}

std::string origin_objection(std::string method, std::vector<http::parameter> headers) {
  return http::objection_by_origin(browser_asks(std::move(method), std::move(headers)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(browser_request)

// --- the credential ---

BOOST_AUTO_TEST_CASE(a_cookie_shows_the_token_of_a_session) {
  const auto one = shown_by({{"cookie", "theme=dark; holdfast=hf_a_b; other=1"}});
  BOOST_TEST(one.token == "hf_a_b");
  BOOST_TEST(one.is_cookie);
  BOOST_TEST(!one.is_of_link);
  BOOST_TEST(shown_by({}).token.empty());
  BOOST_TEST(shown_by({{"cookie", "my-holdfast=hf_a_b; holdfastx=hf_a_b"}}).token.empty());
}

BOOST_AUTO_TEST_CASE(a_cookie_tells_that_a_link_has_opened_the_session) {
  const auto one = shown_by({{"cookie", "holdfast=link.hf_a_b"}});
  BOOST_TEST(one.token == "hf_a_b");
  BOOST_TEST(one.is_of_link);
}

BOOST_AUTO_TEST_CASE(the_header_goes_before_the_cookie) {
  const auto one =
      shown_by({{"cookie", "holdfast=hf_cookie"}, {"authorization", "Bearer hf_header"}});
  BOOST_TEST(one.token == "hf_header");
  BOOST_TEST(!one.is_cookie);
  const auto other = shown_by({{"cookie", "holdfast=hf_cookie"}, {"authorization", "Basic x"}});
  BOOST_TEST(other.token.empty());
  BOOST_TEST(!other.is_cookie);
}

BOOST_AUTO_TEST_CASE(behind_https_only_a_cookie_that_https_has_set_counts) {
  const std::vector<http::parameter> headers{{"x-forwarded-proto", "https"},
                                             {"cookie", "holdfast=a; __Host-holdfast=b"}};
  BOOST_TEST(shown_by(headers).token == "b");
  BOOST_TEST(shown_by({headers.back()}).token == "a");
}

// --- the cookie ---

BOOST_AUTO_TEST_CASE(no_script_and_no_other_site_gets_the_cookie) {
  const auto plain = http::session_cookie(browser_asks("POST", {}), "hf_a_b", false, 90s);
  BOOST_TEST(plain.name == "Set-Cookie");
  BOOST_TEST(plain.value == "holdfast=hf_a_b; Max-Age=90; HttpOnly; SameSite=Strict; Path=/v1");
  const auto secure = http::session_cookie(browser_asks("POST", {{"x-forwarded-proto", "https"}}),
                                           "hf_a_b", true, 90s);
  BOOST_TEST(secure.value
             == "__Host-holdfast=link.hf_a_b; Max-Age=90; HttpOnly; SameSite=Strict; Path=/; "
                "Secure");
  BOOST_TEST(http::no_session_cookie(browser_asks("DELETE", {})).value
             == "holdfast=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/v1");
}

BOOST_AUTO_TEST_CASE(a_token_that_no_cookie_can_hold_does_not_fit) {
  BOOST_TEST(http::fits_cookie("eyJh-bGci_.e30.AbC"));
  for (const auto* bad : {"a;b", "a b", "a\"b", "a,b", "a\r\nb", "a=b"})
    BOOST_TEST(!http::fits_cookie(bad), bad);
  BOOST_TEST(http::fits_cookie(std::string(3800, 'a')));
  BOOST_TEST(!http::fits_cookie(std::string(3801, 'a')));
}

// --- other sites ---

BOOST_AUTO_TEST_CASE(a_page_of_this_node_may_change_things) {
  BOOST_TEST(origin_objection("POST", {{"x-holdfast-csrf", "1"}}).empty());
  BOOST_TEST(origin_objection("POST", {{"x-holdfast-csrf", "1"}, {"sec-fetch-site", "same-origin"}})
                 .empty());
  BOOST_TEST(
      origin_objection(
          "PUT", {{"x-holdfast-csrf", "1"}, {"host", "node:8470"}, {"origin", "http://node:8470"}})
          .empty());
  BOOST_TEST(origin_objection("PUT", {{"x-holdfast-csrf", "1"},
                                      {"host", "inside:80"},
                                      {"x-forwarded-host", "label.example.org"},
                                      {"origin", "https://label.example.org"}})
                 .empty());
  BOOST_TEST(origin_objection("GET", {}).empty());
  BOOST_TEST(origin_objection("GET", {{"sec-fetch-site", "none"}}).empty());
}

BOOST_AUTO_TEST_CASE(a_change_without_the_header_is_refused) {
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH"})
    BOOST_TEST(test::contains(origin_objection(method, {{"sec-fetch-site", "same-origin"}}),
                              "X-Holdfast-CSRF"),
               method);
}

BOOST_AUTO_TEST_CASE(a_page_of_another_origin_is_refused_whatever_it_sends) {
  for (const auto* method : {"GET", "POST", "DELETE"}) {
    for (const auto* site : {"cross-site", "same-site"})
      BOOST_TEST(test::contains(
                     origin_objection(method, {{"x-holdfast-csrf", "1"}, {"sec-fetch-site", site}}),
                     "another origin"),
                 method << ' ' << site);
    for (const auto* origin : {"http://evil:8470", "null", "http://node:8471", "node:8470"})
      BOOST_TEST(test::contains(origin_objection(method, {{"x-holdfast-csrf", "1"},
                                                          {"host", "node:8470"},
                                                          {"origin", origin}}),
                                "another origin"),
                 method << ' ' << origin);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
