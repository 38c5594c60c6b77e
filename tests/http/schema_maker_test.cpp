// The forms of requests and answers, by their shapes.

#include "http/schema_maker.hpp"

#include "core/ids.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace holdfast;
using namespace holdfast::http;

namespace {

struct seed_row {
  std::string key;
  std::string input;
};
constexpr const char* wire_name(const seed_row*) { return "hf1.seed_row"; }

template <class Fields>
void describe(Fields& f, seed_row& x) {
  f.required("key", x.key, "The key.");
  f.optional("input", document{x.input}, "");
}

/// Without a name on the wire, and without one of its own: a member is no name of a type.
struct soil {
  std::string name;
};

template <class Fields>
void describe(Fields& f, soil& x) {
  f.required("name", x.name, "");
}

struct pot {
  static constexpr std::string_view name = "clay_pot";
  std::int32_t width = 0;
};

template <class Fields>
void describe(Fields& f, pot& x) {
  f.required("width", x.width, "");
}

const word_list& seasons() {
  static const word_list words{{"spring", 1}, {"autumn", 2}};
  return words;
}

/// A message with each kind of member.
struct garden {
  core::step_id id;
  std::string bed;
  std::string worker;
  std::vector<seed_row> rows;
  soil ground;
  pot in;
  bool dry = false;
  std::uint32_t limit = 0;
  std::int16_t priority = 0;
  std::uint64_t token = 0;
  double trust = 0;
  core::instant run_at;
  core::instant retry_at;
  core::instant expires_at;
  core::duration window{0};
  core::duration wait{0};
  std::uint8_t season = 1;
  core::errc refusal = core::errc::none;
  std::vector<core::unit_id> others;
  std::string data;
  std::uint32_t version = 0;
};

template <class Fields>
void describe(Fields& f, garden& x) {
  f.made("id", x.id, "The id.");
  f.required("bed", x.bed, "The bed.");
  f.caller("worker", x.worker, "The worker.");
  f.required("rows", x.rows, "The rows.");
  f.optional("ground", x.ground, "");
  f.optional("in", x.in, "");
  f.required("dry", x.dry, "");
  f.optional("limit", bounded{x.limit, 1, 1000}, "");
  f.optional("priority", x.priority, "");
  f.optional("token", x.token, "");
  f.optional("trust", x.trust, "");
  f.required("run_at", x.run_at, "");
  f.optional("retry_at", x.retry_at, "");
  f.optional("lease_seconds", seconds_until{x.expires_at}, "");
  f.optional("window", x.window, "");
  f.query("wait", x.wait, "Seconds.");
  f.optional("season", word{x.season, seasons()}, "");
  f.optional("refusal", x.refusal, "");
  f.optional("others", x.others, "");
  f.optional("data", document{x.data}, "");
  f.hidden(x.version);
}

/// A message whose body is a document.
struct plan {
  std::string name;
  std::string text;
  bool dry_run = false;
};

template <class Fields>
void describe(Fields& f, plan& x) {
  f.required("name", x.name, "");
  f.whole(document{x.text}, "The plan.");
  f.optional("dry_run", x.dry_run, "");
}

route_row row_of_path(verb method, std::string_view path) {
  route_row row;
  row.method = method;
  row.path = path;
  return row;
}

struct schema_fixture {
  named_forms named;

  template <class Message>
  request_form request(verb method, std::string_view path) {
    auto maker = schema_maker::of_request(row_of_path(method, path), named);
    Message sample;
    maker.message(sample);
    return maker.request();
  }
  template <class Message>
  nlohmann::json answer() {
    auto maker = schema_maker::of_answer(named);
    Message sample;
    maker.message(sample);
    return nlohmann::json::parse(json_schema_of(maker.answer()).dump());
  }
};

/// Each parameter as `place name`, with a star where it is required.
std::string names_with_places(const request_form& request) {
  std::string all;
  for (const auto& one : request.parameters)
    all += std::string{to_string(one.from)} + ' ' + one.member.name
           + (one.member.required ? "*;" : ";");
  return all;
}

nlohmann::json body_schema(const request_form& request) {
  return nlohmann::json::parse(json_schema_of(request.body).dump());
}

/// JSON as text, with names in order: for comparisons that show both sides.
std::string text_of_json(const nlohmann::json& json) { return json.dump(); }
std::string json_of(std::string_view text) { return text_of_json(nlohmann::json::parse(text)); }

} // namespace

BOOST_FIXTURE_TEST_SUITE(schema_making, schema_fixture)

BOOST_AUTO_TEST_CASE(members_of_a_request_are_sorted_into_path_query_header_and_body) {
  const auto made = request<garden>(verb::post, "/v1/beds/{bed}/rows");
  BOOST_TEST(names_with_places(made) == "header Idempotency-Key;path bed*;query wait;");
  BOOST_TEST(made.has_body);
  BOOST_TEST(made.body_required);
  const auto body = body_schema(made);
  BOOST_TEST(text_of_json(body.at("required")) == json_of(R"(["rows","dry","run_at"])"));
  BOOST_TEST(text_of_json(body.at("additionalProperties")) == json_of("false"));
  BOOST_TEST(!body.at("properties").contains("bed"));
  BOOST_TEST(!body.at("properties").contains("wait"));
  BOOST_TEST(!body.at("properties").contains("version"));
}

BOOST_AUTO_TEST_CASE(requests_by_get_and_delete_have_a_query_and_no_body) {
  for (const auto method : {verb::get, verb::remove}) {
    const auto made = request<soil>(method, "/v1/soils");
    BOOST_TEST(names_with_places(made) == "query name*;");
    BOOST_TEST(!made.has_body);
    BOOST_TEST(!made.body_required);
  }
}

BOOST_AUTO_TEST_CASE(names_in_a_path_are_parameters_whatever_their_kind) {
  const auto made = request<garden>(verb::put, "/v1/gardens/{id}/{worker}");
  BOOST_TEST(names_with_places(made) == "path id*;path worker*;query wait;");
}

BOOST_AUTO_TEST_CASE(a_whole_body_is_any_json_and_what_follows_is_in_the_query) {
  const auto made = request<plan>(verb::put, "/v1/plans/{name}");
  BOOST_TEST(names_with_places(made) == "path name*;query dry_run;");
  BOOST_TEST(made.has_body);
  BOOST_TEST(made.body_required);
  BOOST_TEST(made.body_doc == "The plan.");
  BOOST_TEST(text_of_json(body_schema(made)) == json_of("{}"));
}

BOOST_AUTO_TEST_CASE(a_body_of_optional_members_is_optional) {
  const auto made = request<seed_row>(verb::post, "/v1/seeds/{key}");
  BOOST_TEST(made.has_body);
  BOOST_TEST(!made.body_required);
}

BOOST_AUTO_TEST_CASE(each_type_has_its_schema_in_a_request) {
  const auto members =
      body_schema(request<garden>(verb::post, "/v1/beds/{bed}/rows")).at("properties");
  BOOST_TEST(text_of_json(members.at("id").at("format")) == json_of(R"("uuid")"));
  BOOST_TEST(text_of_json(members.at("worker").at("type")) == json_of(R"("string")"));
  BOOST_TEST(text_of_json(members.at("rows"))
             == json_of(R"({"type":"array","items":{"$ref":"#/components/schemas/seed_row"},)"
                        R"("description":"The rows."})"));
  BOOST_TEST(text_of_json(members.at("in"))
             == json_of(R"({"$ref":"#/components/schemas/clay_pot"})"));
  BOOST_TEST(text_of_json(members.at("ground"))
             == json_of(R"({"type":"object","properties":{"name":{"type":"string"}},)"
                        R"("required":["name"],"additionalProperties":false})"));
  BOOST_TEST(text_of_json(members.at("dry")) == json_of(R"({"type":"boolean"})"));
  BOOST_TEST(text_of_json(members.at("limit"))
             == json_of(R"({"type":"integer","minimum":1,"maximum":1000})"));
  BOOST_TEST(text_of_json(members.at("priority")) == json_of(R"({"type":"integer"})"));
  BOOST_TEST(text_of_json(members.at("token")) == json_of(R"({"type":"integer","minimum":0})"));
  BOOST_TEST(text_of_json(members.at("trust")) == json_of(R"({"type":"number"})"));
  BOOST_TEST(text_of_json(members.at("run_at"))
             == json_of(R"({"type":"string","format":"date-time"})"));
  BOOST_TEST(text_of_json(members.at("lease_seconds"))
             == json_of(R"({"type":"number","minimum":0,"maximum":3162240000})"));
  BOOST_TEST(text_of_json(members.at("window"))
             == json_of(R"({"type":"number","minimum":0,"maximum":3162240000})"));
  BOOST_TEST(text_of_json(members.at("season"))
             == json_of(R"({"type":"string","enum":["spring","autumn"]})"));
  BOOST_TEST(text_of_json(members.at("others"))
             == json_of(R"({"type":"array","items":{"type":"string","format":"uuid"}})"));
  BOOST_TEST(text_of_json(members.at("data")) == json_of("{}"));
  const auto& codes = members.at("refusal").at("enum");
  BOOST_TEST(codes.size() == 23U);
  BOOST_TEST(text_of_json(codes.front()) == json_of(R"("none")"));
  BOOST_TEST(text_of_json(codes.back()) == json_of(R"("rate_limited")"));
}

BOOST_AUTO_TEST_CASE(answers_have_null_where_there_is_no_time_and_no_id_in_a_list) {
  const auto schema = answer<garden>();
  const auto& members = schema.at("properties");
  BOOST_TEST(text_of_json(members.at("run_at"))
             == json_of(R"({"type":["string","null"],"format":"date-time"})"));
  BOOST_TEST(text_of_json(members.at("retry_at"))
             == json_of(R"({"type":"string","format":"date-time"})"));
  BOOST_TEST(text_of_json(members.at("others").at("items"))
             == json_of(R"({"type":["string","null"],"format":"uuid"})"));
  BOOST_TEST(text_of_json(schema.at("required"))
             == json_of(R"(["id","bed","worker","rows","dry","run_at"])"));
  BOOST_TEST(!members.contains("wait"));
  BOOST_TEST(!schema.contains("additionalProperties"));
}

BOOST_AUTO_TEST_CASE(an_answer_with_a_name_is_described_under_it_once) {
  BOOST_TEST(text_of_json(answer<seed_row>())
             == json_of(R"({"$ref":"#/components/schemas/seed_row"})"));
  answer<garden>();
  BOOST_TEST(named.size() == 2U);
  BOOST_TEST(named.count("clay_pot") == 1U);
  const auto schema = nlohmann::json::parse(json_schema_of(named.at("seed_row")).dump());
  BOOST_TEST(text_of_json(schema)
             == json_of(R"({"type":"object","properties":)"
                        R"({"key":{"type":"string","description":"The key."},"input":{}},)"
                        R"("required":["key"]})"));
}

BOOST_AUTO_TEST_CASE(a_name_that_requests_and_answers_share_has_two_forms) {
  answer<seed_row>();
  const auto made = request<garden>(verb::post, "/v1/beds/{bed}/rows");
  BOOST_TEST(text_of_json(body_schema(made).at("properties").at("rows").at("items"))
             == json_of(R"({"$ref":"#/components/schemas/seed_row_request"})"));
  BOOST_TEST(named.at("seed_row").may_have_others);
  BOOST_TEST(!named.at("seed_row_request").may_have_others);
  // The answer keeps its name.
  BOOST_TEST(text_of_json(answer<seed_row>())
             == json_of(R"({"$ref":"#/components/schemas/seed_row"})"));
}

BOOST_AUTO_TEST_SUITE_END()
