#include "tests/sim/clients.hpp"

#include "tests/sim/asking.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <utility>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// A contributor, or the requester.
struct persona : asker<repeatable> {
  using asker::asker;

  std::vector<msg::assignment> held;
  std::vector<msg::assignment> past; ///< Held no more, for all it knows.
  /// What it has asked for lately, oldest first, and when.
  std::deque<std::pair<core::instant, msg::ask_assignment>> asked_for;
  bool asked = false;                 ///< Of a closer: asked, and got nothing yet.
  core::duration pause = 30ms;        ///< Of a closer, after asking in vain.
  std::vector<std::string> keys_left; ///< Of a requester.
  /// The same: test questions still to be added, by position of their step.
  std::vector<std::pair<std::uint32_t, std::string>> questions_left;
  /// Of a requester: whose word it has had taken out of a step in the end.
  std::set<std::pair<core::step_id, core::contributor_id>> repaired;
  bool saw_all_done = false; ///< The same: it need not wait with that any more.
  std::uint32_t knows = 0;   ///< Per million answers to test questions: right for sure.
  core::workflow_id workflow;
  std::uint32_t version = 1;                ///< Of the workflow: the latest it knows of.
  std::uint64_t job_revision = 0;           ///< Of its job, as of the last news of it.
  bool launched = false;                    ///< So they were, in the calm.
  profile_draft profile;                    ///< Where steps ask something of people.
  std::uint32_t ticks = 0;                  ///< So far without a profile.
  bool known = false;                       ///< Its profile is put, for all it knows.
  std::optional<core::instant> known_since; ///< In the calm.
  /// Of a requester: in whose names it still has to find, in the calm, all that is open.
  std::vector<core::contributor_id> seekers;

  auditor& audit() { return world.audit; }

  using asker::refused;
  void refused(const msg::ask_assignment& request, const core::failure& why, core::instant sent) {
    constexpr core::duration steps_know_within = 2s;
    if (why.code == core::errc::already_exists)
      audit().blame("assignments", name + " is told that its own assignment id is somebody else's");
    if (why.code != core::errc::not_qualified || why.detail.empty()) // removed
      return;
    world.seen.count(event_kind::lacked);
    audit().refused(request, why.detail, known_since && sent > *known_since + steps_know_within);
  }
  void refused(const msg::get_feedback& request, const core::failure& why, core::instant) {
    if (why.code == core::errc::wrong_state)
      audit().refused(request);
  }
};
using persona_ptr = std::shared_ptr<persona>;

void forget(persona& p, const core::unit_id& unit, core::token token) {
  const auto found = std::find_if(p.held.begin(), p.held.end(), [&](const auto& a) {
    return a.unit == unit && a.token == token;
  });
  if (found == p.held.end())
    return;
  p.past.push_back(*found);
  p.held.erase(found);
  if (p.past.size() > 4)
    p.past.erase(p.past.begin());
}

// --- what a trace says of messages ---

template <class Message>
std::string show(const persona&, const Message& m) {
  if constexpr (std::is_same_v<Message, msg::ask_assignment>)
    return "asks in step " + brief(m.step) + " for assignment " + brief(m.assignment);
  else if constexpr (std::is_same_v<Message, msg::assignment>)
    return "assignment " + brief(m.id) + " of unit " + brief(m.unit) + " under token "
           + std::to_string(m.token);
  else if constexpr (std::is_same_v<Message, msg::submit_judgment>)
    return "submits judgment " + brief(m.judgment) + " of unit " + brief(m.unit) + " under token "
           + std::to_string(m.token) + ": " + m.payload;
  else if constexpr (std::is_same_v<Message, msg::judgment_accepted>)
    return std::string{m.repeated ? "known" : "accepted"} + (m.surplus ? " as surplus" : "")
           + " judgment " + brief(m.judgment);
  else if constexpr (std::is_same_v<Message, msg::release_assignment>)
    return std::string{m.decline ? "declines" : "releases"} + " unit " + brief(m.unit)
           + " under token " + std::to_string(m.token);
  else if constexpr (std::is_same_v<Message, msg::extend_assignment>)
    return "extends unit " + brief(m.unit) + " under token " + std::to_string(m.token);
  else if constexpr (std::is_same_v<Message, msg::assignment_extended>)
    return "extended unit " + brief(m.unit);
  else if constexpr (std::is_same_v<Message, msg::assignment_released>)
    return "released unit " + brief(m.unit);
  else if constexpr (std::is_same_v<Message, msg::change_unit>)
    return "unit " + brief(m.unit) + " verb " + std::to_string(m.verb);
  else if constexpr (std::is_same_v<Message, msg::change_step>)
    return "step " + brief(m.step) + " verb " + std::to_string(m.verb);
  else if constexpr (std::is_same_v<Message, msg::add_source_data>)
    return "adds " + std::to_string(m.rows.size()) + " rows, first " + m.rows.front().key;
  else if constexpr (std::is_same_v<Message, msg::add_test_questions>)
    return "adds " + std::to_string(m.rows.size()) + " test questions, first " + m.rows.front().key;
  else if constexpr (std::is_same_v<Message, msg::remove_contributor>)
    return "removes " + m.contributor + " from step " + brief(m.step);
  else if constexpr (std::is_same_v<Message, msg::forgive_question>)
    return (m.count_again ? "counts again" : "forgives") + (" the question " + brief(m.unit));
  else if constexpr (std::is_same_v<Message, msg::repair_contributor>)
    return "repairs what " + m.contributor + " said in step " + brief(m.step)
           + (m.dry_run ? ", only counting" : "");
  else if constexpr (std::is_same_v<Message, msg::repair_question>)
    return "repairs what was said by who answered the question " + brief(m.unit)
           + (m.dry_run ? ", only counting" : "");
  else if constexpr (std::is_same_v<Message, msg::get_feedback>)
    return "asks whether unit " + brief(m.unit) + " was a question";
  else if constexpr (std::is_same_v<Message, msg::judgment_feedback>)
    return "unit " + brief(m.unit) + (m.test_question ? " was one, and the answer " : " was none")
           + (!m.test_question ? ""
              : m.right        ? "right"
                               : "wrong")
           + (!m.test_question || m.counts ? "" : ", forgiven");
  else if constexpr (std::is_same_v<Message, msg::rebuild_step_index>)
    return "has the steps listed anew";
  else if constexpr (std::is_same_v<Message, msg::step_index_rebuilt>)
    return std::to_string(m.nodes) + " nodes have listed " + std::to_string(m.steps) + " steps"
           + (m.complete ? "" : ", not all");
  else if constexpr (std::is_same_v<Message, msg::repair_progress>)
    return "repair " + brief(m.repair) + " is at " + std::to_string(m.units_done) + " of "
           + std::to_string(m.units) + ", found " + std::to_string(m.found);
  else if constexpr (std::is_same_v<Message, msg::source_data_added>)
    return "added " + std::to_string(m.added) + ", known " + std::to_string(m.already_there);
  else if constexpr (std::is_same_v<Message, msg::seal_step>)
    return "seals step " + brief(m.step);
  else if constexpr (std::is_same_v<Message, msg::step_view>)
    return "step " + brief(m.step) + " is " + std::string{to_string(m.status)}
           + (m.sealed ? ", sealed" : "");
  else if constexpr (std::is_same_v<Message, msg::create_workflow>)
    return "creates the workflow";
  else if constexpr (std::is_same_v<Message, msg::update_workflow>)
    return std::string{m.dry_run ? "asks for the differences" : "updates the workflow"}
           + " from version " + std::to_string(m.version) + ": " + m.definition;
  else if constexpr (std::is_same_v<Message, msg::workflow_updated>)
    return (m.dry_run ? "would be version " : "is version ") + std::to_string(m.version) + " with "
           + std::to_string(m.differences.size()) + " differences";
  else if constexpr (std::is_same_v<Message, msg::get_workflow>)
    return "asks for version " + std::to_string(m.version) + " of the workflow";
  else if constexpr (std::is_same_v<Message, msg::workflow_view>)
    return "version " + std::to_string(m.version) + " of " + std::to_string(m.latest);
  else if constexpr (std::is_same_v<Message, msg::job_status_changed>)
    return "tells that the job is "
           + std::string{to_string(static_cast<core::job_status>(m.status))} + " as of "
           + std::to_string(m.revision);
  else if constexpr (std::is_same_v<Message, msg::job_status_noted>)
    return "the job is known as of " + std::to_string(m.revision) + (m.applied ? ", by this" : "");
  else if constexpr (std::is_same_v<Message, msg::end_session>)
    return "goes home";
  else if constexpr (std::is_same_v<Message, msg::get_lineage>)
    return "asks what became of unit " + brief(m.unit);
  else if constexpr (std::is_same_v<Message, msg::get_step_quality>)
    return "asks how step " + brief(m.step) + " looks";
  else if constexpr (std::is_same_v<Message, msg::put_profile>)
    return "says who it is, with " + std::to_string(m.skills.size()) + " skills";
  else if constexpr (std::is_same_v<Message, msg::find_steps>)
    return "looks for " + std::to_string(m.limit) + " steps for " + m.contributor
           + (m.after ? " behind " + brief(m.after) : "");
  else if constexpr (std::is_same_v<Message, msg::step_offers>)
    return "finds " + std::to_string(m.steps.size()) + " steps" + (m.complete ? "" : ", not all");
  else
    return "done";
}

// --- what a client learns from an answer ---

void learn(persona& p, const msg::ask_assignment&, const msg::assignment& a) {
  for (const auto* list : {&p.held, &p.past})
    for (const auto& known : *list)
      if (known.unit == a.unit && known.token == a.token)
        return;
  p.held.push_back(a);
}
void learn(persona& p, const msg::release_assignment& asked, const msg::assignment_released&) {
  forget(p, asked.unit, asked.token);
}
void learn(persona& p, const msg::submit_judgment& asked, const msg::judgment_accepted&) {
  ++p.answers;
  forget(p, asked.unit, asked.token);
}
void learn(persona& p, const msg::end_session&, const msg::session_ended&) {
  while (!p.held.empty())
    forget(p, p.held.front().unit, p.held.front().token);
}
/// Their places stay what they are, whatever the workflow becomes.
void learn_steps(persona& p, const std::vector<msg::step_view>& views) {
  auto& steps = p.world.steps;
  for (const auto& view : views) {
    if (steps.size() <= view.position)
      steps.resize(view.position + 1);
    steps[view.position] = view.step;
  }
}
void learn(persona& p, const msg::create_workflow&, const msg::workflow_created& answer) {
  learn_steps(p, answer.steps);
}
void learn(persona& p, const msg::update_workflow&, const msg::workflow_updated& answer) {
  if (answer.dry_run || answer.version <= p.version)
    return;
  p.version = answer.version;
  p.world.seen.count(event_kind::workflow_updated);
  learn_steps(p, answer.steps);
}
void learn(persona& p, const msg::job_status_changed& asked, const msg::job_status_noted&) {
  p.launched = p.world.calm && asked.revision == p.job_revision
               && static_cast<core::job_status>(asked.status) == core::job_status::launched;
}
void learn(persona& p, const msg::add_source_data& asked, const msg::source_data_added&) {
  for (const auto& row : asked.rows)
    p.keys_left.erase(std::remove(p.keys_left.begin(), p.keys_left.end(), row.key),
                      p.keys_left.end());
}
void drop_questions(persona& p, const msg::add_test_questions& asked) {
  auto& left = p.questions_left;
  for (const auto& row : asked.rows)
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const auto& one) { return one.second == row.key; }),
               left.end());
}
void learn(persona& p, const msg::add_test_questions& asked, const msg::source_data_added&) {
  drop_questions(p, asked);
}
void learn(persona& p, const msg::put_profile&, const msg::profile_view&) {
  p.known = true;
  if (p.world.calm && !p.known_since)
    p.known_since = p.world.now();
}
void learn(persona& p, const msg::find_steps& asked, const msg::step_offers& answer) {
  p.world.seen.count(event_kind::steps_searched);
  const auto seeker = std::find(p.seekers.begin(), p.seekers.end(), asked.contributor);
  if (seeker != p.seekers.end() && p.audit().shows_all(asked, answer, p.world.now()))
    p.seekers.erase(seeker);
}
template <class Request, class Answer>
void learn(persona&, const Request&, const Answer&) {}

void learn_refusal(persona& p, const msg::submit_judgment& asked, core::errc why) {
  if (why == core::errc::lease_expired || why == core::errc::lease_not_held
      || why == core::errc::stale_token || why == core::errc::already_judged)
    forget(p, asked.unit, asked.token);
}
void learn_refusal(persona& p, const msg::release_assignment& asked, core::errc) {
  forget(p, asked.unit, asked.token);
}
void learn_refusal(persona& p, const msg::create_workflow&, core::errc why) {
  p.world.audit.blame("liveness",
                      "the workflow's definition was refused: " + std::string{to_string(why)});
}
/// Wrong versions may also be refused for what they are.
void learn_refusal(persona& p, const msg::update_workflow& asked, core::errc why) {
  if (why == core::errc::payload_invalid && asked.version >= 1 && asked.version <= p.version)
    p.world.audit.blame("liveness", "a version of the workflow was refused: " + asked.definition);
}
void learn_refusal(persona& p, const msg::get_workflow& asked, core::errc why) {
  p.world.audit.blame("liveness",
                      "version " + std::to_string(asked.version)
                          + " of the workflow cannot be read: " + std::string{to_string(why)});
}
void learn_refusal(persona& p, const msg::add_test_questions& asked, core::errc why) {
  if (why == core::errc::wrong_state) // the step is canceled
    drop_questions(p, asked);
}
void learn_refusal(persona& p, const msg::put_profile& asked, core::errc why) {
  p.world.audit.blame("liveness", "the profile of " + asked.contributor
                                      + " was refused: " + std::string{to_string(why)});
}
void learn_refusal(persona& p, const msg::find_steps& asked, core::errc why) {
  p.world.audit.blame("liveness", "a search of " + asked.contributor
                                      + " was refused: " + std::string{to_string(why)});
}
template <class Request>
void learn_refusal(persona&, const Request&, core::errc) {}

// --- contributors ---

bool is_test_question(const persona& p, const core::unit_id& unit) {
  const auto row = p.world.tables->units.find(unit);
  return row != p.world.tables->units.end() && !row->second.made.truth.empty();
}

std::uint32_t position_of(const persona& p, const core::insert_unit& unit) {
  return p.world.tables->steps.at(unit.step).row.position;
}

/// The version that judgments of the unit must name; 0: none. Of a test question it is that of the
/// latest version that its step knows: any that it may be.
std::uint32_t form_of(persona& p, const core::unit_id& unit) {
  const auto found = p.world.tables->units.find(unit);
  if (found == p.world.tables->units.end())
    return 0;
  const auto& made = found->second.made;
  std::vector<std::uint32_t> versions{made.version};
  const auto position = position_of(p, made);
  const auto& workflow = p.world.tables->steps.at(made.step).row.workflow;
  const auto latest = p.world.tables->workflows.at(workflow).definitions.size();
  for (auto version = made.version + 1; !made.truth.empty() && version <= latest; ++version)
    if (has_step(p.world.drawn, version, position))
      versions.push_back(version);
  const auto version = versions.size() == 1 ? versions.front() : p.random.one_of(versions);
  return names_version(p.world.drawn, version, position) ? version : 0;
}

/// Half of what is said where lists may be said.
bool says_a_list(persona& p, const core::unit_id& unit) {
  const auto found = p.world.tables->units.find(unit);
  return p.world.drawn.lists && found != p.world.tables->units.end()
         && found->second.made.truth.empty()
         && answers_lists(p.world.drawn, position_of(p, found->second.made))
         && p.random.below(2) == 0;
}

/// A member that makes a document too large for a row, in a share of the runs that have an object
/// store.
std::string ballast(persona& p) {
  constexpr std::size_t bytes = 200;
  const auto share = p.world.drawn.machine.large;
  return share > 0 && p.random.hit(share) ? R"(,"and":")" + std::string(bytes, '.') + '"' : "";
}

std::string payload_of(persona& p, const core::unit_id& unit) {
  constexpr std::array<const char*, 3> answers{R"("red")", R"("blue")", R"("green")"};
  const auto* any = p.random.one_of(answers);
  const auto* answer = is_test_question(p, unit) && p.random.hit(p.knows) ? answers[0]
                       : says_a_list(p, unit)                             ? list_answer
                                                                          : any;
  if (p.world.drawn.monitors && p.name == "c0") // who has not read the questions
    answer = answers[2];
  const auto form = form_of(p, unit);
  return std::string{R"({"answer":)"} + answer + R"(,"by":")" + p.name + R"(","n":)"
         + std::to_string(p.random.below(1000))
         + (form == 0 ? "" : R"(,"form":)" + std::to_string(form)) + ballast(p) + '}';
}

msg::submit_judgment submission(persona& p, const msg::assignment& a) {
  return {a.step, a.unit, p.name, a.token, p.fresh<core::judgment_id>(), payload_of(p, a.unit)};
}

/// A step to ask; in the calm, only one where somebody who looks at the dashboard sees work.
core::step_id some_step(persona& p) {
  std::vector<core::step_id> open;
  if (p.world.calm)
    for (const auto& [id, row] : p.world.tables->units)
      if (row.state == core::unit_state::judgable && row.made.truth.empty())
        open.push_back(row.made.step);
  return p.random.one_of(open.empty() ? p.world.steps : open);
}

/// What was on its way for long: a node had it in its hands that was frozen or cut off.
bool ask_once_more(self_ptr self, const persona_ptr& p) {
  constexpr core::duration long_ago = 30s;
  while (!p->asked_for.empty() && p->asked_for.front().first + long_ago < p->world.now())
    p->asked_for.pop_front();
  if (p->world.calm || p->asked_for.empty() || p->random.below(10) != 0)
    return false;
  send(self, p, p->random.one_of(p->asked_for).second);
  return true;
}

void ask(self_ptr self, const persona_ptr& p) {
  if (p->world.steps.empty())
    return;
  if (ask_once_more(self, p))
    return;
  const msg::ask_assignment request{some_step(*p), p->name, p->fresh<core::assignment_id>()};
  p->asked_for.emplace_back(p->world.now(), request);
  send(self, p, request);
  if (p->random.below(10) == 0)
    send(self, p, request); // impatient: twice the same
}

/// Does something with one of its leases.
void act(self_ptr self, const persona_ptr& p) {
  const auto a = p->random.one_of(p->held); // a copy: acting may forget it
  const auto& w = p->world.drawn.weights;
  auto pick = p->random.below(w.submit + w.submit_twice + w.submit_other_twice
                              + w.submit_bad_payload + w.submit_wrong_token + w.submit_stale
                              + w.release + w.decline + w.extend + w.forget + w.go_home);
  const auto chosen = [&](std::uint32_t weight) {
    if (pick < weight)
      return true;
    pick -= weight;
    return false;
  };
  auto judgment = submission(*p, a);
  if (chosen(w.submit))
    return send(self, p, judgment);
  if (chosen(w.submit_twice)) {
    send(self, p, judgment);
    return send(self, p, judgment);
  }
  if (chosen(w.submit_other_twice)) {
    send(self, p, judgment);
    return send(self, p, submission(*p, a));
  }
  if (chosen(w.submit_bad_payload)) {
    constexpr std::array<const char*, 4> bad{R"({"answer":"mauve"})", R"({"answer":)", "[]",
                                             "{\"answer\":\"\\u0000\"}"};
    // What would be right of another version is wrong, too.
    const auto form = is_test_question(*p, a.unit) ? 0 : form_of(*p, a.unit);
    judgment.payload =
        form != 0 && p->random.below(2) == 0
            ? R"({"answer":"red","form":)" + std::to_string(1 + p->random.below(form - 1)) + '}'
            : p->random.one_of(bad);
    return send(self, p, judgment);
  }
  if (chosen(w.submit_wrong_token)) {
    judgment.token += p->random.below(2) == 0 ? 1 : static_cast<std::uint64_t>(-1);
    return send(self, p, judgment);
  }
  if (chosen(w.submit_stale))
    return send(self, p, p->past.empty() ? judgment : submission(*p, p->random.one_of(p->past)));
  if (chosen(w.release))
    return send(self, p, msg::release_assignment{a.step, a.unit, p->name, a.token, false});
  if (chosen(w.decline))
    return send(self, p, msg::release_assignment{a.step, a.unit, p->name, a.token, true});
  if (chosen(w.extend))
    return send(self, p, msg::extend_assignment{a.step, a.unit, p->name, a.token});
  if (chosen(w.forget))
    return forget(*p, a.unit, a.token);
  send(self, p, msg::end_session{p->name});
}

/// Where some step gives feedback: asks about what it holds or held, or any unit at all, now and
/// then. Also about those of steps that give none.
bool ask_for_feedback(self_ptr self, const persona_ptr& p) {
  const auto& quality = p->world.drawn.quality;
  if (std::none_of(quality.begin(), quality.end(), [](const auto& q) { return q.feedback; })
      || p->random.below(5) != 0)
    return false;
  msg::get_feedback question{{}, {}, p->name};
  const auto about = [&](const core::step_id& step, const core::unit_id& unit) {
    question.step = step;
    question.unit = unit;
  };
  const auto& units = p->world.tables->units;
  const auto kind = p->random.below(4);
  if (kind == 0 && !p->held.empty()) {
    const auto& held = p->random.one_of(p->held);
    about(held.step, held.unit);
  } else if (kind == 1 && !units.empty()) {
    const auto any =
        std::next(units.begin(), static_cast<std::ptrdiff_t>(p->random.below(units.size())));
    about(any->second.made.step, any->first);
  } else if (!p->past.empty()) {
    const auto& past = p->random.one_of(p->past);
    about(past.step, past.unit);
  } else {
    return false;
  }
  p->world.audit.sending(question);
  send(self, p, question);
  return true;
}

void live(caf::actor_system& system, const persona_ptr& p);

/// Dies, and returns later as somebody who has forgotten some of it.
void die(self_ptr self, const persona_ptr& p) {
  p->world.seen.count(event_kind::client_died);
  p->world.log.note([&] { return p->name + " dies"; });
  p->under_way = 0;
  if (p->random.below(2) == 0)
    while (!p->held.empty())
      forget(*p, p->held.front().unit, p->held.front().token);
  auto& system = self->system();
  p->world.return_after(p->random.span(0ms, p->world.drawn.session_away_max),
                        [&system, p] { live(system, p); });
  self->quit();
}

/// Says who it is, so that steps that ask for something let it in.
void introduce(self_ptr self, const persona_ptr& p) {
  const auto is = drawn_profile(p->profile.whole);
  const msg::put_profile said{p->name, is.channels, is.skills, is.certifications, is.location, -1};
  p->world.audit.sending(said);
  send(self, p, said);
}

void look_for_steps(self_ptr self, const persona_ptr& p) {
  constexpr std::array<std::uint32_t, 3> limits{1, 2, 20};
  msg::find_steps question{p->name, p->random.one_of(limits), 0, {}};
  if (!p->world.steps.empty() && p->random.below(3) == 0)
    question.after = p->random.one_of(p->world.steps);
  send(self, p, question);
}

/// Where steps ask something of people: sooner or later it says who it is, having asked in vain
/// until then; and now and then it looks for what is there for it. False: it does neither now.
bool introduce_or_look(self_ptr self, const persona_ptr& p) {
  if (!p->known && p->ticks++ >= p->profile.ticks && p->random.below(2) == 0) {
    introduce(self, p);
    return true;
  }
  if (p->random.below(12) != 0)
    return false;
  look_for_steps(self, p);
  return true;
}

/// Leases of units that the database has forgotten are of no use.
void forget_missing_units(persona& p) {
  const auto& t = *p.world.tables;
  p.known = t.profiles.count(p.name) != 0;
  for (auto* list : {&p.held, &p.past})
    list->erase(
        std::remove_if(list->begin(), list->end(),
                       [&](const msg::assignment& a) { return t.units.count(a.unit) == 0; }),
        list->end());
}

void contributor_tick(self_ptr self, const persona_ptr& p) {
  auto& world = p->world;
  if (p->must_look_anew())
    forget_missing_units(*p);
  if (world.calm)
    return self->quit();
  if (p->random.hit(world.drawn.die))
    return die(self, p);
  self->delayed_send(self, p->random.span(1ms, world.drawn.think_max), tick_atom::value);
  if (p->under_way > 4)
    return;
  if (!world.drawn.asks.empty() && introduce_or_look(self, p))
    return;
  if (p->random.below(3) == 0 && repeat_unknown(self, p))
    return;
  if (ask_for_feedback(self, p))
    return;
  if (p->held.empty() || p->random.below(4) == 0)
    ask(self, p);
  else
    act(self, p);
}

template <class Tick>
void spawn_client(caf::actor_system& system, const persona_ptr& p, Tick tick) {
  system.spawn([=](self_ptr self) {
    self->send(self, tick_atom::value);
    return caf::behavior{[=](tick_atom) {
      if (p->world.over)
        self->quit();
      else
        tick(self, p);
    }};
  });
}

void live(caf::actor_system& system, const persona_ptr& p) {
  spawn_client(system, p, contributor_tick);
}

// --- the calm ---

/// Takes what it is offered and answers it at once: keen while there is work, patient while others
/// hold it.
void closer_tick(self_ptr self, const persona_ptr& p) {
  constexpr core::duration soon = 30ms;
  auto wait = soon;
  if (p->under_way > 0) {
    // Its answer first.
  } else if (!p->known && !p->world.drawn.asks.empty()) {
    introduce(self, p);
  } else if (!p->held.empty()) {
    p->pause = soon;
    p->asked = false;
    send(self, p, submission(*p, p->held.front()));
  } else if (p->asked) {
    p->asked = false; // in vain
    wait = p->pause = std::min<core::duration>(p->pause * 3 / 2, 5s);
  } else if (repeat_unknown(self, p)) {
    wait = p->pause;
  } else {
    p->asked = true;
    ask(self, p);
  }
  self->delayed_send(self, p->paced(wait), tick_atom::value);
}

// --- the requester ---

msg::add_source_data next_rows(persona& p) {
  msg::add_source_data data{p.world.steps.front(), {}};
  // Some are kept for versions to come.
  const auto most = p.version < versions_of(p.world.drawn) ? 3 : 12;
  const auto count = std::min<std::size_t>(p.keys_left.size(), p.random.between(1, most));
  const bool by_rule = !p.world.drawn.quality.front().stopping.empty();
  const auto row = [&](const std::string& key) {
    const auto slots = static_cast<std::uint32_t>(p.random.below(p.world.drawn.slots_max + 1));
    return msg::source_row{key, R"({"item":")" + key + '"' + ballast(p) + '}', by_rule ? 0 : slots};
  };
  for (std::size_t i = 0; i < count; ++i)
    data.rows.push_back(row(p.keys_left[i]));
  if (p.random.below(3) == 0) // one that is known, or twice in this request, or both
    data.rows.push_back(row("k" + std::to_string(p.random.below(p.world.drawn.units))));
  if (p.random.below(6) == 0)
    data.rows.push_back({"bad", "{\"item\":", 1});
  p.world.audit.sending(data);
  return data;
}

/// The keys of the test questions that the step is to have.
std::vector<std::string> questions_of(const plan& drawn, std::uint32_t step) {
  std::vector<std::string> keys;
  if (drawn.quality[step].tested)
    for (std::uint32_t i = 0; i < drawn.quality[step].questions; ++i)
      keys.push_back("t" + std::to_string(step) + "-" + std::to_string(i));
  return keys;
}

msg::add_test_questions next_questions(persona& p) {
  const auto position = p.questions_left.front().first;
  msg::add_test_questions request{p.world.steps[position], {}};
  for (const auto& [where, key] : p.questions_left)
    if (where == position && request.rows.size() < 3)
      request.rows.push_back(
          {key, R"({"item":")" + key + '"' + ballast(p) + '}', R"({"answer":"red"})"});
  p.world.audit.sending(request);
  return request;
}

/// Whether canceling the unit leaves work that somebody can do: without its questions nobody would
/// pass a quiz.
bool may_be_canceled(const persona& p, const persistence::memory::unit_row& row) {
  if (row.made.truth.empty())
    return true;
  return p.world.drawn.quality[position_of(p, row.made)].quiz == 0;
}

enum class choice { any, paused, dispensable };

core::unit_id some_unit(persona& p, choice which) {
  std::vector<core::unit_id> units;
  for (const auto& [id, row] : p.world.tables->units)
    if (which == choice::any
        || (which == choice::paused ? row.state == core::unit_state::paused
                                    : may_be_canceled(p, row)))
      units.push_back(id);
  return units.empty() ? core::unit_id{} : p.random.one_of(units);
}

void steer_unit(self_ptr self, const persona_ptr& p, const core::unit_id& unit,
                core::unit_verb verb) {
  if (unit)
    send(self, p,
         msg::change_unit{p->world.tables->units.at(unit).made.step, unit,
                          static_cast<std::uint8_t>(verb)});
}

void steer_step(self_ptr self, const persona_ptr& p, core::unit_verb verb) {
  send(self, p,
       msg::change_step{p->random.one_of(p->world.steps), static_cast<std::uint8_t>(verb)});
}

/// Preferably one whose word would still count for something, or is behind what went on.
msg::remove_contributor one_to_remove(persona& p) {
  std::vector<msg::remove_contributor> at_work;
  std::vector<msg::remove_contributor> behind;
  for (const auto& [key, judged] : p.world.tables->judgments) {
    const auto& unit = p.world.tables->units.at(key.first);
    if (!unit.made.truth.empty() || judged.tainted_at)
      continue;
    if (unit.state == core::unit_state::judgable)
      at_work.push_back({unit.made.step, key.second});
    else if (unit.state == core::unit_state::finalized && unit.route != core::no_route)
      behind.push_back({unit.made.step, key.second});
  }
  if (!behind.empty() && p.random.below(3) == 0)
    return p.random.one_of(behind);
  if (!at_work.empty())
    return p.random.one_of(at_work);
  return {p.random.one_of(p.world.steps),
          "c" + std::to_string(p.random.below(p.world.drawn.contributors))};
}

/// Preferably one that somebody got wrong.
core::unit_id one_to_forgive(persona& p) {
  std::vector<core::unit_id> questions;
  std::vector<core::unit_id> wrong;
  for (const auto& [id, unit] : p.world.tables->units)
    if (!unit.made.truth.empty())
      questions.push_back(id);
  for (const auto& [key, judged] : p.world.tables->judgments)
    if (judged.made.test_correct == false)
      wrong.push_back(key.first);
  if (questions.empty())
    return {};
  return p.random.one_of(wrong.empty() ? questions : wrong);
}

/// Asks what became of the item of a unit.
void trace_item(self_ptr self, const persona_ptr& p, const core::unit_id& unit) {
  if (!unit)
    return;
  const msg::get_lineage asked{unit, {}, 100};
  p->world.audit.sending(asked);
  send(self, p, asked);
}

using step_contributor = std::pair<core::step_id, core::contributor_id>;

bool is_removed(const persona& p, const step_contributor& who) {
  const auto& standings = p.world.tables->standings;
  const auto found = standings.find(who);
  return found != standings.end() && found->second.standing == core::contributor_standing::removed;
}

/// Who was removed from a step, and counts in finished units of it.
std::vector<step_contributor> to_repair(const persona& p) {
  const auto& t = *p.world.tables;
  std::vector<step_contributor> counting;
  for (const auto& [key, judged] : t.judgments) {
    const auto& unit = t.units.at(key.first);
    const step_contributor said{unit.made.step, key.second};
    if (unit.state == core::unit_state::finalized && !judged.tainted_at && is_removed(p, said))
      counting.push_back(said);
  }
  return counting;
}

/// Who is at work in a step, and has judged finished units of it.
std::vector<step_contributor> to_look_at_anew(const persona& p) {
  const auto& t = *p.world.tables;
  std::vector<step_contributor> judged;
  for (const auto& [key, row] : t.judgments) {
    const auto& unit = t.units.at(key.first);
    const step_contributor said{unit.made.step, key.second};
    if (unit.state == core::unit_state::finalized && !is_removed(p, said))
      judged.push_back(said);
  }
  return judged;
}

/// What somebody said who was removed is to be taken out of what is finished, too.
void repair(self_ptr self, const persona_ptr& p, const step_contributor& whose, bool dry_run) {
  send(self, p,
       msg::repair_contributor{whose.first, p->fresh<core::repair_id>(), whose.second, dry_run});
}

/// Repairs each once of whom something counts; false when that is done.
bool repair_all(self_ptr self, const persona_ptr& p) {
  for (const auto& whose : to_repair(*p))
    if (p->repaired.insert(whose).second) {
      repair(self, p, whose, false);
      return true;
    }
  return false;
}

/// Nobody could pass a quiz whose questions are forgiven; false when none is.
bool count_all_again(self_ptr self, const persona_ptr& p) {
  for (const auto& [id, unit] : p->world.tables->units)
    if (unit.forgiven_at) {
      send(self, p, msg::forgive_question{unit.made.step, id, true});
      return true;
    }
  return false;
}

/// Something new of the job. What is old comes again when the answer to it was lost.
void tell_of_job(self_ptr self, const persona_ptr& p, core::job_status status) {
  send(self, p,
       msg::job_status_changed{p->workflow, ++p->job_revision, static_cast<std::uint8_t>(status)});
}

core::job_status some_status(persona& p) {
  constexpr std::array<core::job_status, 6> statuses{
      core::job_status::launched, core::job_status::launched, core::job_status::launched,
      core::job_status::paused,   core::job_status::paused,   core::job_status::finished};
  return p.random.one_of(statuses);
}

void steer(self_ptr self, const persona_ptr& p) {
  const auto& drawn = p->world.drawn;
  using core::unit_verb;
  if (p->random.hit(drawn.pause_unit))
    steer_unit(self, p, some_unit(*p, choice::any), unit_verb::pause);
  if (p->random.below(4) == 0)
    steer_unit(self, p, some_unit(*p, choice::paused), unit_verb::resume);
  if (p->random.hit(drawn.cancel_unit))
    steer_unit(self, p, some_unit(*p, choice::dispensable), unit_verb::cancel);
  if (p->random.hit(drawn.remove_contributor))
    send(self, p, one_to_remove(*p));
  if (p->random.hit(drawn.forgive_question))
    if (const auto question = one_to_forgive(*p))
      send(self, p,
           msg::forgive_question{p->world.tables->units.at(question).made.step, question,
                                 p->random.below(3) == 0});
  if (const auto counting = to_repair(*p); !counting.empty() && p->random.below(3) == 0)
    repair(self, p, p->random.one_of(counting), p->random.below(4) == 0);
  if (drawn.forgive_question > 0 && p->random.below(4) == 0)
    if (const auto judged = to_look_at_anew(*p); !judged.empty())
      repair(self, p, p->random.one_of(judged), p->random.below(4) == 0);
  if (drawn.forgive_question > 0 && p->random.below(4) == 0)
    if (const auto question = one_to_forgive(*p))
      send(self, p,
           msg::repair_question{p->world.tables->units.at(question).made.step,
                                p->fresh<core::repair_id>(), question, p->random.below(4) == 0});
  if (!drawn.asks.empty() && p->random.below(10) == 0)
    send(self, p, msg::rebuild_step_index{});
  if (p->random.hit(drawn.pause_step))
    steer_step(self, p, unit_verb::pause);
  if (p->random.below(8) == 0)
    steer_step(self, p, unit_verb::resume);
  if (p->random.hit(drawn.cancel_step))
    steer_step(self, p, unit_verb::cancel);
  if (p->random.hit(drawn.early_seal))
    send(self, p, msg::seal_step{p->world.steps.front()});
  if (p->random.below(5) == 0)
    send(self, p, msg::list_results{p->random.one_of(p->world.steps), 0, 100});
  if (p->random.below(6) == 0)
    trace_item(self, p, some_unit(*p, choice::any));
  if (p->random.below(12) == 0)
    send(self, p,
         msg::explain_contributor{p->random.one_of(p->world.steps),
                                  "c" + std::to_string(p->random.below(drawn.contributors))});
  if (drawn.monitors && p->random.below(3) == 0)
    send(self, p, msg::get_step_quality{p->random.one_of(p->world.steps)});
  if (drawn.job && p->random.below(4) == 0)
    tell_of_job(self, p, some_status(*p));
}

/// The workflow goes on in its next form. Also asks what that would change, changes what is not the
/// latest, and repeats itself.
void update(self_ptr self, const persona_ptr& p) {
  const auto& drawn = p->world.drawn;
  const auto next = std::min(p->version + 1, versions_of(drawn));
  msg::update_workflow request{p->world.steps.front(), next - 1, definition_of(drawn, next), false};
  const auto kind = p->random.below(8);
  if (kind == 0)
    request.dry_run = true;
  else if (kind == 1)
    request.version = p->random.below(2) == 0 ? next - 2 : next + 5;
  else if (kind == 2)
    return send(self, p, msg::get_workflow{p->workflow, p->random.below(2) == 0 ? 0 : p->version});
  p->world.audit.sending(request);
  send(self, p, request);
}

/// All that is open is found by whoever may work in it, and by nobody else.
void look_at_offers(self_ptr self, const persona_ptr& p) {
  constexpr std::uint32_t all = 1000;
  if (!p->known)
    return introduce(self, p);
  send(self, p, msg::find_steps{p->seekers.back(), all, 0, {}});
}

/// Half of the requesters wait until all is done: then chains are as long as they become when the
/// first of their results are taken back.
bool waits_with_repairs(persona& p) {
  p.saw_all_done =
      p.saw_all_done || p.world.drawn.seed % 2 != 0 || p.world.audit.unfinished().empty();
  return !p.saw_all_done;
}

/// Takes back what stops the work, looks whether it is found, then seals.
void tidy_up(self_ptr self, const persona_ptr& p) {
  if (p->world.drawn.job && !p->launched)
    return tell_of_job(self, p, core::job_status::launched);
  for (const auto& step : p->world.steps)
    if (p->world.tables->steps.at(step).row.status == core::step_status::paused)
      return send(self, p,
                  msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::resume)});
  if (const auto paused = some_unit(*p, choice::paused))
    return steer_unit(self, p, paused, core::unit_verb::resume);
  if (!p->seekers.empty())
    return look_at_offers(self, p);
  const auto& first = p->world.tables->steps.at(p->world.steps.front()).row;
  if (!first.sealed && first.status != core::step_status::canceled)
    send(self, p, msg::seal_step{p->world.steps.front()});
}

/// All that is to be there and is not, or not any more, is still to be added.
void look_anew(persona& p) {
  const auto& t = *p.world.tables;
  const auto& steps = p.world.steps;
  forget_missing_units(p);
  p.unknown.clear();
  p.repaired.clear();
  p.launched = false;
  if (steps.empty())
    return;
  p.version = static_cast<std::uint32_t>(t.workflows.at(p.workflow).definitions.size());
  p.keys_left.clear();
  for (std::uint32_t i = 0; i < p.world.drawn.units; ++i)
    if (const auto key = "k" + std::to_string(i);
        t.units_by_source_key.count({steps.front(), key}) == 0)
      p.keys_left.push_back(key);
  p.questions_left.erase(
      std::remove_if(p.questions_left.begin(), p.questions_left.end(),
                     [&](const auto& question) { return question.first < steps.size(); }),
      p.questions_left.end());
  for (std::uint32_t step = 0; step < steps.size(); ++step)
    for (const auto& key : questions_of(p.world.drawn, step))
      if (t.units_by_source_key.count({steps[step], key}) == 0)
        p.questions_left.emplace_back(step, key);
}

void requester_tick(self_ptr self, const persona_ptr& p) {
  auto& world = p->world;
  if (p->must_look_anew())
    look_anew(*p);
  self->delayed_send(self, world.calm ? core::duration{400ms} : p->random.span(10ms, 2s),
                     tick_atom::value);
  if (p->under_way > 3)
    return;
  if (world.steps.empty()) {
    p->unknown.clear();
    for (const auto& tasks : world.drawn.unit_tasks)
      if (!tasks.queue.empty() && world.tables->queues.count(tasks.queue) == 0)
        return; // the operator is about to make it
    return send(self, p, msg::create_workflow{p->workflow, definition_of(world.drawn, 1)});
  }
  const bool canceled =
      world.tables->steps.at(world.steps.front()).row.status == core::step_status::canceled;
  if (p->random.below(3) == 0 && repeat_unknown(self, p))
    return;
  if (!world.calm && !world.drawn.later.empty() && !canceled
      && p->random.below(p->version < versions_of(world.drawn) ? 3 : 10) == 0)
    return update(self, p);
  if (!p->questions_left.empty() && (world.calm || p->random.below(3) != 0))
    return send(self, p, next_questions(*p));
  if (!p->keys_left.empty() && !canceled && (world.calm || p->random.below(2) == 0))
    return send(self, p, next_rows(*p));
  if (!world.calm)
    return steer(self, p);
  if (p->under_way > 0 || repeat_unknown(self, p))
    return;
  if (!waits_with_repairs(*p)) {
    if (repair_all(self, p))
      return;
    world.repairing = false;
  }
  if (!count_all_again(self, p))
    tidy_up(self, p);
}

persona_ptr make_persona(field& f, const std::string& name, std::uint64_t salt) {
  return std::make_shared<persona>(f, name, f.drawn.seed * 1'000'003 + salt);
}

} // namespace

void start_contributor(caf::actor_system& system, field& f, std::uint32_t number) {
  auto p = make_persona(f, "c" + std::to_string(number), 100 + number);
  p->knows = number % 2 == 0 ? 1'000'000 : 500'000;
  if (!f.drawn.profiles.empty())
    p->profile = f.drawn.profiles[number];
  live(system, p);
}

void start_closer(caf::actor_system& system, field& f, std::uint32_t number) {
  auto p = make_persona(f, "closer" + std::to_string(number), 200 + number);
  p->knows = 1'000'000;
  spawn_client(system, p, closer_tick);
}

void start_requester(caf::actor_system& system, field& f) {
  auto p = make_persona(f, "requester", 300);
  p->workflow = p->fresh<core::workflow_id>();
  f.repairing = true;
  for (std::uint32_t i = 0; i < f.drawn.units; ++i)
    p->keys_left.push_back("k" + std::to_string(i));
  for (std::uint32_t step = 0; step < f.drawn.quality.size(); ++step)
    for (const auto& key : questions_of(f.drawn, step))
      p->questions_left.emplace_back(step, key);
  if (!f.drawn.asks.empty())
    p->seekers = {nobody, p->name};
  spawn_client(system, p, requester_tick);
}

void start_seeker(caf::actor_system& system, field& f, const msg::gateway_actor& gateway,
                  const core::contributor_id& contributor) {
  constexpr std::uint32_t all = 1000;
  ++f.seekers;
  const msg::find_steps question{contributor, all, 0, {}};
  system.spawn([&f, gateway, question](self_ptr self) {
    self->request(caf::actor_cast<caf::actor>(gateway), core::duration{60s}, question)
        .then(
            [&f, question](const msg::step_offers& answer) {
              --f.seekers;
              f.audit.acknowledged(question, answer);
              f.audit.check_found(question, answer);
            },
            [&f](const caf::error& error) {
              --f.seekers;
              f.audit.blame("searches", "a search fails although all is calm: "
                                            + msg::failure_of(error).detail);
            });
  });
}

} // namespace holdfast::sim
