// The keys of an issuer, from a file and from an HTTP server: new ones are taken, and while the
// source is away the old ones stay.

#include "connectors/document_fetch.hpp"
#include "connectors/issuer_keys.hpp"
#include "tests/connectors/jwt_maker.hpp"
#include "tests/support/http_receiver.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

/// An issuer with a key of each generation, and the reports about its keys.
struct keys_fixture {
  const signing_key first = signing_key::ed25519("first");
  const signing_key second = signing_key::ed25519("second");
  std::mutex mutex;
  std::condition_variable told;
  std::vector<connectors::keys_report> reports;
  http_reply published = reply_with(200, {}, key_set_of({first}));

  connectors::issuer_keys_options options_for(const std::string& source) {
    connectors::issuer_keys_options options;
    options.source = source;
    options.user_agent = "test";
    options.look_interval = 5ms;
    options.refresh_interval = 1h;
    options.fetch_interval = 1h;
    options.report = [this](const connectors::keys_report& report) {
      const std::lock_guard lock{mutex};
      reports.push_back(report);
      told.notify_all();
    };
    return options;
  }
  /// The report with this number, counted from 0.
  connectors::keys_report report(std::size_t number) {
    std::unique_lock lock{mutex};
    BOOST_REQUIRE(told.wait_for(lock, 60s, [&] { return reports.size() > number; }));
    return reports[number];
  }
  void publish(http_reply reply) {
    const std::lock_guard lock{mutex};
    published = std::move(reply);
  }
  http_reply answer() {
    const std::lock_guard lock{mutex};
    return published;
  }
  static bool knows(const connectors::issuer_keys& keys, const signing_key& key) {
    const auto set = keys.keys();
    const auto token = connectors::parse_jwt(token_of({{"sub", "ana"}}, key));
    return set && token && set->check(*token) == connectors::signature_verdict::good;
  }
};

/// A file with keys, in a directory of its own.
struct key_file {
  key_file() {
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-keys-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory = name;
  }
  ~key_file() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  key_file(const key_file&) = delete;
  key_file& operator=(const key_file&) = delete;

  std::string path() const { return (directory / "keys.json").string(); }
  /// Takes the place of the file as a whole, as an administrator should.
  void write(const std::string& text) const {
    const auto draft = directory / "draft";
    std::ofstream{draft, std::ios::binary} << text;
    std::filesystem::rename(draft, path());
  }

  std::filesystem::path directory;
};

BOOST_FIXTURE_TEST_SUITE(keys_of_an_issuer, keys_fixture)

BOOST_AUTO_TEST_CASE(a_file_is_read_at_once_and_when_it_changes) {
  key_file file;
  file.write(key_set_of({first}));
  const auto keys = connectors::issuer_keys::open(options_for(file.path()));
  BOOST_REQUIRE(keys);
  BOOST_TEST(knows(**keys, first));
  BOOST_TEST(!(*keys)->ask_for_newer());
  file.write(key_set_of({first, second}));
  BOOST_TEST(report(1).keys == 2U);
  BOOST_TEST(knows(**keys, second));
  file.write(key_set_of({second}));
  BOOST_TEST(report(2).good);
  BOOST_TEST(!knows(**keys, first));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_damaged_later_leaves_the_keys_in_force) {
  key_file file;
  file.write(key_set_of({first}));
  const auto keys = connectors::issuer_keys::open(options_for(file.path()));
  BOOST_REQUIRE(keys);
  file.write("{");
  const auto damaged = report(1);
  BOOST_TEST(!damaged.good);
  BOOST_TEST(damaged.keys == 1U);
  BOOST_TEST(knows(**keys, first));
  std::filesystem::remove(file.path());
  (*keys)->reload();
  BOOST_TEST(!report(2).good);
  BOOST_TEST(knows(**keys, first));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_used_at_first_is_refused) {
  key_file file;
  BOOST_TEST(!connectors::issuer_keys::open(options_for(file.path())));
  for (const auto& text :
       {std::string{}, std::string{"{}"}, std::string(connectors::jwk_set_bytes_max + 1, ' ')}) {
    file.write(text);
    const auto refused = connectors::issuer_keys::open(options_for(file.path()));
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == core::errc::invalid_argument));
  }
  BOOST_TEST(!connectors::issuer_keys::open(options_for(file.directory.string())));
}

BOOST_AUTO_TEST_CASE(a_url_is_fetched_and_fetched_anew_on_request) {
  http_receiver server{[this](const http_request&) { return answer(); }};
  const auto keys = connectors::issuer_keys::open(options_for(server.url("/keys")));
  BOOST_REQUIRE(keys);
  BOOST_TEST(report(0).keys == 1U);
  BOOST_TEST(knows(**keys, first));
  BOOST_TEST(server.requests().front().target == "/keys");
  publish(reply_with(200, {}, key_set_of({second})));
  (*keys)->reload();
  BOOST_TEST(report(1).good);
  BOOST_TEST(knows(**keys, second));
  BOOST_TEST(!knows(**keys, first));
}

BOOST_AUTO_TEST_CASE(unknown_keys_cause_no_fetch_within_the_interval) {
  http_receiver server{[this](const http_request&) { return answer(); }};
  const auto keys = connectors::issuer_keys::open(options_for(server.url("/keys")));
  BOOST_REQUIRE(keys);
  report(0);
  for (int i = 0; i < 1000; ++i)
    BOOST_TEST(!(*keys)->ask_for_newer());
  (*keys)->reload(); // is fetched, whatever the interval
  BOOST_REQUIRE(server.has_received(2));
  BOOST_TEST(server.requests().size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_unknown_key_causes_a_fetch_after_the_interval) {
  http_receiver server{[this](const http_request&) { return answer(); }};
  auto options = options_for(server.url("/keys"));
  options.fetch_interval = 0s;
  const auto keys = connectors::issuer_keys::open(std::move(options));
  BOOST_REQUIRE(keys);
  report(0);
  publish(reply_with(200, {}, key_set_of({first, second})));
  BOOST_TEST((*keys)->ask_for_newer());
  BOOST_TEST(report(1).keys == 2U);
  BOOST_TEST(knows(**keys, second));
}

BOOST_AUTO_TEST_CASE(the_keys_stay_while_the_issuer_is_away) {
  http_receiver server{[this](const http_request&) { return answer(); }};
  const auto keys = connectors::issuer_keys::open(options_for(server.url("/keys")));
  BOOST_REQUIRE(keys);
  report(0);
  std::size_t number = 0;
  for (const auto& reply :
       {reply_with(500), reply_with(302, "Location: /other\r\n"), reply_with(200, {}, "<html>"),
        reply_with(200, {}, std::string(connectors::jwk_set_bytes_max + 1, ' '))}) {
    publish(reply);
    (*keys)->reload();
    const auto failed = report(++number);
    BOOST_TEST(!failed.good);
    BOOST_TEST(failed.keys == 1U);
    BOOST_TEST(knows(**keys, first));
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_hangs_costs_the_timeout_and_stops_no_end) {
  http_reply silence;
  silence.hangs = true;
  publish(silence);
  http_receiver server{[this](const http_request&) { return answer(); }};
  auto options = options_for(server.url("/keys"));
  options.fetch_timeout = 50ms;
  const auto keys = connectors::issuer_keys::open(std::move(options));
  BOOST_REQUIRE(keys);
  BOOST_TEST(!report(0).good);
  BOOST_TEST(((*keys)->keys() == nullptr));

  const auto other = connectors::issuer_keys::open(options_for(server.url("/keys")));
  BOOST_REQUIRE(other);
  BOOST_REQUIRE(server.has_received(2)); // and it is destroyed while it waits
}

BOOST_AUTO_TEST_CASE(only_sources_that_nobody_on_the_way_can_change_are_fetched) {
  for (const auto* safe : {"https://id.example.org/keys", "http://127.0.0.1:80/keys",
                           "http://127.0.0.1", "http://[::1]:8080/keys"})
    BOOST_TEST(connectors::is_safe_source(safe), safe);
  for (const auto* unsafe :
       {"http://id.example.org/keys", "http://127.0.0.1.example.org/", "http://127.0.0.1@b/",
        "http://127.0.0.1:80@b/", "http://localhost/keys", "file:///etc/passwd", ""}) {
    BOOST_TEST(!connectors::is_safe_source(unsafe), unsafe);
    BOOST_TEST(!connectors::fetch_document({unsafe, "test", 10, 1s}, std::atomic<bool>{false}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
