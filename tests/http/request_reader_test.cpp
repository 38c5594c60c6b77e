// Messages from the parts of HTTP requests, and all that is wrong with the parts.

#include "http/request_reader.hpp"

#include "core/ids.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::http;
using namespace std::chrono_literals;

namespace {

struct drink {
  std::string type;
  std::uint32_t count = 1;
};

template <class Fields>
void describe(Fields& f, drink& x) {
  f.required("type", x.type, "");
  f.optional("count", bounded{x.count, 1, 9}, "");
}

const word_list& moods() {
  static const word_list words{{"calm", 1}, {"thirsty", 2}};
  return words;
}

/// A message with each kind of member.
struct drink_order {
  core::task_id id;
  std::string table;
  std::string worker;
  std::vector<drink> tasks;
  std::string note;
  std::vector<std::string> tags;
  bool rush = false;
  std::uint64_t token = 0;
  std::uint8_t mood = 0;
  core::instant at;
  core::duration wait{0};
  std::uint32_t version = 3;
};

template <class Fields>
void describe(Fields& f, drink_order& x) {
  f.made("id", x.id, "");
  f.required("table", x.table, "");
  f.caller("worker", x.worker, "");
  f.optional("tasks", x.tasks, "");
  f.optional("note", document{x.note}, "");
  f.optional("tags", x.tags, "");
  f.optional("rush", x.rush, "");
  f.optional("token", x.token, "");
  f.optional("mood", word{x.mood, moods()}, "");
  f.optional("at", x.at, "");
  f.query("wait", x.wait, "");
  f.hidden(x.version);
}

/// A message whose body is one document.
struct menu {
  std::string name;
  std::string text;
  bool dry_run = false;
};

template <class Fields>
void describe(Fields& f, menu& x) {
  f.required("name", x.name, "");
  f.whole(document{x.text}, "");
  f.optional("dry_run", x.dry_run, "");
}

/// A message for a contributor.
struct tip {
  std::string contributor;
};

template <class Fields>
void describe(Fields& f, tip& x) {
  f.caller("contributor_id", x.contributor, "");
}

core::uuid uuid_of(std::uint8_t n) {
  core::uuid id;
  id.bytes.fill(n);
  return id;
}

/// The parts of a request by a worker who can be only `w1`, to `/tables/{table}`.
struct order_parts {
  core::principal who{false, {{core::role::worker, "w1"}, {core::role::producer, {}}}};
  request_parts parts;
  std::vector<request_problem> problems;

  order_parts() {
    parts.path = {{"table", "t 1"}};
    parts.who = &who;
    parts.now = core::from_micros(1'000'000);
    parts.make_id = [] { return uuid_of(9); };
  }
  order_parts(const order_parts&) = delete;
  order_parts& operator=(const order_parts&) = delete;

  template <class Message>
  Message message() {
    problems.clear();
    return read_request<Message>(parts, problems);
  }
  drink_order order(std::string_view body) {
    parts.body = body;
    return message<drink_order>();
  }
  drink_order order_by_query(std::vector<parameter> query) {
    parts.from_query = true;
    parts.body = {};
    parts.query = std::move(query);
    return message<drink_order>();
  }

  /// Each problem as `place: text`, a line each.
  std::string told() const {
    std::string all;
    for (const auto& one : problems)
      all += one.place + ": " + one.what + '\n';
    return all;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(request_reading, order_parts)

BOOST_AUTO_TEST_CASE(members_come_from_path_and_body) {
  const auto read =
      order(R"({"id":"01010101-0101-0101-0101-010101010101","worker":"w2","rush":true,)"
            R"( "token": 18446744073709551615, "mood":"thirsty","at":"1970-01-01T00:00:02Z",)"
            R"( "tags":["a","b"],"tasks":[{"type":"tea"},{"type":"milk","count":2}]})");
  BOOST_TEST(told() == "");
  BOOST_TEST((read.id.value == uuid_of(1)));
  BOOST_TEST(read.table == "t 1");
  BOOST_TEST(read.worker == "w2");
  BOOST_TEST(read.rush);
  BOOST_TEST(read.token == 18446744073709551615ULL);
  BOOST_TEST(read.mood == 2);
  BOOST_TEST(core::to_micros(read.at) == 2'000'000);
  BOOST_TEST(read.tags == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
  BOOST_REQUIRE_EQUAL(read.tasks.size(), 2U);
  BOOST_TEST(read.tasks[0].type == "tea");
  BOOST_TEST(read.tasks[0].count == 1U);
  BOOST_TEST(read.tasks[1].type == "milk");
  BOOST_TEST(read.tasks[1].count == 2U);
  BOOST_TEST(read.version == 3U); // hidden: nobody can set it
}

BOOST_AUTO_TEST_CASE(members_that_are_left_out_stay_as_they_are) {
  for (const std::string_view body : {"", "{}", R"({"tasks":null,"mood":null,"token":null})"}) {
    const auto read = order(body);
    BOOST_TEST(told() == "");
    BOOST_TEST(read.tasks.empty());
    BOOST_TEST(read.token == 0U);
    BOOST_TEST(read.mood == 0);
    BOOST_TEST((read.wait == 0s));
  }
}

BOOST_AUTO_TEST_CASE(requests_without_a_body_come_from_the_query) {
  const auto read = order_by_query({{"id", "01010101-0101-0101-0101-010101010101"},
                                    {"worker", "w2"},
                                    {"rush", "true"},
                                    {"token", "7"},
                                    {"mood", "calm"},
                                    {"at", "1970-01-01T00:00:02Z"},
                                    {"wait", "1.5"}});
  BOOST_TEST(told() == "");
  BOOST_TEST((read.id.value == uuid_of(1)));
  BOOST_TEST(read.worker == "w2");
  BOOST_TEST(read.rush);
  BOOST_TEST(read.token == 7U);
  BOOST_TEST(read.mood == 1);
  BOOST_TEST(core::to_micros(read.at) == 2'000'000);
  BOOST_TEST((read.wait == 1500ms));
}

BOOST_AUTO_TEST_CASE(a_text_of_the_query_that_looks_like_a_number_is_a_text) {
  const auto read = order_by_query({{"worker", "12"}, {"tags", "true"}});
  BOOST_TEST(told() == "");
  BOOST_TEST(read.worker == "12");
  BOOST_TEST(read.tags == std::vector<std::string>{"true"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_is_a_repeated_parameter_and_nothing_else_is_repeated) {
  auto read = order_by_query({{"tags", "b"}, {"tags", "a"}});
  BOOST_TEST(told() == "");
  BOOST_TEST(read.tags == (std::vector<std::string>{"b", "a"}), boost::test_tools::per_element());
  read = order_by_query({{"token", "1"}, {"token", "1"}});
  BOOST_TEST(told() == "token: is there more than once\n");
}

BOOST_AUTO_TEST_CASE(a_wait_comes_from_the_query_whatever_the_method) {
  parts.query = {{"wait", "20"}};
  const auto read = order("{}");
  BOOST_TEST(told() == "");
  BOOST_TEST((read.wait == 20s));
}

BOOST_AUTO_TEST_CASE(a_member_in_another_part_of_the_request_than_its_own_is_refused) {
  const auto read = order(R"({"table":"t 2","wait":20})");
  BOOST_TEST(read.table == "t 1");
  BOOST_TEST((read.wait == 0s));
  BOOST_TEST(told()
             == "/table: is in the path of this request; leave it out here\n"
                "/wait: belongs in the query of this request\n");
  parts.query = {{"token", "5"}, {"table", "t 2"}};
  BOOST_TEST(order("{}").token == 0U);
  BOOST_TEST(told()
             == "token: belongs in the body of this request\n"
                "table: is in the path of this request; leave it out here\n");
}

BOOST_AUTO_TEST_CASE(a_number_outside_its_bounds_has_its_place) {
  order(R"({"tasks":[{"type":"tea","count":9},{"type":"tea","count":10}]})");
  BOOST_TEST(told() == "/tasks/1/count: must be a whole number from 1 to 9\n");
}

BOOST_AUTO_TEST_CASE(the_places_of_members_and_documents_are_noted) {
  parts.places = std::make_shared<known_places>();
  order("{}");
  const auto place_of = [&](std::string_view name) {
    for (const auto& [member, place] : parts.places->members)
      if (member == name)
        return place;
    return std::string{"none"};
  };
  BOOST_TEST(place_of("table") == "table");
  BOOST_TEST(place_of("token") == "/token");
  BOOST_TEST(place_of("wait") == "wait");
  BOOST_TEST(place_of("version") == "none");
  BOOST_TEST(parts.places->documents == std::vector<std::string>{"/note"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(required_members_that_are_left_out_are_named) {
  parts.path.clear();
  order("{}");
  BOOST_TEST(told() == "/table: is missing\n");
  order(R"({"table":null})");
  BOOST_TEST(told() == "/table: is missing\n");
  order_by_query({});
  BOOST_TEST(told() == "table: is missing\n");
}

BOOST_AUTO_TEST_CASE(every_problem_is_told_with_its_place) {
  order(R"({"token":"1","mood":"angry","tasks":[{"type":"tea"},{"type":5,"count":-1},7],)"
        R"("at":"soon","tags":"a","rush":1})");
  BOOST_TEST(told()
             == "/tasks/1/type: must be a string\n"
                "/tasks/1/count: must be a whole number from 1 to 9\n"
                "/tasks/2: must be an object\n"
                "/tags: must be an array\n"
                "/rush: must be true or false\n"
                "/token: must be a whole number from 0 to 18446744073709551615\n"
                "/mood: must be one of \"calm\", \"thirsty\"\n"
                "/at: must be a time as in RFC 3339, such as \"2026-11-28T12:00:00Z\"\n");
}

BOOST_AUTO_TEST_CASE(a_missing_member_inside_a_list_has_its_place) {
  order(R"({"tasks":[{},{"count":2}]})");
  BOOST_TEST(told() == "/tasks/0/type: is missing\n/tasks/1/type: is missing\n");
  order(R"({"tasks":{"type":"tea"}})");
  BOOST_TEST(told() == "/tasks: must be an array\n");
}

BOOST_AUTO_TEST_CASE(a_parameter_that_is_wrong_is_named_without_a_pointer) {
  order_by_query({{"token", "many"}});
  BOOST_TEST(told() == "token: must be a whole number from 0 to 18446744073709551615\n");
  order_by_query({{"wait", "nan"}});
  BOOST_TEST(told() == "wait: must be seconds, 0 to 3162240000\n");
}

BOOST_AUTO_TEST_CASE(unknown_names_are_refused_with_the_name_that_was_meant) {
  order(R"({"toke":1,"colour":2})");
  BOOST_TEST(told() == "/toke: is unknown here; did you mean 'token'?\n/colour: is unknown here\n");
  order(R"({"tasks":[{"type":"tea","cout":2}]})");
  BOOST_TEST(told() == "/tasks/0/cout: is unknown here; did you mean 'count'?\n");
  order_by_query({{"toke", "1"}});
  BOOST_TEST(told() == "toke: is unknown here; did you mean 'token'?\n");
}

BOOST_AUTO_TEST_CASE(the_name_of_a_hidden_member_is_unknown) {
  order(R"({"version":1})");
  BOOST_TEST(problems.size() == 1U);
  BOOST_TEST(problems.front().place == "/version");
}

BOOST_AUTO_TEST_CASE(names_in_a_place_are_escaped_as_in_pointers) {
  order(R"({"a/b~c":1})");
  BOOST_TEST(told() == "/a~1b~0c: is unknown here\n");
}

BOOST_AUTO_TEST_CASE(names_of_members_may_be_written_with_escapes) {
  const auto read = order(R"({"\u0074oken":5})");
  BOOST_TEST(told() == "");
  BOOST_TEST(read.token == 5U);
}

BOOST_AUTO_TEST_CASE(a_body_that_is_no_object_is_refused) {
  for (const std::string_view body : {"[]", "5", "\"text\"", "null"}) {
    order(body);
    BOOST_TEST(told() == ": the body must be a JSON object\n");
  }
}

BOOST_AUTO_TEST_CASE(documents_are_passed_on_byte_for_byte) {
  const auto read = order(R"({"note" :  {"n": 12345678901234567890.10 ,"x":[ ]} ,"rush":false})");
  BOOST_TEST(told() == "");
  BOOST_TEST(read.note == R"({"n": 12345678901234567890.10 ,"x":[ ]})");
}

BOOST_AUTO_TEST_CASE(a_whole_body_is_a_document_and_the_rest_is_in_the_query) {
  parts.path = {{"name", "lunch"}};
  parts.query = {{"dry_run", "true"}};
  parts.body = R"({"dry_run": 7, "anything": [1]})";
  const auto read_menu = message<menu>();
  BOOST_TEST(told() == "");
  BOOST_TEST(read_menu.name == "lunch");
  BOOST_TEST(read_menu.text == R"({"dry_run": 7, "anything": [1]})");
  BOOST_TEST(read_menu.dry_run);
}

BOOST_AUTO_TEST_CASE(a_whole_body_may_be_any_json_and_must_be_there) {
  parts.path = {{"name", "lunch"}};
  parts.body = "[1, 2]";
  BOOST_TEST(message<menu>().text == "[1, 2]");
  BOOST_TEST(told() == "");
  parts.body = {};
  message<menu>();
  BOOST_TEST(told() == ": the body is missing\n");
}

BOOST_AUTO_TEST_CASE(an_id_is_in_the_body_or_in_the_header_or_is_made) {
  BOOST_TEST((order("{}").id.value == uuid_of(9)));
  parts.idempotency_key = uuid_of(5);
  BOOST_TEST((order("{}").id.value == uuid_of(5)));
  BOOST_TEST((order(R"({"id":null})").id.value == uuid_of(5)));
  BOOST_TEST((order(R"({"id":"01010101-0101-0101-0101-010101010101"})").id.value == uuid_of(1)));
  BOOST_TEST(told() == "");
  order(R"({"id":"1"})");
  BOOST_TEST(told() == "/id: must be a UUID, such as \"018f2c5e-7c1a-7000-8000-000000000001\"\n");
}

BOOST_AUTO_TEST_CASE(a_caller_who_can_be_only_one_need_not_say_so) {
  BOOST_TEST(order("{}").worker == "w1");
  BOOST_TEST(order(R"({"worker":"w2"})").worker == "w2"); // the roles are checked elsewhere
  BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(a_caller_who_can_be_several_or_anybody_must_say) {
  who.grants = {{core::role::worker, "w1"}, {core::role::worker, "w2"}};
  order("{}");
  BOOST_TEST(told() == "/worker: is missing\n");
  who.grants = {{core::role::worker, {}}};
  order("{}");
  BOOST_TEST(told() == "/worker: is missing\n");
  // The same grant twice names one.
  who.grants = {{core::role::worker, "w1"}, {core::role::worker, "w1"}};
  BOOST_TEST(order("{}").worker == "w1");
}

BOOST_AUTO_TEST_CASE(a_contributor_is_named_by_the_grant_of_a_contributor) {
  parts.path.clear();
  who.grants = {{core::role::worker, "w1"}, {core::role::contributor, "ann"}};
  BOOST_TEST(message<tip>().contributor == "ann");
  BOOST_TEST(told() == "");
  who.grants = {{core::role::worker, "w1"}};
  message<tip>();
  BOOST_TEST(told() == "/contributor_id: is missing\n");
}

BOOST_AUTO_TEST_SUITE_END()
