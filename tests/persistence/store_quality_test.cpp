// What the store keeps of test questions, of judgments that count no more and of what contributors
// may do, and what a step goes on from with it.

#include "tests/persistence/conformance.hpp"
#include "tests/persistence/history_text.hpp"

#include <limits>

namespace holdfast::test {

namespace {

using core::contributor_standing;
using core::standing_reason;

template <class World>
class quality_fixture : public store_fixture<World> {
public:
  core::insert_unit new_question(core::step_id of, std::uint64_t ordinal) {
    auto unit = this->new_unit(of, ordinal, 1'000'000'000);
    unit.truth = R"("x")";
    return unit;
  }

  core::unit_id given_question(core::step_id of, std::uint64_t ordinal) {
    const auto unit = new_question(of, ordinal);
    BOOST_TEST(is(this->write({unit}), committed));
    return unit.id;
  }

  /// Leases the unit, hands in an answer and returns it.
  core::insert_judgment given_judgment(core::unit_id unit, const std::string& who,
                                       core::token token, std::int64_t submitted_s = 20,
                                       std::optional<bool> correct = {}) {
    this->given_lease(unit, who, token);
    auto answer = this->judgment(unit, who, token);
    answer.submitted_at = at(submitted_s);
    answer.test_correct = correct;
    BOOST_TEST(is(this->write({answer}), committed));
    return answer;
  }

  commit_result taint(core::unit_id unit, const std::string& who) {
    return this->write({core::taint_judgment{unit, who, at(40)}});
  }

  void end(core::unit_id unit, const std::string& who, core::token token) {
    BOOST_TEST(
        is(this->write({core::end_lease_row{unit, who, token, core::lease_end::expired, at(70)}}),
           committed));
  }

  commit_result set(core::unit_id unit, core::unit_state state) {
    return this->write({core::set_unit_state{unit, state, at(5)}});
  }

  core::step_history history(core::step_id of, core::history_scope scope = {true, true}) {
    return value_of(this->db->load_step_history(of, scope));
  }

  core::step_row step = this->given_step();
};

BOOST_AUTO_TEST_SUITE(store_quality)

// A14, G-1
BOOST_AUTO_TEST_CASE_TEMPLATE(test_question_is_read_with_its_truth, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto unit = f.given_unit(step.id, 1);
  const auto question = f.given_question(step.id, 2);
  BOOST_TEST(f.load(question).truth == R"("x")");
  BOOST_TEST(f.load(question).slots == 1'000'000'000U);
  BOOST_TEST(f.load(unit).truth.empty());

  const auto loaded = f.load_step(step.id);
  BOOST_TEST(loaded.next_ordinal == 3U);
  BOOST_REQUIRE_EQUAL(loaded.open_units.size(), 2U);
  BOOST_TEST(!loaded.open_units[0].test_question);
  BOOST_TEST((loaded.open_units[1].id == question && loaded.open_units[1].test_question));
}

// G-1
BOOST_AUTO_TEST_CASE_TEMPLATE(test_question_is_paused_and_canceled_but_never_finalized, World,
                              worlds) {
  quality_fixture<World> f;
  const auto question = f.given_question(f.step.id, 1);
  BOOST_TEST(is(f.write({core::finalize_unit{question, "{}", 1, at(6)}}), refused));
  BOOST_TEST(is(f.set(question, core::unit_state::paused), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{question, "{}", 1, at(6)}}), refused));
  BOOST_TEST((f.load(question).state == core::unit_state::paused));
  BOOST_TEST(is(f.set(question, core::unit_state::canceled), committed));
  BOOST_TEST(is(f.set(question, core::unit_state::judgable), refused));
  BOOST_TEST(f.load_step(f.step.id).open_units.empty());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_test_questions_are_refused, World, worlds) {
  quality_fixture<World> f;
  const auto parent = f.given_unit(f.step.id, 1);
  auto child = f.new_question(f.step.id, 2);
  child.parent = child.root = parent;
  BOOST_TEST(is(f.write({child}), refused));
  auto unreadable = f.new_question(f.step.id, 2);
  unreadable.truth = "\xff";
  BOOST_TEST(is(f.write({unreadable}), refused));
  BOOST_TEST(is(f.write({f.new_question(f.step.id, 2)}), committed));
}

// A60, A61, I-11
BOOST_AUTO_TEST_CASE_TEMPLATE(judgment_of_a_test_question_is_read_with_its_verdict, World, worlds) {
  quality_fixture<World> f;
  const auto question = f.given_question(f.step.id, 1);
  f.given_judgment(question, "ana", 1, 20, true);
  f.given_judgment(question, "bob", 2, 21, false);
  const auto unit = f.given_unit(f.step.id, 2);
  f.given_judgment(unit, "ana", 1);
  const auto tests = f.load(question).judgments;
  BOOST_REQUIRE_EQUAL(tests.size(), 2U);
  BOOST_TEST((tests[0].test_correct == true && tests[1].test_correct == false));
  BOOST_TEST(!f.load(unit).judgments.at(0).test_correct.has_value());
}

// A57
BOOST_AUTO_TEST_CASE_TEMPLATE(judgment_is_read_with_the_trust_it_came_with, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_lease(unit, "ana", 1);
  auto answer = f.judgment(unit, "ana", 1);
  answer.trust_snapshot = 0.1; // not exact in binary: it comes back to the last bit
  answer.trust_questions = 34;
  BOOST_TEST(is(f.write({answer}), committed));
  const auto mark = f.load(unit).judgments.at(0);
  BOOST_TEST(mark.trust == 0.1);
  BOOST_TEST((mark.trust_questions == 34U));
  BOOST_TEST(!mark.tainted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(trust_beyond_its_bounds_is_refused, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_lease(unit, "ana", 1);
  auto answer = f.judgment(unit, "ana", 1);
  for (const double trust : {-0.001, 1.001, std::numeric_limits<double>::quiet_NaN()}) {
    answer.trust_snapshot = trust;
    BOOST_TEST(is(f.write({answer}), refused));
  }
  answer.trust_snapshot = 0;
  BOOST_TEST(is(f.write({answer}), committed));
}

// A27, A59, I-1
BOOST_AUTO_TEST_CASE_TEMPLATE(tainted_judgment_stays_but_frees_its_slot, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_judgment(unit, "ana", 1);
  f.given_judgment(unit, "bob", 2);
  BOOST_TEST(is(f.taint(unit, "ana"), committed));

  const auto judgments = f.load(unit).judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 2U);
  BOOST_TEST((judgments[0].contributor == "ana" && judgments[0].tainted));
  BOOST_TEST((judgments[1].contributor == "bob" && !judgments[1].tainted));
  const auto open = f.load_step(f.step.id).open_units.at(0);
  BOOST_TEST(open.judged == 1U);
  // Nobody judges a unit twice, whether it counted or not.
  BOOST_TEST(open.touched.size() == 2U);
  BOOST_TEST(value_of(f.db->list_results(f.step.id, 0, 1)).first.at(0).judgments == 2U);
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(only_what_counts_is_tainted, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_judgment(unit, "ana", 1);
  f.given_lease(unit, "bob", 2);
  BOOST_TEST(is(f.taint(unit, "bob"), refused)); // has not judged it
  BOOST_TEST(is(f.taint({f.ids.next(at(0))}, "ana"), refused));
  BOOST_TEST(is(f.taint(unit, "ana"), committed));
  BOOST_TEST(is(f.taint(unit, "ana"), refused));
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(only_what_does_not_count_is_restored, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_judgment(unit, "ana", 1);
  f.given_lease(unit, "bob", 2);
  const auto restore = [&](const core::unit_id& which, const char* who) {
    return f.write({core::restore_judgment{which, who}});
  };
  BOOST_TEST(is(restore(unit, "ana"), refused)); // counts
  BOOST_TEST(is(f.taint(unit, "ana"), committed));
  BOOST_TEST(is(restore(unit, "bob"), refused));
  BOOST_TEST(is(restore({f.ids.next(at(0))}, "ana"), refused));
  BOOST_TEST(is(restore(unit, "ana"), committed));
  BOOST_TEST(!f.load(unit).judgments.at(0).tainted);
  BOOST_TEST(f.load_step(f.step.id).open_units.at(0).judged == 1U);
  BOOST_TEST(f.history(f.step.id).votes.size() == 1U);
  BOOST_TEST(is(f.taint(unit, "ana"), committed));
}

// A27, G-1
BOOST_AUTO_TEST_CASE_TEMPLATE(question_is_forgiven_and_counts_again, World, worlds) {
  quality_fixture<World> f;
  const auto ordinary = f.given_unit(f.step.id, 1);
  const auto question = f.given_question(f.step.id, 2);
  f.given_judgment(question, "ana", 1, 20, true);
  f.given_judgment(f.given_question(f.step.id, 3), "ana", 1, 21, false);
  const auto forgive = [&](const core::unit_id& which, bool forgiven) {
    return f.write({core::set_question_forgiven{which, forgiven, at(50)}});
  };
  const auto forgiven = [&] { return f.history(f.step.id).questions.at(0).forgiven; };
  const auto answered = [&] { return value_of(f.db->load_profile("ana")).tests; };
  BOOST_TEST(is(forgive(ordinary, true), refused));
  BOOST_TEST(is(forgive({f.ids.next(at(0))}, true), refused));
  BOOST_TEST(is(forgive(question, false), refused));
  BOOST_TEST(!forgiven());
  BOOST_TEST((answered().answered == 2U && answered().right == 1U));
  BOOST_TEST(is(forgive(question, true), committed));
  BOOST_TEST(is(forgive(question, true), refused));
  BOOST_TEST(forgiven());
  BOOST_TEST(!f.history(f.step.id).questions.at(1).forgiven);
  BOOST_TEST(f.history(f.step.id).asked_questions.size() == 2U); // it stays known as asked
  BOOST_TEST((answered().answered == 1U && answered().right == 0U));
  // Also when nobody is asked any more.
  BOOST_TEST(is(f.set(question, core::unit_state::canceled), committed));
  BOOST_TEST(is(forgive(question, false), committed));
  BOOST_TEST(!forgiven());
  BOOST_TEST(answered().answered == 2U);
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(a_judgment_gets_another_trust, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_judgment(unit, "ana", 1);
  f.given_judgment(unit, "bob", 2);
  f.given_lease(unit, "eve", 3);
  const auto trust = [&](const core::unit_id& which, const char* who, double much,
                         std::optional<std::uint32_t> questions = {}) {
    return f.write({core::set_judgment_trust{which, who, {much, questions}}});
  };
  BOOST_TEST(is(trust(unit, "eve", 0.5), refused));
  BOOST_TEST(is(trust({f.ids.next(at(0))}, "ana", 0.5), refused));
  BOOST_TEST(is(trust(unit, "ana", 1.5), refused));
  const auto third = 1.0 / 3;
  BOOST_TEST(is(trust(unit, "ana", 0.5, 2'147'483'648), refused));
  BOOST_TEST(is(trust(unit, "ana", third, 12), committed));
  BOOST_TEST(is(f.taint(unit, "bob"), committed));
  BOOST_TEST(is(trust(unit, "bob", 0.5, 2), committed));
  BOOST_TEST(is(trust(unit, "bob", 0.25), committed));
  for (const auto& judged : f.load(unit).judgments) {
    BOOST_TEST(judged.trust == (judged.contributor == "ana" ? third : 0.25));
    BOOST_TEST((judged.trust_questions
                == (judged.contributor == "ana" ? std::optional{12U} : std::nullopt)));
    BOOST_TEST(judged.tainted == (judged.contributor == "bob"));
  }
}

// A27: what a step that starts is to look at again
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_judgments_of_those_whose_answers_changed, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto open = f.given_unit(step.id, 1);
  const auto finished = f.given_unit(step.id, 2);
  const auto question = f.given_question(step.id, 3);
  const auto other = f.given_question(step.id, 4);
  core::token token = 0;
  for (const auto* who : {"ana", "bob"}) {
    ++token;
    f.given_judgment(open, who, token);
    f.given_judgment(finished, who, token);
  }
  BOOST_TEST(is(f.taint(open, "ana"), committed));
  BOOST_TEST(is(f.write({core::set_judgment_trust{open, "ana", {0.5, 3}}}), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{finished, "{}", 1, at(6)}}), committed));
  f.given_judgment(question, "ana", 1, 20, true);
  f.given_judgment(other, "bob", 1, 21, false);
  BOOST_TEST(f.history(step.id).trusted_judgments.empty());
  // Also when it counts again.
  for (const bool forgiven : {true, false}) {
    BOOST_TEST(is(f.write({core::set_question_forgiven{question, forgiven, at(50)}}), committed));
    const auto history = f.history(step.id);
    BOOST_REQUIRE(history.trusted_judgments.size() == 1U);
    const auto& judged = history.trusted_judgments[0];
    BOOST_TEST(judged.contributor == "ana");
    BOOST_TEST((judged.unit == open));
    const auto mark = f.load(open).judgments.front();
    BOOST_TEST(mark.contributor == "ana");
    BOOST_TEST((judged.when.id == mark.id));
    BOOST_TEST((judged.when.at == mark.submitted_at));
    BOOST_TEST((judged.trust == core::trust_mark{mark.trust, mark.trust_questions}));
    BOOST_TEST((judged.trust.questions == 3U));
  }
}

// A27, I-1: what a step that starts is to try again
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_what_the_reinstated_said_of_open_units, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto open = f.given_unit(step.id, 1);
  const auto counted = f.given_unit(step.id, 2);
  const auto finished = f.given_unit(step.id, 3);
  const auto paused = f.given_unit(step.id, 4);
  core::token token = 0;
  for (const auto* who : {"ana", "bob", "cid"}) {
    ++token;
    for (const auto unit : {open, counted, finished, paused})
      f.given_judgment(unit, who, token);
    for (const auto unit : {open, finished, paused})
      BOOST_TEST(is(f.taint(unit, who), committed));
  }
  BOOST_TEST(is(f.write({core::finalize_unit{finished, "{}", 1, at(6)}}), committed));
  BOOST_TEST(is(f.set(paused, core::unit_state::paused), committed));
  const auto put = [&](const char* who, contributor_standing what) {
    BOOST_TEST(
        is(f.write({core::put_standing{step.id, who, what, standing_reason::forgiven, at(30)}}),
           committed));
  };
  // Of cid nothing was ever said, and ana stays removed.
  put("ana", contributor_standing::removed);
  BOOST_TEST(f.history(step.id).reinstatable_units.empty());
  put("bob", contributor_standing::working);
  std::string units;
  for (const auto& u : f.history(step.id, {}).reinstatable_units)
    units += u.contributor + ' ' + std::to_string(f.load(u.unit).ordinal) + ", ";
  BOOST_TEST(units == "bob 1, bob 4, ");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(refused_taint_takes_its_whole_batch_with_it, World, worlds) {
  quality_fixture<World> f;
  const auto one = f.given_unit(f.step.id, 1);
  const auto two = f.given_unit(f.step.id, 2);
  f.given_judgment(one, "ana", 1);
  BOOST_TEST(is(f.commit({{f.part(0, {{{core::taint_judgment{one, "ana", at(40)}}, {}},
                                      {{core::taint_judgment{two, "ana", at(40)}}, {}}})}}),
                refused));
  BOOST_TEST(!f.load(one).judgments.at(0).tainted);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(judgment_may_come_in_tainted, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  f.given_lease(unit, "ana", 1);
  BOOST_TEST(is(f.write({core::taint_judgment{unit, "ana", at(20)}, f.judgment(unit, "ana", 1)}),
                committed));
  BOOST_TEST(f.load(unit).judgments.at(0).tainted);
}

// A48
BOOST_AUTO_TEST_CASE_TEMPLATE(open_unit_wants_more_or_fewer_judgments, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id, 1, 2);
  const auto set = [&](core::unit_id which, std::uint32_t slots) {
    return f.write({core::set_unit_slots{which, slots}});
  };
  BOOST_TEST(is(set(unit, 5), committed));
  BOOST_TEST(f.load(unit).slots == 5U);
  BOOST_TEST(f.load_step(f.step.id).open_units.at(0).slots == 5U);
  BOOST_TEST(is(f.set(unit, core::unit_state::paused), committed));
  BOOST_TEST(is(set(unit, 1), committed));
  BOOST_TEST(is(set(unit, 0), refused));
  BOOST_TEST(is(set(unit, 1U << 31U), refused));
  BOOST_TEST(is(set({f.ids.next(at(0))}, 2), refused));
  BOOST_TEST(f.load(unit).slots == 1U);
  // The last change that a unit sees, in whatever order it is written.
  BOOST_TEST(is(f.write({core::finalize_unit{unit, "{}", 1, at(6)}, core::set_unit_slots{unit, 3}}),
                committed));
  BOOST_TEST(f.load(unit).slots == 3U);
  BOOST_TEST(is(set(unit, 4), refused));
}

// A28
BOOST_AUTO_TEST_CASE_TEMPLATE(standing_is_read_as_last_written, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto other = f.given_step();
  const auto put = [&](const std::string& who, contributor_standing what, standing_reason why) {
    return core::put_standing{step.id, who, what, why, at(30)};
  };
  BOOST_TEST(f.history(step.id).standings.empty());
  BOOST_TEST(
      is(f.write({put("bob", contributor_standing::removed, standing_reason::quiz_failed),
                  put("ana", contributor_standing::removed, standing_reason::requester),
                  core::put_standing{other.id, "cid", contributor_standing::removed,
                                     standing_reason::requester, at(30)},
                  put("bob", contributor_standing::removed, standing_reason::test_questions)}),
         committed));
  BOOST_TEST(history_text(f.history(step.id)) == "standing ana 2 3\nstanding bob 2 2\n");
  BOOST_TEST(is(f.write({put("bob", contributor_standing::working, standing_reason::requester)}),
                committed));
  BOOST_TEST(history_text(f.history(step.id)) == "standing ana 2 3\nstanding bob 1 3\n");
  BOOST_TEST(history_text(f.history(other.id)) == "standing cid 2 3\n");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(impossible_standings_are_refused, World, worlds) {
  quality_fixture<World> f;
  const auto refuses = [&](void (*change)(core::put_standing&)) {
    core::put_standing w{f.step.id, "ana", contributor_standing::removed,
                         standing_reason::requester, at(30)};
    change(w);
    BOOST_TEST(is(f.write({w}), refused));
  };
  refuses([](auto& w) { w.step.value.bytes[3] ^= 1; }); // no such step
  refuses([](auto& w) { w.contributor.clear(); });
  refuses([](auto& w) { w.contributor = std::string(129, 'a'); });
  refuses([](auto& w) { w.contributor = "\xff"; });
  refuses([](auto& w) { w.standing = static_cast<contributor_standing>(0); });
  refuses([](auto& w) { w.standing = static_cast<contributor_standing>(3); });
  refuses([](auto& w) { w.reason = static_cast<standing_reason>(0); });
  refuses([](auto& w) { w.reason = static_cast<standing_reason>(5); });
  BOOST_TEST(f.history(f.step.id).standings.empty());
}

// A step may be made and somebody removed from it at once.
BOOST_AUTO_TEST_CASE_TEMPLATE(standing_follows_its_step_in_one_batch, World, worlds) {
  quality_fixture<World> f;
  const auto step = f.new_step(f.step.workflow, 1);
  BOOST_TEST(is(f.write({core::put_standing{step.id, "ana", contributor_standing::removed,
                                            standing_reason::requester, at(30)},
                         core::insert_step{step, at(0)}}),
                committed));
  BOOST_TEST(f.history(step.id).standings.size() == 1U);
}

// G-1
BOOST_AUTO_TEST_CASE_TEMPLATE(results_and_statistics_leave_test_questions_out, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto question = f.given_question(step.id, 1);
  const auto unit = f.given_unit(step.id, 2);
  const auto paused = f.given_question(step.id, 3);
  const auto canceled = f.given_question(step.id, 4);
  const auto last = f.given_unit(step.id, 5);
  BOOST_TEST(is(f.set(paused, core::unit_state::paused), committed));
  BOOST_TEST(is(f.set(canceled, core::unit_state::canceled), committed));
  f.given_judgment(question, "ana", 1, 20, true);
  f.given_judgment(question, "bob", 2, 21, false);
  f.given_judgment(unit, "ana", 1);
  f.given_lease(question, "cid", 3);
  f.given_lease(question, "dan", 4);
  f.end(question, "dan", 4);

  const auto counted = value_of(f.db->statistics(step.id));
  BOOST_TEST(counted.judgable == 2U);
  BOOST_TEST(counted.paused + counted.finalized + counted.canceled == 0U);
  BOOST_TEST(counted.judgments == 1U);
  BOOST_TEST(counted.test_questions == 3U);
  BOOST_TEST(counted.test_judgments == 2U);
  BOOST_TEST(counted.active_leases == 1U);
  BOOST_TEST(counted.expired_leases == 1U);

  const auto [first, after] = value_of(f.db->list_results(step.id, 0, 1));
  BOOST_REQUIRE_EQUAL(first.size(), 1U);
  BOOST_TEST((first[0].unit == unit && after == 2U));
  const auto [second, end] = value_of(f.db->list_results(step.id, after, 2));
  BOOST_REQUIRE_EQUAL(second.size(), 1U);
  BOOST_TEST((second[0].unit == last && end == 5U));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(test_questions_are_listed_in_order_with_their_answers, World,
                              worlds) {
  quality_fixture<World> f;
  auto large = f.new_question(f.step.id, 1);
  large.input = std::string(199, 'a') + "\xc3\xa4" + std::string(300, 'b');
  BOOST_TEST(is(f.write({large}), committed));
  f.given_judgment(f.given_unit(f.step.id, 2), "ana", 1);
  const auto asked = f.given_question(f.step.id, 3);
  const auto canceled = f.given_question(f.step.id, 4);
  f.given_question(f.given_step().id, 1);
  f.given_judgment(asked, "ana", 1, 20, true);
  f.given_judgment(asked, "bob", 2, 21, false);
  f.given_judgment(asked, "cid", 3, 22, false);
  f.given_lease(asked, "dan", 4);
  BOOST_TEST(is(f.write({core::set_question_forgiven{asked, true, at(50)}}), committed));
  BOOST_TEST(is(f.set(canceled, core::unit_state::canceled), committed));

  const auto all = value_of(f.db->list_questions(f.step.id, 0, 3));
  BOOST_TEST(!all.more);
  BOOST_REQUIRE_EQUAL(all.questions.size(), 3U);
  const auto& [first, second, third] =
      std::tie(all.questions[0], all.questions[1], all.questions[2]);
  BOOST_TEST((first.unit == large.id && second.unit == asked && third.unit == canceled));
  BOOST_TEST(first.source_key == "key-1");
  BOOST_TEST(first.input == std::string(199, 'a')); // no half character
  BOOST_TEST(first.truth == R"("x")");
  BOOST_TEST(first.answered == 0U);
  BOOST_TEST(!first.forgiven);
  BOOST_TEST(second.ordinal == 3U);
  BOOST_TEST(second.answered == 3U);
  BOOST_TEST(second.right == 1U);
  BOOST_TEST(second.forgiven);
  BOOST_TEST((second.state == core::unit_state::judgable));
  BOOST_TEST((third.state == core::unit_state::canceled));

  const auto page = value_of(f.db->list_questions(f.step.id, 1, 1));
  BOOST_REQUIRE_EQUAL(page.questions.size(), 1U);
  BOOST_TEST((page.questions[0].unit == asked));
  BOOST_TEST(page.more);
  BOOST_TEST(value_of(f.db->list_questions(f.step.id, 4, 9)).questions.empty());
  const auto beyond = std::numeric_limits<std::uint64_t>::max();
  BOOST_TEST(value_of(f.db->list_questions(f.step.id, beyond, 9)).questions.empty());
  BOOST_TEST(fails_with(f.db->list_questions({f.ids.next(at(0))}, 0, 9), core::errc::not_found));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(overdue_lease_of_a_test_question_is_found, World, worlds) {
  quality_fixture<World> f;
  f.given_lease(f.given_question(f.step.id, 1), "ana", 1); // until at(70)
  BOOST_TEST(value_of(f.db->find_overdue(at(70), 10)).empty());
  const std::vector<core::hosted_item> found{f.step.id};
  BOOST_TEST((value_of(f.db->find_overdue(at(71), 10)) == found));
}

// A14, A15
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_the_test_questions_in_order, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto last = f.given_question(step.id, 9);
  const auto paused = f.given_question(step.id, 4);
  f.given_unit(step.id, 5);
  const auto canceled = f.given_question(step.id, 2);
  f.given_question(f.given_step().id, 1); // of another step
  BOOST_TEST(is(f.set(paused, core::unit_state::paused), committed));
  BOOST_TEST(is(f.set(canceled, core::unit_state::canceled), committed));
  BOOST_TEST(history_text(f.history(step.id))
             == "question " + to_string(canceled) + " 2 \"x\" closed\nquestion " + to_string(paused)
                    + " 4 \"x\" closed\nquestion " + to_string(last) + " 9 \"x\" open\n");
  BOOST_TEST(history_text(f.history({f.ids.next(at(0))})).empty());
}

// A28
BOOST_AUTO_TEST_CASE_TEMPLATE(history_counts_every_assignment_once, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto unit = f.given_unit(step.id, 1, 9);
  const auto question = f.given_question(step.id, 2);
  // bytes, not the alphabet, order them
  f.given_judgment(unit, "bob", 1);
  f.given_lease(unit, "Bob", 2);
  f.end(unit, "Bob", 2);
  f.given_lease(unit, "Bob", 3);
  f.end(unit, "Bob", 3);
  f.given_lease(unit, "Bob", 4);
  f.given_judgment(question, "bob", 1, 20, true);
  f.given_lease(question, "\xc3\xa4nn", 2);
  f.given_judgment(f.given_unit(f.given_step().id), "cid", 1); // in another step

  std::string worked;
  for (const auto& w : f.history(step.id).contributors)
    worked += w.contributor + ' ' + std::to_string(w.assignments) + ", ";
  BOOST_TEST(worked == "Bob 3, bob 2, \xc3\xa4nn 1, ");

  // finding C13
  const auto listed = [&](const std::string& after, std::uint32_t limit) {
    std::string text;
    for (const auto& w : value_of(f.db->load_grants(step.id, after, limit)))
      text += w.contributor + ' ' + std::to_string(w.assignments) + ", ";
    return text;
  };
  BOOST_TEST(listed("", 9) == worked);
  BOOST_TEST(listed("", 2) == "Bob 3, bob 2, ");
  BOOST_TEST(listed("Bob", 2) == "bob 2, \xc3\xa4nn 1, ");
  BOOST_TEST(listed("\xc3\xa4nn", 2) == "");
}

// A15, A61, I-11
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_answers_by_submission_and_then_who_was_asked, World,
                              worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto one = f.given_question(step.id, 1);
  const auto two = f.given_question(step.id, 2);
  f.given_judgment(f.given_unit(step.id, 3), "ana", 1);
  f.given_judgment(two, "cid", 1, 25, true);
  f.given_judgment(one, "ana", 1, 22, false);
  // of one instant: the ids decide, which grow
  f.given_judgment(two, "bob", 2, 24, true);
  f.given_judgment(two, "ana", 3, 24, true);
  // had it before and answered later: asked once
  f.given_lease(one, "cid", 2);
  f.end(one, "cid", 2);
  f.given_judgment(one, "cid", 3, 26, false);
  // without an answer: holds it, held it, holds it again
  f.given_lease(two, "eve", 4);
  f.given_lease(one, "eve", 4);
  f.end(one, "eve", 4);
  f.given_lease(one, "bob", 5);
  f.end(one, "bob", 5);
  f.given_lease(one, "bob", 6);
  // What was said to a test question stays evidence.
  BOOST_TEST(is(f.taint(one, "ana"), committed));
  BOOST_TEST(is(f.set(two, core::unit_state::paused), committed));

  const auto on = [&](core::unit_id unit) { return unit == one ? " one" : " two"; };
  std::string asked;
  for (const auto& a : f.history(step.id).asked_questions)
    asked += a.contributor + on(a.unit)
             + (!a.correct   ? ""
                : *a.correct ? " right"
                             : " wrong")
             + ", ";
  BOOST_TEST(asked
             == "ana one wrong, bob two right, ana two right, cid two right, cid one wrong,"
                " bob one, eve one, eve two, ");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(answers_to_test_questions_are_counted_over_all_steps, World, worlds) {
  quality_fixture<World> f;
  const auto other = f.given_step();
  const auto one = f.given_question(f.step.id, 1);
  const auto two = f.given_question(f.step.id, 2);
  const auto elsewhere = f.given_question(other.id, 1);
  const auto tests_of = [&](const std::string& who) {
    const auto tests = value_of(f.db->load_profile(who)).tests;
    return std::to_string(tests.right) + " of " + std::to_string(tests.answered);
  };
  f.given_judgment(one, "ana", 1, 20, true);
  f.given_judgment(two, "ana", 1, 20, false);
  f.given_judgment(elsewhere, "ana", 1, 20, true);
  f.given_judgment(one, "bob", 2, 20, false);
  // What is no answer to a test question, and who has not answered.
  f.given_judgment(f.given_unit(f.step.id, 3), "ana", 1);
  f.given_lease(two, "cid", 2);
  BOOST_TEST(tests_of("ana") == "2 of 3");
  BOOST_TEST(tests_of("bob") == "0 of 1");
  BOOST_TEST(tests_of("cid") == "0 of 0");
  BOOST_TEST(tests_of("an") == "0 of 0");

  // As the step sees them that the first two are of: `elsewhere` is of another workflow, or not.
  const auto seen = value_of(f.db->load_tests_in("ana", f.step.id));
  BOOST_TEST((seen.here.right == 1U && seen.here.answered == 2U));
  const auto from_there = value_of(f.db->load_tests_in("ana", other.id));
  BOOST_TEST((from_there.here.right == 1U && from_there.here.answered == 1U));
  const bool together = other.workflow == f.step.workflow;
  BOOST_TEST(seen.in_workflow.answered == (together ? 1U : 0U));
  BOOST_TEST(from_there.in_workflow.answered == (together ? 2U : 0U));
  BOOST_TEST(value_of(f.db->load_tests_in("cid", f.step.id)).here.answered == 0U);

  // What was said to a test question stays evidence.
  BOOST_TEST(is(f.taint(one, "ana"), committed));
  BOOST_TEST(is(f.set(elsewhere, core::unit_state::canceled), committed));
  BOOST_TEST(tests_of("ana") == "2 of 3");
  BOOST_TEST(!value_of(f.db->load_profile("ana")).changed_at);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(late_answers_to_test_questions_are_counted_unless_surplus, World,
                              worlds) {
  quality_fixture<World> f;
  const auto question = f.given_question(f.step.id, 1);
  for (core::token token : {1, 2}) {
    const std::string who = token == 1 ? "ana" : "bob";
    f.given_lease(question, who, token);
    f.end(question, who, token);
    auto late = f.judgment(question, who, token);
    late.submitted_at = at(80);
    if (token == 1)
      late.test_correct = true;
    BOOST_TEST(is(f.write({token == 1 ? core::write_op{core::insert_late_judgment{late}}
                                      : core::insert_surplus_judgment{late}}),
                  committed));
  }
  BOOST_TEST(value_of(f.db->load_profile("ana")).tests.right == 1U);
  BOOST_TEST(value_of(f.db->load_profile("bob")).tests.answered == 0U);
}

// A28, I-1
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_what_is_left_of_removed_contributors, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto judged = f.given_unit(step.id, 1);
  const auto held = f.given_unit(step.id, 2);
  const auto tainted = f.given_unit(step.id, 3);
  const auto finished = f.given_unit(step.id, 4);
  const auto question = f.given_question(step.id, 5);
  const auto paused = f.given_unit(step.id, 6);
  core::token token = 0;
  for (const auto* who : {"ana", "bob", "cid"}) {
    ++token;
    for (const auto unit : {judged, tainted, finished, paused})
      f.given_judgment(unit, who, token);
    f.given_judgment(question, who, token, 20, false);
    f.given_lease(held, who, token);
  }
  f.given_lease(question, "dan", ++token);
  BOOST_TEST(is(f.taint(tainted, "bob"), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{finished, "{}", 1, at(6)}}), committed));
  BOOST_TEST(is(f.set(paused, core::unit_state::paused), committed));
  // ana works on, of cid nothing was ever said, and bob is also removed from another step
  const auto other = f.given_step();
  f.given_judgment(f.given_unit(other.id), "ana", 1);
  const auto put = [&](core::step_id where, const char* who, contributor_standing what) {
    BOOST_TEST(
        is(f.write({core::put_standing{where, who, what, standing_reason::test_questions, at(30)}}),
           committed));
  };
  put(step.id, "ana", contributor_standing::working);
  put(other.id, "ana", contributor_standing::removed);
  BOOST_TEST(f.history(step.id).unsettled_units.empty());
  put(step.id, "bob", contributor_standing::removed);
  put(step.id, "dan", contributor_standing::removed);

  std::string unsettled;
  for (const auto& u : f.history(step.id, {}).unsettled_units)
    unsettled += u.contributor + ' ' + std::to_string(f.load(u.unit).ordinal) + ", ";
  BOOST_TEST(unsettled == "bob 1, bob 2, bob 6, dan 5, ");
}

// A27
BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_the_votes_that_count_by_submission, World, worlds) {
  quality_fixture<World> f;
  const auto& step = f.step;
  const auto one = f.given_unit(step.id, 1);
  const auto two = f.given_unit(step.id, 2);
  f.given_judgment(two, "cid", 1, 25);
  f.given_judgment(one, "ana", 1, 24);
  f.given_judgment(two, "bob", 2, 24); // of one instant: the ids decide, which grow
  f.given_judgment(one, "bob", 2, 23);
  f.given_judgment(two, "ana", 3, 22);
  f.given_judgment(f.given_question(step.id, 3), "ana", 1, 21, true);
  f.given_judgment(f.given_unit(f.given_step().id), "ana", 1); // in another step
  BOOST_TEST(is(f.taint(two, "ana"), committed));
  BOOST_TEST(is(f.write({core::finalize_unit{one, "{}", 1, at(6)}}), committed));
  BOOST_TEST(is(f.set(two, core::unit_state::canceled), committed));

  std::string votes;
  for (const auto& v : f.history(step.id).votes)
    votes += v.contributor
             + (v.unit == one   ? " one "
                : v.unit == two ? " two "
                                : " question ")
             + v.answer + ", ";
  BOOST_TEST(votes == "ana question x, bob one x, ana one x, bob two x, cid two x, ");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(history_has_what_is_in_its_scope, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id, 1);
  f.given_judgment(f.given_question(f.step.id, 2), "ana", 1, 20, true);
  f.given_judgment(unit, "ana", 1);
  f.given_judgment(unit, "bob", 2);
  BOOST_TEST(is(f.write({core::put_standing{f.step.id, "bob", contributor_standing::removed,
                                            standing_reason::requester, at(30)}}),
                committed));
  const auto whole = f.history(f.step.id, {true, true});
  BOOST_TEST(whole.questions.size() == 1U);
  BOOST_TEST(whole.contributors.size() == 2U);
  BOOST_TEST(whole.asked_questions.size() == 1U);
  BOOST_TEST(whole.standings.size() == 1U);
  BOOST_TEST(whole.unsettled_units.size() == 1U);
  BOOST_TEST(whole.votes.size() == 3U);
  auto tests = whole;
  tests.votes.clear();
  BOOST_TEST(history_text(f.history(f.step.id, {true, false})) == history_text(tests));
  auto neither = tests;
  neither.questions.clear();
  neither.contributors.clear();
  neither.asked_questions.clear();
  BOOST_TEST(history_text(f.history(f.step.id, {})) == history_text(neither));
  auto votes = neither;
  votes.votes = whole.votes;
  BOOST_TEST(history_text(f.history(f.step.id, {false, true})) == history_text(votes));
  auto judged = neither;
  judged.judged = std::vector<core::step_history::worked_through>{{"ana", 1}, {"bob", 1}};
  BOOST_TEST(history_text(f.history(f.step.id, {false, false, true})) == history_text(judged));
  BOOST_TEST(!whole.judged.has_value());
}

// A22
BOOST_AUTO_TEST_CASE_TEMPLATE(judged_units_are_counted_whatever_became_of_them, World, worlds) {
  quality_fixture<World> f;
  const auto counted = [&](core::step_id step) {
    const auto history = f.history(step, {false, false, true});
    BOOST_REQUIRE(history.judged.has_value());
    return history_text(history);
  };
  BOOST_TEST(counted(f.step.id).empty());
  const auto first = f.given_unit(f.step.id, 1);
  f.given_judgment(first, "bob", 1);
  f.given_judgment(first, "ana", 2);
  BOOST_TEST(is(f.taint(first, "ana"), committed));
  BOOST_TEST(is(f.set(first, core::unit_state::canceled), committed));
  f.given_judgment(f.given_unit(f.step.id, 2), "ana", 1);
  f.given_judgment(f.given_question(f.step.id, 3), "ana", 1, 20, true);
  f.given_lease(f.given_unit(f.step.id, 4), "ana", 1);
  const auto other = f.given_step();
  f.given_judgment(f.given_unit(other.id, 1), "ana", 1);
  BOOST_TEST(counted(f.step.id) == "judged ana 2\njudged bob 1\n");
}

// A22
BOOST_AUTO_TEST_CASE_TEMPLATE(judgment_is_read_with_what_was_judged_before_it, World, worlds) {
  quality_fixture<World> f;
  const auto unit = f.given_unit(f.step.id);
  const auto hand_in = [&](const std::string& who, core::token token,
                           std::optional<std::uint32_t> before) {
    f.given_lease(unit, who, token);
    auto answer = f.judgment(unit, who, token);
    answer.judged_before = before;
    return f.write({answer});
  };
  BOOST_TEST(is(hand_in("ana", 1, 0), committed));
  BOOST_TEST(is(hand_in("bob", 2, 2'147'483'647), committed));
  BOOST_TEST(is(hand_in("eve", 3, std::nullopt), committed));
  BOOST_TEST(is(hand_in("joe", 4, 2'147'483'648), refused));
  f.given_lease(unit, "late", 5);
  f.end(unit, "late", 5);
  auto late = f.judgment(unit, "late", 5);
  late.submitted_at = at(80);
  late.judged_before = 6;
  BOOST_TEST(is(f.write({core::insert_late_judgment{late}}), committed));
  const auto marks = f.load(unit).judgments;
  BOOST_REQUIRE_EQUAL(marks.size(), 4U);
  BOOST_TEST((marks[0].judged_before == 0U));
  BOOST_TEST((marks[1].judged_before == 2'147'483'647U));
  BOOST_TEST(!marks[2].judged_before.has_value());
  BOOST_TEST((marks[3].judged_before == 6U));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
