#pragma once

#include "messages/interfaces.hpp"
#include "messages/result_messages.hpp"
#include "tests/messages/samples.hpp"

namespace holdfast::test {

/// What comes out of a workflow.
inline void add_result_samples(samples& into) {
  using namespace msg;
  const auto unit = id_of<core::unit_id>(0x52);
  const auto root = id_of<core::unit_id>(0x53);
  const auto workflow = id_of<core::workflow_id>(0x57);
  const auto batch = id_of<core::unit_id>(0x59);
  const auto at = core::from_micros(0x00060a2418203040);
  const std::string at_bytes = "00060a2418203040";
  into.add("hf1.list_workflow_results",
           list_workflow_results{workflow, "7", 50, core::all_result_states, true, false},
           id(0x57) + text("7") + u32(50) + u8(0x1f) + u8(1) + u8(0));
  workflow_result result;
  result.unit = unit;
  result.root = root;
  result.ordinal = 7;
  result.source_key = "k";
  result.state = core::result_state::rejected;
  result.step = "review";
  result.path = {"draw", "review"};
  result.parts = {3, 4};
  result.input = "[1]";
  result.item = "[2]";
  result.answer = "[3]";
  result.fields = "[4]";
  result.votes = "{}";
  result.confidence = 0.75;
  result.answered_in = "draw";
  result.verdict = "reject";
  result.contributors = {"ana", "bob"};
  result.judgments = 5;
  result.loops = 6;
  result.version = 2;
  result.batch = batch;
  result.created_at = at;
  result.ended_at = at;
  result.problem = "lost";
  const auto result_bytes = id(0x52) + id(0x53) + u64(7) + text("k") + u8(2) + text("review")
                            + list({text("draw"), text("review")}) + list({u32(3), u32(4)})
                            + text("[1]") + text("[2]") + text("[3]") + text("[4]") + text("{}")
                            + "3fe8000000000000" + text("draw") + text("reject")
                            + list({text("ana"), text("bob")}) + u32(5) + u32(6) + u32(2) + id(0x59)
                            + at_bytes + at_bytes + text("lost");
  into.add("hf1.workflow_result", result, result_bytes);
  into.add("hf1.workflow_result_page", workflow_result_page{{result, result}, "7", true},
           list({result_bytes, result_bytes}) + text("7") + u8(1));
}

/// What requesters, contributors and operators send.
inline void add_work_samples(samples& into) {
  using namespace msg;
  const auto step = id_of<core::step_id>(0x51);
  const auto unit = id_of<core::unit_id>(0x52);
  const auto root = id_of<core::unit_id>(0x53);
  const auto parent = id_of<core::unit_id>(0x54);
  const auto work = id_of<core::assignment_id>(0x55);
  const auto judgment = id_of<core::judgment_id>(0x56);
  const auto workflow = id_of<core::workflow_id>(0x57);
  const auto at = core::from_micros(0x00060a2418203040);
  const std::string at_bytes = "00060a2418203040";

  // What contributors send.
  into.add("hf1.ask_assignment", ask_assignment{step, "ana", work},
           id(0x51) + text("ana") + id(0x55));
  into.add("hf1.await_units", await_units{step, 7, std::chrono::seconds{2}},
           id(0x51) + u64(7) + u64(2'000'000));
  into.add("hf1.units_awaited", units_awaited{9}, u64(9));
  into.add("hf1.assignment", assignment{work, step, unit, 7, at, "{}", "form"},
           id(0x55) + id(0x51) + id(0x52) + u64(7) + at_bytes + text("{}") + text("form"));
  into.add("hf1.release_assignment", release_assignment{step, unit, "ana", 7, true},
           id(0x51) + id(0x52) + text("ana") + u64(7) + u8(1));
  into.add("hf1.assignment_released", assignment_released{unit}, id(0x52));
  into.add("hf1.extend_assignment", extend_assignment{step, unit, "ana", 7},
           id(0x51) + id(0x52) + text("ana") + u64(7));
  into.add("hf1.assignment_extended", assignment_extended{unit, at}, id(0x52) + at_bytes);
  into.add("hf1.submit_judgment", submit_judgment{step, unit, "ana", 7, judgment, "{\"answer\":1}"},
           id(0x51) + id(0x52) + text("ana") + u64(7) + id(0x56) + text("{\"answer\":1}"));
  into.add("hf1.judgment_accepted", judgment_accepted{judgment, true, true},
           id(0x56) + u8(1) + u8(1));
  into.add("hf1.correct_judgment", correct_judgment{step, unit, "ana", judgment, 2, "{}"},
           id(0x51) + id(0x52) + text("ana") + id(0x56) + u32(2) + text("{}"));
  into.add("hf1.judgment_corrected", judgment_corrected{judgment, 2, true},
           id(0x56) + u32(2) + u8(1));
  into.add("hf1.get_feedback", get_feedback{step, unit, "ana"}, id(0x51) + id(0x52) + text("ana"));
  into.add("hf1.judgment_feedback", judgment_feedback{unit, true, true, false},
           id(0x52) + u8(1) + u8(1) + u8(0));
  into.add("hf1.end_session", end_session{"ana"}, text("ana"));
  into.add("hf1.session_ended", session_ended{3}, u32(3));

  // What requesters send.
  const step_view view{step, workflow, "label", 2, core::step_status::completed, true, 10, 9, 8};
  const auto view_bytes =
      id(0x51) + id(0x57) + text("label") + u32(2) + u8(3) + u8(1) + u64(10) + u64(9) + u64(8);
  into.add("hf1.step_view", view, view_bytes);
  into.add("hf1.create_workflow", create_workflow{workflow, "{}"}, id(0x57) + text("{}"));
  into.add("hf1.workflow_created", workflow_created{workflow, {view, view}},
           id(0x57) + list({view_bytes, view_bytes}));
  into.add("hf1.check_workflow", check_workflow{"{}"}, text("{}"));
  const definition_finding finding{"labels_alike", "/steps/0", "differ in case"};
  const auto finding_bytes = text("labels_alike") + text("/steps/0") + text("differ in case");
  into.add("hf1.definition_finding", finding, finding_bytes);
  into.add("hf1.workflow_checked", workflow_checked{true, {finding}, {finding, finding}},
           u8(1) + list({finding_bytes}) + list({finding_bytes, finding_bytes}));
  into.add("hf1.update_workflow", update_workflow{step, 2, "{}", true},
           id(0x51) + u32(2) + text("{}") + u8(1));
  const definition_difference difference{"/name", "[1]", "[2]"};
  const auto difference_bytes = text("/name") + text("[1]") + text("[2]");
  into.add("hf1.definition_difference", difference, difference_bytes);
  into.add("hf1.workflow_updated", workflow_updated{workflow, 3, true, {difference}, {view}},
           id(0x57) + u32(3) + u8(1) + list({difference_bytes}) + list({view_bytes}));
  into.add("hf1.job_status_changed", job_status_changed{workflow, 7, 2, step},
           id(0x57) + u64(7) + u8(2) + id(0x51));
  into.add("hf1.job_status_noted", job_status_noted{workflow, 8, true}, id(0x57) + u64(8) + u8(1));
  into.add("hf1.get_workflow", get_workflow{workflow, 2}, id(0x57) + u32(2));
  into.add("hf1.workflow_view", workflow_view{workflow, "w", 2, 3, "{}", {view}},
           id(0x57) + text("w") + u32(2) + u32(3) + text("{}") + list({view_bytes}));
  into.add("hf1.list_workflows", list_workflows{workflow, 100}, id(0x57) + u32(100));
  const workflow_summary summary{workflow, "w", at, 3, 4, 5, 6, 7, 8, 2};
  const auto summary_bytes =
      id(0x57) + text("w") + at_bytes + u32(3) + u32(4) + u32(5) + u32(6) + u32(7) + u64(8) + u8(2);
  into.add("hf1.workflow_summary", summary, summary_bytes);
  into.add("hf1.workflow_page", workflow_page{{summary}, true}, list({summary_bytes}) + u8(1));
  into.add("hf1.add_source_data", add_source_data{step, {{"k1", "[1]", 5}, {"k2", "[2]", 0}}},
           id(0x51) + list({text("k1") + text("[1]") + u32(5), text("k2") + text("[2]") + u32(0)}));
  into.add("hf1.source_data_added", source_data_added{1, 2, {{3, 4, "bad"}}},
           u32(1) + u32(2) + list({u32(3) + u8(4) + text("bad")}));
  into.add("hf1.load_source_data", load_source_data{step, {{"k1", "[1]", 5}}, true, false},
           id(0x51) + list({text("k1") + text("[1]") + u32(5)}) + u8(1) + u8(0));
  into.add("hf1.changed_row", changed_row{3, unit, true}, u32(3) + id(0x52) + u8(1));
  into.add("hf1.source_data_loaded", source_data_loaded{1, 2, {{3, unit, true}}, {{3, 4, "bad"}}},
           u32(1) + u32(2) + list({u32(3) + id(0x52) + u8(1)})
               + list({u32(3) + u8(4) + text("bad")}));
  const test_question question{"q1", "[3]", "{\"answer\":1}"};
  const auto question_bytes = text("q1") + text("[3]") + text("{\"answer\":1}");
  into.add("hf1.test_question", question, question_bytes);
  into.add("hf1.add_test_questions", add_test_questions{step, {question}},
           id(0x51) + list({question_bytes}));
  into.add("hf1.list_test_questions", list_test_questions{step, 6, 50},
           id(0x51) + u64(6) + u32(50));
  const test_question_summary asked{unit, 7, "q1", "[3]", "{}", core::unit_state::paused,
                                    true, 9, 4};
  const auto asked_bytes =
      id(0x52) + u64(7) + text("q1") + text("[3]") + text("{}") + u8(2) + u8(1) + u64(9) + u64(4);
  into.add("hf1.test_question_summary", asked, asked_bytes);
  into.add("hf1.test_question_page", test_question_page{{asked}, true},
           list({asked_bytes}) + u8(1));
  into.add("hf1.remove_contributor", remove_contributor{step, "ana"}, id(0x51) + text("ana"));
  into.add("hf1.contributor_removed", contributor_removed{step, "ana"}, id(0x51) + text("ana"));
  into.add("hf1.forgive_question", forgive_question{step, unit, true}, id(0x51) + id(0x52) + u8(1));
  into.add("hf1.question_forgiven", question_forgiven{step, unit, true, {"ana", "bob"}, {"eve"}},
           id(0x51) + id(0x52) + u8(1) + list({text("ana"), text("bob")}) + list({text("eve")}));
  const auto repair = id_of<core::repair_id>(0x5c);
  into.add("hf1.repair_contributor", repair_contributor{step, repair, "ana", true},
           id(0x51) + id(0x5c) + text("ana") + u8(1));
  into.add("hf1.repair_question", repair_question{step, repair, unit, true},
           id(0x51) + id(0x5c) + id(0x52) + u8(1));
  into.add("hf1.repair_progress",
           repair_progress{step, repair, "ana", true, false, 9, 8, 7, 1, 2, 3, 1, 6, 4},
           id(0x51) + id(0x5c) + text("ana") + u8(1) + u8(0) + u64(9) + u64(8) + u64(7) + u64(1)
               + u64(2) + u64(3) + u64(1) + u64(6) + u64(4));
  const auto correction = id_of<core::correction_id>(0x5d);
  into.add("hf1.reopen_unit", reopen_unit{step, unit, correction, 2, "why"},
           id(0x51) + id(0x52) + id(0x5d) + u32(2) + text("why"));
  into.add("hf1.override_result", override_result{step, unit, correction, "\"cat\"", "1", "why"},
           id(0x51) + id(0x52) + id(0x5d) + text("\"cat\"") + text("1") + text("why"));
  into.add("hf1.taint_judgment", taint_judgment{step, unit, judgment, correction, "why"},
           id(0x51) + id(0x52) + id(0x56) + id(0x5d) + text("why"));
  into.add("hf1.reinstate_judgment", reinstate_judgment{step, unit, judgment, correction, "why"},
           id(0x51) + id(0x52) + id(0x56) + id(0x5d) + text("why"));
  into.add("hf1.unit_corrected", unit_corrected{unit, correction, "tainted", 2, true, true, false},
           id(0x52) + id(0x5d) + text("tainted") + u32(2) + u8(1) + u8(1) + u8(0));
  into.add("hf1.list_corrections", list_corrections{step, unit}, id(0x51) + id(0x52));
  const correction_view corrected{3,     correction, "tainted", judgment, "ana", "token rita",
                                  "why", "cat",      at,        1,        true};
  const auto corrected_bytes = u32(3) + id(0x5d) + text("tainted") + id(0x56) + text("ana")
                               + text("token rita") + text("why") + text("cat") + at_bytes + u32(1)
                               + u8(1);
  into.add("hf1.correction_view", corrected, corrected_bytes);
  const kept_judgment kept{judgment, 1, false, "cat", "{}", at};
  const auto kept_bytes = id(0x56) + u32(1) + u8(0) + text("cat") + text("{}") + at_bytes;
  into.add("hf1.kept_judgment", kept, kept_bytes);
  into.add("hf1.correction_list", correction_list{unit, {corrected}, {kept}},
           id(0x52) + list({corrected_bytes}) + list({kept_bytes}));
  into.add("hf1.list_contributors", list_contributors{step, "ana", 50},
           id(0x51) + text("ana") + u32(50));
  const contributor_view seen{"ana",
                              core::contributor_standing::removed,
                              core::standing_reason::test_questions,
                              30,
                              8,
                              3,
                              0.5,
                              0.25,
                              {"speed"}};
  const auto seen_bytes = text("ana") + u8(2) + u8(2) + u64(30) + u32(8) + u32(3)
                          + "3fe0000000000000" + "3fd0000000000000" + list({text("speed")});
  into.add("hf1.contributor_view", seen, seen_bytes);
  into.add("hf1.contributor_page", contributor_page{{seen}, true}, list({seen_bytes}) + u8(1));
  into.add("hf1.explain_unit", explain_unit{step, unit, "ana"}, id(0x51) + id(0x52) + text("ana"));
  const reason why{"paused", "it is"};
  const auto why_bytes = text("paused") + text("it is");
  into.add("hf1.reason", why, why_bytes);
  into.add("hf1.unit_explanation", unit_explanation{unit, core::unit_state::paused, {why}},
           id(0x52) + u8(2) + list({why_bytes}));
  into.add("hf1.explain_contributor", explain_contributor{step, "ana"}, id(0x51) + text("ana"));
  into.add("hf1.contributor_explanation", contributor_explanation{"ana", {why}},
           text("ana") + list({why_bytes}));
  into.add("hf1.get_step_quality", get_step_quality{step}, id(0x51));
  const quality_concern concern{"eve", "speed", "too fast"};
  const auto concern_bytes = text("eve") + text("speed") + text("too fast");
  into.add("hf1.quality_concern", concern, concern_bytes);
  into.add("hf1.step_quality",
           step_quality{step, 60, 20, 3, true, 0.5, 0.25, 19, 0.75, 7, 12, {concern}},
           id(0x51) + u64(60) + u64(20) + u64(3) + u8(1) + "3fe0000000000000" + "3fd0000000000000"
               + u64(19) + "3fe8000000000000" + u64(7) + u64(12) + list({concern_bytes}));
  into.add("hf1.seal_step", seal_step{step}, id(0x51));
  into.add("hf1.change_step", change_step{step, 2}, id(0x51) + u8(2));
  into.add("hf1.change_unit", change_unit{step, unit, 3}, id(0x51) + id(0x52) + u8(3));
  into.add("hf1.unit_changed", unit_changed{unit, core::unit_state::canceled}, id(0x52) + u8(4));
  into.add("hf1.list_steps", list_steps{step, 100}, id(0x51) + u32(100));
  into.add("hf1.step_list", step_list{{view}}, list({view_bytes}));
  into.add("hf1.get_unit", get_unit{step, unit}, id(0x51) + id(0x52));
  into.add("hf1.unit_view",
           unit_view{unit, step, root, parent, "k", "[1]", core::unit_state::finalized, 3, 2, 1,
                     "{}", 0.75, 4, id_of<core::unit_id>(0x58)},
           id(0x52) + id(0x51) + id(0x53) + id(0x54) + text("k") + text("[1]") + u8(3) + u32(3)
               + u32(2) + u32(1) + text("{}") + "3fe8000000000000" + u32(4) + id(0x58));
  into.add("hf1.list_results", list_results{step, 6, 50}, id(0x51) + u64(6) + u32(50));
  into.add(
      "hf1.result_page", result_page{{{unit, "k", core::unit_state::finalized, 3, "{}", 0.5}}, 77},
      list({id(0x52) + text("k") + u8(3) + u32(3) + text("{}") + "3fe0000000000000"}) + u64(77));
  into.add("hf1.get_step_statistics", get_step_statistics{step}, id(0x51));
  into.add("hf1.step_statistics", step_statistics{view, 1, 2, 3, 4, 5, 6, 7},
           view_bytes + u64(1) + u64(2) + u64(3) + u64(4) + u64(5) + u64(6) + u64(7));

  add_result_samples(into);

  // What operators send.
  into.add("hf1.get_node_status", get_node_status{1}, u32(1));
  into.add("hf1.node_status",
           node_status{"n1", id_of<core::incarnation_id>(0x58), "0.1.0", at, at, 1, 2, 3, 4, 5, 6,
                       7, 8, 9, true},
           text("n1") + id(0x58) + text("0.1.0") + at_bytes + at_bytes + u32(1) + u32(2) + u64(3)
               + u64(4) + u64(5) + u64(6) + u64(7) + u64(8) + u64(9) + u8(1));
  into.add("hf1.get_link_status", get_link_status{1}, u32(1));
  into.add("hf1.link_status", link_status{true, 1, 2, 3, 4, 5, 6, 7, {{"revoked", 8}}},
           u8(1) + u64(1) + u64(2) + u64(3) + u64(4) + u64(5) + u64(6) + u64(7)
               + list({text("revoked") + u64(8)}));
  into.add("hf1.get_audit_status", get_audit_status{1}, u32(1));
  into.add("hf1.audit_status", audit_status{1, 2, at, {{"I-1", 3}}},
           u64(1) + u64(2) + at_bytes + list({text("I-1") + u64(3)}));
  into.add("hf1.get_guard_status", get_guard_status{1}, u32(1));
  into.add("hf1.guard_status", guard_status{true, at, "no database", 1, 2, 3, 4, 5, 6, 7},
           u8(1) + at_bytes + text("no database") + u64(1) + u64(2) + u64(3) + u64(4) + u64(5)
               + u64(6) + u64(7));
  into.add("hf1.get_placement", get_placement{1}, u32(1));
  const node_start begun{
      id_of<core::incarnation_id>(0x71), "alpha", "10.0.0.1:4800", at, at, at, true, 7};
  const auto begun_bytes = id(0x71) + text("alpha") + text("10.0.0.1:4800") + at_bytes + at_bytes
                           + at_bytes + u8(1) + u32(7);
  const broken_check broken{"I-1", "slots_not_exceeded", 2, "unit_id=7"};
  const auto broken_bytes = text("I-1") + text("slots_not_exceeded") + u64(2) + text("unit_id=7");
  into.add("hf1.verify_cluster", verify_cluster{1}, u32(1));
  into.add("hf1.broken_check", broken, broken_bytes);
  into.add("hf1.cluster_verified", cluster_verified{at, {broken, broken}},
           at_bytes + list({broken_bytes, broken_bytes}));
  into.add("hf1.list_nodes", list_nodes{50}, u32(50));
  into.add("hf1.node_start", begun, begun_bytes);
  into.add("hf1.node_list", node_list{{begun, begun}, true},
           list({begun_bytes, begun_bytes}) + u8(1));
  into.add(
      "hf1.placement",
      placement{id_of<core::incarnation_id>(0x58), {id_of<core::incarnation_id>(0x59), {}}, {3, 4}},
      id(0x58) + list({id(0x59), id(0)}) + list({u64(3), u64(4)}));
}

} // namespace holdfast::test
