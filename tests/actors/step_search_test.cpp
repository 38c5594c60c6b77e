// Contributors look for steps: which they find, in what order, and which they may work in.
// A94-A101, A103-A106

#include "core/step_directory.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// A workflow of one step, which has the name of the workflow as its key.
std::string asking(const std::string& key, int priority, const std::string& requirements = "{}") {
  return R"({"name":")" + key + R"(","steps":[{"key":")" + key + R"(","title":"The )" + key
         + R"(","judgments_per_unit":1,"priority":)" + std::to_string(priority)
         + R"(,"requirements":)" + requirements + "}]}";
}

struct searched_node : node_fixture {
  searched_node() { start(); }

  core::step_id given(const std::string& key, int priority,
                      const std::string& requirements = "{}") {
    const auto step = create(asking(key, priority, requirements));
    advance(1s);
    return step;
  }
  void known(const msg::put_profile& profile) {
    const auto put = call(profile);
    BOOST_REQUIRE_MESSAGE(put.value, (put.error ? put.error->detail : "no answer"));
  }
  /// The unit that somebody gets who has the skill.
  core::unit_id assigned_to_somebody_with(const core::step_id& step, const std::string& skill) {
    msg::put_profile other;
    other.contributor = "with " + skill;
    other.skills = {skill};
    known(other);
    return assigned(step, other.contributor).unit;
  }
  msg::step_offers found(const std::string& who, std::uint32_t limit = 20) {
    const auto offers = call(msg::find_steps{who, limit, 0, {}});
    BOOST_REQUIRE_MESSAGE(offers.value, (offers.error ? offers.error->detail : "no answer"));
    return *offers.value;
  }
  /// Batches with such a row are not committed as long as this is in force.
  void hold_commits_of(const std::function<bool(const core::step_row&)>& which) {
    database->set_commit_faults([which](const persistence::write_batch& batch) {
      for (const auto& part : batch.shards)
        for (const auto& change : part.changes)
          for (const auto& write : change.writes)
            if (const auto* updated = std::get_if<core::update_step>(&write);
                updated != nullptr && which(updated->row))
              return persistence::commit_fault::unavailable;
      return persistence::commit_fault::none;
    });
  }
  /// Their keys.
  std::string steps_for(const std::string& who, std::uint32_t limit = 20) {
    const auto offers = found(who, limit);
    BOOST_TEST(offers.complete);
    std::string keys;
    for (const auto& offer : offers.steps)
      keys += (keys.empty() ? "" : " ") + offer.key;
    return keys;
  }
};

msg::put_profile profile_of(const std::string& who) {
  msg::put_profile profile;
  profile.contributor = who;
  return profile;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(searching_for_steps, searched_node)

// A91 (`find_steps`), A94, A96, A97, A101
BOOST_AUTO_TEST_CASE(contributors_find_what_they_may_work_in_by_priority) {
  given("open", 1);
  given("ner", 5, R"({"skills":["ner"]})");
  given("sworn", 9, R"({"skills":["ner"],"certifications":["court"]})");
  given("bavarian", 3, R"({"locations":["DE-BY","AT"],"channels":["level-2","level-3"]})");
  given("trusted", 2, R"({"trust":0.9})");
  BOOST_TEST(steps_for("nobody") == "open");

  auto ana = profile_of("ana");
  ana.skills = {"sql", "ner"};
  ana.location = "DE-BY-M";
  known(ana);
  BOOST_TEST(steps_for("ana") == "ner open");
  ana.channels = {"level-3"};
  ana.certifications = {"court"};
  ana.trust = 0.95;
  known(ana);
  BOOST_TEST(steps_for("ana") == "sworn ner bavarian trusted open");
  BOOST_TEST(steps_for("ana", 2) == "sworn ner");
  const auto first = found("ana", 1).steps.at(0);
  BOOST_TEST(first.title == "The sworn");
  BOOST_TEST(first.priority == 9);
  const auto rest = call(msg::find_steps{"ana", 20, first.priority, first.step});
  BOOST_REQUIRE(rest.value);
  BOOST_TEST(rest.value->steps.size() == 4U);
  BOOST_TEST(rest.value->steps.at(0).key == "ner");
}

// A99, A100, A105, A106
BOOST_AUTO_TEST_CASE(the_index_follows_what_becomes_of_steps) {
  const auto step = given("a", 1);
  given("b", 2);
  BOOST_TEST(steps_for("ana") == "b a");
  change(step, core::unit_verb::pause);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "b");
  change(step, core::unit_verb::resume);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "b a");

  BOOST_REQUIRE(call(msg::update_workflow{step, 1, asking("a", 7)}).value);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "a b");
  BOOST_REQUIRE(call(msg::update_workflow{step, 2, asking("a", 7, R"({"skills":["ner"]})")}).value);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "b");
  BOOST_REQUIRE(call(msg::update_workflow{step, 3, asking("a", 7)}).value);
  advance(1s);

  feed(step, 1);
  seal(step);
  BOOST_TEST(steps_for("ana") == "a b");
  work(step, "ana");
  advance(1s);
  BOOST_TEST(steps_for("ana") == "b"); // complete
  feed(step, 1, 1);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "a b"); // open again
  change(step, core::unit_verb::cancel);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "b");
}

// What is found is what is durable: an event of the step is delivered while a later decision waits.
BOOST_AUTO_TEST_CASE(only_what_is_committed_is_listed) {
  const auto step = given("a", 1);
  feed(step, 1);
  bool sealed = false;
  hold_commits_of([&](const core::step_row& row) {
    sealed = sealed || row.sealed;
    return row.status == core::step_status::paused;
  });
  send_to_node(msg::seal_step{step});
  while (!sealed && virtual_world::step())
    continue;
  send_to_node(msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::pause)});
  advance(1s);
  BOOST_TEST(statistics(step).step.sealed);
  BOOST_TEST(statistics(step).step.status == core::step_status::open);
  BOOST_TEST(steps_for("ana") == "a");
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST(statistics(step).step.status == core::step_status::paused);
  BOOST_TEST(steps_for("ana") == "");
}

// Nobody is told of a decision before it is one.
BOOST_AUTO_TEST_CASE(contributor_refused_for_a_decision_is_told_when_it_is_durable) {
  const auto step = given("a", 1);
  feed(step, 1);
  hold_commits_of(
      [](const core::step_row& row) { return row.status == core::step_status::paused; });
  send_to_node(msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::pause)});
  settle();
  const auto asked = send_to_node(msg::ask_assignment{step, "ana", fresh<core::assignment_id>()});
  advance(1s);
  BOOST_TEST(!asked->arrived());
  database->set_commit_faults(nullptr);
  advance(10s);
  BOOST_TEST(asked->code() == core::errc::no_unit_available);
}

BOOST_AUTO_TEST_CASE(a_node_that_starts_reads_what_there_is) {
  given("a", 1);
  const auto over = given("b", 2);
  const auto paused = given("c", 3);
  change(over, core::unit_verb::cancel);
  change(paused, core::unit_verb::pause);
  advance(1s);
  restart();
  advance(1s);
  BOOST_TEST(steps_for("ana") == "a");
  change(paused, core::unit_verb::resume);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "c a");
}

// A98, A165: the loss of the index harms nothing else, and is made good.
BOOST_AUTO_TEST_CASE(a_search_that_crashes_begins_anew) {
  const auto step = given("a", 1);
  given("b", 2);
  const auto gateway = the_actor("gateway");
  caf::anon_send_exit(the_actor("step_search"), caf::exit_reason::kill);
  feed(step, 1);
  work(step, "ana");
  advance(1s);
  BOOST_TEST((the_actor("gateway") == gateway));
  BOOST_TEST(steps_for("ana") == "b a");
}

// A98, A165
BOOST_AUTO_TEST_CASE(the_index_is_rebuilt_when_an_operator_asks_for_it) {
  given("a", 1);
  const auto over = given("b", 2);
  const auto paused = given("c", 3);
  change(over, core::unit_verb::cancel);
  change(paused, core::unit_verb::pause);
  const auto told = call(msg::rebuild_step_index{});
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->complete);
  BOOST_TEST(told.value->nodes == 1U);
  BOOST_TEST(told.value->steps == 2U); // the paused one is listed, and not found
  BOOST_TEST(steps_for("ana") == "a");
  change(paused, core::unit_verb::resume);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "c a");
}

// A95
BOOST_AUTO_TEST_CASE(profiles_of_contributors_can_be_set_and_read) {
  const auto nobody = call(msg::get_profile{"ana"});
  BOOST_REQUIRE(nobody.value);
  BOOST_TEST(nobody.value->skills.empty());
  BOOST_TEST(nobody.value->trust == 0);
  BOOST_TEST((nobody.value->changed_at == core::instant{}));

  auto ana = profile_of("ana");
  ana.skills = {"sql", "ner", "sql"};
  ana.location = "DE";
  const auto put = call(ana);
  BOOST_REQUIRE(put.value);
  BOOST_TEST(put.value->skills == (std::vector<std::string>{"ner", "sql"}),
             boost::test_tools::per_element());
  BOOST_TEST(!put.value->trust_given);
  ana.skills = {};
  ana.trust = 0.5;
  BOOST_REQUIRE(call(ana).value);
  restart();
  const auto seen = call(msg::get_profile{"ana"});
  BOOST_REQUIRE(seen.value);
  BOOST_TEST(seen.value->skills.empty());
  BOOST_TEST(seen.value->location == "DE");
  BOOST_TEST(seen.value->trust == 0.5);
  BOOST_TEST(seen.value->trust_given);
}

BOOST_AUTO_TEST_CASE(a_profile_that_is_none_is_refused_with_all_its_problems) {
  auto ana = profile_of("ana");
  ana.skills = {"ner", "no spaces"};
  ana.location = std::string(65, 'x');
  ana.trust = 1.5;
  const auto refused = call(ana);
  BOOST_TEST(refused.code() == core::errc::payload_invalid);
  for (const auto* place : {"/skills/1", "/location", "/trust"})
    BOOST_TEST(refused.error->detail.find(place) != std::string::npos, place);
  ana = profile_of("");
  BOOST_TEST(call(ana).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::find_steps{"ana", 0, 0, {}}).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::find_steps{"", 1, 0, {}}).code() == core::errc::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_profile_that_the_database_refuses_harms_no_other) {
  database->set_refusals([](const core::change& c) {
    return !c.writes.empty() && std::holds_alternative<core::put_profile>(c.writes[0]);
  });
  BOOST_TEST(call(profile_of("ana")).code() == core::errc::refused_by_store);
  database->set_refusals(nullptr);
  auto ana = profile_of("ana");
  ana.skills = {"ner"};
  BOOST_REQUIRE(call(ana).value);
  BOOST_TEST(call(msg::get_profile{"ana"}).value->skills.size() == 1U);
}

// A101: what decides about a search decides about the work, too.
BOOST_AUTO_TEST_CASE(contributor_without_a_requirement_gets_no_work_in_the_step) {
  const auto step = given("ner", 5, R"({"skills":["ner"]})");
  feed(step, 2);
  const auto refused = assign(step, "ana");
  BOOST_TEST(refused.code() == core::errc::not_qualified);
  BOOST_TEST(refused.error->detail.find("skill 'ner'") != std::string::npos);
  const auto why = call(msg::explain_contributor{step, "ana"});
  BOOST_REQUIRE(why.value);
  BOOST_TEST(why.value->reasons.back().code == "not_eligible");

  auto ana = profile_of("ana");
  ana.skills = {"ner"};
  known(ana);
  advance(2s);
  const msg::ask_assignment ask{step, "ana", fresh<core::assignment_id>()};
  const auto answered = call(ask);
  BOOST_REQUIRE(answered.value);
  const auto given_unit = *answered.value;
  // What is held stays held, and counts; the next one is refused when the minute is over.
  ana.skills = {};
  known(ana);
  advance(61s);
  BOOST_TEST((call(ask).value->unit == given_unit.unit));
  BOOST_REQUIRE(submit(given_unit, "ana").value);
  BOOST_TEST(assign(step, "ana").code() == core::errc::not_qualified);
  const auto open = assigned_to_somebody_with(step, "ner");
  const auto of_unit = call(msg::explain_unit{step, open, "ana"});
  BOOST_REQUIRE(of_unit.value);
  BOOST_TEST(std::any_of(of_unit.value->reasons.begin(), of_unit.value->reasons.end(),
                         [](const auto& reason) { return reason.code == "not_eligible"; }));
}

// A27, A101: trust as it was earned in other steps.
BOOST_AUTO_TEST_CASE(right_answers_to_test_questions_open_steps_that_ask_for_trust) {
  given("trusted", 1, R"({"trust":0.7})");
  const auto school = create(
      R"({"name":"school","steps":[{"key":"school","judgments_per_unit":1,
          "test_questions":{"quiz":4,"quiz_pass":0.5}}]})");
  msg::add_test_questions questions{school, {}};
  for (int i = 0; i < 8; ++i)
    questions.rows.push_back({"q" + std::to_string(i), "{}", R"({"answer":"red"})"});
  BOOST_REQUIRE(call(questions).value);
  feed(school, 1);
  advance(1s);
  BOOST_TEST(steps_for("ana") == "school");
  for (int i = 0; i < 4; ++i)
    work(school, "ana");
  advance(1s);
  BOOST_TEST(steps_for("ana") == "trusted school");
  BOOST_TEST(call(msg::get_profile{"ana"}).value->tests_right == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

// A98: another index in place of the one in memory, which may fail and forget.
BOOST_AUTO_TEST_SUITE(step_directories)

namespace {

/// What happens to it, and what it is to do; it outlasts the node.
struct directory_world {
  bool fails = false;
  bool forgets = false; ///< Once, and says so when it is asked next.
  int cleared = 0;
  std::unique_ptr<core::step_directory> kept = core::open_memory_step_directory();
};

class fickle_directory : public core::step_directory {
public:
  explicit fickle_directory(std::shared_ptr<directory_world> world) : world_(std::move(world)) {}

  core::failure clear() override {
    if (world_->fails)
      return away();
    ++world_->cleared;
    return world_->kept->clear();
  }
  core::failure put(core::step_listing listing) override {
    return world_->fails ? away() : world_->kept->put(std::move(listing));
  }
  core::failure erase(const core::step_id& step) override {
    return world_->fails ? away() : world_->kept->erase(step);
  }
  core::outcome<std::vector<core::step_listing>> find(const core::contributor_profile& profile,
                                                      double trust,
                                                      const std::optional<core::step_rank>& after,
                                                      std::size_t limit) override {
    if (world_->fails)
      return away();
    if (std::exchange(world_->forgets, false)) {
      static_cast<void>(world_->kept->clear());
      return core::failure{core::errc::not_found, "the index is gone"};
    }
    return world_->kept->find(profile, trust, after, limit);
  }

private:
  static core::failure away() { return {core::errc::unavailable, "the index is away"}; }

  std::shared_ptr<directory_world> world_;
};

struct node_with_directory : searched_node {
  node_with_directory() { begin(); }

  std::shared_ptr<directory_world> its_world = std::make_shared<directory_world>();
  directory_world& directory = *its_world;

  /// Another process of the node, with the same directory.
  void begin() {
    prepare().settings.open_step_directory = [world = its_world] {
      return std::make_unique<fickle_directory>(world);
    };
    start();
  }

  /// Some may be missing, and the answer says so.
  bool says_that_some_are_missing() { return !found("ana").complete; }
  auto logged(const std::string& event) const {
    return std::count_if(node->log.begin(), node->log.end(),
                         [&](const auto& line) { return line.find(event) == 0; });
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_directory_that_was_filled_before_is_filled_anew, node_with_directory) {
  given("a", 1);
  BOOST_TEST(steps_for("ana") == "a");
  BOOST_TEST(directory.cleared == 1);
  core::step_listing stranger;
  stranger.step = fresh<core::step_id>();
  stranger.key = "stranger";
  BOOST_REQUIRE((directory.kept->put(stranger).code == core::errc::none));
  begin();
  advance(1s);
  BOOST_TEST(steps_for("ana") == "a");
  BOOST_TEST(directory.cleared == 2);
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_is_away_harms_nothing_else, node_with_directory) {
  const auto step = given("a", 1);
  const auto paused = given("b", 2);
  directory.fails = true;
  BOOST_TEST(says_that_some_are_missing());
  change(paused, core::unit_verb::pause);
  given("c", 3);
  feed(step, 1);
  work(step, "ana");
  const auto search = the_actor("step_search");
  advance(10min);
  BOOST_TEST((the_actor("step_search") == search));
  BOOST_TEST(says_that_some_are_missing());
  BOOST_TEST(logged("step_directory_failed") == 1);
  BOOST_TEST(logged("delivery_failed") == 0);
  directory.fails = false;
  advance(3s);
  BOOST_TEST(steps_for("ana") == "c a");
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_has_forgotten_is_filled_anew_when_it_says_so,
                        node_with_directory) {
  given("a", 1);
  given("b", 2);
  directory.forgets = true;
  BOOST_TEST(says_that_some_are_missing());
  advance(3s);
  BOOST_TEST(steps_for("ana") == "b a");
  BOOST_TEST(directory.cleared == 2);
  directory.forgets = true;
  BOOST_TEST(says_that_some_are_missing());
  advance(3s);
  BOOST_TEST(logged("step_directory_failed") == 2); // each time once
}

// A98, A165: what has lost something without knowing of it, and has something wrong
BOOST_FIXTURE_TEST_CASE(a_directory_with_mistakes_is_whole_after_a_rebuilding,
                        node_with_directory) {
  const auto lost = given("a", 1);
  const auto spoilt = given("b", 2);
  BOOST_REQUIRE((directory.kept->erase(lost).code == core::errc::none));
  core::step_listing wrong;
  wrong.step = spoilt;
  wrong.key = "wrong";
  wrong.version = 99;
  wrong.revision = 99;
  BOOST_REQUIRE((directory.kept->put(wrong).code == core::errc::none));
  advance(10min);
  BOOST_TEST(steps_for("ana") == "wrong"); // and it does not say that something is missing

  // Two who want it at once wait for the same; a search between them is answered.
  const auto one = send_to_node(msg::rebuild_step_index{});
  const auto search = send_to_node(msg::find_steps{"ana", 20, 0, {}});
  const auto other = send_to_node(msg::rebuild_step_index{});
  advance(1s);
  BOOST_REQUIRE(one->value);
  BOOST_REQUIRE(other->value);
  BOOST_TEST(one->value->steps == 2U);
  BOOST_TEST(other->value->complete);
  BOOST_REQUIRE(search->value);
  for (const auto& offer : search->value->steps)
    BOOST_TEST(offer.key != "wrong");
  BOOST_TEST(directory.cleared == 2);
  BOOST_TEST(steps_for("ana") == "b a");
  BOOST_TEST(logged("step_directory_failed") == 0);

  BOOST_REQUIRE(call(msg::rebuild_step_index{}).value);
  BOOST_TEST(directory.cleared == 3);
}

// A98: who waits is told, and the rest goes on by itself
BOOST_FIXTURE_TEST_CASE(a_rebuilding_that_must_wait_says_so_and_is_made_up_for,
                        node_with_directory) {
  const auto step = given("a", 1);
  directory.fails = true;
  const auto told = call(msg::rebuild_step_index{});
  BOOST_TEST(told.arrived());
  BOOST_TEST(told.code() == core::errc::unavailable);
  BOOST_TEST(says_that_some_are_missing());
  feed(step, 1);
  work(step, "ana");
  directory.fails = false;
  advance(3s);
  BOOST_TEST(steps_for("ana") == "a");

  database->set_reachable(false);
  BOOST_TEST(call(msg::rebuild_step_index{}).code() == core::errc::unavailable);
  database->set_reachable(true);
  advance(10s);
  BOOST_TEST(steps_for("ana") == "a");
}

BOOST_AUTO_TEST_SUITE_END()

// A95: whoever manages contributors elsewhere.
BOOST_AUTO_TEST_SUITE(profiles_from_elsewhere)

BOOST_AUTO_TEST_CASE(are_asked_for_and_cannot_be_put) {
  node_fixture f;
  f.prepare().settings.find_profile = [](const core::contributor_id& who) {
    core::outcome<core::contributor_profile> found{core::contributor_profile{}};
    if (who == "ana")
      found->skills = {"sql", "ner"};
    if (who == "eve")
      found = core::failure{core::errc::unavailable, "no directory"};
    return found;
  };
  f.start();
  const auto step = f.create(asking("ner", 1, R"({"skills":["ner"]})"));
  f.feed(step, 2);
  f.advance(1s);
  BOOST_TEST(f.call(msg::find_steps{"ana", 20, 0, {}}).value->steps.size() == 1U);
  BOOST_TEST(f.call(msg::find_steps{"bob", 20, 0, {}}).value->steps.empty());
  BOOST_TEST(f.call(msg::find_steps{"eve", 20, 0, {}}).code() == core::errc::unavailable);
  BOOST_TEST((f.assign(step, "ana").code() == core::errc::none));
  BOOST_TEST(f.assign(step, "bob").code() == core::errc::not_qualified);
  BOOST_TEST(f.assign(step, "eve").code() == core::errc::unavailable);
  BOOST_TEST(f.call(profile_of("ana")).code() == core::errc::wrong_state);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
