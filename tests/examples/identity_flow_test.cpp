// The decisions of the example about identities, as pure functions; and its simulated service.

#include "core/uuid.hpp"
#include "examples/identity_verification/flow.hpp"
#include "examples/identity_verification/service.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

namespace core = holdfast::core;
using namespace identity;
using namespace std::chrono_literals;

namespace {

const auto noon = core::from_micros(1'700'000'000'000'000);
const patience wait{};

/// One of each state, with a finding.
std::vector<verification> one_of_each() {
  const job asked{"documents.1.x", noon};
  const std::vector<finding> findings{{check::documents, verdict::unclear, source::callback}};
  return {{submitted{}, {}},
          {awaiting_document_processing{asked}, {}},
          {documents_processed{}, findings},
          {verifying_face_match{asked}, findings},
          {needs_manual_review{}, findings},
          {in_manual_review{asked}, findings},
          {verified{}, findings},
          {rejected{}, findings}};
}

verification waiting_since(core::instant since) {
  return {awaiting_document_processing{{"t", since}}, {}};
}

state went_to(const decision& decided) { return state_of(std::get<go_on>(decided).to); }

core::duration waits(const decision& decided, core::instant now) {
  return std::get<look_again>(decided).at - now;
}

std::vector<core::task_id> people(std::size_t number) {
  core::uuid_source ids{3};
  std::vector<core::task_id> made;
  for (std::size_t i = 0; i < number; ++i)
    made.push_back({ids.next(noon)});
  return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(identity_flow)

// D9, D34, D35
BOOST_AUTO_TEST_CASE(every_state_survives_the_way_through_a_task) {
  for (const auto& v : one_of_each()) {
    const auto update = update_to(v);
    const auto back = verification_of(update.state, update.data);
    BOOST_REQUIRE_MESSAGE(back, update.state);
    BOOST_TEST((state_of(*back) == state_of(v)));
    BOOST_TEST(data_of(*back) == update.data);
    BOOST_TEST((waits_for(*back) == nullptr) == (waits_for(v) == nullptr));
    BOOST_TEST(back->findings.size() == v.findings.size());
  }
}

BOOST_AUTO_TEST_CASE(state_and_data_that_do_not_belong_together_are_refused) {
  BOOST_TEST(!verification_of("NEW", "{}"));
  BOOST_TEST(!verification_of("SUBMITTED", "["));
  BOOST_TEST(!verification_of("SUBMITTED", "7"));
  BOOST_TEST(!verification_of("VERIFYING_FACE_MATCH", "{}")); // without the job
  BOOST_TEST(!verification_of("VERIFIED", R"({"findings": [{"check": "x"}]})"));
  BOOST_TEST(!verification_of(
      "VERIFIED", R"({"findings": [{"check": "x", "says": "passed", "by": "polling"}]})"));
  BOOST_TEST(
      !verification_of("IN_MANUAL_REVIEW", R"({"asked": {"tracking": "t", "since": "now"}})"));
  BOOST_TEST(static_cast<bool>(verification_of("SUBMITTED", "{}"))); // as it was enqueued
}

// D12: asking leads to waiting, an outage to asking again soon
BOOST_AUTO_TEST_CASE(a_check_that_was_accepted_is_waited_for) {
  const auto asked = on_asked({submitted{}, {}}, accepted{"t1"}, noon, wait);
  const auto& as = std::get<look_again>(asked).as;
  BOOST_TEST((state_of(as) == state::awaiting_document_processing));
  BOOST_TEST(waits_for(as)->tracking == "t1");
  BOOST_TEST((waits_for(as)->since == noon));
  BOOST_TEST((waits(asked, noon) == 30s));

  const auto refused = on_asked({documents_processed{}, {}}, outage{}, noon, wait);
  BOOST_TEST((state_of(std::get<look_again>(refused).as) == state::documents_processed));
  BOOST_TEST((waits(refused, noon) == 30s));
}

// D28, D31: 30 s, 30 min, half a day
BOOST_AUTO_TEST_CASE(polling_grows_patient) {
  const struct {
    core::duration age;
    core::duration pause;
  } table[]{{0s, 30s}, {5min - 1us, 30s}, {5min, 30min}, {6h - 1us, 30min}, {6h, 12h}, {30h, 12h}};
  for (const auto& row : table)
    BOOST_TEST((waits(on_polled(waiting_since(noon - row.age), pending{}, noon, wait), noon)
                == row.pause));
  BOOST_TEST((waits(on_polled(waiting_since(noon - 30h), outage{}, noon, wait), noon) == 30s));
  const auto fast = faster(wait, 60);
  BOOST_TEST((waits(on_polled(waiting_since(noon), pending{}, noon, fast), noon) == 500ms));
}

// D9, D27, D39
BOOST_AUTO_TEST_CASE(verdicts_lead_on) {
  const job asked{"t", noon};
  const struct {
    stage at;
    verdict says;
    state to;
  } table[]{
      {awaiting_document_processing{asked}, verdict::passed, state::documents_processed},
      {awaiting_document_processing{asked}, verdict::failed, state::rejected},
      {awaiting_document_processing{asked}, verdict::unclear, state::needs_manual_review},
      {verifying_face_match{asked}, verdict::passed, state::verified},
      {verifying_face_match{asked}, verdict::failed, state::rejected},
      {verifying_face_match{asked}, verdict::unclear, state::needs_manual_review},
      {in_manual_review{asked}, verdict::passed, state::verified},
      {in_manual_review{asked}, verdict::failed, state::rejected},
      {in_manual_review{asked}, verdict::unclear, state::rejected},
  };
  for (const auto& row : table) {
    const verification v{row.at, {}};
    const auto decided = on_polled(v, row.says, noon, wait);
    BOOST_TEST((went_to(decided) == row.to), to_string(state_of(v)));
    const auto& findings = std::get<go_on>(decided).to.findings;
    BOOST_REQUIRE_EQUAL(findings.size(), 1U);
    BOOST_TEST((findings[0].what == *under_way(v) && findings[0].says == row.says));
    // What a decision leads to, the queue allows.
    const auto& allowed = next_states(state_of(v));
    BOOST_TEST((std::find(allowed.begin(), allowed.end(), row.to) != allowed.end()));
  }
}

// D30, D31: only the callback that is waited for counts
BOOST_AUTO_TEST_CASE(callback_counts_once) {
  const auto v = waiting_since(noon);
  const auto moved = on_callback(v, {"t", verdict::passed});
  BOOST_REQUIRE(moved);
  BOOST_TEST((state_of(*moved) == state::documents_processed));
  BOOST_TEST((moved->findings[0].by == source::callback));
  BOOST_TEST(!on_callback(*moved, {"t", verdict::passed}));
  BOOST_TEST(!on_callback(v, {"another", verdict::passed}));
  for (const auto& other : one_of_each())
    BOOST_TEST((on_callback(other, {"documents.1.x", verdict::failed}).has_value()
                == (waits_for(other) != nullptr)));
}

BOOST_AUTO_TEST_CASE(each_state_asks_waits_or_is_the_end) {
  for (const auto& v : one_of_each()) {
    const bool ended = next_states(state_of(v)).empty();
    BOOST_TEST((to_ask(v) ? 1 : 0) + (under_way(v) ? 1 : 0) + (ended ? 1 : 0) == 1);
  }
  const auto ended = std::get<conclude>(on_end({rejected{}, {}}));
  BOOST_TEST(ended.result == R"({"findings":[],"verdict":"REJECTED"})");
}

BOOST_AUTO_TEST_CASE(service_is_a_function_of_its_seed) {
  const simulated_service service{7, 1};
  const simulated_service same{7, 1};
  std::size_t never = 0;
  std::size_t twice = 0;
  std::size_t outages = 0;
  std::set<state> ends;
  for (const auto& who : people(300)) {
    const auto said = service.ask(check::documents, who, noon + 40min); // no outage lasts so long
    const auto* yes = std::get_if<accepted>(&said);
    BOOST_REQUIRE(yes != nullptr);
    BOOST_TEST(std::holds_alternative<pending>(service.look(yes->tracking, noon + 40min)));
    const auto later = service.look(yes->tracking, noon + 25h);
    if (const auto* found = std::get_if<verdict>(&later))
      BOOST_TEST((*found == service.finding(yes->tracking)));
    const auto calls = service.callbacks(yes->tracking);
    BOOST_TEST((calls == same.callbacks(yes->tracking)));
    BOOST_TEST(calls.size() <= 2U);
    never += calls.empty() ? 1U : 0U;
    twice += calls.size() == 2 ? 1U : 0U;
    BOOST_TEST((service.truth(who) == same.truth(who)));
    ends.insert(service.truth(who));
  }
  for (auto at = noon; at < noon + 240h; at += 1h)
    outages +=
        std::holds_alternative<outage>(service.ask(check::documents, people(1).front(),
                                                   core::instant{at.time_since_epoch() / 1h * 1h}))
            ? 1U
            : 0U;
  BOOST_TEST((ends == std::set<state>{state::verified, state::rejected}));
  BOOST_TEST((never > 20 && never < 120));
  BOOST_TEST((twice > 20 && twice < 120));
  BOOST_TEST((outages > 10 && outages < 100));
}

BOOST_AUTO_TEST_SUITE_END()
