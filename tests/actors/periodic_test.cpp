// Periodic upkeep of an actor: one look at a time, one timer, one complaint.

#include "actors/periodic.hpp"
#include "actors/reader.hpp"
#include "persistence/memory_store.hpp"
#include "tests/support/virtual_world.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/exit_reason.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct upkeep_state {
  static inline const char* name = "upkeep";
  actors::periodic looks;
};

/// An actor that looks every ten seconds, and sooner when it is told to; each look asks once.
struct upkeep_world : virtual_world {
  upkeep_world() {
    actors::node_settings settings;
    settings.log = [this](actors::log_level, const std::string& event, const actors::log_fields&) {
      complaints.push_back(event);
    };
    const auto database =
        std::make_shared<persistence::memory_database>([] { return core::instant{}; });
    settings.open_store = [database] {
      return std::make_unique<persistence::memory_store>(database);
    };
    const auto context = std::make_shared<actors::node_context>(std::move(settings));
    reader = system->spawn(actors::reader, context);
    upkeep = system->spawn([this, context](caf::stateful_actor<upkeep_state>* self) {
      self->state.looks = {context, 10s, "upkeep_failed"};
      self->state.looks.rest(self);
      const auto look = [this, self] {
        auto& upkept = self->state.looks;
        if (upkept.begin())
          upkept.ask(
              self, reader, [this](persistence::store&) { return looked(); },
              [self](bool) { self->state.looks.end(self); });
      };
      return caf::behavior{
          [self, look](actors::upkeep_tick) {
            self->state.looks.rang();
            look();
          },
          [look](actors::look_now) { look(); },
      };
    });
    settle();
  }
  ~upkeep_world() {
    held_back.clear();
    for (const auto& actor : {upkeep, reader})
      caf::anon_send_exit(actor, caf::exit_reason::kill);
    settle();
  }

  core::outcome<bool> looked() {
    ++looks;
    if (away)
      return core::failure{core::errc::unavailable, "the test has cut the line"};
    return true;
  }
  void look_early() {
    caf::anon_send(upkeep, actors::look_now{});
    settle();
  }
  /// Looks take until `answer` from now on.
  void hold_answers() { held_back = "reader"; }
  void answer() {
    held_back.clear();
    settle();
  }

  caf::actor reader;
  caf::actor upkeep;
  bool away = false;
  int looks = 0;
  std::vector<std::string> complaints;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(periodic_upkeep, upkeep_world)

BOOST_AUTO_TEST_CASE(the_next_look_comes_an_interval_after_the_last_has_ended) {
  advance(9s);
  BOOST_TEST(looks == 0);
  advance(2s);
  BOOST_TEST(looks == 1);
  hold_answers();
  advance(24s); // the second look begins after 20 s and is still under way after 35
  answer();
  BOOST_TEST(looks == 2);
  advance(9s);
  BOOST_TEST(looks == 2);
  advance(2s);
  BOOST_TEST(looks == 3);
}

BOOST_AUTO_TEST_CASE(an_early_look_adds_no_second_timer) {
  advance(5s);
  look_early();
  BOOST_TEST(looks == 1);
  advance(14s);
  BOOST_TEST(looks == 2);
  advance(2s);
  BOOST_TEST(looks == 3);
}

BOOST_AUTO_TEST_CASE(looks_do_not_run_beside_each_other) {
  hold_answers();
  look_early();
  look_early();
  advance(15s); // the timer rings meanwhile
  answer();
  BOOST_TEST(looks == 1);
  advance(9s);
  BOOST_TEST(looks == 1);
  advance(2s);
  BOOST_TEST(looks == 2);
}

BOOST_AUTO_TEST_CASE(failures_in_a_row_are_logged_once_and_looked_after_at_the_interval) {
  away = true;
  advance(31s);
  BOOST_TEST(looks == 3);
  BOOST_TEST((complaints == std::vector<std::string>{"upkeep_failed"}));
  away = false;
  advance(10s);
  BOOST_TEST(looks == 4);
  away = true;
  advance(10s);
  BOOST_TEST(looks == 5);
  BOOST_TEST(complaints.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
