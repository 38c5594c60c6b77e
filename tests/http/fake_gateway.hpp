#pragma once

#include "core/access.hpp"
#include "core/errors.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "http/call.hpp"
#include "http/door.hpp"
#include "http/gateway_client.hpp"
#include "http/service.hpp"
#include "messages/errors.hpp"
#include "messages/interfaces.hpp"
#include "tests/client/testing_system.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message_handler.hpp>
#include <caf/result.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <caf/typed_response_promise.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

/// The things that tests of the door need in place of sockets, nodes and a database:
///
///   struct my_fixture : test::door_fixture {};
///
///   gateway.answers<msg::get_unit>(view); // always this
///   gateway.on<msg::get_unit>([](const msg::get_unit& m) { return view_of(m.unit); });
///   gateway.fails<msg::get_unit>(core::errc::not_found, "no such unit");
///   const auto reply = ask("requester", "GET", "/v1/units/" + id);
///   BOOST_TEST(reply.status == 200);
///   BOOST_TEST(reply.json.at("id").get<std::string>() == id);
///   BOOST_TEST((gateway.only<msg::get_unit>().step == step)); // what it was asked
///
/// Everything runs on the thread of the test.
namespace holdfast::test {

/// A streamed answer that keeps its body. Room comes when the test says so.
class fake_stream : public http::answer_stream {
public:
  explicit fake_stream(http::stream_head begun) : head(std::move(begun)) {}

  using http::answer_stream::write;
  http::write_result write(std::string&& piece, std::function<void()> room_again) override {
    if (is_gone)
      return http::write_result::ended;
    ++pieces;
    body += piece;
    piece.clear();
    room_again_ = std::move(room_again);
    return http::write_result::taken;
  }
  void finish() override {
    is_finished = true;
    forget();
  }
  void abort() override {
    is_aborted = true;
    forget();
  }
  void on_end(std::function<void()> then) override { end_ = std::move(then); }
  void on_drain(std::function<void()> then) override { drain_ = std::move(then); }

  /// The client has read all. False: nobody waits for that.
  bool give_room() {
    const auto then = std::exchange(room_again_, nullptr);
    if (then)
      then();
    return then != nullptr;
  }
  /// The client closes its connection.
  void hang_up() {
    is_gone = true;
    room_again_ = nullptr;
    if (const auto then = std::exchange(end_, nullptr))
      then();
  }
  void drain() {
    if (const auto then = std::exchange(drain_, nullptr))
      then();
  }

  /// Drops the functions that it keeps, which may hold the stream itself.
  void forget() {
    room_again_ = nullptr;
    end_ = nullptr;
    drain_ = nullptr;
  }

  const http::stream_head head;
  std::string body;
  std::size_t pieces = 0;
  bool is_finished = false;
  bool is_aborted = false;
  bool is_gone = false;

private:
  std::function<void()> room_again_;
  std::function<void()> end_;
  std::function<void()> drain_;
};

/// A request of HTTP that keeps its answer.
class fake_call : public http::call {
public:
  explicit fake_call(http::request asked) : asked_(std::move(asked)) {}

  const http::request& asked() const override { return asked_; }
  std::optional<http::response> unpack_body() override { return std::nullopt; }
  void answer(http::response with) override { answers.push_back(std::move(with)); }
  http::answer_stream_ptr begin_stream(http::stream_head head) override {
    stream = std::make_shared<fake_stream>(std::move(head));
    return stream;
  }
  void on_abandoned(std::function<void()> then) override { abandoned_ = std::move(then); }

  /// The client closes its connection.
  void abandon() {
    if (const auto then = std::exchange(abandoned_, nullptr))
      then();
  }

  std::vector<http::response> answers; ///< Of a right door one, at last, or a stream.
  std::shared_ptr<fake_stream> stream;

private:
  http::request asked_;
  std::function<void()> abandoned_;
};

/// An actor in the place of a node's gateway, which answers what the test says.
class fake_gateway {
public:
  /// Its answer to a request.
  template <class Request>
  using reply = std::variant<msg::answer_to<Request>, core::failure>;

  explicit fake_gateway(caf::actor_system& system) : system_(system) {}
  fake_gateway(const fake_gateway&) = delete;
  fake_gateway& operator=(const fake_gateway&) = delete;

  /// Answers such requests from now on.
  template <class Request>
  void on(std::function<reply<Request>(const Request&)> answer) {
    kept_of<Request>().answer = std::move(answer);
  }
  template <class Request>
  void answers(msg::answer_to<Request> with) {
    on<Request>([with = std::move(with)](const Request&) -> reply<Request> { return with; });
  }
  template <class Request>
  void fails(core::errc code, std::string detail) {
    on<Request>([why = core::failure{code, std::move(detail)}](const Request&) -> reply<Request> {
      return why;
    });
  }
  /// Leaves such requests unanswered until `answer_held`.
  template <class Request>
  void holds() {
    kept_of<Request>().answer = nullptr;
  }
  /// Answers the first one that is held.
  template <class Request>
  void answer_held(reply<Request> with) {
    auto& held = kept_of<Request>().held;
    BOOST_REQUIRE(!held.empty());
    auto promise = std::move(held.front());
    held.pop_front();
    // CAF wants promises kept by the actor that made them.
    caf::anon_send(actor_,
                   http::errand{[promise, with = std::move(with)](caf::event_based_actor*) mutable {
                     if (const auto* why = std::get_if<core::failure>(&with))
                       promise.deliver(msg::to_error(*why));
                     else
                       promise.deliver(std::get<msg::answer_to<Request>>(std::move(with)));
                   }});
  }

  /// All such requests that came, in order.
  template <class Request>
  const std::vector<Request>& seen() {
    return kept_of<Request>().seen;
  }
  /// The only one that came.
  template <class Request>
  const Request& only() {
    const auto& all = seen<Request>();
    BOOST_REQUIRE_EQUAL(all.size(), 1U);
    return all.front();
  }
  /// The principals who sent them, of an audited request.
  template <class Request>
  const std::vector<std::string>& authors() {
    static_assert(msg::is_audited<Request>);
    return kept_of<Request>().authors;
  }
  /// The bare names of all requests that came, in order. Requests that no test has spoken of are
  /// not among them; they fail.
  const std::vector<std::string>& names() const { return *names_; }

  /// The actor; another one whenever the test has spoken of a new kind of request.
  msg::gateway_actor handle() {
    if (changed_) {
      stop();
      actor_ = system_.spawn([makers = makers_](caf::event_based_actor* self) -> caf::behavior {
        caf::message_handler all{[self](http::errand& what) { what.run(self); }};
        for (const auto& add_to : makers)
          all = all.or_else(add_to(self));
        return all;
      });
      changed_ = false;
    }
    return caf::actor_cast<msg::gateway_actor>(actor_);
  }

  void stop() {
    if (actor_)
      caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
    actor_ = nullptr;
    changed_ = true;
  }

private:
  template <class Request>
  struct kept {
    std::function<reply<Request>(const Request&)> answer; ///< None: it is held.
    std::vector<Request> seen;
    std::vector<std::string> authors; ///< Of these, where they are audited.
    std::deque<caf::typed_response_promise<msg::answer_to<Request>>> held;
  };

  template <class Request>
  kept<Request>& kept_of() {
    auto& entry = kept_[typeid(Request)];
    if (!entry) {
      auto made = std::make_shared<kept<Request>>();
      makers_.push_back([made, names = names_](caf::event_based_actor* self) {
        return handler<Request>(self, made, names);
      });
      entry = std::move(made);
      changed_ = true;
    }
    return *static_cast<kept<Request>*>(entry.get());
  }

  template <class Request>
  static caf::message_handler handler(caf::event_based_actor* self,
                                      std::shared_ptr<kept<Request>> mine,
                                      std::shared_ptr<std::vector<std::string>> names) {
    using answer = msg::answer_to<Request>;
    auto take = [self, mine, names](const Request& request) -> caf::result<answer> {
      constexpr std::string_view prefix = "hf1.";
      names->emplace_back(
          std::string_view{wire_name(static_cast<const Request*>(nullptr))}.substr(prefix.size()));
      mine->seen.push_back(request);
      if (!mine->answer) {
        auto promise = self->make_response_promise<answer>();
        mine->held.push_back(promise);
        return promise;
      }
      auto said = mine->answer(request);
      if (const auto* why = std::get_if<core::failure>(&said))
        return msg::to_error(*why);
      return std::get<answer>(std::move(said));
    };
    if constexpr (msg::is_audited<Request>)
      return {[mine, take](const msg::author& author, const Request& request) {
        mine->authors.push_back(author.who);
        return take(request);
      }};
    else
      return {std::move(take)};
  }

  using maker = std::function<caf::message_handler(caf::event_based_actor*)>;

  caf::actor_system& system_;
  caf::actor actor_;
  bool changed_ = true;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
  std::vector<maker> makers_;
  std::shared_ptr<std::vector<std::string>> names_ = std::make_shared<std::vector<std::string>>();
};

/// An answer as a client of HTTP gets it.
struct http_reply {
  unsigned status = 0;
  std::string content_type;
  std::vector<http::parameter> headers;
  std::string body;
  nlohmann::json json; ///< The body, parsed; null where it is empty.

  /// The value of a header; empty when there is none.
  std::string header(std::string_view name) const {
    for (const auto& one : headers)
      if (one.name == name)
        return one.value;
    return {};
  }
  /// The name of the error in a problem.
  std::string code() const { return json.is_object() ? json.value("code", "") : ""; }
  std::string detail() const { return json.is_object() ? json.value("detail", "") : ""; }
};

/// A door with a fake gateway behind it, the clock standing still.
///
/// Tokens are roles, with a name behind a colon where they are bound to one: `requester`,
/// `contributor:ann`; several are separated by commas. An unknown role is no token. Scopes follow
/// behind bars: `producer|queues=mail|queues=sms-|workflows=<id>`.
struct door_fixture {
  const core::instant now = core::from_micros(1'800'000'000'000'000); // 2027-01-15T08:00:00Z
  testing_system config;
  caf::actor_system system{config};
  fake_gateway gateway{system};
  std::map<std::string, std::string> links; ///< Sign-in links that are good, each with its token.
  http::gateway_client client{system};
  http::door door{settings(), client};

  door_fixture() = default;
  door_fixture(const door_fixture&) = delete;
  door_fixture& operator=(const door_fixture&) = delete;
  ~door_fixture() {
    end_client();
    gateway.stop();
    settle();
  }

  /// The id that the door makes as the `nth`, from 1.
  static core::uuid made_id(std::uint8_t nth) {
    core::uuid id;
    id.bytes = {0x01, 0x8f, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, nth};
    return id;
  }

  void settle() {
    auto& sched = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
    while (sched.try_run_once()) {
    }
  }

  /// Sends a request; the answer may come later. Without a token it has no `Authorization`.
  std::shared_ptr<fake_call> send(std::string_view token, std::string_view method,
                                  std::string_view target, std::string_view body = {},
                                  std::vector<http::parameter> headers = {}) {
    http::request made;
    made.method = method;
    made.target = target;
    made.body = body;
    made.peer = "127.0.0.1";
    made.headers = std::move(headers);
    if (!token.empty())
      made.headers.push_back({"authorization", "Bearer " + std::string{token}});
    if (!body.empty())
      made.headers.push_back({"content-type", "application/json"});
    auto call = std::make_shared<fake_call>(std::move(made));
    client.reach(gateway.handle());
    http::serve(door, call);
    settle();
    return call;
  }

  /// The answer to a request that was sent: exactly one.
  http_reply reply_of(const std::shared_ptr<fake_call>& call) {
    settle();
    BOOST_REQUIRE_EQUAL(call->answers.size(), 1U);
    const auto& with = call->answers.front();
    http_reply reply{with.status, with.content_type, with.headers, with.body, {}};
    if (!reply.body.empty()) {
      reply.json = nlohmann::json::parse(reply.body, nullptr, false);
      BOOST_REQUIRE_MESSAGE(!reply.json.is_discarded(), "no JSON: " << reply.body);
    }
    return reply;
  }

  /// Sends a request, and gives its answer.
  http_reply ask(std::string_view token, std::string_view method, std::string_view target,
                 std::string_view body = {}, std::vector<http::parameter> headers = {}) {
    return reply_of(send(token, method, target, body, std::move(headers)));
  }

private:
  std::uint8_t ids_made_ = 0;

  /// Ends the client's actor, and then stops the client, which waits for that end: this thread runs
  /// all actors, so the end must have come before.
  void end_client() {
    const auto ending = [](caf::event_based_actor* self) -> caf::behavior {
      return {[self](const msg::get_guard_status&) -> caf::result<msg::guard_status> {
        caf::anon_send_exit(caf::actor_cast<caf::actor>(self->current_sender()),
                            caf::exit_reason::user_shutdown);
        self->quit();
        return msg::guard_status{};
      }};
    };
    client.reach(caf::actor_cast<msg::gateway_actor>(system.spawn(ending)));
    client.ask<msg::guard_status>(
        msg::get_guard_status{}, [](const msg::guard_status&) {}, [](const core::failure&) {});
    settle();
    client.stop();
  }

  http::door_settings settings() {
    http::door_settings made;
    made.identify = [this](const http::shown_token& shown, const http::identified& then) {
      const auto link = links.find(std::string{shown.text});
      auto who = !shown.is_link        ? principal_of(shown.text)
                 : link == links.end() ? nullptr
                                       : principal_of(link->second);
      auto refused = who ? http::response{}
                         : http::problem_of(http::refusal::unauthenticated, "no such token");
      then({std::move(who), std::move(refused)});
    };
    made.make_secret = [] { return core::outcome<std::string>{std::string(64, 'a')}; };
    made.hash = [](std::string_view text) {
      return std::string(64, text.front() == 'a' ? 'b' : 'c');
    };
    made.now = [this] { return now; };
    made.make_id = [this] { return made_id(++ids_made_); };
    made.events_source = "https://example.org/holdfast";
    return made;
  }

  static std::shared_ptr<const core::principal> principal_of(std::string_view token) {
    auto who = std::make_shared<core::principal>();
    who->label = "token:" + std::string{token.substr(0, token.find_first_of(":,|"))};
    for (auto bar = token.rfind('|'); bar != std::string_view::npos; bar = token.rfind('|')) {
      constexpr std::string_view queues = "queues=";
      constexpr std::string_view workflows = "workflows=";
      const auto scope = token.substr(bar + 1);
      if (scope.substr(0, queues.size()) == queues)
        who->scope.queues.emplace_back(scope.substr(queues.size()));
      if (scope.substr(0, workflows.size()) == workflows)
        who->scope.workflows.push_back({*core::parse_uuid(scope.substr(workflows.size()))});
      token = token.substr(0, bar);
    }
    for (;;) {
      const auto comma = token.find(',');
      const auto one = token.substr(0, comma);
      const auto colon = one.find(':');
      const auto as = core::role_named(one.substr(0, colon));
      if (!as)
        return nullptr;
      who->grants.push_back({*as, colon == std::string_view::npos
                                      ? std::string{}
                                      : std::string{one.substr(colon + 1)}});
      if (comma == std::string_view::npos)
        return who;
      token.remove_prefix(comma + 1);
    }
  }
};

} // namespace holdfast::test
