// Judges units of the steps that are there for a contributor, the most urgent step first, until
// none has come for a while.

#include "client/contributor_session.hpp"
#include "client/id_source.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>

using namespace holdfast;

namespace {

/// What somebody thinks of the unit; a program with a window would show it, and wait.
std::string judge(const std::string& input) {
  return input.find("hello") == std::string::npos ? R"({"answer": "what?"})"
                                                  : R"({"answer": "hi"})";
}

int failed(const core::failure& why) {
  std::cerr << core::to_string(why.code) << ": " << why.detail << '\n';
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 6)
    return std::cerr << "usage: " << argv[0] << " HOST:PORT,... NAME [CERTIFICATE KEY CA]\n", 2;
  std::optional<link::credentials> tls;
  if (argc == 6)
    tls = {argv[3], argv[4], argv[5], {}};
  const auto nodes = client::endpoints_of(argv[1], tls);
  if (!nodes)
    return std::cerr << nodes.error().detail << '\n', 2;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const client::connection node{system, *nodes, {}, client::random_seed()};
  client::contributor_session session{node, argv[2]};

  const auto offers = session.offers();
  if (!offers)
    return failed(offers.error());
  for (const auto& offer : offers->steps)
    while (true) {
      const auto next = session.next(offer.step, std::chrono::seconds{2});
      if (!next)
        return failed(next.error());
      if (!*next)
        break; // on to the next step
      const auto& unit = **next;
      const auto done = session.submit(unit.unit, judge(unit.input));
      std::cout << offer.key << ' ' << unit.input << ' '
                << (done ? "accepted" : done.error().detail) << '\n';
      if (!done && done.error().code == core::errc::payload_invalid)
        session.decline(unit.unit); // somebody else knows what is wanted
    }
} // the session ends: what is still held is given back
