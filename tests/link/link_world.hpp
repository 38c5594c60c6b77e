#pragma once

#include "link/authority.hpp"
#include "link/inlet.hpp"
#include "link/outlet.hpp"
#include "tests/link/frames.hpp"
#include "tests/link/sockets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// A directory with an authority and certificates, removed at the end.
class certificates {
public:
  certificates() {
    char pattern[] = "/tmp/holdfast-certs-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(pattern) != nullptr);
    directory_ = pattern;
    require(link::make_authority(directory_, "Test", link::authority_days, now()));
  }
  ~certificates() { std::filesystem::remove_all(directory_); }
  certificates(const certificates&) = delete;
  certificates& operator=(const certificates&) = delete;

  static core::instant now() {
    return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  }

  void issue(const std::string& name, link::holder kind, bool replace = false,
             core::instant at = now(), std::vector<std::string> roles = {},
             std::vector<core::grant> access = {{core::role::admin, {}}}) {
    link::certificate_request wanted;
    wanted.directory = directory_;
    wanted.name = name;
    wanted.kind = kind;
    wanted.roles = std::move(roles);
    wanted.access = std::move(access);
    wanted.replace = replace;
    wanted.days = 30;
    require(link::issue_certificate(wanted, at));
  }
  void revoke(const std::string& name) {
    require(link::revoke_certificate(directory_, file(name, ".crt"), now()));
  }

  std::string file(const std::string& name, const char* ending) const {
    return directory_ + '/' + name + ending;
  }
  link::credentials of(const std::string& name) const {
    return {file(name, ".crt"), file(name, ".key"), file("ca", ".crt"), file("ca", ".crl")};
  }
  stream::tls_files shown(const std::string& name) const {
    return {file(name, ".crt"), file(name, ".key"), 0};
  }
  const std::string& directory() const { return directory_; }

  static void require(const core::outcome<bool>& outcome) {
    BOOST_REQUIRE_MESSAGE(outcome, (outcome ? std::string{} : outcome.error().detail));
  }

private:
  std::string directory_;
};

/// An inlet before a process that is a listening socket of the test.
struct link_world {
  link_world() {
    certs.issue("node", link::holder::node);
    certs.issue("ana", link::holder::peer);
    options.tls = certs.of("node");
    options.allowed = {"ana"};
    options.upstream_port = behind.port();
    published.publish(9, link::audience::anybody);
    options.published = &published;
    options.open = &open_asked;
    options.log = [this](link::severity, const std::string& event, const link::log_fields& fields) {
      const std::lock_guard lock{mutex};
      lines.push_back(event);
      for (const auto& [key, value] : fields)
        lines.back() += ' ' + key + '=' + value;
    };
  }

  void open() {
    auto opened = link::inlet::open(thread, options);
    BOOST_REQUIRE_MESSAGE(opened, (opened ? std::string{} : opened.error().detail));
    inlet = std::move(*opened);
  }

  /// A peer that has proven itself.
  stream connected(const std::string& name = "ana") {
    auto made = stream::to(inlet->port());
    BOOST_REQUIRE(made.secure(certs.shown(name)));
    return made;
  }

  /// Both ends of a connection on which both have greeted.
  std::pair<stream, stream> talking() {
    auto outside = connected();
    auto inside = behind.accept();
    BOOST_REQUIRE(inside.write(frames::greeting_of_listener()));
    BOOST_REQUIRE(outside.write(frames::greeting_of_dialer() + frames::selection()));
    const auto said = frames::greeting_of_dialer() + frames::selection();
    BOOST_REQUIRE((inside.read(said.size()) == said));
    const auto heard = frames::greeting_of_listener();
    BOOST_REQUIRE((outside.read(heard.size()) == heard));
    return {std::move(outside), std::move(inside)};
  }

  /// Waits for the link to have done what it must; turns of its thread are the pace.
  bool eventually(const std::function<bool()>& wanted) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!wanted() && std::chrono::steady_clock::now() < until)
      thread.call([] {});
    return wanted();
  }
  bool refused(link::refusal why, std::uint64_t times = 1) {
    return eventually([&] { return inlet->counters().refused_for(why) == times; });
  }
  std::size_t lines_with(const std::string& text) {
    const std::lock_guard lock{mutex};
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }
  bool logged(const std::string& text) { return lines_with(text) > 0; }

  certificates certs;
  link::published_actors published; ///< Of the process behind.
  link::open_requests open_asked;
  listener behind;
  std::mutex mutex;
  std::vector<std::string> lines;
  link::io_thread thread;
  link::inlet_options options;
  std::unique_ptr<link::inlet> inlet;
};

} // namespace holdfast::test
