// Messages as JSON.

#include "http/answer_writer.hpp"

#include "core/ids.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::http;
using namespace std::chrono_literals;

namespace {

struct crumb {
  std::string key;
  std::string body;
};

template <class Fields>
void describe(Fields& f, crumb& x) {
  f.required("key", x.key, "");
  f.optional("body", document{x.body}, "");
}

const word_list& shades() {
  static const word_list words{{"light", 1}, {"dark", 2}};
  return words;
}

/// A message with each kind of member.
struct loaf {
  core::unit_id id;
  core::unit_id parent;
  std::string name;
  std::string note;
  std::string body;
  bool sliced = false;
  std::uint64_t token = 0;
  std::int16_t priority = 0;
  double share = 0;
  core::instant expires_at;
  core::instant ended_at;
  core::duration age{0};
  core::errc refusal = core::errc::none;
  std::uint8_t shade = 1;
  std::vector<crumb> crumbs;
  std::vector<core::unit_id> others;
  std::string worker;
  std::uint32_t version = 1;
};

template <class Fields>
void describe(Fields& f, loaf& x) {
  f.made("id", x.id, "");
  f.required("parent_id", x.parent, "");
  f.required("name", x.name, "");
  f.required("body", document{x.body}, "");
  f.required("sliced", x.sliced, "");
  f.required("token", x.token, "");
  f.required("priority", bounded{x.priority, -10, 10}, "");
  f.required("share", x.share, "");
  f.required("lease_seconds", seconds_until{x.expires_at}, "");
  f.required("ended_at", x.ended_at, "");
  f.required("age", x.age, "");
  f.required("refusal", x.refusal, "");
  f.required("shade", word{x.shade, shades()}, "");
  f.required("crumbs", x.crumbs, "");
  f.required("others", x.others, "");
  f.caller("worker", x.worker, "");
  f.hidden(x.version);
}

/// A message of which each member may be left out.
struct lean_loaf {
  core::uuid raw;
  core::unit_id id;
  std::string name;
  std::string body;
  core::instant at;
  std::uint32_t count = 0;
  bool done = false;
  core::duration wait{0};
};

template <class Fields>
void describe(Fields& f, lean_loaf& x) {
  f.optional("raw", x.raw, "");
  f.optional("id", x.id, "");
  f.optional("name", x.name, "");
  f.optional("body", document{x.body}, "");
  f.optional("at", x.at, "");
  f.optional("count", x.count, "");
  f.optional("done", x.done, "");
  f.query("wait", x.wait, "");
}

/// A message with nothing that an answer shows.
struct dough {
  std::string text;
};

template <class Fields>
void describe(Fields& f, dough& x) {
  f.whole(document{x.text}, "");
}

const core::instant at_ten = core::from_micros(10'000'000);

core::unit_id unit_of(std::uint8_t n) {
  core::unit_id id;
  id.value.bytes.fill(n);
  return id;
}

} // namespace

BOOST_AUTO_TEST_SUITE(answer_writing)

BOOST_AUTO_TEST_CASE(an_answer_has_all_its_members_in_the_order_of_the_shape) {
  loaf x;
  x.id = unit_of(1);
  x.parent = unit_of(2);
  x.name = "a \"b\"";
  x.body = R"({ "n": 12345678901234567890.10 })";
  x.sliced = true;
  x.token = std::numeric_limits<std::uint64_t>::max();
  x.priority = -3;
  x.share = 0.25;
  x.expires_at = at_ten + 2500ms;
  x.ended_at = at_ten;
  x.age = 90s;
  x.refusal = core::errc::stale_token;
  x.shade = 2;
  x.crumbs = {{"k1", "[1]"}, {"k2", ""}};
  x.others = {unit_of(3), {}};
  x.worker = "w1";
  BOOST_TEST(to_json(x, at_ten)
             == R"({"id":"01010101-0101-0101-0101-010101010101",)"
                R"("parent_id":"02020202-0202-0202-0202-020202020202",)"
                R"("name":"a \"b\"","body":{ "n": 12345678901234567890.10 },"sliced":true,)"
                R"("token":18446744073709551615,"priority":-3,"share":0.25,"lease_seconds":2.5,)"
                R"("ended_at":"1970-01-01T00:00:10.000000Z","age":90,"refusal":"stale_token",)"
                R"("shade":"dark","crumbs":[{"key":"k1","body":[1]},{"key":"k2"}],)"
                R"("others":["03030303-0303-0303-0303-030303030303",null],"worker":"w1"})");
}

BOOST_AUTO_TEST_CASE(members_that_are_always_there_are_null_where_there_is_nothing) {
  loaf x;
  BOOST_TEST(to_json(x, at_ten)
             == R"({"id":null,"parent_id":null,"name":"","body":null,"sliced":false,"token":0,)"
                R"("priority":0,"share":0,"lease_seconds":0,"ended_at":null,"age":0,)"
                R"("refusal":"none","shade":"light","crumbs":[],"others":[],"worker":""})");
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_over_lasts_zero_seconds) {
  loaf x;
  x.expires_at = at_ten - 1us;
  BOOST_TEST(to_json(x, at_ten).find(R"("lease_seconds":0,)") != std::string::npos);
  x.expires_at = at_ten + 1us;
  BOOST_TEST(to_json(x, at_ten).find(R"("lease_seconds":0.000001,)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(optional_members_are_left_out_while_they_are_empty) {
  lean_loaf x;
  // Zero and false say something: only texts, ids, documents and times may be empty.
  BOOST_TEST(to_json(x, at_ten) == R"({"count":0,"done":false})");
  x.raw = unit_of(1).value;
  x.id = unit_of(2);
  x.name = "n";
  x.body = "{}";
  x.at = at_ten;
  BOOST_TEST(to_json(x, at_ten)
             == R"({"raw":"01010101-0101-0101-0101-010101010101",)"
                R"("id":"02020202-0202-0202-0202-020202020202","name":"n","body":{},)"
                R"("at":"1970-01-01T00:00:10.000000Z","count":0,"done":false})");
}

BOOST_AUTO_TEST_CASE(query_and_whole_body_are_matters_of_requests) {
  lean_loaf x;
  x.wait = 5s;
  BOOST_TEST(to_json(x, at_ten).find("wait") == std::string::npos);
  dough y{"[1]"};
  BOOST_TEST(to_json(y, at_ten) == "{}");
}

BOOST_AUTO_TEST_CASE(texts_that_are_no_utf8_are_repaired) {
  crumb x{"k\xff", {}};
  BOOST_TEST(to_json(x, at_ten) == "{\"key\":\"k\xEF\xBF\xBD\"}");
}

BOOST_AUTO_TEST_SUITE_END()
