// What an actor wants to say waits for its writes; when one of them is refused, each request is
// told what has become of its own.

#include "actors/pending_effects.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;

namespace {

/// Stands where the actor does: it notes what would go to the writer.
struct noting_sender {
  std::vector<std::uint64_t> tickets;

  template <class Message>
  void send(const caf::actor&, Message&& message) {
    tickets.push_back(message.ticket);
  }
};

struct waiting_requests {
  std::shared_ptr<actors::node_context> context =
      std::make_shared<actors::node_context>(actors::node_settings{});
  noting_sender self;
  actors::pending_effects pending;
  std::map<std::string, core::errc> told;

  std::function<void(const core::failure&)> tell(const std::string& who) {
    return [this, who](const core::failure& why) { told[who] = why.code; };
  }
  void write(const std::string& who) { pending.write(&self, context, {}, {}, {}, tell(who)); }
  void write_alone(const std::string& who) {
    pending.write_alone(&self, context, {}, {}, {}, tell(who));
  }
  /// For what is known already, and is written nowhere.
  void repeat(const std::string& who) { pending.after_all(tell(who)); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(pending_effects_of_an_actor, waiting_requests)

BOOST_AUTO_TEST_CASE(an_answer_that_waits_is_told_when_its_write_is_durable) {
  write("first");
  repeat("behind");
  write("second");
  BOOST_TEST(self.tickets == (std::vector<std::uint64_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(told.empty());
  BOOST_TEST(pending.settle({1, {}}));
  BOOST_TEST(told.size() == 2U);
  BOOST_TEST(told.count("second") == 0U);
  BOOST_TEST(pending.settle({2, {}}));
  for (const auto& [who, code] : told)
    BOOST_TEST((code == core::errc::none), who);
}

// The answer to a repetition waits for the write before it, and has nothing to do with its ids.
BOOST_AUTO_TEST_CASE(id_in_use_is_told_to_the_request_that_asked_for_it_alone) {
  write("before");
  write("maker");
  repeat("repetition");
  write("after");
  repeat("last");
  BOOST_TEST(!pending.settle({2, {core::errc::already_exists, "in use"}}));
  BOOST_TEST((told.at("maker") == core::errc::already_exists));
  for (const auto* who : {"before", "repetition", "after", "last"})
    BOOST_TEST((told.at(who) == core::errc::unavailable), who);
}

BOOST_AUTO_TEST_CASE(refusal_for_another_reason_is_told_to_all) {
  write("maker");
  repeat("repetition");
  BOOST_TEST(!pending.settle({1, {core::errc::fenced, "another host"}}));
  BOOST_TEST((told.at("maker") == core::errc::fenced));
  BOOST_TEST((told.at("repetition") == core::errc::fenced));
}

BOOST_AUTO_TEST_CASE(id_in_use_of_a_write_that_is_alone_ends_nothing) {
  write_alone("maker");
  repeat("repetition");
  write("after");
  BOOST_TEST(pending.settle({1, {core::errc::already_exists, "in use"}}));
  BOOST_TEST((told.at("maker") == core::errc::already_exists));
  BOOST_TEST((told.at("repetition") == core::errc::none));
  BOOST_TEST(told.count("after") == 0U);
  BOOST_TEST(pending.settle({2, {}}));
  BOOST_TEST((told.at("after") == core::errc::none));
}

BOOST_AUTO_TEST_SUITE_END()
