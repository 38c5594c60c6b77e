// The checks of `holdfast verify`: silent on sound data, and each one fires when its invariant is
// broken on purpose.

#include "persistence/verify.hpp"

#include "core/judgment_correction.hpp"
#include "core/repair.hpp"
#include "core/review.hpp"
#include "core/step.hpp"
#include "core/unit.hpp"
#include "core/unit_corrections.hpp"
#include "objects/memory_object_store.hpp"
#include "tests/persistence/conformance.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::test {

namespace {

constexpr const char* definition = R"({"name":"w","steps":[
  {"key":"step-0","next":["step-1"]},{"key":"step-1"}]})";

constexpr const char* spreading_definition = R"({"name":"s","steps":[
  {"key":"list","routes":[{"when":{"answer":"none"},"to":[]},
                          {"to":["each"],"for_each":true,"exclude_judges":true}]},
  {"key":"each"}]})";

// What `next` does not say is said by the routes.
constexpr const char* reviewing_definition = R"({"name":"c","steps":[
  {"key":"made","next":[],"routes":[{"when":{"answer":"skip"},"to":[]},{"to":["checked"]}]},
  {"key":"checked","aggregation":{"method":"review"}}]})";

constexpr const char* lenient_definition = R"({"name":"l","steps":[
  {"key":"late","lease":{"late_submit":"accept_if_free"}}]})";

constexpr const char* first_version = R"({"name":"v","steps":[
  {"key":"first","next":["last"]},{"key":"last"}]})";

constexpr const char* second_version = R"({"name":"v","steps":[
  {"key":"first","next":["extra"]},{"key":"extra","routes":[{"to":["last"]}]},{"key":"last"}]})";

constexpr const char* gathering_definition = R"({"name":"g","steps":[
  {"key":"part","next":["join"]},{"key":"join","gather":{"by":"count","size":2}}]})";
constexpr const char* regrouping_definition = R"({"name":"r","steps":[
  {"key":"sort","next":["stack"]},{"key":"stack","gather":{"by":"count","size":2}}]})";

/// What the rows refer to.
objects::memory_object_store& objects_of_tests() {
  static objects::memory_object_store store{[] { return core::instant{}; }};
  return store;
}

core::failure probe(const core::object_ref& ref) {
  const auto bytes = objects_of_tests().get(ref);
  return bytes ? core::failure{} : bytes.error();
}

/// A database in the middle of work, made by the decisions of core as the actors make it:
/// finished units whose events have been consumed and others whose have not, leases of every fate.
class clean_data : public store_fixture<postgres_world> {
public:
  explicit clean_data(bool regrouped = false) {
    policy.ttl = 10min;
    add_tasks();
    write({core::insert_workflow{workflow, "w", definition, now}, core::insert_step{label.row, now},
           core::insert_step{review.row, now}});
    std::vector<core::source_item> items;
    items.reserve(6);
    for (int i = 0; i < 6; ++i)
      items.push_back({"row-" + std::to_string(i), "{}", 2, {}, {}});
    auto added = core::add_units(label, items, ids, now);
    units = added.answer.units;
    keep(added.changes);

    // finished, counted and routed
    judge(units[0], "ana");
    const auto finalized = finalize(units[0], judge(units[0], "bob"));
    count_finished(label, finalized);
    route(units[0], finalized);
    add_spread_unit();
    add_units_of_two_versions();
    add_gathered_units();
    add_repaired_units();
    if (regrouped)
      add_regrouped_units();
    add_late_judgments();
    // finished, nobody knows yet
    judge(units[1], "ana");
    finalize(units[1], judge(units[1], "bob"));
    // in work, after an expiry, a release and a refusal
    ask(units[2], "ana", now - 1h);
    keep(core::decide(units[2], policy, core::expire{}, now - 30min).changes);
    give_back(units[2], "cid", false);
    give_back(units[2], "dan", true);
    judge(units[2], "ana");
    ask(units[2], "bob", now);
    // canceled under a live lease, counted
    ask(units[3], "ana", now);
    count_finished(label,
                   keep(core::decide(units[3], policy, core::unit_verb::cancel, now).changes));
    judge(units[4], "fay");
    keep(core::decide(units[4], policy, core::unit_verb::pause, now).changes);
    add_test_questions();
    add_corrected_units();
    // all judgments in, aggregation behind
    judge(units[5], "ana");
    judge(units[5], "bob");
    keep(core::seal(label, now).changes);
    write({core::advance_cursor{"routing", 0, routed},
           core::advance_cursor{"completion", 0, routed},
           core::advance_cursor{"aggregation", 0, routed}});
    add_webhook();
  }

  /// Commits and returns the number of the last event.
  core::event_seq keep(core::change changes) {
    const auto result = commit({{part(0, {std::move(changes)})}});
    BOOST_REQUIRE(is(result, commit_status::committed));
    return fences[0].last_event;
  }

  core::lease ask(core::unit& unit, const std::string& who, core::instant when) {
    auto asked = core::decide(unit, policy, core::ask{who, {ids.next(now)}}, when);
    keep(asked.changes);
    return asked.answer;
  }

  void give_back(core::unit& unit, const std::string& who, bool decline) {
    const auto lease = ask(unit, who, now);
    keep(core::decide(unit, policy, core::give_back{who, lease.token, decline}, now).changes);
  }

  /// Returns the number of the event.
  core::event_seq judge(core::unit& unit, const std::string& who, const std::string& answer = "x") {
    const auto lease = ask(unit, who, now);
    return keep(
        core::decide(unit, policy,
                     core::submit{who, lease.token, {ids.next(now)}, R"({"label":"x"})", answer},
                     now)
            .changes);
  }

  core::event_seq finalize(core::unit& unit, core::event_seq because,
                           const std::vector<core::way>& ways = {}) {
    return keep(core::decide(unit, core::aggregation_policy{}, ways,
                             core::aggregate_if_ready{"aggregation", {0, because}}, now)
                    .changes);
  }

  void count_finished(core::step& of, core::event_seq because) { count(of, because, 1, 0); }

  void count(core::step& of, core::event_seq because, std::uint64_t finished,
             std::uint64_t reopened) {
    auto counted = core::units_finished(of, finished, now, reopened);
    counted.changes.writes.push_back(core::insert_inbox{"completion", {0, because}});
    keep(counted.changes);
  }

  void route(const core::unit_record& parent, core::event_seq because) {
    auto added =
        core::add_units(review, {{parent.source_key, "{}", 2, parent.id, parent.root}}, ids, now);
    added.changes.writes.push_back(core::insert_inbox{"routing", {0, because}});
    keep(added.changes);
    routed = because;
  }

  /// A unit whose result is a list: each item has become a unit, which ana may not have.
  void add_spread_unit() {
    core::route none;
    none.when.answers = {"none"};
    core::route spread;
    spread.to = {"each"};
    const core::workflow_id spreading{ids.next(now)};
    core::step list{new_step(spreading, 0)};
    core::step each{new_step(spreading, 1)};
    list.row.key = "list";
    each.row.key = "each";
    write({core::insert_workflow{spreading, "s", spreading_definition, now},
           core::insert_step{list.row, now}, core::insert_step{each.row, now}});
    auto added = core::add_units(list, {{"list", "{}", 1, {}, {}}}, ids, now);
    auto& unit = added.answer.units.at(0);
    keep(added.changes);
    const auto finalized =
        finalize(unit, judge(unit, "ana", R"(["a","b"])"), {{none, {}}, {spread, {{1, false}}}});
    count_finished(list, finalized);
    std::vector<core::source_item> items;
    for (std::uint32_t part = 0; part < 2; ++part) {
      core::source_item item{core::child_key("list", unit.id, true, part), "{}", 1, unit.id,
                             unit.id};
      item.part = part;
      item.excluded = {"ana"};
      items.push_back(item);
    }
    auto children = core::add_units(each, items, ids, now);
    children.changes.writes.push_back(core::insert_inbox{"routing", {0, finalized}});
    keep(children.changes);
    routed = finalized;
  }

  /// A workflow that has got a step between its two: one item goes the old way, the other the new.
  void add_units_of_two_versions() {
    const core::workflow_id changing{ids.next(now)};
    core::step first{new_step(changing, 0)};
    core::step last{new_step(changing, 1)};
    core::step extra{new_step(changing, 2)};
    first.row.key = "first";
    last.row.key = "last";
    extra.row.key = "extra";
    write({core::insert_workflow{changing, "v", first_version, now},
           core::insert_step{first.row, now}, core::insert_step{last.row, now}});
    write({core::insert_workflow_version{changing, 2, second_version, now},
           core::insert_step{extra.row, now}});
    core::source_item of_second{"of-second", "{}", 1, {}, {}};
    of_second.version = 2;
    auto added = core::add_units(first, {{"of-first", "{}", 1, {}, {}}, of_second}, ids, now);
    keep(added.changes);
    go_on(first, added.answer.units.at(0), {}, last);
    auto between = go_on(first, added.answer.units.at(1), {}, extra);
    core::route onward;
    onward.to = {"last"};
    go_on(extra, between, {{onward, {{1, false}}}}, last);
  }

  /// Three units that came into a step that gathers by two: a batch, and one that waits.
  void add_gathered_units() {
    const core::workflow_id gathering{ids.next(now)};
    core::step part_step{new_step(gathering, 0)};
    core::step join{new_step(gathering, 1)};
    part_step.row.key = "part";
    join.row.key = "join";
    write({core::insert_workflow{gathering, "g", gathering_definition, now},
           core::insert_step{part_step.row, now}, core::insert_step{join.row, now}});
    std::vector<core::source_item> items;
    for (int i = 0; i < 3; ++i)
      items.push_back({"part-" + std::to_string(i), "{}", 1, {}, {}});
    auto added = core::add_units(part_step, items, ids, now);
    keep(added.changes);
    std::vector<core::unit_record> members;
    for (std::uint32_t i = 0; i < 3; ++i) {
      core::source_item item;
      item.gathered = true;
      if (i > 0)
        item.list = {added.answer.units[0].id, 5, i};
      members.push_back(go_on(part_step, added.answer.units[i], {}, join, item));
    }
    members.pop_back();
    keep(core::gather(join, members, "{}", 1, ids, now).changes);
  }

  /// Three units that are reviewed, with these verdicts, and one that need not be.
  void add_reviewed_units(const std::vector<core::review>& verdicts) {
    const core::workflow_id reviewing{ids.next(now)};
    core::step made{new_step(reviewing, 0)};
    core::step checked{new_step(reviewing, 1)};
    made.row.key = "made";
    checked.row.key = "checked";
    write({core::insert_workflow{reviewing, "c", reviewing_definition, now},
           core::insert_step{made.row, now}, core::insert_step{checked.row, now}});
    core::route end;
    end.when.answers = {"skip"};
    core::route onward;
    onward.to = {"checked"};
    const std::vector<core::way> ways{{end, {}}, {onward, {{1, false}}}};
    core::aggregation_policy reviews;
    reviews.method = core::aggregation_method::review;
    std::vector<core::source_item> items;
    for (std::size_t i = 0; i <= verdicts.size(); ++i)
      items.push_back({"made-" + std::to_string(i), "{}", 1, {}, {}});
    auto added = core::add_units(made, items, ids, now);
    keep(added.changes);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      auto& unit = added.answer.units[i];
      const auto finalized = finalize(unit, judge(unit, "ana", "cat"), ways);
      count_finished(made, finalized);
      auto child = core::add_units(
          checked,
          {{unit.source_key, R"({"data":{},"result":{"answer":"cat","confidence":1}})", 1, unit.id,
            unit.root}},
          ids, now);
      child.changes.writes.push_back(core::insert_inbox{"routing", {0, finalized}});
      keep(child.changes);
      auto& looked_at = child.answer.units.at(0);
      const auto told = judge(looked_at, "rex", core::to_text(verdicts[i]));
      count_finished(checked,
                     keep(core::decide(looked_at, reviews, {},
                                       core::aggregate_if_ready{"aggregation", {0, told}}, now)
                              .changes));
    }
    auto& last = added.answer.units.back();
    count_finished(made, finalize(last, judge(last, "ana", "skip"), ways));
  }

  /// Finishes the unit and makes its child, of `item` what is not of the unit.
  core::unit_record go_on(core::step& from, core::unit_record& unit,
                          const std::vector<core::way>& ways, core::step& to,
                          core::source_item item = {}) {
    const auto finalized = finalize(unit, judge(unit, "ana"), ways);
    count_finished(from, finalized);
    item.key = unit.source_key;
    item.input = "{}";
    item.parent = unit.id;
    item.root = unit.root;
    item.version = unit.version;
    auto added = core::add_units(to, {item}, ids, now);
    added.changes.writes.push_back(core::insert_inbox{"routing", {0, finalized}});
    keep(added.changes);
    routed = finalized;
    return added.answer.units.at(0);
  }

  /// What a finished unit becomes in a step that is entered from one other.
  core::unit_record make_child(core::step& to, const core::unit_record& unit,
                               core::event_seq because, core::source_item item = {}) {
    item.key = core::child_key(unit.source_key, unit.id, true, {}, unit.reopened);
    item.input = "{}";
    item.parent = unit.id;
    item.root = unit.root;
    item.parent_reopened = unit.reopened;
    auto added = core::add_units(to, {item}, ids, now);
    added.changes.writes.push_back(core::insert_inbox{"routing", {0, because}});
    keep(added.changes);
    routed = because;
    return added.answer.units.at(0);
  }

  /// Gil was removed after three units had been finished with what he said, and had gone on: the
  /// answer of the first stands, the second asks for another, and the third has got it. What had
  /// become of the second was still worked on; of the third, it was finished.
  void add_repaired_units() {
    const core::workflow_id mending{ids.next(now)};
    core::step mend{new_step(mending, 0)};
    core::step after{new_step(mending, 1)};
    mend.row.key = "mend";
    after.row.key = "after";
    write({core::insert_workflow{
               mending, "m",
               R"({"name":"m","steps":[{"key":"mend","next":["after"]},{"key":"after"}]})", now},
           core::insert_step{mend.row, now}, core::insert_step{after.row, now}});
    core::route onward;
    onward.to = {"after"};
    const std::vector<core::way> ways{{onward, {{1, false}}}};
    std::vector<core::unit_record> children;
    std::vector<core::source_item> items;
    for (int i = 0; i < 3; ++i)
      items.push_back({"mend-" + std::to_string(i), "{}", 2, {}, {}});
    auto added = core::add_units(mend, items, ids, now);
    keep(added.changes);
    core::repair_row repair{{ids.next(now)}, mend.row.id, "gil", false, 3, 3, {}, now, now};
    core::change repaired;
    for (std::size_t i = 0; i < 3; ++i) {
      auto& unit = added.answer.units[i];
      judge(unit, "gil", "x");
      const auto finalized = finalize(unit, judge(unit, "hal", i == 0 ? "x" : "y"), ways);
      count_finished(mend, finalized);
      children.push_back(make_child(after, unit, finalized));
      unit.result = R"({"answer":"x","confidence":0.5,"votes":{"x":1,"y":1},"tied":2})";
      unit.route = 0;
      auto decided = core::repair(
          unit, {}, ways, {{"gil"}, {"x", "", i > 0}, {}, {}, core::repair_policy::keep}, now);
      core::tally(repair.figures, decided.answer);
      for (auto& w : decided.changes.writes)
        repaired.writes.push_back(std::move(w));
      for (auto& e : decided.changes.events)
        repaired.events.push_back(std::move(e));
    }
    repaired.writes.push_back(core::put_repair{repair});
    repaired.writes.push_back(core::put_standing{mend.row.id, "gil",
                                                 core::contributor_standing::removed,
                                                 core::standing_reason::requester, now});
    const auto last = keep(repaired);
    count(mend, last - 1, 0, 1);
    count(mend, last, 0, 1);
    count_finished(after,
                   keep(core::decide(children[1], policy, {}, core::withdraw{}, now).changes));
    auto& finished = children[2];
    count_finished(after, finalize(finished, judge(finished, "ana")));
    const core::withdraw::finished was{0, R"({"answer":"x"})", core::no_route};
    keep(core::decide(finished, policy, {}, core::withdraw{was}, now).changes);
    auto& third = added.answer.units[2];
    const auto anew = finalize(third, judge(third, "ida", "y"), ways);
    count_finished(mend, anew);
    make_child(after, third, anew);
    auto later = repair;
    later.id = {ids.next(now)};
    later.dry_run = true;
    later.bookmark = 1;
    later.figures = {1, 1, 0, 0, 0, 1, 0};
    write({core::put_repair{later}});
  }

  /// Gil was removed after what he said had become part of a batch: that is canceled and so is what
  /// came of his answer; the other unit is in another batch, with what came of the next answer.
  void add_regrouped_units() {
    const core::workflow_id regrouping{ids.next(now)};
    core::step sort{new_step(regrouping, 0)};
    core::step stack{new_step(regrouping, 1)};
    sort.row.key = "sort";
    stack.row.key = "stack";
    write({core::insert_workflow{regrouping, "r", regrouping_definition, now},
           core::insert_step{sort.row, now}, core::insert_step{stack.row, now}});
    core::route onward;
    onward.to = {"stack"};
    const std::vector<core::way> ways{{onward, {{1, false}}}};
    core::source_item waits;
    waits.gathered = true;
    auto added =
        core::add_units(sort, {{"sort-0", "{}", 1, {}, {}}, {"sort-1", "{}", 1, {}, {}}}, ids, now);
    keep(added.changes);
    std::vector<core::unit_record> members;
    for (std::size_t i = 0; i < 2; ++i) {
      auto& unit = added.answer.units[i];
      const auto finalized = finalize(unit, judge(unit, i == 0 ? "gil" : "hal"), ways);
      count_finished(sort, finalized);
      members.push_back(make_child(stack, unit, finalized, waits));
    }
    auto made = core::gather(stack, members, "{}", 1, ids, now);
    keep(made.changes);
    auto& unit = added.answer.units[0];
    unit.result = R"({"answer":"x","confidence":1,"votes":{"x":1},"tied":1})";
    unit.route = 0;
    auto decided = core::repair(unit, {}, ways, {{"gil"}, {"x", "", false}, {}}, now);
    core::repair_row repair{{ids.next(now)}, sort.row.id, "gil", false, 2, 2, {}, now, now};
    core::tally(repair.figures, decided.answer);
    decided.changes.writes.push_back(core::put_repair{repair});
    decided.changes.writes.push_back(core::put_standing{sort.row.id, "gil",
                                                        core::contributor_standing::removed,
                                                        core::standing_reason::requester, now});
    count(sort, keep(decided.changes), 0, 1);
    auto& batch = made.answer;
    count_finished(stack, keep(core::decide(batch, policy, {}, core::withdraw{}, now).changes));
    count_finished(stack, keep(core::ungather(stack, {{batch.id, {members[0].id, members[1].id}}},
                                              {members[0].id}, now)
                                   .changes));
    members[1].ungathered = 1;
    const auto anew = finalize(unit, judge(unit, "ida"), ways);
    count_finished(sort, anew);
    members[0] = make_child(stack, unit, anew, waits);
    keep(core::gather(stack, {members[1], members[0]}, "{}", 1, ids, now).changes);
  }

  /// Ana was late twice: once her slot was still free, once bob had judged in her place.
  void add_late_judgments() {
    const core::workflow_id lenient{ids.next(now)};
    core::step late{new_step(lenient, 0)};
    late.row.key = "late";
    write({core::insert_workflow{lenient, "l", lenient_definition, now},
           core::insert_step{late.row, now}});
    auto added =
        core::add_units(late, {{"late-0", "{}", 1, {}, {}}, {"late-1", "{}", 1, {}, {}}}, ids, now);
    keep(added.changes);
    auto accepting = policy;
    accepting.late_submit = core::late_submit::accept_if_free;
    for (std::size_t i = 0; i < 2; ++i) {
      auto& unit = added.answer.units[i];
      const auto lease = ask(unit, "ana", now - 1h);
      keep(core::decide(unit, accepting, core::expire{}, now - 30min).changes);
      core::event_seq last = i == 0 ? 0 : judge(unit, "bob");
      auto decided = core::decide(
          unit, accepting,
          core::submit{"ana", lease.token, {ids.next(now)}, R"({"label":"x"})", "x"}, now);
      BOOST_TEST(decided.answer.surplus == (i == 1));
      const auto told = keep(std::move(decided.changes));
      last = i == 0 ? told : last;
      count_finished(late, finalize(unit, last));
    }
  }

  /// A result that was taken back by an override, an open unit that was overridden, and one of
  /// which a judgment was tainted by request and another one was corrected by its author.
  void add_corrected_units() {
    const core::workflow_id correcting{ids.next(now)};
    core::step fix{new_step(correcting, 0)};
    fix.row.key = "fix";
    write({core::insert_workflow{correcting, "k", R"({"name":"k","steps":[{"key":"fix"}]})", now},
           core::insert_step{fix.row, now}});
    std::vector<core::source_item> items;
    for (int i = 0; i < 3; ++i)
      items.push_back({"fix-" + std::to_string(i), "{}", 2, {}, {}});
    auto added = core::add_units(fix, items, ids, now);
    keep(added.changes);
    auto& finished = added.answer.units[0];
    judge(finished, "ana");
    finalize(finished, judge(finished, "bob"));
    const core::aggregation_policy majority;
    const std::vector<core::way> none;
    const core::correction_rules rules{policy, majority, none};
    core::finished_result was;
    was.standing.answer = "x";
    finished.result = R"({"answer":"x","confidence":1,"votes":{"x":2},"tied":1})";
    keep(core::correct_finished(finished, rules, correction(1, core::override_result{"y", {}, {}}),
                                was, now)
             .changes);
    auto& open = added.answer.units[1];
    ask(open, "ana", now);
    keep(
        core::correct(open, rules, correction(1, core::override_result{"y", {}, {}}), now).changes);
    auto& judged = added.answer.units[2];
    judge(judged, "ana");
    keep(core::correct(judged, rules, correction(1, core::taint_one{judged.judgments.front().id}),
                       now)
             .changes);
    judge(judged, "bob");
    keep(core::decide(
             judged, core::judgment_correction_rules{1h},
             core::correct_judgment{"bob", judged.judgments.back().id, 1, R"({"label":"z"})", "z"},
             now)
             .changes);
  }

  core::correction_command correction(std::uint32_t number,
                                      decltype(core::correction_command::what) what) {
    return {{{ids.next(now)}, number, "token rita", "it is wrong"}, std::move(what)};
  }

  /// A test question that is answered and one that is canceled; a contributor who was removed, with
  /// nothing left that counts, and one who may work again.
  void add_test_questions() {
    for (std::uint64_t i = 0; i < 2; ++i) {
      auto question = new_unit(label.row.id, 100 + i, 1'000'000'000);
      question.source_key = "test-" + std::to_string(i);
      question.truth = R"("x")";
      write({question});
      questions.push_back(question.id);
    }
    answer_test(questions[0], "ana", 1, true);
    answer_test(questions[0], "fay", 2, false);
    answer_test(questions[1], "ana", 1, false);
    write({core::set_unit_state{questions[1], core::unit_state::canceled, now}});
    using core::contributor_standing;
    using core::standing_reason;
    write({core::put_standing{label.row.id, "fay", contributor_standing::removed,
                              standing_reason::test_questions, now},
           core::taint_judgment{units[4].id, "fay", now},
           core::put_standing{label.row.id, "dan", contributor_standing::working,
                              standing_reason::requester, now},
           core::insert_flag{label.row.id, "dan", core::monitor::speed, "too fast", now}});
    write({core::put_profile{"ana", {{"app", "web"}, {"Ner", "ner"}, {}, "DE-BY", {}}, now},
           core::put_profile{"eve", {{}, {}, {"gdpr"}, {}, 0.75}, now}});
  }

  void answer_test(core::unit_id question, const std::string& who, core::token token,
                   bool correct) {
    write({core::insert_lease{question, {{ids.next(now)}, who, token, now, now + policy.ttl}}});
    core::insert_judgment judged{{ids.next(now)}, question, who,    token, R"({"label":"x"})", "x",
                                 4.0 / 6,         now,      correct};
    core::event received{
        core::event_type::judgment_received, label.row.id, question, judged.id, now, {}};
    auto verdict = received;
    verdict.type = core::event_type::test_judgment;
    keep({{judged}, {received, verdict}});
  }

  /// A webhook that has stopped, with a dead letter behind it.
  void add_webhook() {
    core::put_webhook w;
    w.id = {ids.next(now)};
    w.name = "billing";
    w.definition = R"({"url":"https://example.com/","secret":"billing","start":"oldest"})";
    w.start = core::event_start::oldest;
    w.at = now;
    write({w});
    const auto event = test_cluster::instance().sql(
        "SELECT payload FROM report.outbox WHERE shard_id = 0 AND seq = 2")[0][0];
    write({core::put_webhook_position{w.id, 0, 3, 1, "HTTP 410", now},
           core::put_dead_letter{w.id, {0, 2}, event.as<std::string>(), 422, "HTTP 422", now}});
  }

  /// Tasks of every fate.
  void add_tasks() {
    keep({{core::put_queue{"mail", "{}", false, {"mail.delete"}, 1, now}}, {}});
    const auto in_work = enqueue("in-work");
    lease(in_work, 1, now - 1h);
    keep({{core::end_task_lease{in_work, 1, core::attempt_ending::expired, {}, now - 50min}}, {}});
    lease(in_work, 2, now);
    keep({{core::insert_late_result{in_work, 1, "worker", "completed", "{}", now}}, {}});
    enqueue("waiting");
    const auto completed = enqueue("completed");
    lease(completed, 1, now - 1min);
    finish(completed, 1, core::task_ending::completed);
    const auto dead = enqueue("dead");
    lease(dead, 1, now - 2min);
    keep({{core::end_task_lease{dead, 1, core::attempt_ending::lost, {"CRASH", "signal 11"}, now}},
          {}});
    finish(dead, 0, core::task_ending::dead);
    const auto revived = enqueue("revived");
    lease(revived, 1, now - 1min);
    finish(revived, 1, core::task_ending::failed);
    keep({{core::revive_task{revived, {}, "revived"}}, {}});
    finish(enqueue("canceled"), 0, core::task_ending::canceled);
    keep({{core::put_schedule_row{"mail", "daily", R"({"cron":"@daily","task":{"type":"t"}})",
                                  now - 24h, now - 1h, now - 1h, 1, now}},
          {}});
    add_removed_queue();
    add_references();
    stage("waits");
    stage("refused");
    const auto staged = value_of(db->load_staged("mail", 2, 1000)).tasks;
    keep({{core::refuse_staged{staged.at(1).id, core::errc::wrong_state, "no state X", now}}, {}});
  }

  /// A queue that is gone, and its finished task that is not.
  void add_removed_queue() {
    keep({{core::put_queue{"letters", "{}", false, {}, 1, now}}, {}});
    finish(enqueue("removed", "letters"), 0, core::task_ending::canceled);
    keep({{core::delete_queue{"letters", now}}, {}});
  }

  /// A task with all its documents in the object store, and a result that came late.
  void add_references() {
    core::insert_task made;
    made.queue = "mail";
    made.spec.id = {ids.next(now)};
    made.spec.type = "mail.send";
    made.spec.body = ref_to("body");
    made.progress.data = ref_to("data");
    made.spec.created_at = now;
    keep({{made}, {}});
    lease(made.spec.id, 1, now - 1min);
    core::finish_task over;
    over.task = made.spec.id;
    over.token = 1;
    over.result = ref_to("result");
    over.progress.data = ref_to("data");
    over.progress.execution_state = ref_to("bookmark");
    over.at = now;
    keep({{over}, {}});
    keep({{core::insert_late_result{made.spec.id, 1, "worker", "completed", ref_to("late"), now}},
          {}});
    auto live = made;
    live.spec.id = {ids.next(now)};
    keep({{live}, {}});
  }

  static std::string ref_to(const std::string& text) {
    return core::to_json(value_of(objects_of_tests().put(text)));
  }

  void stage(const std::string& key) {
    core::new_task task;
    task.spec.id = {ids.next(now)};
    task.spec.type = "mail.send";
    task.spec.version = "1.0";
    task.spec.body = "{}";
    task.spec.key = key;
    value_of(world.stage("mail", task));
  }

  core::task_id enqueue(const std::string& unique_key, const std::string& queue = "mail") {
    core::insert_task made;
    made.queue = queue;
    made.spec.id = {ids.next(now)};
    made.spec.type = "mail.send";
    made.spec.body = R"({"to":"ana"})";
    made.spec.unique_key = unique_key;
    made.spec.created_at = now;
    keep({{made}, {}});
    return made.spec.id;
  }

  void lease(core::task_id task, core::token token, core::instant granted_at) {
    keep({{core::insert_task_lease{
              task, {{ids.next(now)}, "worker", token, granted_at, granted_at + policy.ttl}}},
          {}});
  }

  void finish(core::task_id task, core::token token, core::task_ending ending) {
    core::finish_task w;
    w.task = task;
    w.token = token;
    w.ending = ending;
    if (ending == core::task_ending::completed)
      w.result = R"({"sent":true})";
    else
      w.error = {"GONE", "no such mailbox"};
    w.progress.execution_state = R"({"row":17})";
    w.at = now;
    keep({{w}, {}});
  }

  core::instant now = value_of(db->now());
  core::workflow_id workflow{ids.next(now)};
  core::step label{new_step(workflow, 0)};
  core::step review{new_step(workflow, 1)};
  std::vector<core::unit_record> units;
  std::vector<core::unit_id> questions;
  core::event_seq routed = 0;
};

/// Copies of the clean database, to break. Made once.
class breakable {
public:
  explicit breakable(bool regrouped = false) {
    clean_data filled{regrouped};
    // The template must have no other sessions; so it is a copy as well.
    auto& cluster = test_cluster::instance();
    filled.db.reset();
    execute(cluster.conninfo() + " dbname=template1", "DROP DATABASE IF EXISTS clean");
    execute(cluster.conninfo() + " dbname=template1", "CREATE DATABASE clean TEMPLATE postgres");
  }

  /// Runs `sql` on a fresh copy, then all checks; the names of those that fired.
  std::set<std::string> fired_by(const std::string& sql) {
    auto& cluster = test_cluster::instance();
    const auto copy = cluster.conninfo() + " dbname=broken";
    execute(cluster.conninfo(), "DROP DATABASE IF EXISTS broken");
    execute(cluster.conninfo(), "CREATE DATABASE broken TEMPLATE clean");
    execute(copy, sql);
    std::set<std::string> fired;
    violations.clear();
    samples.clear();
    for (const auto& result : value_of(persistence::verify(copy, probe))) {
      violations[result.what.name] = result.violations;
      samples[result.what.name] = result.samples;
      BOOST_TEST(result.samples.size() == std::min<std::uint64_t>(result.violations, 5));
      if (result.violations > 0)
        fired.insert(result.what.name);
    }
    return fired;
  }

  /// Of each check, when all were run last.
  std::map<std::string, std::uint64_t> violations;
  std::map<std::string, std::vector<std::string>> samples;

  /// Those that fire on the same copy for somebody who may only read.
  std::set<std::string> fired_for_reader() const {
    auto& cluster = test_cluster::instance();
    execute(cluster.conninfo(), "DROP ROLE IF EXISTS reader; CREATE ROLE reader;"
                                "GRANT pg_read_all_data TO reader;"
                                "REVOKE TEMP ON DATABASE broken FROM PUBLIC;"
                                "ALTER ROLE holdfast IN DATABASE broken SET"
                                " default_transaction_read_only = on");
    std::set<std::string> fired;
    for (const auto& result : value_of(persistence::verify(
             cluster.conninfo() + " dbname=broken options='-c role=reader'", probe)))
      if (result.violations > 0)
        fired.insert(result.what.name);
    execute(cluster.conninfo(),
            "DROP ROLE reader; ALTER ROLE holdfast IN DATABASE broken RESET ALL");
    return fired;
  }

private:
  static void execute(const std::string& where, const std::string& sql) {
    pqxx::connection database{where};
    pqxx::nontransaction tx{database};
    tx.exec(sql);
  }
};

struct mutant {
  const char* what;
  const char* sql;
  std::set<std::string> must_fire;
};

// Names used below: row-0 is finalized and routed, row-1 finalized, row-2 in work, row-3 canceled,
// row-4 paused with a tainted judgment of fay, who is removed, row-5 full and not yet aggregated;
// test-0 is a test question with two answers, test-1 a canceled one with one; of-second has gone
// through first and extra to last, as version 2 has it; part-0 and part-1 have become a batch in
// join, where part-2 waits.
const std::vector<mutant> mutants{
    {"a reference to nothing in a live task",
     "UPDATE holdfast.tasks SET body = replace(body, 'sha256:', 'sha256:00')"
     " WHERE starts_with(body, '{\"$holdfast')",
     {"references_have_their_objects"}},
    {"a reference to nothing in a finished task",
     "UPDATE holdfast.finished_tasks SET result = overlay(result PLACING repeat('0', 64) FROM 29)"
     " WHERE starts_with(result, '{\"$holdfast')",
     {"references_have_their_objects"}},
    {"a reference to nothing in a late result",
     "UPDATE holdfast.late_results SET detail = overlay(detail PLACING repeat('0', 64) FROM 29)"
     " WHERE starts_with(detail, '{\"$holdfast')",
     {"references_have_their_objects"}},
    {"a reference to nothing in a unit",
     "UPDATE holdfast.units SET input = '{\"$holdfast.object\":\"sha256:' || repeat('0', 64)"
     " || '\",\"bytes\":9}' WHERE source_key = 'row-5'",
     {"references_have_their_objects"}},
    {"a reference to nothing in a judgment",
     "UPDATE holdfast.judgments SET payload = '{\"$holdfast.object\":\"sha256:' || repeat('0', 64)"
     " || '\",\"bytes\":9}' WHERE unit_id ="
     " (SELECT unit_id FROM holdfast.units WHERE source_key = 'row-2')",
     {"references_have_their_objects"}},
    {"a reference to nothing in surplus",
     "UPDATE holdfast.surplus_judgments SET payload = '{\"$holdfast.object\":\"sha256:' || "
     "repeat('0', 64)"
     " || '\",\"bytes\":9}'",
     {"references_have_their_objects"}},
    {"votes of a removed contributor in a result",
     "UPDATE holdfast.units SET result = replace(result, '\"x\":1', '\"x\":2')"
     " WHERE source_key = 'mend-0' AND state = 3 AND result LIKE '%votes%'"
     " AND parent_id IS NULL",
     {"results_count_what_counts"}},
    {"a lease too many",
     "INSERT INTO holdfast.active_leases SELECT unit_id, 'eve', 99, gen_random_uuid(), now(),"
     " now() + interval '1 h' FROM holdfast.units WHERE source_key = 'row-5'",
     {"slots_not_exceeded"}},
    {"slots taken away",
     "UPDATE holdfast.units SET slots = 1 WHERE source_key = 'row-2'",
     {"slots_not_exceeded"}},
    {"two leases of one contributor",
     "ALTER TABLE holdfast.active_leases DROP CONSTRAINT active_leases_pkey;"
     "INSERT INTO holdfast.active_leases SELECT unit_id, contributor_id, 99, gen_random_uuid(),"
     " granted_at, expires_at FROM holdfast.active_leases",
     {"one_lease_per_contributor", "constraints_in_force"}},
    {"two judgments of one contributor",
     "ALTER TABLE holdfast.judgments DROP CONSTRAINT judgments_pkey;"
     "UPDATE holdfast.judgments SET contributor_id = 'ana'",
     {"one_judgment_per_contributor"}},
    {"two judgments of one id",
     "ALTER TABLE holdfast.judgments DROP CONSTRAINT judgments_judgment_id_key;"
     "UPDATE holdfast.judgments j SET judgment_id = (SELECT min(judgment_id::text)::uuid"
     " FROM holdfast.judgments WHERE unit_id = j.unit_id)",
     {"one_judgment_per_contributor", "judgment_has_its_event"}},
    {"judged without ending the lease",
     "INSERT INTO holdfast.active_leases SELECT unit_id, contributor_id, 99, gen_random_uuid(),"
     " now(), now() + interval '1 h' FROM holdfast.judgments j JOIN holdfast.units u"
     " USING (unit_id) WHERE source_key = 'row-2'",
     {"judge_holds_no_lease", "slots_not_exceeded"}},
    {"a token granted again",
     "UPDATE holdfast.active_leases l SET token = (SELECT min(token) FROM holdfast.judgments j"
     " WHERE j.unit_id = l.unit_id)",
     {"tokens_unique"}},
    {"a token lower than an earlier one",
     "UPDATE holdfast.ended_leases SET granted_at = granted_at + interval '2 h',"
     " expires_at = expires_at + interval '2 h', ended_at = ended_at + interval '2 h'"
     " WHERE token = 1",
     {"tokens_grow_with_time"}},
    {"an assignment id used twice",
     "UPDATE holdfast.judgments SET assignment_id = (SELECT assignment_id"
     " FROM holdfast.active_leases)",
     {"assignment_ids_unique"}},
    {"a judgment without its event (dual write)",
     "INSERT INTO holdfast.judgments SELECT gen_random_uuid(), unit_id, gen_random_uuid(), 99,"
     " now(), now() + interval '1 h', now(), 1, false, false, NULL, 'eve', 'x', '{}'"
     " FROM holdfast.units WHERE source_key = 'row-4'",
     {"judgment_has_its_event"}},
    {"an acknowledged judgment lost",
     "DELETE FROM holdfast.judgments WHERE unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'row-2')",
     {"judgment_has_its_event"}},
    {"a judgment reported for another unit",
     "UPDATE holdfast.judgments SET unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'row-4'), contributor_id = contributor_id || token"
     " WHERE unit_id = (SELECT unit_id FROM holdfast.units WHERE source_key = 'row-5')",
     {"judgment_has_its_event"}},
    {"finalized without telling",
     "UPDATE holdfast.units SET state = 3, result = '{}', confidence = 1"
     " WHERE source_key = 'row-5'",
     {"finished_unit_has_its_event", "finalized_by_one_message", "completed_units_counted"}},
    {"an event of finalizing that never was",
     "UPDATE holdfast.units SET state = 1, result = NULL, confidence = NULL, route = NULL"
     " WHERE source_key = 'row-1'",
     {"finished_unit_has_its_event", "finalized_by_one_message"}},
    {"canceled without telling",
     "UPDATE holdfast.units SET state = 4 WHERE source_key = 'row-4'",
     {"finished_unit_has_its_event"}},
    {"the child lost",
     "DELETE FROM holdfast.units WHERE parent_id IS NOT NULL AND source_key = 'row-0';"
     "UPDATE holdfast.steps SET total_units = 0 WHERE key = 'step-1'",
     {"children_follow_the_routes"}},
    {"an item lost",
     "DELETE FROM holdfast.unit_exclusions;"
     "DELETE FROM holdfast.units WHERE part = 1;"
     "UPDATE holdfast.steps SET total_units = 1 WHERE key = 'each'",
     {"children_follow_the_routes"}},
    {"an item too many",
     "UPDATE holdfast.units SET result = replace(result, ',\\\"b\\\"', '')"
     " WHERE source_key = 'list'",
     {"children_follow_the_routes", "chain_is_sound"}},
    {"a route taken by mistake",
     "UPDATE holdfast.units SET route = 0 WHERE source_key = 'list'",
     {"chain_is_sound"}},
    {"a route forgotten",
     "UPDATE holdfast.units SET route = NULL WHERE source_key = 'list'",
     {"routed_when_finalized", "chain_is_sound"}},
    {"a route that is not there",
     "UPDATE holdfast.units SET route = 2 WHERE source_key = 'list'",
     {"routed_when_finalized", "chain_is_sound"}},
    {"a route without a reason",
     "UPDATE holdfast.units SET route_reason = NULL WHERE source_key = 'list'",
     {"routed_when_finalized"}},
    {"a chain sent back twice at once",
     "UPDATE holdfast.units SET loops = 2 WHERE part = 1",
     {"chain_is_sound"}},
    {"somebody excluded who had it",
     "INSERT INTO holdfast.unit_exclusions SELECT unit_id, 'bob' FROM holdfast.units"
     " WHERE source_key = 'row-0' AND parent_id IS NULL",
     {"excluded_have_no_part"}},
    {"somebody excluded who has a lease",
     "INSERT INTO holdfast.unit_exclusions SELECT unit_id, contributor_id"
     " FROM holdfast.active_leases",
     {"excluded_have_no_part"}},
    {"somebody excluded who gave it back",
     "INSERT INTO holdfast.unit_exclusions SELECT unit_id, contributor_id"
     " FROM holdfast.ended_leases WHERE ending = 2",
     {"excluded_have_no_part"}},
    {"a slot that waits for no task",
     "UPDATE holdfast.active_leases SET contributor_id = 'task:models/label'",
     {"task_slots_have_their_task"}},
    {"a task that said something else",
     "UPDATE holdfast.judgments SET contributor_id = 'task:mail/send', judgment_id ="
     " (SELECT task_id FROM holdfast.finished_tasks WHERE ending = 1 LIMIT 1)"
     " WHERE unit_id = (SELECT unit_id FROM holdfast.units WHERE source_key = 'row-4')",
     {"task_slots_have_their_task"}},
    {"a task that said something else, which is in the object store",
     "UPDATE holdfast.finished_tasks SET result = '{\"$holdfast.object\":\"sha256:a\"}'"
     " WHERE ending = 1;"
     "UPDATE holdfast.judgments SET contributor_id = 'task:mail/send', payload ="
     " '{\"$holdfast.object\":\"sha256:b\"}', judgment_id ="
     " (SELECT task_id FROM holdfast.finished_tasks WHERE ending = 1 LIMIT 1)"
     " WHERE unit_id = (SELECT unit_id FROM holdfast.units WHERE source_key = 'row-4')",
     {"task_slots_have_their_task"}},
    {"routing skipped an event",
     "UPDATE holdfast.consumer_cursors SET seq = (SELECT event_seq FROM holdfast.shard_leases"
     " WHERE shard = 0) WHERE consumer = 'routing'",
     {"children_follow_the_routes"}},
    {"a child in a step without a route",
     "UPDATE holdfast.workflows SET definition = replace(definition, 'step-1\"]', 'other\"]')",
     {"chain_is_sound"}},
    {"a child of another root",
     "UPDATE holdfast.units SET root_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'row-4') WHERE parent_id IS NOT NULL",
     {"chain_is_sound"}},
    {"a child of an open parent",
     "UPDATE holdfast.units SET parent_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'row-4') WHERE parent_id IS NOT NULL AND source_key = 'row-0'",
     {"chain_is_sound", "children_follow_the_routes"}},
    {"the child of a unit in a step that came later lost",
     "DELETE FROM holdfast.units WHERE source_key = 'of-second' AND step_id ="
     " (SELECT step_id FROM holdfast.steps WHERE key = 'last')",
     {"children_follow_the_routes"}},
    {"a chain under a version that leads elsewhere",
     "UPDATE holdfast.units SET version = 1 WHERE source_key = 'of-second'",
     {"chain_is_sound", "children_follow_the_routes", "units_have_their_version"}},
    {"a route forgotten in a step that came later",
     "UPDATE holdfast.units SET route_reason = NULL WHERE source_key = 'of-second'",
     {"routed_when_finalized"}},
    {"a version lost",
     "DELETE FROM holdfast.workflow_versions",
     {"chain_is_sound", "units_have_their_version"}},
    {"a child under another version than its parent",
     "UPDATE holdfast.units SET version = 1 WHERE source_key = 'of-second' AND step_id ="
     " (SELECT step_id FROM holdfast.steps WHERE key = 'last')",
     {"units_have_their_version"}},
    {"the workflow engine ran twice",
     "DROP INDEX holdfast.units_by_parent; INSERT INTO holdfast.units SELECT gen_random_uuid(),"
     " step_id, root_id, parent_id, 77, created_at, NULL, NULL, slots, 1, 'twin', input, NULL"
     " FROM holdfast.units WHERE parent_id IS NOT NULL AND source_key = 'row-0'",
     {"one_child_per_step", "total_units_counted"}},
    {"a batch that lost its units",
     "UPDATE holdfast.units SET batch_id = NULL",
     {"batches_are_whole", "chain_is_sound", "completed_units_counted"}},
    {"a batch that goes on from what is not part of it",
     "UPDATE holdfast.units b SET parent_id = w.unit_id, root_id = w.root_id FROM holdfast.units w"
     " WHERE starts_with(b.source_key, 'batch:') AND w.state = 5 AND w.batch_id IS NULL",
     {"batches_are_whole", "chain_is_sound"}},
    {"a batch that goes on in another step",
     "UPDATE holdfast.units SET step_id = (SELECT step_id FROM holdfast.steps WHERE key = 'part'),"
     " ordinal = 99 WHERE starts_with(source_key, 'batch:')",
     {"batches_are_whole", "chain_is_sound", "total_units_counted"}},
    {"a unit gathered under another version than its batch",
     "UPDATE holdfast.units SET version = 2 WHERE source_key = 'part-1' AND state = 5",
     {"batches_are_whole", "units_have_their_version"}},
    {"a unit gathered before it came",
     "UPDATE holdfast.units SET ordinal = 99 WHERE source_key = 'part-1' AND state = 5",
     {"batches_are_whole"}},
    {"a batch sent back more often than its units",
     "UPDATE holdfast.units SET loops = 1 WHERE starts_with(source_key, 'batch:')",
     {"batches_are_whole"}},
    {"a batch that waits for another",
     "UPDATE holdfast.units SET state = 5 WHERE starts_with(source_key, 'batch:')",
     {"batches_are_whole"}},
    {"a judgment on a gathered unit",
     "UPDATE holdfast.judgments SET unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'part-2' AND state = 5) WHERE unit_id = (SELECT unit_id"
     " FROM holdfast.units WHERE source_key = 'row-4')",
     {"batches_are_whole", "judgment_has_its_event"}},
    {"a lease on a gathered unit",
     "UPDATE holdfast.active_leases SET unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'part-2' AND state = 5)",
     {"batches_are_whole", "finished_units_hold_no_lease"}},
    {"a unit that waits and was counted",
     "UPDATE holdfast.steps SET completed_units = completed_units + 1 WHERE key = 'join'",
     {"completed_units_counted"}},
    {"completed_units counted twice",
     "UPDATE holdfast.steps SET completed_units = completed_units + 1 WHERE key = 'step-0'",
     {"completed_units_counted"}},
    {"an event counted without its effect",
     "INSERT INTO holdfast.inbox SELECT 'completion', shard_id, seq FROM report.outbox"
     " WHERE event_type = 'UnitFinalized' ON CONFLICT DO NOTHING",
     {"completed_units_counted"}},
    {"total_units wrong",
     "UPDATE holdfast.steps SET total_units = 99 WHERE key = 'step-0'",
     {"total_units_counted"}},
    {"a step completed too early",
     "ALTER TABLE holdfast.steps DROP CONSTRAINT steps_check1;"
     "UPDATE holdfast.steps SET status = 3 WHERE key = 'step-0'",
     {"completed_step_is_done"}},
    {"a step that never completes",
     "ALTER TABLE holdfast.steps DROP CONSTRAINT steps_check;"
     "UPDATE holdfast.steps SET completed_units = total_units WHERE key = 'step-0'",
     {"completed_step_is_done"}},
    {"an outbox row lost",
     "DELETE FROM holdfast.outbox WHERE first_seq = (SELECT first_seq FROM holdfast.outbox"
     " ORDER BY first_seq OFFSET 3 LIMIT 1)",
     {"outbox_without_gaps"}},
    {"the last outbox row lost",
     "DELETE FROM holdfast.outbox WHERE first_seq = (SELECT max(first_seq) FROM holdfast.outbox)",
     {"outbox_without_gaps"}},
    {"an outbox row cut short",
     "UPDATE holdfast.outbox SET events = '[]' WHERE count = 1",
     {"outbox_counts_match"}},
    {"an event of no type",
     "UPDATE holdfast.outbox SET events = replace(events, '\"type\":', '\"typ\":')",
     {"outbox_counts_match"}},
    {"two writers of one shard",
     "UPDATE holdfast.outbox SET epoch = epoch + 1 WHERE first_seq = 1;"
     "UPDATE holdfast.shard_leases SET epoch = epoch + 1",
     {"one_writer_per_epoch"}},
    {"a batch beyond its lease row",
     "UPDATE holdfast.shard_leases SET batch_seq ="
     " (SELECT max(batch_seq) - 1 FROM holdfast.outbox WHERE shard = 0) WHERE shard = 0",
     {"one_writer_per_epoch"}},
    {"an epoch that fell",
     "UPDATE holdfast.shard_leases SET host = NULL, epoch = 0",
     {"one_writer_per_epoch"}},
    {"a shard lost", "DELETE FROM holdfast.shard_leases WHERE shard = 3", {"shards_complete"}},
    {"a shard too many",
     "INSERT INTO holdfast.shard_leases (shard) VALUES (4)",
     {"shards_complete"}},
    {"a message applied twice",
     "ALTER TABLE holdfast.inbox DROP CONSTRAINT inbox_pkey;"
     "INSERT INTO holdfast.inbox SELECT * FROM holdfast.inbox WHERE consumer = 'routing'",
     {"message_applied_once"}},
    {"a message from nowhere",
     "INSERT INTO holdfast.inbox VALUES ('routing', 0, 424242)",
     {"message_applied_once"}},
    {"a cursor ahead of the events",
     "UPDATE holdfast.consumer_cursors SET seq = 424242 WHERE consumer = 'completion'",
     {"cursors_within_events"}},
    {"a webhook without a shard",
     "DELETE FROM holdfast.webhook_positions WHERE shard = 3",
     {"webhooks_have_every_shard"}},
    {"a webhook ahead of the events",
     "UPDATE holdfast.webhook_positions SET seq = 424242 WHERE shard = 0",
     {"webhooks_within_events"}},
    {"a webhook that has stopped under a revision to come",
     "UPDATE holdfast.webhook_positions SET stopped_revision = 2, reason = 'x'",
     {"webhooks_within_events"}},
    {"a dead letter of no event",
     "UPDATE holdfast.dead_letters SET seq = 424242",
     {"dead_letters_are_events"}},
    {"a dead letter of another event",
     "UPDATE holdfast.dead_letters SET seq = seq + 1",
     {"dead_letters_are_events"}},
    {"finalized by two messages",
     "INSERT INTO holdfast.inbox SELECT 'aggregation', shard_id, seq FROM report.outbox"
     " WHERE event_type = 'JudgmentReceived' ON CONFLICT DO NOTHING",
     {"finalized_by_one_message"}},
    {"nobody sweeps",
     "UPDATE holdfast.active_leases SET granted_at = now() - interval '2 h',"
     " expires_at = now() - interval '61 s';"
     "UPDATE holdfast.shard_leases SET taken_at = now() - interval '1 h'",
     {"expired_leases_swept"}},
    {"aggregation skipped an event",
     "UPDATE holdfast.consumer_cursors SET seq = (SELECT event_seq FROM holdfast.shard_leases"
     " WHERE shard = 0) WHERE consumer = 'aggregation'",
     {"full_units_aggregated"}},
    {"finalized without a result",
     "ALTER TABLE holdfast.units DROP CONSTRAINT units_result_check,"
     " DROP CONSTRAINT units_check1;"
     "UPDATE holdfast.units SET result = NULL WHERE source_key = 'row-0' AND state = 3",
     {"finalized_shape"}},
    {"a confidence of 2",
     "ALTER TABLE holdfast.units DROP CONSTRAINT units_confidence_check;"
     "UPDATE holdfast.units SET confidence = 2 WHERE state = 3",
     {"finalized_shape"}},
    {"finalized on too few judgments",
     "UPDATE holdfast.units SET slots = 3 WHERE source_key = 'row-0'",
     {"finalized_shape"}},
    {"a lease on a canceled unit",
     "UPDATE holdfast.active_leases SET unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'row-3')",
     {"finished_units_hold_no_lease"}},
    {"a judgment after its lease",
     "UPDATE holdfast.judgments SET submitted_at = lease_expires_at",
     {"judged_within_the_lease"}},
    {"a judgment in time that is marked as late",
     "UPDATE holdfast.judgments SET is_late = true",
     {"judged_within_the_lease", "late_by_policy"}},
    {"a late judgment that nobody accepts",
     "UPDATE holdfast.workflows SET definition = replace(definition, 'accept_if_free', 'surplus')",
     {"late_by_policy"}},
    {"surplus that nobody keeps",
     "DELETE FROM holdfast.judgments WHERE is_late;"
     "UPDATE holdfast.workflows SET definition = replace(definition, 'accept_if_free', 'reject')",
     {"late_by_policy"}},
    {"surplus of a lease that was given back",
     "UPDATE holdfast.ended_leases e SET ending = 2 FROM holdfast.surplus_judgments s"
     " WHERE e.unit_id = s.unit_id AND e.token = s.token",
     {"surplus_kept_apart"}},
    {"surplus of somebody else",
     "UPDATE holdfast.surplus_judgments SET contributor_id = 'bob'",
     {"surplus_kept_apart"}},
    {"surplus that came in time",
     "UPDATE holdfast.surplus_judgments SET submitted_at = submitted_at - interval '2 h'",
     {"surplus_kept_apart"}},
    {"surplus that counts as well",
     "UPDATE holdfast.surplus_judgments s SET judgment_id = (SELECT judgment_id"
     " FROM holdfast.judgments j WHERE j.unit_id = s.unit_id)",
     {"surplus_kept_apart"}},
    {"surplus of no unit",
     "UPDATE holdfast.surplus_judgments SET unit_id = gen_random_uuid()",
     {"rows_have_their_owner", "surplus_kept_apart"}},
    {"a lease expired early",
     "UPDATE holdfast.ended_leases SET ended_at = expires_at - interval '1 us' WHERE ending = 1",
     {"leases_not_ended_early"}},
    {"a unit lost",
     "DELETE FROM holdfast.units WHERE source_key = 'row-2'",
     {"rows_have_their_owner", "total_units_counted"}},
    {"a source row twice",
     "DROP INDEX holdfast.units_by_source_key, holdfast.units_by_ordinal;"
     "UPDATE holdfast.units SET source_key = 'row-4', ordinal = 1 WHERE source_key = 'row-5'",
     {"source_keys_unique"}},
    {"a lease on a finished task",
     "INSERT INTO holdfast.task_leases SELECT task_id, 99, gen_random_uuid(), now(),"
     " now() + interval '1 h', 'eve' FROM holdfast.finished_tasks",
     {"task_lease_has_its_task"}},
    {"two leases of one task",
     "ALTER TABLE holdfast.task_leases DROP CONSTRAINT task_leases_pkey;"
     "INSERT INTO holdfast.task_leases SELECT task_id, 99, gen_random_uuid(), granted_at,"
     " expires_at, 'eve' FROM holdfast.task_leases",
     {"task_lease_has_its_task", "constraints_in_force"}},
    {"a task finished and left behind",
     "INSERT INTO holdfast.finished_tasks (task_id, created_at, finished_at, next_action,"
     " last_change, last_action, max_attempts, attempts, crashes, percent, priority, ending, "
     "paused,"
     " queue, type, version, state, key, credential, trace_id, span_id, owner_id, run_as_id,"
     " error_code, error_detail, data, execution_state, body) SELECT task_id, created_at, now(),"
     " next_action, last_change, last_action, max_attempts, attempts, crashes, percent, priority, "
     "3,"
     " paused, queue, type, version, state, key, credential, trace_id, span_id, owner_id, "
     "run_as_id,"
     " '', '', data, execution_state, body FROM holdfast.tasks WHERE unique_key = 'waiting'",
     {"task_live_or_finished"}},
    {"a task's token granted again",
     "UPDATE holdfast.task_leases SET token = 1",
     {"task_tokens_grow_with_time"}},
    {"a task's token lower than an earlier one",
     "UPDATE holdfast.task_attempts SET granted_at = granted_at + interval '2 h',"
     " expires_at = expires_at + interval '2 h', ended_at = ended_at + interval '2 h'"
     " WHERE ending = 4",
     {"task_tokens_grow_with_time"}},
    {"the token of a finished task granted again",
     "INSERT INTO holdfast.task_attempts SELECT task_id, token, gen_random_uuid(), granted_at,"
     " expires_at, finished_at, 1, 'eve', '', '' FROM holdfast.finished_tasks WHERE ending = 1",
     {"task_tokens_grow_with_time"}},
    {"a unique key twice",
     "DROP INDEX holdfast.tasks_by_unique_key;"
     "UPDATE holdfast.tasks SET unique_key = 'waiting' WHERE unique_key = 'in-work'",
     {"task_unique_keys"}},
    {"nobody sweeps the tasks",
     "UPDATE holdfast.task_leases SET granted_at = now() - interval '2 h',"
     " expires_at = now() - interval '61 s';"
     "UPDATE holdfast.shard_leases SET taken_at = now() - interval '1 h'",
     {"expired_task_leases_swept"}},
    {"a live task lost",
     "DELETE FROM holdfast.tasks WHERE unique_key = 'in-work'",
     {"task_rows_have_their_owner", "task_lease_has_its_task"}},
    {"a finished task lost",
     "DELETE FROM holdfast.finished_tasks WHERE unique_key = 'dead'",
     {"task_rows_have_their_owner"}},
    {"a late result of no task",
     "UPDATE holdfast.late_results SET task_id = gen_random_uuid()",
     {"task_rows_have_their_owner"}},
    {"a queue lost", "DELETE FROM holdfast.queues", {"task_rows_have_their_owner"}},
    {"a removed queue lost", "DELETE FROM holdfast.removed_queues", {"task_rows_have_their_owner"}},
    {"a result of what failed",
     "ALTER TABLE holdfast.finished_tasks DROP CONSTRAINT finished_tasks_check1;"
     "UPDATE holdfast.finished_tasks SET result = '{}' WHERE unique_key = 'dead'",
     {"finished_task_shape"}},
    {"an error of what was completed",
     "ALTER TABLE holdfast.finished_tasks DROP CONSTRAINT finished_tasks_check2;"
     "UPDATE holdfast.finished_tasks SET error_code = 'GONE' WHERE ending = 1",
     {"finished_task_shape"}},
    {"half of a lease",
     "ALTER TABLE holdfast.finished_tasks DROP CONSTRAINT finished_tasks_check;"
     "UPDATE holdfast.finished_tasks SET token = 1 WHERE unique_key = 'canceled'",
     {"finished_task_shape"}},
    {"a task's lease expired early",
     "UPDATE holdfast.task_attempts SET ended_at = expires_at - interval '1 us' WHERE ending = 4",
     {"task_leases_not_ended_early"}},
    {"a task completed after its lease",
     "UPDATE holdfast.finished_tasks SET finished_at = expires_at WHERE ending = 1",
     {"completed_within_the_lease"}},
    {"a queue with staged tasks lost",
     "DELETE FROM holdfast.queues",
     {"staged_tasks_have_their_queue"}},
    {"a queue with schedules lost", "DELETE FROM holdfast.queues", {"schedules_have_their_queue"}},
    {"a bulk action that counts more refusals than it has reasons",
     "INSERT INTO holdfast.queue_actions SELECT queue, gen_random_uuid(), now(), now(), 'epoch',"
     " 'epoch', 0, 0, 2, 3, 2, 0, gen_random_uuid(), '', '', '', '', 'damaged 1', ''"
     " FROM holdfast.queues LIMIT 1",
     {"queue_actions_add_up"}},
    {"a bulk action that counts tasks before it has looked at one",
     "INSERT INTO holdfast.queue_actions SELECT queue, gen_random_uuid(), now(), now(), 'epoch',"
     " 'epoch', 1, 0, 0, 3, 1, 0, '00000000-0000-0000-0000-000000000000', '', '', '', '', '', ''"
     " FROM holdfast.queues LIMIT 1",
     {"queue_actions_add_up"}},
    {"a bulk action that failed and does not say why",
     "INSERT INTO holdfast.queue_actions SELECT queue, gen_random_uuid(), now(), now(), 'epoch',"
     " 'epoch', 0, 0, 0, 3, 4, 0, gen_random_uuid(), '', '', '', '', '', ''"
     " FROM holdfast.queues LIMIT 1",
     {"queue_actions_add_up"}},
    {"a schedule ahead of its time",
     "UPDATE holdfast.schedules SET handled_until = changed_at + interval '61 s'",
     {"schedules_make_no_future"}},
    {"a schedule that is not as far as what it made",
     "UPDATE holdfast.schedules SET handled_until = last_made - interval '1 us'",
     {"schedules_make_no_future"}},
    {"nobody takes in what is staged",
     "UPDATE holdfast.task_intake SET staged_at = now() - interval '61 min';"
     "UPDATE holdfast.shard_leases SET taken_at = now() - interval '2 h'",
     {"staged_tasks_are_taken_in"}},
    {"a task staged twice",
     "DROP INDEX holdfast.task_intake_by_task;"
     "UPDATE holdfast.task_intake SET task_id = (SELECT max(task_id::text)::uuid"
     " FROM holdfast.task_intake), refused_at = NULL, refusal = NULL, refusal_detail = NULL",
     {"staged_once"}},
    {"half of a refusal",
     "ALTER TABLE holdfast.task_intake DROP CONSTRAINT task_intake_check;"
     "UPDATE holdfast.task_intake SET refusal_detail = NULL",
     {"staged_once"}},
    {"a test question that became another unit",
     "UPDATE holdfast.units SET truth = NULL WHERE source_key = 'test-0'",
     {"test_judgments_have_verdicts", "total_units_counted"}},
    {"a canceled test question that became another unit",
     "UPDATE holdfast.units SET truth = NULL WHERE source_key = 'test-1'",
     {"finished_unit_has_its_event", "completed_units_counted"}},
    {"a unit that became a test question",
     "UPDATE holdfast.units SET truth = '1' WHERE source_key = 'row-5'",
     {"test_judgments_have_verdicts", "total_units_counted"}},
    {"a right answer that cannot be read",
     "UPDATE holdfast.units SET truth = '{' WHERE source_key = 'test-0'",
     {"quality_rows_can_be_read"}},
    {"a verdict lost",
     "UPDATE holdfast.judgments SET on_test_question = false, test_question_correct = NULL",
     {"test_judgments_have_verdicts", "test_judgment_has_its_event"}},
    {"a test question without a verdict",
     "ALTER TABLE holdfast.judgments DROP CONSTRAINT judgments_check;"
     "UPDATE holdfast.judgments SET test_question_correct = NULL",
     {"test_judgments_have_verdicts"}},
    {"a verdict without its event",
     "UPDATE holdfast.outbox SET events = replace(events, 'TestJudgmentEvent', 'Other')",
     {"test_judgment_has_its_event"}},
    {"a verdict reported for another unit",
     "UPDATE holdfast.judgments SET unit_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'test-1') WHERE contributor_id = 'fay' AND on_test_question",
     {"test_judgment_has_its_event"}},
    {"a test question finalized",
     "ALTER TABLE holdfast.units DROP CONSTRAINT units_test_question_check;"
     "UPDATE holdfast.units SET state = 3, result = '{}', confidence = 1"
     " WHERE source_key = 'test-0'",
     {"test_questions_never_finalized"}},
    {"a test question routed",
     "UPDATE holdfast.units SET parent_id = (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'test-0') WHERE parent_id IS NOT NULL AND source_key = 'row-0'",
     {"test_questions_never_finalized", "chain_is_sound"}},
    {"a lease granted after the removal",
     "INSERT INTO holdfast.contributor_standings SELECT step_id, granted_at - interval '6 s', 2, 3,"
     " contributor_id FROM holdfast.active_leases JOIN holdfast.units USING (unit_id)",
     {"removed_contributors_hold_no_lease"}},
    {"a lease kept after the removal",
     "UPDATE holdfast.active_leases SET granted_at = now() - interval '2 min';"
     "UPDATE holdfast.shard_leases SET taken_at = now() - interval '61 s';"
     "INSERT INTO holdfast.contributor_standings SELECT step_id, now() - interval '61 s', 2, 3,"
     " contributor_id FROM holdfast.active_leases JOIN holdfast.units USING (unit_id)",
     {"removed_contributors_hold_no_lease"}},
    {"a removed contributor who counts",
     "UPDATE holdfast.judgments SET is_tainted = false, tainted_at = NULL,"
     " submitted_at = now() - interval '61 s';"
     "UPDATE holdfast.contributor_standings SET changed_at = now() - interval '61 s';"
     "UPDATE holdfast.shard_leases SET taken_at = now() - interval '61 s'",
     {"removed_contributors_do_not_count"}},
    {"a trust of 2",
     "ALTER TABLE holdfast.judgments DROP CONSTRAINT judgments_trust_snapshot_check;"
     "UPDATE holdfast.judgments SET trust_snapshot = 2",
     {"trust_snapshot_in_bounds"}},
    {"a trust that no answers give",
     "UPDATE holdfast.judgments SET trust_snapshot = 0.7, trust_questions = 3",
     {"trust_rests_on_questions"}},
    {"a trust that too few answers give",
     "UPDATE holdfast.judgments SET trust_snapshot = 6 / 7.0, trust_questions = 1",
     {"trust_rests_on_questions"}},
    {"more units judged before than there are",
     "UPDATE holdfast.judgments SET judged_before = (SELECT count(*) FROM holdfast.judgments)",
     {"judged_before_in_bounds"}},
    {"a standing in no step",
     "UPDATE holdfast.contributor_standings SET step_id = gen_random_uuid()",
     {"rows_have_their_owner"}},
    {"a flag in no step",
     "UPDATE holdfast.contributor_flags SET step_id = gen_random_uuid()",
     {"rows_have_their_owner"}},
    {"skills in no order",
     "UPDATE holdfast.contributor_profiles SET skills = '{ner,Ner}' WHERE contributor_id = 'ana'",
     {"profiles_are_in_order"}},
    {"a channel twice",
     "UPDATE holdfast.contributor_profiles SET channels = '{app,app}' WHERE contributor_id = 'eve'",
     {"profiles_are_in_order"}},
    {"a certification twice",
     "UPDATE holdfast.contributor_profiles SET certifications = '{a,b,b}'",
     {"profiles_are_in_order"}},
    {"what a repair has left",
     "UPDATE holdfast.judgments SET is_tainted = false, tainted_at = NULL"
     " WHERE contributor_id = 'gil' AND unit_id IN (SELECT unit_id FROM holdfast.units"
     " WHERE source_key = 'mend-0')",
     {"repairs_find_all"}},
    {"a unit of which a repair says nothing",
     "ALTER TABLE holdfast.repairs DROP CONSTRAINT repairs_sum_check;"
     "UPDATE holdfast.repairs SET unchanged = 0",
     {"repairs_add_up"}},
    {"a repair that has found more than it has seen",
     "UPDATE holdfast.repairs SET found = 2, went_on = 1 WHERE dry_run",
     {"repairs_add_up"}},
    {"a repair that went over a unit twice",
     "UPDATE holdfast.repairs SET unchanged = unchanged - 1, reopened = reopened + 1"
     " WHERE NOT dry_run",
     {"reopened_by_repairs"}},
    {"a result taken back by nobody",
     "UPDATE holdfast.units SET reopened = reopened + 1 WHERE source_key = 'row-1'",
     {"reopened_by_repairs", "finished_unit_has_its_event", "finalized_by_one_message"}},
    {"a child of a result that was taken back",
     "UPDATE holdfast.units c SET state = 1 FROM holdfast.units p"
     " WHERE p.unit_id = c.parent_id AND p.source_key = 'mend-1' AND p.state = 1",
     {"chain_is_sound", "finished_unit_has_its_event", "completed_units_counted"}},
    {"a child of a result that has not been",
     "UPDATE holdfast.units SET parent_reopened = 2 WHERE source_key LIKE 'mend-2~%/2'",
     {"chain_is_sound", "children_follow_the_routes"}},
    {"no child of the next result",
     "UPDATE holdfast.units SET parent_reopened = 0, part = 1 WHERE source_key LIKE 'mend-2~%/2'",
     {"chain_is_sound", "children_follow_the_routes"}},
    {"withdrawn without telling",
     "UPDATE holdfast.outbox SET events = replace(events, 'UnitWithdrawn', 'Other')",
     {"finished_unit_has_its_event"}},
    {"withdrawn, and from no result",
     "UPDATE holdfast.units SET state = 4 WHERE source_key = 'mend-0' AND parent_id IS NULL",
     {"finalized_shape", "finished_unit_has_its_event", "chain_is_sound"}},
    {"a repair that reissues what stands",
     "ALTER TABLE holdfast.repairs DROP CONSTRAINT repairs_reissued_check;"
     "UPDATE holdfast.repairs SET reissued = 1 WHERE dry_run",
     {"repairs_add_up"}},
    {"a result that its unit has forgotten",
     "UPDATE holdfast.units SET reopened = 0 WHERE source_key = 'mend-1'",
     {"finished_unit_has_its_event", "finalized_by_one_message"}},
    {"a reopening that was counted without its effect",
     "DELETE FROM holdfast.inbox i USING report.outbox o WHERE i.consumer = 'completion'"
     " AND i.shard = o.shard_id AND i.seq = o.seq AND o.event_type = 'UnitReopened'",
     {"completed_units_counted"}},
    {"a result of judgments that did not count",
     "UPDATE holdfast.judgments SET tainted_at = now() - interval '1 h'"
     " WHERE contributor_id = 'gil'",
     {"finalized_shape"}},
    {"a unit that was left full when it was opened again",
     "UPDATE holdfast.units SET slots = 1 WHERE source_key = 'mend-1';"
     "UPDATE holdfast.consumer_cursors SET seq = (SELECT event_seq FROM holdfast.shard_leases"
     " WHERE shard = 0) WHERE consumer = 'aggregation'",
     {"full_units_aggregated"}},
    {"a result taken back by a correction that says nothing of it",
     "UPDATE holdfast.corrections SET took_back = false",
     {"reopened_by_repairs"}},
    {"an override that has made no result",
     "UPDATE holdfast.corrections SET made_result = false",
     {"finalized_by_one_message"}},
    {"an override of which the result says nothing",
     "UPDATE holdfast.units SET result = (result::jsonb - 'overridden')::text WHERE overridden",
     {"overridden_by_corrections"}},
    {"a result that is another one than was said",
     "UPDATE holdfast.corrections SET answer = 'z' WHERE kind = 2",
     {"overridden_by_corrections"}},
    {"a correction of nothing",
     "UPDATE holdfast.corrections SET unit_id = gen_random_uuid() WHERE kind = 3",
     {"corrections_fit_their_units"}},
    {"a correction that is missing",
     "UPDATE holdfast.corrections SET number = 2 WHERE kind = 3",
     {"corrections_fit_their_units"}},
    {"a judgment tainted by request without a word",
     "UPDATE holdfast.corrections SET kind = 4 WHERE kind = 3",
     {"corrections_fit_their_units"}},
    {"a corrected judgment that has forgotten what it was",
     "DELETE FROM holdfast.judgment_corrections WHERE number = 0",
     {"corrected_judgments_are_kept"}},
    {"a corrected judgment that says something else",
     "UPDATE holdfast.judgments SET answer = 'w' WHERE corrected > 0",
     {"corrected_judgments_are_kept"}},
    {"a repair in no step",
     "UPDATE holdfast.repairs SET step_id = gen_random_uuid()",
     {"rows_have_their_owner"}},
    {"a constraint switched off",
     "ALTER TABLE holdfast.units ADD CONSTRAINT later CHECK (slots < 1000) NOT VALID",
     {"constraints_in_force"}},
};

BOOST_AUTO_TEST_SUITE(verify)

BOOST_AUTO_TEST_CASE(sound_data_has_no_violations) {
  clean_data filled;
  const auto results = value_of(persistence::verify(test_cluster::instance().conninfo(), probe));
  BOOST_TEST(results.size() == persistence::verify_checks().size());
  for (const auto& result : results)
    BOOST_TEST(result.violations == 0U,
               result.what.name << ": " << (result.samples.empty() ? "" : result.samples[0]));
  // The same data seen through the views: names, statuses and counters of the requirements.
  auto& cluster = test_cluster::instance();
  // A47, A49, G-10
  const auto unit = cluster.sql("SELECT state, judgment_count, assignment_count, slots_taken,"
                                " judgments_per_unit FROM report.units"
                                " WHERE source_key = 'row-2'")[0];
  BOOST_TEST(unit[0].as<std::string>() == "Judgable");
  for (const int column : {1, 2})
    BOOST_TEST(unit[column].as<int>() == 1);
  for (const int column : {3, 4})
    BOOST_TEST(unit[column].as<int>() == 2);
  // A68
  const auto fates = cluster.sql("SELECT string_agg(status, ' ' ORDER BY token)"
                                 " FROM report.assignments JOIN report.units USING (unit_id)"
                                 " WHERE source_key = 'row-2'")[0][0];
  BOOST_TEST(fates.as<std::string>() == "Expired Released Declined Submitted Active");
  // A127
  const auto step = cluster.sql("SELECT status, total_units, completed_units FROM report.job_steps"
                                " WHERE key = 'step-0'")[0];
  BOOST_TEST(step[0].as<std::string>() == "Open");
  BOOST_TEST(step[1].as<int>() == 6);
  BOOST_TEST(step[2].as<int>() == 2);
  // A167
  const auto outbox = cluster.sql("SELECT count(*), count(*) FILTER (WHERE status = 'Published'),"
                                  " count(DISTINCT outbox_id), max(seq) FROM report.outbox")[0];
  BOOST_TEST(outbox[0].as<std::uint64_t>() == filled.fences[0].last_event);
  BOOST_TEST(outbox[1].as<std::uint64_t>() == filled.routed);
  BOOST_TEST(outbox[2].as<std::uint64_t>() == filled.fences[0].last_event);
  // A53-A61, A181
  BOOST_TEST(
      cluster.sql("SELECT data ->> 'label' FROM report.judgments LIMIT 1")[0][0].as<std::string>()
      == "x");
  BOOST_TEST(cluster.sql("SELECT count(*) FROM report.inbox")[0][0].as<int>() == 48);
}

// A4, A57, A59-A61, G-1
BOOST_AUTO_TEST_CASE(reports_show_test_questions_and_contributors) {
  clean_data filled;
  auto& cluster = test_cluster::instance();
  const auto text = [&](const std::string& query) {
    const auto rows = cluster.sql(query);
    return rows[0][0].is_null() ? std::string{"NULL"} : rows[0][0].as<std::string>();
  };
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', source_key, state, is_test_question,"
                  " coalesce(judgments_per_unit, -1), judgment_count), ', ' ORDER BY ordinal)"
                  " FROM report.units WHERE source_key IN ('row-4', 'test-0', 'test-1')")
             == "row-4 Paused f 2 1, test-0 Golden t -1 2, test-1 Canceled t -1 1");
  // The slot of what does not count is free.
  BOOST_TEST(text("SELECT slots_taken FROM report.units WHERE source_key = 'row-4'") == "0");
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', source_key, contributor_id, is_tainted,"
                  " tainted_at IS NOT NULL, on_test_question, test_question_correct,"
                  " round(worker_trust_snapshot, 3)), ', ' ORDER BY source_key, contributor_id)"
                  " FROM report.judgments JOIN report.units USING (unit_id)"
                  " WHERE source_key IN ('row-4', 'test-0', 'test-1')")
             == "row-4 fay t t f 1.000, test-0 ana f f t t 0.667, test-0 fay f f t f 0.667,"
                " test-1 ana f f t f 0.667");
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', contributor_id, standing,"
                  " coalesce(reason, '-'), assignments, judgments, tainted_judgments,"
                  " test_questions_answered, test_questions_right, round(trust_mean, 3)),"
                  " ', ' ORDER BY contributor_id) FROM report.contributors"
                  " JOIN report.job_steps USING (workflow_step_id) WHERE key = 'step-0'"
                  " AND (changed_at IS NOT NULL OR contributor_id = 'ana')")
             == "ana Working - 8 6 0 2 1 0.625, dan Working Requester 1 0 0 0 0 0.667,"
                " fay Removed TestQuestions 2 2 1 1 0 0.571");
  // Gold is in no report.
  BOOST_TEST(text("SELECT count(*) FROM information_schema.columns"
                  " WHERE table_schema = 'report' AND column_name = 'truth'")
             == "0");
}

// A1, A18, A19, A20
BOOST_AUTO_TEST_CASE(reports_show_what_stands_in_the_end_of_each_item) {
  using core::review_verdict;
  clean_data filled;
  filled.add_reviewed_units({{review_verdict::approve, {}},
                             {review_verdict::correct, R"("dog")"},
                             {review_verdict::reject, {}}});
  const auto rows = test_cluster::instance().sql(
      "SELECT string_agg(concat_ws(' ', source_key, step_key, coalesce(verdict, '-'),"
      " coalesce(aggregated_result ->> 'answer', '-')), ', ' ORDER BY source_key)"
      " FROM report.results WHERE source_key LIKE 'made-%'");
  BOOST_TEST(rows[0][0].as<std::string>()
             == "made-0 checked approve cat, made-1 checked correct dog, made-2 checked reject -,"
                " made-3 made - skip");
  // An item has a row for each of its ends: what went on is none, nor is what is not finished.
  BOOST_TEST(test_cluster::instance()
                 .sql("SELECT count(*) FROM report.results WHERE source_key IN"
                      " ('row-0', 'row-2', 'list', 'test-0')")[0][0]
                 .as<int>()
             == 0);
}

BOOST_AUTO_TEST_CASE(reports_show_what_is_known_of_contributors) {
  clean_data filled;
  const auto profile = [](const std::string& who) {
    return test_cluster::instance()
        .sql("SELECT concat_ws(' ', channels, skills, certifications, coalesce(location, '-'),"
             " coalesce(trust, -1), test_questions_answered, test_questions_right,"
             " changed_at IS NOT NULL) FROM report.profiles WHERE contributor_id = '"
             + who + "'")[0][0]
        .as<std::string>();
  };
  BOOST_TEST(profile("ana") == "{app,web} {Ner,ner} {} DE-BY -1 2 1 t");
  BOOST_TEST(profile("eve") == "{} {} {gdpr} - 0.75 0 0 t");
}

// A72, I-5
BOOST_AUTO_TEST_CASE(reports_show_the_version_under_which_a_chain_began) {
  clean_data filled;
  auto& cluster = test_cluster::instance();
  const auto text = [&](const std::string& query) {
    return cluster.sql(query)[0][0].as<std::string>();
  };
  BOOST_TEST(text("SELECT latest_version || ' ' || (definition = (SELECT definition"
                  " FROM report.workflow_versions v WHERE v.workflow_id = w.workflow_id"
                  " AND v.version = 2)) FROM report.workflows w WHERE name = 'v'")
             == "2 true");
  BOOST_TEST(text("SELECT latest_version FROM report.workflows WHERE name = 'w'") == "1");
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', version,"
                  " jsonb_array_length(v.definition -> 'steps')), ', ' ORDER BY version)"
                  " FROM report.workflow_versions v JOIN report.workflows USING (workflow_id)"
                  " WHERE name = 'v'")
             == "1 2, 2 3");
  // By its key, wherever the definition has the step.
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', source_key, version, s.key, to_key, items),"
                  " ', ' ORDER BY source_key, s.key DESC) FROM report.units"
                  " JOIN report.routes_taken USING (unit_id)"
                  " JOIN holdfast.steps s ON s.step_id = routes_taken.workflow_step_id"
                  " WHERE source_key IN ('of-first', 'of-second')")
             == "of-first 1 first last 1, of-second 2 first extra 1, of-second 2 extra last 1");
}

// I-5
BOOST_AUTO_TEST_CASE(reports_show_what_is_gathered_and_of_which_list) {
  clean_data filled;
  const auto rows = test_cluster::instance().sql(
      "SELECT string_agg(concat_ws(' ', u.ordinal, u.state, coalesce(b.ordinal, 0),"
      " coalesce(l.source_key, '-'), coalesce(u.list_size, 0), coalesce(u.list_part, 0)), ', '"
      " ORDER BY u.ordinal) FROM report.units u"
      " JOIN report.job_steps s USING (workflow_step_id)"
      " LEFT JOIN report.units b ON b.unit_id = u.batch_unit_id"
      " LEFT JOIN report.units l ON l.unit_id = u.list_unit_id WHERE s.key = 'join'");
  BOOST_TEST(rows[0][0].as<std::string>()
             == "1 Gathered 4 - 0 0, 2 Gathered 4 part-0 5 1, 3 Gathered 0 part-0 5 2,"
                " 4 Judgable 0 - 0 0");
}

// I-1, A109
BOOST_AUTO_TEST_CASE(reports_show_what_came_late) {
  clean_data filled;
  auto& cluster = test_cluster::instance();
  const auto text = [&](const std::string& query) {
    return cluster.sql(query)[0][0].as<std::string>();
  };
  BOOST_TEST(text("SELECT string_agg(concat_ws(' ', source_key, contributor_id, is_late), ', '"
                  " ORDER BY source_key) FROM report.judgments JOIN report.units USING (unit_id)"
                  " WHERE source_key LIKE 'late-%'")
             == "late-0 ana t, late-1 bob f");
  BOOST_TEST(text("SELECT concat_ws(' ', source_key, s.contributor_id, s.status, a.status,"
                  " judgment_count) FROM report.surplus_judgments s"
                  " JOIN report.units USING (unit_id)"
                  " JOIN report.assignments a USING (assignment_id)")
             == "late-1 ana Surplus Expired 1");
}

BOOST_AUTO_TEST_CASE(reports_show_tasks_by_what_became_of_them) {
  clean_data filled;
  auto& cluster = test_cluster::instance();
  const auto text = [&](const std::string& query) {
    const auto rows = cluster.sql(query);
    return rows[0][0].is_null() ? std::string{"NULL"} : rows[0][0].as<std::string>();
  };
  BOOST_TEST(
      text("SELECT string_agg(unique_key || ' ' || workflow_status, ', ' ORDER BY task_id)"
           " FROM report.tasks")
      == "in-work EXECUTING, waiting QUEUED, completed COMPLETED, dead ERROR, revived QUEUED,"
         " canceled CANCELED, removed CANCELED");
  BOOST_TEST(text("SELECT execution_spec ->> 'to' FROM report.tasks LIMIT 1") == "ana");
  BOOST_TEST(text("SELECT result ->> 'sent' FROM report.tasks WHERE workflow_status = 'COMPLETED'")
             == "true");
  BOOST_TEST(text("SELECT error_code FROM report.tasks WHERE unique_key = 'dead'") == "GONE");
  // B22: the bookmark is the workers' own, and details of errors are for operators.
  BOOST_TEST(text("SELECT string_agg(column_name, ' ') FROM information_schema.columns"
                  " WHERE table_schema = 'report' AND table_name IN ('tasks', 'task_attempts')"
                  " AND column_name IN ('execution_state', 'error_detail')")
             == "NULL");
  BOOST_TEST(text("SELECT string_agg(unique_key || ' ' || a.ending, ', ' ORDER BY task_id)"
                  " FROM report.task_attempts a JOIN report.tasks USING (task_id)")
             == "in-work Expired, completed Completed, dead Lost, revived Failed");
  BOOST_TEST(text("SELECT paused_types[1] FROM report.queues WHERE queue = 'mail'")
             == "mail.delete");
  BOOST_TEST(text("SELECT name || ' ' || cron || ' ' || time_zone || ' ' || paused"
                  " FROM report.schedules")
             == "daily @daily UTC false");
  BOOST_TEST(text("SELECT worker || ' ' || token || ' ' || outcome FROM holdfast.late_results")
             == "worker 1 completed");
  filled.finish(filled.enqueue("failed"), 0, core::task_ending::failed);
  BOOST_TEST(text("SELECT workflow_status FROM report.tasks WHERE unique_key = 'failed'")
             == "FAILURE");
}

// A170
BOOST_AUTO_TEST_CASE(sound_data_without_its_old_events_has_no_violations) {
  clean_data filled;
  const auto pruned = value_of(filled.db->prune_events(
      0, filled.node,
      {{"routing", "completion", "aggregation"}, value_of(filled.db->now()) + 1h, 1000}));
  BOOST_TEST(pruned > 0U);
  for (const auto& result : value_of(persistence::verify(test_cluster::instance().conninfo())))
    BOOST_TEST(result.violations == 0U,
               result.what.name << ": " << (result.samples.empty() ? "" : result.samples[0]));
}

BOOST_AUTO_TEST_CASE(broken_data_is_noticed) {
  breakable databases;
  BOOST_TEST(databases.fired_by("SELECT 1").empty());
  std::set<std::string> proven;
  for (const auto& mutant : mutants) {
    const auto fired = databases.fired_by(mutant.sql);
    for (const auto& name : mutant.must_fire) {
      BOOST_TEST(fired.count(name) == 1U, mutant.what << " does not fire " << name);
      proven.insert(name);
    }
  }
  for (const auto& check : persistence::verify_checks())
    BOOST_TEST(proven.count(check.name) == 1U, check.name << " is not proven by any mutant");
}

// A170, I-8: a unit that was damaged for so long is finalized without a message
BOOST_AUTO_TEST_CASE(a_result_of_forgotten_judgments_needs_no_message) {
  breakable databases;
  const std::string finalized_late =
      "UPDATE holdfast.shard_leases SET pruned_to = now() - interval '1 h';"
      "DELETE FROM holdfast.inbox WHERE consumer = 'aggregation';"
      "UPDATE holdfast.units SET changed_at = now() WHERE result IS NOT NULL;"
      "UPDATE holdfast.judgments SET submitted_at = now() - interval '2 h';";
  const std::string check = "finalized_by_one_message";
  BOOST_TEST(databases.fired_by(finalized_late).count(check) == 0U);
  const std::string judged_since =
      "UPDATE holdfast.judgments SET submitted_at = now() WHERE unit_id ="
      " (SELECT unit_id FROM holdfast.units WHERE source_key = 'row-1')";
  BOOST_TEST(databases.fired_by(finalized_late + judged_since).count(check) == 1U);
}

// A27, A88, I-5, I-6
BOOST_AUTO_TEST_CASE(batches_that_were_taken_apart_are_sound_or_noticed) {
  breakable databases{true};
  BOOST_TEST(databases.fired_by("SELECT 1").empty());
  const std::vector<mutant> regrouping{
      {"a batch that is worked on although it was taken apart",
       "UPDATE holdfast.units SET state = 1, changed_at = NULL"
       " WHERE source_key = 'batch:' || parent_id AND state = 4",
       {"batches_are_whole", "chain_is_sound", "completed_units_counted"}},
      {"a batch that does not know how often its first unit was in another",
       "UPDATE holdfast.units SET parent_reopened = 5 WHERE source_key LIKE 'batch:%/2'",
       {"batches_are_whole"}},
      {"units that do not know that they were in another batch",
       "UPDATE holdfast.units SET ungathered = 0",
       {"batches_are_whole", "chain_is_sound"}},
      {"a unit that waits although its parent's result was taken back",
       "UPDATE holdfast.units SET state = 5, changed_at = NULL"
       " WHERE ungathered = 1 AND state = 4",
       {"chain_is_sound", "finished_unit_has_its_event", "completed_units_counted"}},
      {"units that count as done although they wait again",
       "UPDATE holdfast.steps SET completed_units = completed_units + 1 WHERE key = 'stack'",
       {"completed_units_counted"}},
  };
  for (const auto& mutant : regrouping) {
    const auto fired = databases.fired_by(mutant.sql);
    for (const auto& name : mutant.must_fire)
      BOOST_TEST(fired.count(name) == 1U, mutant.what << " does not fire " << name);
  }
}

// A28
BOOST_AUTO_TEST_CASE(removal_takes_effect_within_a_minute) {
  breakable databases;
  // Everybody is removed from everywhere 30 s ago; the leases and the hosts are an hour old.
  const std::string removal =
      "INSERT INTO holdfast.contributor_standings SELECT DISTINCT step_id, now() - interval '30 s',"
      " 2, 3, contributor_id FROM report.assignments JOIN holdfast.units USING (unit_id)"
      " ON CONFLICT (step_id, contributor_id) DO UPDATE"
      " SET standing = 2, changed_at = excluded.changed_at;"
      "UPDATE holdfast.active_leases SET granted_at = granted_at - interval '1 h';"
      "UPDATE holdfast.ended_leases SET granted_at = granted_at - interval '1 h';"
      "UPDATE holdfast.judgments SET started_at = started_at - interval '1 h',"
      " submitted_at = now();"
      "UPDATE holdfast.shard_leases SET taken_at = now() - interval '1 h';";
  BOOST_TEST(databases.fired_by(removal).empty());
  const std::string earlier = "UPDATE holdfast.contributor_standings"
                              " SET changed_at = now() - interval '90 s';";
  // What was handed in just now may have been under way for as long.
  BOOST_TEST((databases.fired_by(removal + earlier)
              == std::set<std::string>{"removed_contributors_hold_no_lease"}));
  // While a shard is without a host, nobody can act.
  BOOST_TEST(databases
                 .fired_by(removal + earlier
                           + "UPDATE holdfast.shard_leases SET host = NULL WHERE shard = 3")
                 .empty());
}

// finding B3
BOOST_AUTO_TEST_CASE(a_damaged_policy_keeps_no_check_from_its_work) {
  breakable databases;
  const std::string waits = "UPDATE holdfast.task_intake SET staged_at = now() - interval '61 min';"
                            "UPDATE holdfast.shard_leases SET taken_at = now() - interval '2 h';";
  for (const auto* policy : {"{", R"({"depth_max":"many"})", R"({"depth_max":1e400})"})
    BOOST_TEST(
        databases.fired_by(waits + "UPDATE holdfast.queues SET definition = '" + policy + "'")
                .count("staged_tasks_are_taken_in")
            == 1U,
        policy);
}

// findings R4, Q9
BOOST_AUTO_TEST_CASE(a_schedule_whose_clock_was_put_back_is_sound) {
  breakable databases;
  BOOST_TEST(databases
                 .fired_by("UPDATE holdfast.schedules SET last_made = changed_at + interval '2 d',"
                           " handled_until = changed_at")
                 .empty());
}

// finding R4: the outbox has on record that the clock was set back meanwhile
BOOST_AUTO_TEST_CASE(times_that_a_step_back_of_the_clock_explains_are_sound) {
  breakable databases;
  const std::string granted_before =
      "UPDATE holdfast.ended_leases SET granted_at = granted_at + interval '2 h',"
      " expires_at = expires_at + interval '2 h', ended_at = ended_at + interval '2 h'"
      " WHERE token = 1;"
      "UPDATE holdfast.task_attempts SET granted_at = granted_at + interval '2 h',"
      " expires_at = expires_at + interval '2 h', ended_at = ended_at + interval '2 h'"
      " WHERE ending = 4;";
  const auto alarms = [&](const std::string& sql) {
    const auto fired = databases.fired_by(sql);
    return fired.count("task_tokens_grow_with_time") + fired.count("tokens_grow_with_time");
  };
  BOOST_TEST(alarms(granted_before) == 2U);
  const auto outbox_at = [](const std::string& before, const std::string& after) {
    return "UPDATE holdfast.outbox o SET committed_at = CASE WHEN o.first_seq = f.first_seq THEN"
           " f.at + interval '"
           + before + "' ELSE f.at + interval '" + after
           + "' END FROM (SELECT shard, min(first_seq) AS first_seq,"
             " (SELECT min(granted_at) FROM holdfast.active_leases) AS at"
             " FROM holdfast.outbox GROUP BY shard HAVING count(*) > 1) f WHERE o.shard = f.shard;";
  };
  BOOST_TEST(alarms(granted_before + outbox_at("3 h", "-3 h")) == 0U);
  // A step back at another time, and one that was none, explain nothing.
  BOOST_TEST(alarms(granted_before + outbox_at("-20 h", "-22 h")) == 2U);
  BOOST_TEST(alarms(granted_before + outbox_at("-3 h", "3 h")) == 2U);
}

// finding Q4
BOOST_AUTO_TEST_CASE(damaged_row_is_a_finding_and_keeps_no_check_from_running) {
  breakable databases;
  const auto cut = [](const std::string& column, const std::string& table) {
    return "UPDATE holdfast." + table + " SET " + column + " = left(" + column
           + ", 20) WHERE ctid = (SELECT min(ctid) FROM holdfast." + table + ");";
  };
  const auto in_outbox = databases.fired_by(cut("events", "outbox"));
  BOOST_TEST(in_outbox.count("outbox_counts_match") == 1U);
  BOOST_TEST(databases.violations.at("outbox_counts_match") == 1U); // the rows beside it are read
  BOOST_TEST(in_outbox.count("outbox_without_gaps") == 0U);
  // It stays where those behind it are pruned.
  const std::string pruned_behind =
      "UPDATE holdfast.outbox SET events = left(events, 20) WHERE (shard, first_seq) ="
      " (SELECT shard, first_seq FROM holdfast.outbox ORDER BY shard, first_seq LIMIT 1);"
      "DELETE FROM holdfast.outbox o USING holdfast.outbox c WHERE length(c.events) = 20"
      " AND o.shard = c.shard AND o.first_seq = c.first_seq + c.count;"
      "UPDATE holdfast.shard_leases s SET pruned_to = now(), pruned_seq = coalesce("
      " (SELECT min(first_seq) - 1 FROM holdfast.outbox o"
      "   WHERE o.shard = s.shard AND length(o.events) <> 20), event_seq)"
      " WHERE shard IN (SELECT shard FROM holdfast.outbox WHERE length(events) = 20)";
  const auto left_over = databases.fired_by(pruned_behind);
  BOOST_TEST(left_over.count("outbox_counts_match") == 1U);
  BOOST_TEST(left_over.count("outbox_without_gaps") == 0U);
  BOOST_TEST(databases
                 .fired_by("UPDATE holdfast.shard_leases s SET pruned_seq = o.first_seq"
                           " FROM holdfast.outbox o WHERE o.shard = s.shard AND o.first_seq = 1")
                 .count("outbox_without_gaps")
             == 1U);
  const auto letter = databases.fired_by(cut("event", "dead_letters"));
  BOOST_TEST(letter.count("dead_letters_are_events") == 1U);
  BOOST_TEST(letter.size() == 1U);
  // Of two test questions one.
  const auto question =
      databases.fired_by("UPDATE holdfast.units SET truth = '{' WHERE source_key = 'test-0'");
  BOOST_TEST(question.count("quality_rows_can_be_read") == 1U);
  BOOST_TEST(databases.violations.at("quality_rows_can_be_read") == 1U);
  BOOST_TEST(databases.samples.at("quality_rows_can_be_read").at(0).find("right answer: ") == 0U);
  // Of the repairs one.
  const auto repair = databases.fired_by(R"(
    CREATE FUNCTION holdfast.broken() RETURNS text LANGUAGE plpgsql STABLE AS $$
    BEGIN RAISE EXCEPTION 'invalid memory alloc request size' USING ERRCODE = 'XX000'; END $$;
    ALTER TABLE holdfast.repairs RENAME TO kept_repairs;
    DO $$
    BEGIN
      EXECUTE 'CREATE VIEW holdfast.repairs AS SELECT '
        || (SELECT string_agg(CASE attname WHEN 'contributor_id' THEN
              'CASE WHEN repair_id = (SELECT min(repair_id::text)::uuid FROM holdfast.kept_repairs)'
              ' THEN holdfast.broken() ELSE contributor_id END AS contributor_id'
              ELSE attname::text END, ', ' ORDER BY attnum)
              FROM pg_attribute WHERE attrelid = 'holdfast.kept_repairs'::regclass
               AND attnum > 0 AND NOT attisdropped)
        || ' FROM holdfast.kept_repairs';
    END $$;)");
  BOOST_TEST(repair.count("quality_rows_can_be_read") == 1U);
  BOOST_TEST(databases.violations.at("quality_rows_can_be_read") == 1U);
  BOOST_TEST(databases.samples.at("quality_rows_can_be_read").at(0).find("repair: ") == 0U);
  // Findings elsewhere are not hidden by it.
  const auto both =
      databases.fired_by(cut("events", "outbox") + "UPDATE holdfast.dead_letters SET seq = 424242");
  BOOST_TEST(both.count("outbox_counts_match") == 1U);
  BOOST_TEST(both.count("dead_letters_are_events") == 1U);
}

BOOST_AUTO_TEST_CASE(needs_no_right_but_to_read) { // finding Q14
  breakable databases;
  BOOST_TEST(databases.fired_by("SELECT 1").empty());
  BOOST_TEST(databases.fired_for_reader().empty());
  const auto fired = databases.fired_by("DELETE FROM holdfast.outbox;"
                                        "UPDATE holdfast.active_leases SET granted_at = granted_at"
                                        " - interval '1 h', expires_at = now() - interval '90 s';"
                                        "UPDATE holdfast.shard_leases SET"
                                        " taken_at = now() - interval '1 h'");
  for (const auto* name :
       {"judgment_has_its_event", "finished_unit_has_its_event", "expired_leases_swept"})
    BOOST_TEST(fired.count(name) == 1U, name);
  BOOST_TEST((databases.fired_for_reader() == fired));
}

// I-9
BOOST_AUTO_TEST_CASE(nodes_that_were_silent_have_a_minute_to_sweep) {
  breakable databases;
  const std::string left_lying =
      "UPDATE holdfast.active_leases SET granted_at = now() - interval '2 h',"
      " expires_at = now() - interval '61 s';"
      "UPDATE holdfast.shard_leases SET taken_at = now() - interval '1 h';";
  const auto resumed = [](const std::string& ago) {
    return "UPDATE holdfast.nodes SET resumed_at = now() - interval '" + ago + "'";
  };
  // What else such an old lease breaks is not asked here.
  BOOST_TEST(databases.fired_by(left_lying + resumed("59 s")).count("expired_leases_swept") == 0U);
  BOOST_TEST(databases.fired_by(left_lying + resumed("61 s")).count("expired_leases_swept") == 1U);
}

BOOST_AUTO_TEST_CASE(lost_and_damaged_objects_are_noticed) {
  breakable databases;
  BOOST_TEST(databases.fired_by("SELECT 1").empty());
  auto& store = objects_of_tests();
  const auto ref = value_of(store.put("body"));
  store.overwrite(ref.content, "BODY");
  const std::set<std::string> fired{"references_have_their_objects"};
  BOOST_TEST((databases.fired_by("SELECT 1") == fired));
  BOOST_TEST(value_of(store.remove_if_older(ref.content, core::instant::max())));
  BOOST_TEST((databases.fired_by("SELECT 1") == fired));
  value_of(store.put("body")); // heals it
  BOOST_TEST(databases.fired_by("SELECT 1").empty());
}

BOOST_AUTO_TEST_CASE(checks_that_take_longer_than_they_may_are_given_up) {
  clean_data filled;
  const auto& database = test_cluster::instance().conninfo();
  BOOST_TEST(
      fails_with(persistence::verify(database, {}, {"audit", 1us}), core::errc::unavailable));
  BOOST_TEST(value_of(persistence::verify(database, {}, {"audit", 60s})).size() > 50U);
}

BOOST_AUTO_TEST_CASE(foreign_databases_are_refused) {
  const auto empty = persistence::verify(test_cluster::instance().conninfo() + " dbname=template1");
  BOOST_TEST(fails_with(empty, core::errc::wrong_state));
  BOOST_TEST(fails_with(persistence::verify("host=/nonexistent"), core::errc::unavailable));
  BOOST_TEST(fails_with(persistence::verify("postgres://["), core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(checks_say_what_they_check) {
  for (const auto& check : persistence::verify_checks()) {
    BOOST_TEST((check.invariant.rfind("I-", 0) == 0 || check.invariant == "schema"), check.name);
    BOOST_TEST(check.says.back() == '.', check.name);
    BOOST_TEST(check.sql.rfind("SELECT", 0) == 0U, check.name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
