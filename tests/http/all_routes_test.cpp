// Every route of the table, over the door: with a good request, a bad one, without a token, and
// with a token whose role may not. The requests are made from the description of the API, so that a
// new operation is among them at once.

#include "core/access.hpp"
#include "core/ids.hpp"
#include "core/unit.hpp"
#include "http/api_description.hpp"
#include "http/route_table.hpp"
#include "messages/operations.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/detail/type_list.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto sample_id = "018f2c5e-7c1a-7000-8000-000000000001";
constexpr auto sample_name = "x";

/// Members that an operation wants and its schema cannot demand: they go together with others, or
/// the path of the route has them already.
const std::map<std::string, json>& further_members() {
  static const std::map<std::string, json> all{
      {"make_tasks", {{"type", "x"}, {"body", 1}}},
      {"create_token", {{"role", "worker"}}},
      {"create_sign_in_link", {{"role", "worker"}}},
  };
  return all;
}
const std::map<std::string, std::string>& further_parameters() {
  static const std::map<std::string, std::string> all{
      {"update_workflow", "version=1"},
      {"validate_workflow", "version=1"},
  };
  return all;
}

/// Whether a request has the member: those for whom it is may be left out only by callers who are
/// bound to one name.
bool is_wanted(const http::member_form& member) {
  return member.required || member.name == "worker" || member.name == "contributor_id";
}

json sample_of(const http::value_form& form, const http::named_forms& named);

json sample_of(const http::object_form& form, const http::named_forms& named) {
  auto made = json::object();
  for (const auto& one : form.members)
    if (is_wanted(one))
      made[one.name] = sample_of(one.value, named);
  return made;
}

json sample_of(const http::value_form& form, const http::named_forms& named) {
  using kind = http::value_form::kind;
  if (!form.named.empty())
    return sample_of(named.at(form.named), named);
  switch (form.is) {
  case kind::boolean:
    return true;
  case kind::whole:
  case kind::number:
    return std::max<std::int64_t>(form.least.value_or(1), 1);
  case kind::text:
    if (!form.words.empty())
      return form.words.front();
    if (form.format == "uuid")
      return sample_id;
    return form.format == "date-time" ? "2026-11-28T12:00:00Z" : sample_name;
  case kind::list:
    return json::array({sample_of(*form.element, named)});
  case kind::object:
    return form.object ? sample_of(*form.object, named) : json::object();
  case kind::anything:
    break;
  }
  return json::object();
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A good request of one operation.
struct sample_request {
  std::string method;
  std::string target;
  std::string body;
};

sample_request request_for(const http::operation_description& operation,
                           const http::named_forms& named) {
  sample_request made;
  made.method = to_string(operation.row.method);
  made.target = operation.row.path;
  std::string query;
  const auto add_to_query = [&](const std::string& text) {
    query += (query.empty() ? "?" : "&") + text;
  };
  for (const auto& one : operation.request.parameters) {
    const auto value = text_of(sample_of(one.member.value, named));
    if (one.from == http::parameter_place::path) {
      const auto place = "{" + one.member.name + "}";
      made.target.replace(made.target.find(place), place.size(), value);
    } else if (one.from == http::parameter_place::query && is_wanted(one.member)) {
      add_to_query(one.member.name + '=' + value);
    }
  }
  const std::string name{operation.name};
  if (const auto more = further_parameters().find(name); more != further_parameters().end())
    add_to_query(more->second);
  made.target += query;
  if (operation.takes_table)
    made.body = R"([{"key":"x"}])";
  if (!operation.request.has_body)
    return made;
  auto body = sample_of(operation.request.body, named);
  if (const auto more = further_members().find(name); more != further_members().end())
    body.update(more->second);
  made.body = body.dump();
  return made;
}

const http::api_description& described_api() {
  static const auto api = http::describe_api(http::routes());
  return api;
}

/// Answers every request of the table with the default of its answer.
template <class... Rows>
void answer_all(fake_gateway& gateway, caf::detail::type_list<Rows...>) {
  (gateway.answers<typename Rows::request>({}), ...);
}

struct all_routes_fixture : door_fixture {
  all_routes_fixture() {
    answer_all(gateway, msg::operations{});
    // Answers in which a composed route looks for something.
    const msg::task_outcomes one_outcome{{msg::task_outcome{}}};
    gateway.answers<msg::enqueue_tasks>(one_outcome);
    gateway.answers<msg::complete_tasks>(one_outcome);
    gateway.answers<msg::extend_tasks>(one_outcome);
    msg::leased_tasks leased;
    leased.tasks.emplace_back();
    gateway.answers<msg::claim_tasks>(leased);
    msg::queue_list queues;
    queues.queues.emplace_back().queue = sample_name;
    gateway.answers<msg::list_queues>(queues);
    msg::task_view task;
    task.queue = sample_name;
    gateway.answers<msg::get_task>(task);
    msg::workflow_view workflow;
    workflow.steps.emplace_back();
    gateway.answers<msg::get_workflow>(workflow);
    msg::unit_view unit;
    unit.state = core::unit_state::finalized;
    unit.result = "{}";
    gateway.answers<msg::get_unit>(unit);
    msg::unit_lineage lineage;
    lineage.units.emplace_back().unit = core::unit_id{*core::parse_uuid(sample_id)};
    gateway.answers<msg::get_lineage>(lineage);
  }

  /// The status that a request is answered with, as a whole or by a stream.
  unsigned status_of(std::string_view token, const sample_request& asked) {
    const auto call = send(token, asked.method, asked.target, asked.body);
    settle();
    if (call->stream)
      return call->stream->head.status;
    BOOST_REQUIRE_EQUAL(call->answers.size(), 1U);
    return call->answers.front().status;
  }
  http_reply reply_to(std::string_view token, const sample_request& asked) {
    return ask(token, asked.method, asked.target, asked.body);
  }
};

/// The roles that may not call an operation.
std::vector<std::string> other_roles(const http::operation_description& operation) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < core::role_count; ++i)
    if (const auto one = static_cast<core::role>(i); !operation.roles.has(one))
      others.emplace_back(core::to_string(one));
  return others;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(all_routes, all_routes_fixture)

BOOST_AUTO_TEST_CASE(a_good_request_of_each_operation_is_answered_as_its_row_says) {
  for (const auto& one : described_api().operations) {
    auto asked = request_for(one, described_api().objects);
    BOOST_TEST(status_of("admin", asked) == one.row.success,
               one.name << ": " << asked.target << ' ' << asked.body);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_parameter_of_each_operation_is_refused_by_its_name) {
  for (const auto& one : described_api().operations) {
    auto asked = request_for(one, described_api().objects);
    asked.target += asked.target.find('?') == std::string::npos ? "?" : "&";
    asked.target += "nobody_knows_this=1";
    const auto reply = reply_to("admin", asked);
    BOOST_TEST_CONTEXT(one.name) {
      BOOST_TEST(reply.status == 400U);
      BOOST_TEST(reply.code() == "invalid_argument");
      BOOST_REQUIRE_EQUAL(reply.json.at("errors").size(), 1U);
      BOOST_TEST(reply.json.at("errors").at(0).at("place").get<std::string>()
                 == "nobody_knows_this");
      BOOST_TEST(reply.json.at("trace_id").get<std::string>().size() == 32U);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_member_of_each_body_is_refused_by_its_name) {
  std::size_t bodies = 0;
  for (const auto& one : described_api().operations) {
    if (!one.request.has_body || !one.request.body.object)
      continue;
    ++bodies;
    auto asked = request_for(one, described_api().objects);
    auto body = json::parse(asked.body);
    body["nobody_knows_this"] = 1;
    asked.body = body.dump();
    const auto reply = reply_to("admin", asked);
    BOOST_TEST_CONTEXT(one.name) {
      BOOST_TEST(reply.status == 400U);
      BOOST_REQUIRE(reply.json.contains("errors"));
      BOOST_TEST(reply.json.at("errors").at(0).at("place").get<std::string>()
                 == "/nobody_knows_this");
    }
  }
  BOOST_TEST(bodies > 20U);
}

BOOST_AUTO_TEST_CASE(each_operation_wants_a_token) {
  for (const auto& one : described_api().operations) {
    const auto reply = reply_to("nobody", request_for(one, described_api().objects));
    BOOST_TEST_CONTEXT(one.name) {
      BOOST_TEST(reply.status == 401U);
      BOOST_TEST(reply.header("WWW-Authenticate") == "Bearer");
    }
  }
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(each_operation_is_refused_to_the_other_roles) {
  for (const auto& one : described_api().operations) {
    for (const auto& role : other_roles(one)) {
      const auto reply = reply_to(role, request_for(one, described_api().objects));
      BOOST_TEST(reply.status == 403U, one.name << " as " << role << ": " << reply.body);
      BOOST_TEST(reply.code() == "not_allowed", one.name << " as " << role);
    }
  }
  BOOST_TEST(gateway.names().empty());
}

BOOST_AUTO_TEST_CASE(each_read_has_a_tag_that_spares_its_body) {
  for (const auto& one : described_api().operations) {
    if (one.row.method != http::verb::get)
      continue;
    const auto asked = request_for(one, described_api().objects);
    const auto call = send("admin", asked.method, asked.target);
    settle();
    if (call->stream)
      continue; // a streamed answer is not known before it is sent
    const auto first = reply_of(call);
    BOOST_TEST_CONTEXT(one.name) {
      const auto tag = first.header("ETag");
      BOOST_TEST(!tag.empty());
      const auto again = ask("admin", "GET", asked.target, {}, {{"if-none-match", tag}});
      BOOST_TEST(again.status == 304U);
      BOOST_TEST(again.body.empty());
      BOOST_TEST(again.header("ETag") == tag);
      const auto other = ask("admin", "GET", asked.target, {}, {{"if-none-match", "\"other\""}});
      BOOST_TEST(other.status == 200U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
