// The routes of API tokens, and the roles of every route.

#include "core/access.hpp"
#include "core/api_token.hpp"
#include "http/api_description.hpp"
#include "http/route_table.hpp"
#include "http/schema_maker.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

constexpr std::string_view token_id_text = "018f0000-0000-7000-8000-0000000000f1";

/// A value of this form that a request may have.
nlohmann::json sample_of(const http::value_form& form, const http::named_forms& named) {
  using kind = http::value_form::kind;
  switch (form.is) {
  case kind::boolean:
    return true;
  case kind::whole:
  case kind::number:
    return form.least.value_or(1) > 1 ? *form.least : 1;
  case kind::text:
    if (!form.words.empty())
      return form.words.front();
    if (form.format == "uuid")
      return token_id_text;
    return form.format == "date-time" ? "2027-01-15T08:00:00Z" : "ann";
  case kind::list: {
    auto list = nlohmann::json::array();
    list.push_back(sample_of(*form.element, named));
    return list;
  }
  case kind::object: {
    const auto* object = form.object.get();
    if (object == nullptr)
      object = &named.at(form.named);
    auto made = nlohmann::json::object();
    for (const auto& member : object->members)
      if (member.required)
        made[member.name] = sample_of(member.value, named);
    return made;
  }
  case kind::anything:
    break;
  }
  return nlohmann::json::object();
}

std::string text_of_sample(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A request of a route that has all that it must have.
struct sample_request {
  std::string target;
  std::string body;
};

sample_request sample_of(const http::route& one) {
  http::named_forms named;
  auto maker = http::schema_maker::of_request(one.row, named);
  one.describe_request(maker);
  const auto form = maker.request();
  sample_request made{std::string{one.row.path}, {}};
  for (const auto& parameter : form.parameters) {
    const auto value = text_of_sample(sample_of(parameter.member.value, named));
    const auto place = '{' + parameter.member.name + '}';
    if (const auto at = made.target.find(place); at != std::string::npos)
      made.target.replace(at, place.size(), value);
    else if (parameter.member.required && parameter.from == http::parameter_place::query)
      made.target += (made.target.find('?') == std::string::npos ? '?' : '&')
                     + parameter.member.name + '=' + value;
  }
  if (one.name == "update_workflow" || one.name == "validate_workflow")
    made.target += "?version=1"; // or the header If-Match
  if (!form.has_body)
    return made;
  auto body = sample_of(form.body, named);
  if (one.name == "create_token")
    body["role"] = "worker";
  // Members that a request must have in one of its forms alone.
  const nlohmann::json report{{"task", token_id_text}, {"token", 1}, {"do", "complete"}};
  if (one.name == "make_tasks")
    body = {{"type", "send"}, {"body", nlohmann::json::object()}};
  if (one.name == "report_tasks")
    body = {{"worker", "ann"}, {"outcomes", nlohmann::json::array({report})}};
  made.body = body.dump();
  return made;
}

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
  BOOST_TEST(sent.created_by == "token of a test");
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

// Every route as every role: the roles of the access table pass, all others are refused.
BOOST_AUTO_TEST_CASE(every_route_lets_its_roles_in_and_no_other) {
  for (const auto& one : http::routes().all()) {
    const auto request = sample_of(one);
    const auto roles = http::roles_of_route(one.name);
    for (std::size_t i = 0; i < core::role_count; ++i) {
      const auto as = static_cast<core::role>(i);
      const auto who = std::string{one.name} + " as " + std::string{core::to_string(as)};
      auto target = request.target;
      if (one.name == "list_steps" && as == core::role::contributor)
        target += "?contributor_id=ann"; // without one, it is about all steps
      const auto reply =
          ask(core::to_string(as), http::to_string(one.row.method), target, request.body);
      if (!roles.has(as))
        BOOST_TEST(reply.status == 403U, who << ": " << reply.status << ' ' << reply.body);
      else // the fake gateway fails every request: it got as far as that
        BOOST_TEST((reply.status == 503U || reply.status == 200U),
                   who << ": " << reply.status << ' ' << reply.body);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_route_is_served_without_a_token) {
  for (const auto& one : http::routes().all()) {
    const auto request = sample_of(one);
    const auto reply = ask("nobody", http::to_string(one.row.method), request.target, request.body);
    BOOST_TEST(reply.status == 401U, one.name << ": " << reply.status);
  }
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
