// A node that is reached through TLS: by peers that do its tasks, and by strangers (S20).

#include "client/worker.hpp"
#include "tests/end_to_end/producer.hpp"
#include "tests/link/frames.hpp"
#include "tests/node_link/secure_node.hpp"

#include <boost/test/unit_test.hpp>
#include <openssl/ssl.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>

using namespace holdfast; // not an alias: `link` is also a function of POSIX
using namespace std::chrono_literals;
using test::frames;
using test::secure_node;
using test::stream;

namespace {

secure_node& node() { return secure_node::current(); }

struct producer : test::producer {
  explicit producer(const std::string& who)
      : test::producer(secure_node::current().endpoint_for(who)) {}
};

class echo : public client::task_handler {
public:
  outcome run(const client::task_context& task) override { return client::done{task.task().body}; }
};

/// A stranger that shows `files`, or nothing; true when it is turned away.
bool turned_away(const stream::tls_files& files) {
  auto stranger = stream::to(node().process->port());
  if (stranger.secure(files))
    stranger.write(frames::greeting_of_dialer());
  return stranger.ended();
}

stream::tls_files shown(const std::string& who, int version_max = 0) {
  return {node().file(who + ".crt"), node().file(who + ".key"), version_max};
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_behind_a_link, *boost::unit_test::fixture<secure_node>())

// C11: a task's life, all of it through TLS.
BOOST_AUTO_TEST_CASE(peers_make_and_do_tasks_through_tls) {
  constexpr std::uint64_t tasks = 300;
  producer me{"ana"};
  me.make_queue("links", "{}");
  const auto made = me.enqueue("echo", tasks, R"({"text": ")" + std::string(5'000, 'x') + "\"}");
  caf::actor_system system{me.configuration};
  client::connection of_worker{system, node().endpoint_for("carl"), {}, 2};
  client::worker_settings settings;
  settings.queue = "links";
  settings.threads = 4;
  client::worker worker{of_worker, settings};
  worker.handle("echo", std::make_shared<echo>());
  worker.start();
  const auto end =
      me.counts_when([](const msg::queue_statistics& counts) { return counts.completed == tasks; });
  worker.stop();
  BOOST_TEST(end.completed == tasks);
  BOOST_TEST(me.view(made.back()).status == "COMPLETED");
  BOOST_TEST(me.view(made.back()).result.size() > 5'000U);
}

BOOST_AUTO_TEST_CASE(each_stranger_is_refused_and_logged_and_the_node_is_fine) {
  app::demo::scratch_directory others = std::move(*app::demo::scratch_directory::make());
  const auto now = test::producer::now();
  const auto elsewhere = others.path().string() + "/ca";
  BOOST_REQUIRE(link::make_authority(elsewhere, "Other", link::authority_days, now));
  link::certificate_request request;
  request.directory = elsewhere;
  request.name = "ana";
  BOOST_REQUIRE(link::issue_certificate(request, now));
  request.directory = node().authority();
  request.name = "past";
  request.days = 1;
  BOOST_REQUIRE(link::issue_certificate(request, now - 48h));

  BOOST_TEST(turned_away({}));
  BOOST_TEST(node().logs({"peer_refused", "reason=no_certificate"}));
  BOOST_TEST(turned_away({elsewhere + "/ana.crt", elsewhere + "/ana.key", 0}));
  BOOST_TEST(node().logs({"peer_refused", "reason=unknown_authority"}));
  BOOST_TEST(turned_away(shown("past")));
  BOOST_TEST(node().logs({"peer_refused", "reason=expired"}));
  BOOST_TEST(turned_away(shown("eve")));
  BOOST_TEST(node().logs({"peer_refused", "reason=revoked"}));
  BOOST_TEST(turned_away(shown("bob")));
  BOOST_TEST(node().logs({"peer_refused", "reason=name_not_allowed", "names=bob"}));
  BOOST_TEST(turned_away(shown("ana", TLS1_2_VERSION)));
  BOOST_TEST(node().logs({"peer_refused", "reason=old_protocol"}));
  auto plain = stream::to(node().process->port());
  BOOST_TEST(plain.write(frames::greeting_of_dialer()));
  BOOST_TEST(plain.ended());
  BOOST_TEST(node().logs({"peer_refused", "reason=not_tls"}));
  auto mute = stream::to(node().process->port());
  BOOST_TEST(mute.ended());
  BOOST_TEST(node().logs({"peer_refused", "reason=handshake_timeout"}));
  BOOST_TEST(!node().process->ended().has_value());
  BOOST_TEST(node().status("ana").code == 0);
}

// Finding 1: with a certificate, the frame that crashes CAF 0.17.6.
BOOST_AUTO_TEST_CASE(malformed_frames_of_a_proven_peer_leave_the_node_alive) {
  for (const auto& attack :
       {frames::header(frames::kind::client_handshake, 0),
        frames::header(frames::kind::server_handshake, 0, 4),
        frames::greeting_of_dialer() + frames::selection()
            + frames::header(frames::kind::direct_message, 0xfffffff0U, 0, 1, 1),
        frames::greeting_of_dialer() + frames::selection() + frames::message("@<>+@exit")}) {
    auto peer = stream::to(node().process->port());
    BOOST_REQUIRE(peer.secure(shown("ana")));
    peer.write(attack);
    BOOST_TEST(peer.ended());
  }
  BOOST_TEST(node().logs({"peer_refused", "reason=bad_frame", "names=ana"}));
  BOOST_TEST(node().status("ana").code == 0);
}

// ADR 0054
BOOST_AUTO_TEST_CASE(a_peer_cannot_speak_as_a_node) {
  const auto say = [](const char* message) {
    auto peer = stream::to(node().process->port());
    BOOST_REQUIRE(peer.secure(shown("ana")));
    peer.write(frames::greeting_of_dialer() + frames::selection() + frames::message(message));
    BOOST_TEST(peer.ended());
  };
  for (const auto* message : {"@<>+hf1.meet_node", "@<>+hf1.apply_events", "@<>+hf1.add_children"})
    say(message);
  BOOST_TEST(node().logs({"peer_refused", "reason=bad_frame", "names=ana", "fault=not_a_node"},
                         [&] { say("@<>+hf1.meet_node"); }));
  BOOST_TEST(node().status("ana").code == 0);
}

BOOST_AUTO_TEST_CASE(status_says_why_it_was_turned_away) {
  const auto bob = node().status("bob");
  BOOST_TEST(bob.code == 9);
  BOOST_TEST(bob.err.find("alert") != std::string::npos, bob.err);
  const auto wrong_name = node().status("ana", {"--name", "n2"});
  BOOST_TEST(wrong_name.code == 9);
  BOOST_TEST(wrong_name.err.find("hostname mismatch") != std::string::npos, wrong_name.err);
  const auto missing = node().status("nobody");
  BOOST_TEST(missing.code == 3);
  BOOST_TEST(missing.err.find("nobody.crt") != std::string::npos, missing.err);
}

BOOST_AUTO_TEST_CASE(the_deadline_of_a_dial_is_the_one_that_is_configured) {
  const test::listener silent; // it takes connections and says nothing
  auto words = node().issued->options_of("ana");
  words.insert(words.begin(),
               {"status", "--host", "127.0.0.1", "--port", std::to_string(silent.port()),
                "--timeout", "3", "--set", "link.dial_deadline=200ms"});
  const auto end = test::run_program(HOLDFAST_BINARY, words, 60s);
  BOOST_TEST(end.code == 9);
  BOOST_TEST(end.err.find("no answer within the deadline") != std::string::npos, end.err);
}

BOOST_AUTO_TEST_CASE(tools_beside_the_node_use_its_own_certificate) {
  const auto end = test::run_program(
      HOLDFAST_BINARY,
      {"status", "--data-dir", node().place(), "--set", "node.listen_address=0.0.0.0", "--set",
       "link.certificate=" + node().file("n1.crt"), "--set", "link.key=" + node().file("n1.key"),
       "--set", "link.ca=" + node().file("ca.crt")},
      60s);
  BOOST_TEST(end.code == 0, end.err);
}

// F01: the connection comes back by itself, also through TLS.
BOOST_AUTO_TEST_CASE(connection_survives_a_kill_of_the_node) {
  producer me{"ana"};
  me.make_queue("survivor", "{}");
  node().process->kill();
  BOOST_TEST(node().process->ended_within(10s).value_or(-1) == 128 + SIGKILL);
  node().start();
  BOOST_TEST(me.ask<msg::queue_statistics>(msg::get_queue_statistics{"survivor"}).live == 0U);
}

// Last: it takes ana's certificate away.
BOOST_AUTO_TEST_CASE(revoked_peer_loses_its_connection_at_the_next_hangup) {
  producer me{"ana"};
  me.make_queue("revoking", "{}");
  node().certs({"revoke", "--name", "ana"});
  node().process->signal(SIGHUP);
  const auto until = std::chrono::steady_clock::now() + test::patience;
  auto lost = node().status("ana");
  while (lost.code == 0 && std::chrono::steady_clock::now() < until)
    lost = node().status("ana");
  BOOST_TEST(lost.code == 9);
  BOOST_TEST(lost.err.find("revoked") != std::string::npos, lost.err);
  BOOST_TEST(node().status("carl").code == 0);
  BOOST_TEST(node().process->stop(60s).value_or(-1) == 0); // and it drains as ever
}

BOOST_AUTO_TEST_SUITE_END()
