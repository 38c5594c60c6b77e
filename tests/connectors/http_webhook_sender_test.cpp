// Posts to real receivers on loopback, and what these may do to us.

#include "connectors/http_webhook_sender.hpp"
#include "connectors/webhook_signature.hpp"
#include "link/authority.hpp"
#include "tests/support/http_receiver.hpp"

#include <boost/test/unit_test.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::connectors;
using namespace std::chrono_literals;
using core::post_verdict;
using test::http_receiver;
using test::http_reply;
using test::http_request;
using test::reply_with;

namespace {

const std::string key_text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

struct sender_fixture {
  sender_fixture() {
    auto name = (std::filesystem::temp_directory_path() / "holdfast-secrets-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    secrets = name;
    put_secret("billing", key_text);
    open("127.0.0.0/8");
  }
  ~sender_fixture() {
    sender.reset();
    std::filesystem::remove_all(secrets);
  }

  void open(const std::string& allowed, const std::string& ca_file = {}) {
    http_sender_options options;
    options.ca_file = ca_file;
    options.secrets = secrets;
    options.guard = address_guard{*parse_networks(allowed)};
    options.user_agent = "Holdfast/test";
    sender = open_http_sender(std::move(options));
  }
  void put_secret(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const auto path = secrets / name;
    std::ofstream{path} << text;
    BOOST_REQUIRE(::chmod(path.c_str(), mode) == 0);
  }
  std::future<core::post_answer> begin(const std::string& url, core::duration timeout = 30s,
                                       const std::string& body = "{}") {
    auto answered = std::make_shared<std::promise<core::post_answer>>();
    auto answer = answered->get_future();
    sender->send({url, "billing", "msg-1", body, timeout},
                 [answered](core::post_answer how) { answered->set_value(std::move(how)); });
    return answer;
  }
  /// Posts, and wants so much of the answer.
  core::post_answer ask(const std::string& url, std::size_t answer_bytes,
                        core::duration timeout = 30s) {
    std::promise<core::post_answer> answered;
    webhook_post what{url, "billing", "msg-1", "{}", timeout};
    what.answer_bytes = answer_bytes;
    what.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    auto answer = answered.get_future();
    sender->send(std::move(what),
                 [&](core::post_answer how) { answered.set_value(std::move(how)); });
    return answer.get();
  }
  core::post_answer post(const std::string& url, core::duration timeout = 30s) {
    return begin(url, timeout).get();
  }

  std::filesystem::path secrets;
  std::unique_ptr<webhook_sender> sender;
};

http_receiver::answerer always(http_reply reply) {
  return [reply = std::move(reply)](const http_request&) { return reply; };
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(posting_webhooks, sender_fixture) // A159

BOOST_AUTO_TEST_CASE(a_receiver_gets_the_body_with_a_signature_over_it) {
  http_receiver receiver{always(reply_with(204))};
  auto answer = begin(receiver.url("/hooks?a=1"), 30s, R"({"events":[]})").get();
  BOOST_TEST((answer.verdict == post_verdict::delivered));
  BOOST_TEST(answer.status == 204U);
  BOOST_TEST(answer.reason == "");
  const auto requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 1U);
  const auto& request = requests.front();
  BOOST_TEST(request.target == "/hooks?a=1");
  BOOST_TEST(request.body == R"({"events":[]})");
  BOOST_TEST(request.header("content-type") == "application/json");
  BOOST_TEST(request.header("user-agent") == "Holdfast/test");
  BOOST_TEST(request.header("webhook-id") == "msg-1");
  const auto timestamp = std::stoll(request.header("webhook-timestamp"));
  BOOST_TEST(std::abs(timestamp - std::time(nullptr)) < 60);
  BOOST_TEST(request.header("webhook-signature")
             == signature_of(*parse_secret(key_text), "msg-1", timestamp, request.body));
}

BOOST_AUTO_TEST_CASE(a_post_has_the_media_type_that_it_names_and_one_signature) {
  http_receiver receiver{always(reply_with(204))};
  webhook_post what{receiver.url(), "billing", "msg-1", R"({"specversion":"1.0"})", 30s};
  what.content_type = "application/cloudevents+json";
  std::promise<core::post_answer> answered;
  sender->send(what, [&](core::post_answer how) { answered.set_value(std::move(how)); });
  BOOST_TEST((answered.get_future().get().verdict == post_verdict::delivered));
  const auto requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 1U);
  const auto& request = requests.front();
  BOOST_TEST(request.header("content-type") == "application/cloudevents+json");
  BOOST_TEST(request.body == what.body);
  BOOST_TEST(request.header("webhook-signature")
             == signature_of(*parse_secret(key_text), "msg-1",
                             std::stoll(request.header("webhook-timestamp")), request.body));
}

BOOST_AUTO_TEST_CASE(answer_of_a_receiver_is_told) {
  for (const auto& [status, verdict] :
       {std::pair{200, post_verdict::delivered}, std::pair{500, post_verdict::again},
        std::pair{429, post_verdict::again}, std::pair{404, post_verdict::refused},
        std::pair{410, post_verdict::gone}}) {
    http_receiver receiver{always(reply_with(status))};
    const auto answer = post(receiver.url());
    BOOST_TEST((answer.verdict == verdict), status);
    BOOST_TEST(answer.status == static_cast<unsigned>(status));
    BOOST_TEST(!answer.retry_after.has_value());
  }
}

BOOST_AUTO_TEST_CASE(the_body_of_an_answer_is_kept_where_it_is_wanted) {
  http_receiver receiver{
      always(reply_with(200, "Content-Type: text/plain; charset=utf-8\r\n", "12345"))};
  const auto whole = ask(receiver.url(), 5);
  BOOST_TEST(whole.body == "12345");
  BOOST_TEST((whole.body_is == core::answer_body::whole));
  BOOST_TEST(whole.content_type == "text/plain; charset=utf-8");
  BOOST_TEST(whole.reason == "");
  const auto cut = ask(receiver.url(), 4);
  BOOST_TEST(cut.body == "1234");
  BOOST_TEST((cut.body_is == core::answer_body::too_large));
  BOOST_TEST(cut.status == 200U);
  BOOST_TEST(post(receiver.url()).body == "");
}

BOOST_AUTO_TEST_CASE(the_body_of_an_error_is_kept_too) {
  http_receiver receiver{always(reply_with(422, "", R"({"no":"address"})"))};
  const auto answer = ask(receiver.url(), 1000);
  BOOST_TEST((answer.verdict == post_verdict::refused));
  BOOST_TEST(answer.body == R"({"no":"address"})");
  BOOST_TEST(answer.content_type == "");
  BOOST_TEST(answer.reason == "the receiver answered HTTP 422");
}

BOOST_AUTO_TEST_CASE(a_body_that_ends_early_is_known_as_broken) {
  http_receiver ends{always({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"})};
  const auto broken = ask(ends.url(), 1000);
  BOOST_TEST(broken.status == 200U);
  BOOST_TEST((broken.body_is == core::answer_body::broken));
  BOOST_TEST(broken.reason.find("the answer broke off: ") == 0U);
  http_receiver hangs{always({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", false, true})};
  BOOST_TEST((ask(hangs.url(), 1000, 1s).body_is == core::answer_body::broken));
}

BOOST_AUTO_TEST_CASE(the_trace_is_passed_on_where_there_is_one) {
  http_receiver receiver{always(reply_with(200))};
  ask(receiver.url(), 1);
  post(receiver.url());
  const auto requests = receiver.requests();
  BOOST_REQUIRE(requests.size() == 2U);
  BOOST_TEST(requests[0].header("traceparent")
             == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  BOOST_TEST(requests[1].header("traceparent") == "");
}

BOOST_AUTO_TEST_CASE(a_receiver_may_say_when_to_come_again) {
  http_receiver receiver{always(reply_with(429, "Retry-After: 17\r\n"))};
  const auto answer = post(receiver.url());
  BOOST_REQUIRE(answer.retry_after.has_value());
  BOOST_TEST((*answer.retry_after == 17s));
}

BOOST_AUTO_TEST_CASE(a_redirect_is_not_followed) {
  http_receiver inside{always(reply_with(200))};
  http_receiver receiver{always(reply_with(302, "Location: " + inside.url() + "\r\n"))};
  const auto answer = post(receiver.url());
  BOOST_TEST((answer.verdict == post_verdict::refused));
  BOOST_TEST(answer.reason
             == "the receiver answered HTTP 302; redirects are not followed, so put the address it"
                " names");
  BOOST_TEST(inside.connections() == 0U);
}

BOOST_AUTO_TEST_CASE(no_connection_is_made_to_an_address_that_is_not_allowed) {
  http_receiver receiver{always(reply_with(200))};
  const auto port = ":" + std::to_string(receiver.port());
  open("");
  for (const auto& host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0x7f.1",
                           "2130706433", "0177.0.0.1", "0.0.0.0", "169.254.169.254"}) {
    const auto answer = post("http://" + (host + port) + "/");
    BOOST_TEST((answer.verdict == post_verdict::barred), host << ": " << answer.reason);
  }
  BOOST_TEST(receiver.connections() == 0U);
  BOOST_TEST(post(receiver.url()).reason
             == "the host is at 127.0.0.1, which is no address of the internet; allow its network"
                " with webhooks.allowed_networks if it is meant");
}

BOOST_AUTO_TEST_CASE(the_proxy_of_the_environment_is_not_used) {
  http_receiver proxy{always(reply_with(200))};
  http_receiver receiver{always(reply_with(204))};
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  ::setenv("ALL_PROXY", proxy.url().c_str(), 1);
  const auto answer = post(receiver.url());
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
  BOOST_TEST(answer.status == 204U);
  BOOST_TEST(proxy.connections() == 0U);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_hangs_ends_at_the_timeout_and_holds_up_nobody) {
  http_receiver hanging{always({"", false, true})};
  http_receiver stuck{always({"HTTP/1.1 2", false, true})};
  http_receiver receiver{always(reply_with(200))};
  auto first = begin(hanging.url(), 1s);
  auto second = begin(stuck.url(), 1s);
  BOOST_TEST((post(receiver.url()).verdict == post_verdict::delivered));
  for (auto* waiting : {&first, &second}) {
    const auto answer = waiting->get();
    BOOST_TEST((answer.verdict == post_verdict::again));
    BOOST_TEST(answer.status == 0U);
    BOOST_TEST(answer.reason == "no answer: Timeout was reached");
  }
}

BOOST_AUTO_TEST_CASE(an_answer_without_an_end_is_cut_off) {
  http_receiver body{always({"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", true})};
  BOOST_TEST((post(body.url()).verdict == post_verdict::delivered));
  http_receiver refusal{always({"HTTP/1.1 500 x\r\n\r\n", true})};
  BOOST_TEST((post(refusal.url()).verdict == post_verdict::again));
  http_receiver line{always({"HTTP/1.1 200 OK\r\nX: ", true})};
  BOOST_TEST((post(line.url()).verdict != post_verdict::barred)); // it has come back
}

BOOST_AUTO_TEST_CASE(nobody_listens) {
  std::string url;
  {
    http_receiver gone{always(reply_with(200))};
    url = gone.url();
  }
  const auto answer = post(url);
  BOOST_TEST((answer.verdict == post_verdict::again));
  BOOST_TEST(answer.reason == "no answer: Couldn't connect to server");
}

BOOST_AUTO_TEST_CASE(other_schemes_are_never_used) {
  for (const auto* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:6379/_x",
                          "dict://127.0.0.1/", "http://127.0.0.1:99999/"})
    BOOST_TEST((post(url).verdict == post_verdict::barred), url);
}

BOOST_AUTO_TEST_CASE(nothing_is_posted_in_plain_where_tls_is_meant) {
  http_receiver plain{always(reply_with(200))};
  const auto answer = post("https://127.0.0.1:" + std::to_string(plain.port()) + "/");
  BOOST_TEST((answer.verdict == post_verdict::again));
  BOOST_TEST(plain.requests().empty());
}

BOOST_AUTO_TEST_CASE(only_a_receiver_whose_certificate_is_good_gets_anything) {
  const auto made = secrets.string();
  const auto now = std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  BOOST_REQUIRE(link::make_authority(made, "Receivers", 30, now));
  const auto issue = [&](const std::string& name, const std::string& host) {
    link::certificate_request wanted;
    wanted.directory = made;
    wanted.name = name;
    wanted.kind = link::holder::node;
    wanted.hosts = {host};
    BOOST_REQUIRE(link::issue_certificate(wanted, now));
    return test::tls_files{made + '/' + name + ".crt", made + '/' + name + ".key"};
  };
  http_receiver genuine{always(reply_with(200)), issue("genuine", "127.0.0.1")};
  http_receiver other{always(reply_with(200)), issue("other", "127.0.0.2")};

  // An authority that the sender does not trust. The list of authorities of the machine would do,
  // but a machine need not have one (finding E7).
  const auto strangers = made + "/strangers";
  BOOST_REQUIRE(std::filesystem::create_directory(strangers));
  BOOST_REQUIRE(link::make_authority(strangers, "Strangers", 30, now));
  open("127.0.0.0/8", strangers + "/ca.crt");
  const auto unknown = post(genuine.url());
  BOOST_TEST((unknown.verdict == post_verdict::again));
  BOOST_TEST(unknown.status == 0U);
  BOOST_TEST(unknown.reason
             == "no answer: the receiver's certificate is refused: unable to get local issuer"
                " certificate");
  BOOST_TEST(genuine.requests().empty());

  open("127.0.0.0/8", made + "/ca.crt");
  BOOST_TEST((post(genuine.url()).verdict == post_verdict::delivered));
  BOOST_TEST(post(other.url()).reason
             == "no answer: the receiver's certificate is refused: it is not for this host");
  BOOST_TEST(other.requests().empty());
}

// finding E7
BOOST_AUTO_TEST_CASE(a_delivery_without_any_certificate_authority_says_what_to_install) {
  http_receiver receiver{always(reply_with(200))};
  open("127.0.0.0/8", (secrets / "no-such-bundle.crt").string());
  const auto answer = post("https://127.0.0.1:" + std::to_string(receiver.port()) + "/");
  BOOST_TEST((answer.verdict == post_verdict::again));
  BOOST_TEST(answer.reason
             == "no answer: this machine has no list of certificate authorities that can be read;"
                " install the package ca-certificates, or set webhooks.ca_file");
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_without_its_secret) {
  http_receiver receiver{always(reply_with(200))};
  const auto path = (secrets / "billing").string();
  const auto expect = [&](const std::string& what) {
    const auto answer = post(receiver.url());
    BOOST_TEST((answer.verdict == post_verdict::barred));
    BOOST_TEST(answer.reason == "the secret cannot be used: " + path + ": " + what);
  };
  put_secret("billing", key_text, 0644);
  expect("every user of this machine can read or write it; chmod 600 it");
  put_secret("billing", key_text, 0602); // finding D6
  expect("every user of this machine can read or write it; chmod 600 it");
  put_secret("billing", key_text, 0620);
  expect("its group can write it; chmod 600 it");
  put_secret("billing", "whsec_hunter2");
  expect("line 1 has no base64 behind whsec_");
  put_secret("billing", std::string(2000, 'x'));
  expect("has more than 1024 bytes");
  std::filesystem::remove(path);
  expect("No such file or directory");
  BOOST_TEST(receiver.connections() == 0U);
  put_secret("billing", key_text);
  BOOST_TEST((post(receiver.url()).verdict == post_verdict::delivered)); // read anew each time
}

BOOST_AUTO_TEST_CASE(many_posts_are_under_way_at_once) {
  http_receiver receiver{always(reply_with(200))};
  std::vector<std::future<core::post_answer>> answers;
  for (int i = 0; i < 50; ++i)
    answers.push_back(begin(receiver.url()));
  for (auto& answer : answers)
    BOOST_TEST((answer.get().verdict == post_verdict::delivered));
  BOOST_TEST(receiver.requests().size() == 50U);
}

BOOST_AUTO_TEST_CASE(a_sender_ends_while_receivers_hang) {
  http_receiver hanging{always({"", false, true})};
  const auto waiting = begin(hanging.url(), 300s);
  BOOST_TEST(hanging.has_received(1));
  const auto began = std::chrono::steady_clock::now();
  sender.reset();
  BOOST_TEST((std::chrono::steady_clock::now() - began < 60s));
}

BOOST_AUTO_TEST_SUITE_END()
