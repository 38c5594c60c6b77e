// The pages for people as files of the binary.

#include "http/page_files.hpp"

#include "http/content_coding.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

namespace {

std::string packed_text(const std::string& text) {
  auto encoder = http::piece_encoder::make(http::content_coding::gzip);
  auto packed = encoder->next(text);
  packed += encoder->last();
  return packed;
}

struct pages_fixture {
  const std::string page = packed_text("<!doctype html>");
  const std::string script = packed_text("run();");
  const std::vector<http::page_file> pages{
      {"/assets/console.js", "text/javascript; charset=utf-8", script, "\"s1\""},
      {"/console", "text/html; charset=utf-8", page, "\"p1\""},
      {"/label", "text/html; charset=utf-8", page, "\"p2\""},
      {"/workbench", "text/html; charset=utf-8", page, "\"p3\""},
  };

  std::string media_origins;

  std::optional<http::response> get(std::string target,
                                    std::vector<http::parameter> headers = {}) const {
    http::request asked;
    asked.method = "GET";
    asked.target = std::move(target);
    asked.headers = std::move(headers);
    return http::page_answer(pages, asked, media_origins);
  }
};

std::string field_of(const std::optional<http::response>& from, std::string_view name) {
  BOOST_REQUIRE(from);
  for (const auto& one : from->headers)
    if (one.name == name)
      return one.value;
  return {};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(page_files, pages_fixture)

BOOST_AUTO_TEST_CASE(a_page_is_served_packed_to_browsers_and_plain_to_others) {
  const auto packed = get("/console", {{"accept-encoding", "gzip, br"}});
  BOOST_TEST(packed->status == 200U);
  BOOST_TEST(packed->content_type == "text/html; charset=utf-8");
  BOOST_TEST((packed->body == page));
  BOOST_TEST(field_of(packed, "Content-Encoding") == "gzip");
  BOOST_TEST(field_of(packed, "Vary") == "Accept-Encoding");
  for (const auto* codings : {"", "br", "gzip;q=0"}) {
    const auto plain = get("/console", {{"accept-encoding", codings}});
    BOOST_TEST(plain->body == "<!doctype html>", codings);
    BOOST_TEST(field_of(plain, "Content-Encoding") == "", codings);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_the_browser_has_is_not_sent_again) {
  const auto first = get("/assets/console.js");
  BOOST_TEST(field_of(first, "ETag") == "\"s1\"");
  BOOST_TEST(field_of(first, "Cache-Control") == "no-cache");
  const auto again = get("/assets/console.js", {{"if-none-match", "\"s1\""}});
  BOOST_TEST(again->status == 304U);
  BOOST_TEST(again->body.empty());
  BOOST_TEST(get("/assets/console.js", {{"if-none-match", "\"s0\""}})->status == 200U);
}

BOOST_AUTO_TEST_CASE(each_file_forbids_foreign_content_frames_and_referrers) {
  for (const auto* target : {"/console", "/label/steps/1", "/assets/console.js"}) {
    const auto policy = field_of(get(target), "Content-Security-Policy");
    BOOST_TEST(test::contains(policy, "default-src 'self';"), target);
    BOOST_TEST(test::contains(policy, "frame-ancestors 'none'"), target);
    BOOST_TEST(!test::contains(policy, "unsafe"), target);
    BOOST_TEST(field_of(get(target), "Referrer-Policy") == "no-referrer", target);
  }
}

BOOST_AUTO_TEST_CASE(media_of_units_may_come_from_the_origins_that_the_configuration_names) {
  const auto policy = [&] { return field_of(get("/label"), "Content-Security-Policy"); };
  BOOST_TEST(test::contains(policy(), "img-src 'self' data: blob:; media-src 'self' data: blob:;"));
  media_origins = "https://a.example https://b.example";
  BOOST_TEST(test::contains(policy(), "img-src 'self' data: blob: https://a.example "
                                      "https://b.example; media-src"));
  BOOST_TEST(test::contains(policy(), "default-src 'self';"));
}

BOOST_AUTO_TEST_CASE(places_within_a_page_are_the_page) {
  BOOST_TEST(field_of(get("/label/steps/42?x=1"), "ETag") == "\"p2\"");
  BOOST_TEST(field_of(get("/console/"), "ETag") == "\"p1\"");
  BOOST_TEST(field_of(get("/workbench/new"), "ETag") == "\"p3\"");
  BOOST_TEST(!get("/labels").has_value());
  BOOST_TEST(!get("/v1/queues").has_value());
  BOOST_TEST(!get("/assets/nothing.js").has_value());
  BOOST_TEST(!get("/assets/../console").has_value());
}

BOOST_AUTO_TEST_CASE(the_root_leads_to_the_console) {
  const auto made = get("/");
  BOOST_TEST(made->status == 302U);
  BOOST_TEST(field_of(made, "Location") == "/console");
}

BOOST_AUTO_TEST_CASE(a_program_without_pages_says_so) {
  http::request asked;
  asked.method = "GET";
  for (const auto* target : {"/", "/console", "/label/x", "/assets/console.js"}) {
    asked.target = target;
    const auto made = http::page_answer({}, asked, {});
    BOOST_TEST(made->status == 404U, target);
    BOOST_TEST(test::contains(made->body, "built without its pages"), target);
  }
  asked.target = "/v1/queues";
  BOOST_TEST(!http::page_answer({}, asked, {}).has_value());
}

BOOST_AUTO_TEST_CASE(other_methods_are_not_for_pages) {
  http::request asked;
  asked.method = "POST";
  asked.target = "/console";
  BOOST_TEST(!http::page_answer(pages, asked, media_origins).has_value());
}

BOOST_AUTO_TEST_CASE(each_embedded_file_can_be_unpacked_and_has_a_tag_of_its_own_content) {
  for (const auto& one : http::embedded_pages()) {
    const auto plain = http::decoded(one.packed, http::content_coding::gzip, 16UL * 1024 * 1024,
                                     [](std::size_t) { return true; });
    BOOST_TEST(static_cast<bool>(plain), one.path);
    BOOST_TEST(one.tag.size() == 24U, one.path);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
