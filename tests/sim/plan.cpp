#include "tests/sim/plan.hpp"

#include "core/json_text.hpp"
#include "core/workflow_versions.hpp"
#include "documents/workflow_document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Zero in `off` of a hundred runs, else up to `most`, small values as likely as large ones.
std::uint32_t rate(dice& d, std::uint32_t most, std::uint32_t off = 50) {
  if (d.below(100) < off)
    return 0;
  const auto scale = d.between(1, 4);
  return static_cast<std::uint32_t>(d.between(1, most / scale));
}

fault_rates draw_faults(dice& d) {
  fault_rates f;
  if (d.below(16) == 0)
    return f; // one run in sixteen shows what happens when nothing does
  f.commit_unavailable = rate(d, 200'000);
  f.commit_in_doubt_applied = rate(d, 200'000);
  f.commit_in_doubt_lost = rate(d, 200'000);
  f.commit_in_doubt_late = rate(d, 200'000);
  f.change_refused = rate(d, 50'000, 70);
  f.outage = rate(d, 2'000);
  f.node_kill = rate(d, 4'000, 40);
  f.node_drain = rate(d, 2'000, 70);
  f.zombie = rate(d, 2'000, 60);
  f.partition = rate(d, 2'000, 60);
  f.frozen_heartbeat = rate(d, 2'000, 70);
  f.actor_crash = rate(d, 8'000);
  f.clock_rush = rate(d, 50'000);
  return f;
}

habits draw_habits(dice& d) {
  habits h;
  const auto weight = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(d.below(2) == 0 ? 0 : d.between(1, most));
  };
  h.submit = static_cast<std::uint32_t>(d.between(4, 20));
  h.submit_twice = weight(6);
  h.submit_other_twice = weight(3);
  h.submit_bad_payload = weight(3);
  h.submit_wrong_token = weight(3);
  h.submit_stale = weight(5);
  h.release = weight(5);
  h.decline = weight(3);
  h.extend = weight(4);
  h.forget = weight(6);
  h.go_home = weight(1);
  return h;
}

core::lease_policy draw_lease(dice& d) {
  core::lease_policy lease;
  lease.ttl = std::chrono::seconds{d.between(1, 40)};
  lease.total_max = lease.ttl + std::chrono::seconds{d.below(2) * d.between(0, 60)};
  lease.regrant_after = std::chrono::seconds{d.below(2) * d.between(0, 30)};
  return lease;
}

core::late_submit draw_late_submit(dice& d) {
  constexpr std::array late{core::late_submit::reject, core::late_submit::accept_if_free,
                            core::late_submit::surplus};
  return late[d.below(late.size())];
}

void draw_workflow(dice& d, plan& p) {
  const auto steps = d.between(1, 3);
  p.next.resize(steps);
  // A tree: each step but the first is reached from one of those before it.
  for (std::uint32_t position = 1; position < steps; ++position)
    p.next[d.below(position)].push_back(position);
  for (std::uint64_t i = 0; i < steps; ++i)
    p.leases.push_back(draw_lease(d));
}

void draw_node(dice& d, plan& p) {
  p.shards = static_cast<std::uint32_t>(d.between(1, 4));
  p.writer_lanes = static_cast<std::uint32_t>(d.between(1, 2));
  p.batch_max = d.between(1, 50);
  p.rejoin_max = d.below(2) == 0 ? d.span(10us, 1ms) : 0us;
  p.high_water = d.below(4) == 0 ? d.between(2, 20) : 20'000;
  p.unit_prefetch = static_cast<std::uint32_t>(d.between(0, 8));
  p.units_live_max = static_cast<std::uint32_t>(d.between(1, 50));
  p.leases_max = static_cast<std::uint32_t>(d.between(1, 6));
  p.unit_idle_timeout = d.span(200ms, 60s);
  p.session_grace = d.span(0ms, 20s);
  p.node_lease_time = d.span(2s, 8s);
  p.retry_max = d.span(100ms, 2s);
  p.redeliver_after = d.span(200ms, 5s);
  p.events_batch_max = static_cast<std::uint32_t>(d.between(1, 30));
  p.events_high_water = static_cast<std::uint32_t>(d.below(3) == 0 ? d.between(1, 20) : 1000);
  p.restarts_max = static_cast<std::uint32_t>(d.between(1, 8));
}

/// One of the policies under which every task can be finished within minutes: each limit small
/// enough to be hit, each wait short.
std::string draw_policy(dice& d) {
  using core::json_object;
  const auto tenths = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<double>(d.between(low, high)) / 10;
  };
  const auto number = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(d.between(low, high));
  };
  const auto often = [&] { return d.below(3) == 0; };
  const auto rate = [&] {
    return json_object{}.number("per_second", tenths(5, 50)).number("burst", number(1, 3)).str();
  };
  const auto retry = [&] {
    return json_object{}
        .number("max_attempts", number(1, 4))
        .number("crashes_max", number(1, 4))
        .number("failures_max", std::int64_t{5})
        .number("least_seconds", tenths(1, 10))
        .number("most_seconds", tenths(10, 50))
        .str();
  };
  const auto ttl = tenths(10, 150);
  json_object policy;
  policy.raw("lease", json_object{}
                          .number("ttl_seconds", ttl)
                          .number("total_max_seconds", ttl + 10 * tenths(0, 30))
                          .str());
  policy.raw("retry", retry());
  if (often())
    policy.number("running_max", number(1, 5));
  if (often())
    policy.number("running_per_key_max", number(1, 3));
  if (often())
    policy.raw("weights", json_object{}.number("key0", tenths(5, 40)).str());
  if (often())
    policy.raw("rate", rate());
  if (often())
    policy.raw("rate_per_credential", rate());
  if (d.below(4) == 0)
    policy.number("depth_max", number(2, 12));
  policy.number("aging_seconds", tenths(10, 600));
  json_object moving;
  moving.text("first_state", "new")
      .raw("transitions", R"({"new":["asked","done"],"asked":["new","done"],"done":[]})");
  if (often())
    moving.raw("retry", retry());
  json_object limited;
  if (d.below(2) == 0)
    limited.number("running_max", number(1, 2));
  if (d.below(2) == 0)
    limited.raw("rate", rate());
  policy.raw("types",
             json_object{}.raw("moving", moving.str()).raw("limited", limited.str()).str());
  return policy.str();
}

worker_habits draw_worker_habits(dice& d) {
  worker_habits h;
  const auto weight = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(d.below(2) == 0 ? 0 : d.between(1, most));
  };
  h.complete = static_cast<std::uint32_t>(d.between(4, 16));
  h.complete_twice = weight(5);
  h.complete_stale = weight(4);
  h.complete_wrong_token = weight(3);
  h.follow = weight(4);
  h.save = weight(6);
  h.save_in_order = weight(10);
  h.save_stale = weight(4);
  h.extend = weight(6);
  h.release = weight(5);
  h.fail = weight(6);
  h.fail_for_good = weight(3);
  h.slow_down = weight(3);
  h.forget = weight(6);
  return h;
}

task_plan draw_tasks(dice& d) {
  task_plan t;
  t.tasks = static_cast<std::uint32_t>(d.between(4, d.below(4) == 0 ? 30 : 12));
  const auto queues = d.between(1, 3);
  for (std::uint64_t i = 0; i < queues; ++i)
    t.queues.push_back("q" + std::to_string(i));
  for (auto left = queues + d.below(3); left > 0; --left) {
    auto policy = draw_policy(d);
    // Every other one, without dice: all else is as it would be without events of tasks.
    if (t.policies.size() % 2 == 0)
      policy.insert(1, R"("events":["TaskCompleted","TaskFailed","TaskDead","TaskCanceled"],)");
    t.policies.push_back(std::move(policy));
  }
  t.producers = static_cast<std::uint32_t>(d.between(1, 2));
  t.workers = static_cast<std::uint32_t>(d.between(2, 5));
  t.keys = static_cast<std::uint32_t>(d.below(4));
  t.credentials = static_cast<std::uint32_t>(d.below(3));
  t.unique_keys = static_cast<std::uint32_t>(d.below(2) * d.between(1, 4));
  t.later = rate(d, 400'000);
  t.stray = rate(d, 100'000);
  t.tied = rate(d, 800'000);
  t.patient = rate(d, 1'000'000);
  t.die = rate(d, 60'000);
  t.think_max = d.span(20ms, 3s);
  t.weights = draw_worker_habits(d);
  t.pause_task = rate(d, 100'000);
  t.pause_type = rate(d, 60'000, 60);
  t.pause_queue = rate(d, 60'000, 60);
  t.cancel = rate(d, 100'000);
  t.eject = rate(d, 150'000);
  t.take = rate(d, 150'000);
  t.retry = rate(d, 150'000);
  t.redrive = rate(d, 300'000, 30);
  t.new_policy = rate(d, 60'000);
  return t;
}

/// With dice of their own: everything else is as it would be without schedules.
std::vector<schedule_draft> draw_schedules(std::uint64_t seed,
                                           const std::vector<std::string>& queues) {
  dice d{seed * 0xbf58476d1ce4e5b9ULL + 4};
  const std::array<const char*, 5> policies{"all", "all", "latest", "none", "none"};
  std::vector<schedule_draft> drafts;
  if (d.below(3) == 0)
    for (auto left = d.between(1, 3); left > 0; --left)
      drafts.push_back({d.one_of(queues), d.one_of(policies),
                        static_cast<std::uint32_t>(d.below(2) * d.below(6)),
                        static_cast<std::uint32_t>(d.between(1, 4))});
  return drafts;
}

/// Some runs have large documents, and of these some have bad luck with them.
void draw_payloads(plan& p) {
  dice d{p.seed * 0xbf58476d1ce4e5b9ULL + 5};
  if (d.below(3) != 0)
    return;
  p.machine.large = static_cast<std::uint32_t>(d.between(50'000, 700'000));
  if (d.below(2) == 0)
    return;
  p.faults.put_fails = rate(d, 200'000);
  p.faults.get_fails = rate(d, 200'000);
  p.faults.object_lost = rate(d, 5'000);
}

std::string draw_stopping(dice& d, std::uint32_t slots_max) {
  core::json_object rule;
  rule.number("min", static_cast<std::int64_t>(d.between(1, slots_max)))
      .number("max", static_cast<std::int64_t>(slots_max));
  if (d.below(2) == 0)
    rule.number("stop_at", 0.7);
  if (d.below(2) == 0)
    rule.boolean("curtail", true);
  return rule.str();
}

/// Half of the steps find out who is to be believed, and stop when they know enough.
void draw_quality(plan& p) {
  dice d{p.seed * 0xbf58476d1ce4e5b9ULL + 6};
  const std::array<const char*, 4> methods{"majority", "weighted", "weighted_log_odds",
                                           "incremental"};
  const std::array<std::uint32_t, 3> intervals{0, 2, 3};
  for (std::size_t i = 0; i < p.next.size(); ++i) {
    p.quality.emplace_back();
    if (d.below(2) == 0)
      continue;
    auto& q = p.quality.back();
    q.tested = d.below(3) != 0;
    q.quiz = static_cast<std::uint32_t>(d.below(4));
    q.every = d.one_of(intervals);
    q.questions = q.quiz + static_cast<std::uint32_t>(d.between(1, 5));
    q.method = d.one_of(methods);
    // Without another draw: all else in the plans of old seeds stays what it was.
    const std::array<const char*, 3> by_model{"incremental", "wawa", "dawid_skene_map"};
    if (q.tested && q.method == "incremental" && q.questions % 2 == 0)
      q.method = "gold_selected";
    else if (q.method == "incremental" && q.questions % 3 == 0)
      q.method = "one_coin";
    else if (q.method == "incremental")
      q.method = by_model[(p.seed + i) % by_model.size()];
    q.sequential = q.tested && (p.seed / 3 + i) % 2 == 0;
    q.feedback = q.tested && (p.seed / 5 + i) % 2 == 0;
    if (d.below(3) == 0)
      continue;
    q.stopping = draw_stopping(d, p.slots_max);
  }
  p.remove_contributor = rate(d, 600'000, 30);
  p.forgive_question = rate(d, 400'000);
}

std::int64_t seconds(core::duration d) {
  return std::chrono::duration_cast<std::chrono::seconds>(d).count();
}

std::string key_of(std::uint64_t position) { return "\"s" + std::to_string(position) + '"'; }

/// What a route asks of the input: for some of the rows, or for what was found before.
std::string asked_of_input(dice& d, bool of_source_data) {
  if (!of_source_data && d.below(2) == 0)
    return R"({"/result/answer":["red","green"]})";
  std::string keys;
  for (std::uint64_t row = d.below(3); row < 40; row += d.between(2, 5))
    keys += (keys.empty() ? "\"k" : ",\"k") + std::to_string(row) + '"';
  return std::string{of_source_data ? R"({"/item":[)" : R"({"/data/item":[)"} + keys + "]}";
}

/// The routes of `steps`, in their order, beside what they lead to anyway: not every unit goes
/// everywhere, some lead to one step in several ways, and some send units back.
/// `newcomers`: where there may be routes for what they judged. `inputs`: for what was asked.
std::vector<std::string> draw_rules(dice& d, const std::vector<std::uint32_t>& steps,
                                    const std::vector<std::vector<std::uint32_t>>& next,
                                    bool& excludes, dice* newcomers = nullptr,
                                    dice* inputs = nullptr) {
  std::vector<std::string> routes(next.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& always = next[steps[i]];
    std::string onward;
    for (auto later = i + 1; later < steps.size(); ++later)
      if (d.below(3) == 0 || std::find(always.begin(), always.end(), steps[later]) != always.end())
        onward += (onward.empty() ? "" : ",") + key_of(steps[later]);
    std::string rules;
    const auto add = [&](const std::string& when, const std::string& to) {
      core::json_object rule;
      rule.raw("to", '[' + to + ']');
      if (!when.empty())
        rule.raw("when", when);
      if (d.below(4) == 0)
        rule.boolean("for_each", true);
      if (d.below(4) == 0) {
        rule.boolean("exclude_judges", true);
        excludes = true;
      }
      rule.number("loops_max", static_cast<std::int64_t>(d.between(1, 2)));
      rules += (rules.empty() ? "" : ",") + rule.str();
    };
    if (d.below(2) == 0)
      add(R"({"answer":"red"})", key_of(steps[d.below(i + 1)]));
    if (d.below(3) == 0)
      add(R"({"answer_not":["green"],"confidence_below":0.6})", onward);
    if (newcomers != nullptr && newcomers->below(3) == 0)
      rules += (rules.empty() ? "" : ",")
               + core::json_object{}
                     .raw("to", '[' + onward + ']')
                     .raw("when", core::json_object{}
                                      .number("judged_fewer",
                                              static_cast<std::int64_t>(newcomers->between(1, 6)))
                                      .str())
                     .str();
    if (inputs != nullptr && inputs->below(3) == 0)
      rules +=
          (rules.empty() ? "" : ",")
          + core::json_object{}
                .raw("to", '[' + onward + ']')
                .raw("when",
                     core::json_object{}.raw("input", asked_of_input(*inputs, steps[i] == 0)).str())
                .str();
    if (d.below(3) == 0)
      add(R"({"sample":0.3})", {});
    add({}, onward);
    routes[steps[i]] = '[' + rules + ']';
  }
  return routes;
}

std::vector<std::uint32_t> first_steps(const plan& p) {
  std::vector<std::uint32_t> steps(p.next.size());
  std::iota(steps.begin(), steps.end(), 0);
  return steps;
}

/// Half of the workflows have rules.
void draw_routes(plan& p) {
  dice d{p.seed * 0xd6e8feb86659fd93ULL + 7};
  dice newcomers{p.seed * 0xa24baed4963ee407ULL + 11};
  dice inputs{p.seed * 0x9fb21c651e98df25ULL + 13};
  p.routes.resize(p.next.size());
  if (d.below(2) != 0)
    p.routes = draw_rules(d, first_steps(p), p.next, p.excludes, &newcomers, &inputs);
}

/// A run is about people's work, about programs' work, or about both with less of each.
void share_out(plan& p) {
  dice d{p.seed * 0xbf58476d1ce4e5b9ULL + 3};
  const auto kind = d.below(10);
  if (kind < 4)
    return;
  p.machine = draw_tasks(d);
  p.machine.schedules = draw_schedules(p.seed, p.machine.queues);
  if (kind < 8) {
    p.units = p.contributors = 0;
    return;
  }
  p.units = p.units / 2 + 1;
  p.contributors = p.contributors / 2 + 1;
  p.machine.tasks = p.machine.tasks / 2 + 1;
}

/// Where there are both, programs judge in some steps, too.
void draw_unit_tasks(plan& p) {
  dice d{p.seed * 0xd6e8feb86659fd93ULL + 8};
  p.unit_tasks.resize(p.next.size());
  if (p.units == 0 || p.machine.tasks == 0)
    return;
  for (std::size_t i = 0; i < p.next.size(); ++i)
    if (d.below(2) == 0)
      p.unit_tasks[i] = {d.one_of(p.machine.queues),
                         p.quality[i].stopping.empty()
                             ? static_cast<std::uint32_t>(d.between(1, p.slots_max))
                             : 1U,
                         std::chrono::seconds{d.between(1, d.below(2) == 0 ? 5 : 100)}};
}

/// The workflow as it begins.
workflow_form first_form(const plan& p) {
  workflow_form form{first_steps(p), p.next, p.routes, p.leases, {}, {}};
  form.slots.assign(p.next.size(), p.slots_max);
  for (std::size_t i = 0; i < p.next.size(); ++i)
    form.stopping.push_back(p.quality[i].stopping);
  return form;
}

/// A step that no form had so far, anywhere but in front.
void add_step(dice& d, const plan& p, workflow_form& form) {
  const auto position = static_cast<std::uint32_t>(form.next.size());
  form.steps.insert(
      form.steps.begin() + static_cast<std::ptrdiff_t>(d.between(1, form.steps.size())), position);
  form.next.emplace_back();
  form.routes.emplace_back();
  form.leases.push_back(draw_lease(d));
  form.slots.push_back(p.slots_max);
  form.stopping.push_back(d.below(3) == 0 ? draw_stopping(d, p.slots_max) : "");
}

/// A step that an earlier form had comes back, at the end.
void bring_back(dice& d, workflow_form& form) {
  std::vector<std::uint32_t> gone;
  for (std::uint32_t position = 0; position < form.next.size(); ++position)
    if (std::find(form.steps.begin(), form.steps.end(), position) == form.steps.end())
      gone.push_back(position);
  if (!gone.empty())
    form.steps.push_back(d.one_of(gone));
}

/// Other steps, and other ways between them.
void reroute(dice& d, plan& p, workflow_form& form) {
  constexpr std::size_t steps_max = 4;
  const auto kind = d.below(4);
  if (kind < 2 && form.steps.size() < steps_max)
    add_step(d, p, form);
  else if (kind == 2 && form.steps.size() > 1)
    form.steps.erase(form.steps.begin()
                     + static_cast<std::ptrdiff_t>(d.between(1, form.steps.size() - 1)));
  else
    bring_back(d, form);
  for (auto& targets : form.next)
    targets.clear();
  for (std::size_t i = 1; i < form.steps.size(); ++i)
    form.next[form.steps[d.below(i)]].push_back(form.steps[i]);
  form.routes.assign(form.next.size(), {});
  if (d.below(2) == 0)
    form.routes = draw_rules(d, form.steps, form.next, p.excludes);
}

/// Other slots and leases.
void retune(dice& d, const plan& p, workflow_form& form) {
  for (const auto position : form.steps) {
    const auto tasks =
        position < p.unit_tasks.size() ? p.unit_tasks[position].judgments : std::uint32_t{0};
    if (d.below(2) == 0)
      form.slots[position] =
          static_cast<std::uint32_t>(d.between(std::max(tasks, 1U), p.slots_max));
    if (!form.stopping[position].empty() && d.below(2) == 0)
      form.stopping[position] = draw_stopping(d, p.slots_max);
    if (d.below(2) == 0)
      form.leases[position] = draw_lease(d);
    form.leases[position].late_submit = draw_late_submit(d);
  }
}

/// Whether each form of the plan is right, and may follow on those before it.
bool is_right(const plan& p) {
  const auto first = documents::parse_workflow(definition_of(p, 1), {});
  if (!first)
    return false;
  core::versioned_workflow workflow{{*first}};
  for (std::uint32_t version = 2; version <= versions_of(p); ++version) {
    const auto next = documents::parse_workflow(definition_of(p, version), {});
    if (!next || !core::problems_of_change(workflow, *next).empty())
      return false;
    workflow.add(*next);
  }
  return true;
}

/// Whether the form says anything new.
bool differs_from_last(const plan& p, std::uint32_t version) {
  return definition_of(p, version) != definition_of(p, version - 1);
}

/// A third of the workflows go on in another form, some of them twice.
void draw_versions(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 9};
  if (p.units == 0 || d.below(3) != 0)
    return;
  for (auto left = d.between(1, 2); left > 0; --left) {
    const auto before = p.later.empty() ? first_form(p) : p.later.back();
    auto next = before;
    if (d.below(4) != 0)
      reroute(d, p, next);
    retune(d, p, next);
    p.quality.resize(next.next.size());
    p.unit_tasks.resize(next.next.size());
    p.later.push_back(next);
    if (!is_right(p)) {
      // Some of the ways that were drawn lead the other way round.
      p.later.back() = before;
      retune(d, p, p.later.back());
    }
    if (!differs_from_last(p, versions_of(p))) {
      p.later.pop_back();
      return;
    }
  }
  p.units += 5; // there must be some for each
}

core::requirements draw_requirements(dice& d) {
  core::requirements asks;
  asks.skills = {"reading"};
  if (d.below(3) == 0)
    asks.skills.emplace_back("writing");
  if (d.below(4) == 0)
    asks.channels = {"phone", "web"};
  if (d.below(4) == 0)
    asks.locations = {"AT", "DE"};
  return asks;
}

/// A third of the workflows ask something of people, in one step or two; in a later form it may be
/// something else, or asked elsewhere. With dice of their own, and last: nothing else depends on
/// it.
void draw_requirements_of_steps(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 10};
  if (p.units == 0 || d.below(3) != 0)
    return;
  std::vector<core::requirements> asks(p.quality.size());
  for (auto left = d.between(1, 2); left > 0; --left)
    asks[d.below(p.next.size())] = draw_requirements(d);
  p.asks.push_back(asks);
  for (const auto& form : p.later) {
    if (d.below(2) == 0) {
      auto& one = asks[d.one_of(form.steps)];
      one = d.below(3) == 0 ? core::requirements{} : draw_requirements(d);
    }
    p.asks.push_back(asks);
  }
  for (std::uint32_t i = 0; i < p.contributors; ++i)
    p.profiles.push_back({static_cast<std::uint32_t>(d.below(5)), d.below(4) != 0 || i == 0});
}

/// The routes of the first step, where each item of a list is to become a unit.
std::string divided(const std::string& routes, const std::vector<std::uint32_t>& next) {
  auto rules = nlohmann::json::parse(routes.empty() ? R"([{"to":[]}])" : routes);
  for (const auto to : next)
    if (routes.empty())
      rules[0]["to"].push_back("s" + std::to_string(to));
  for (auto& rule : rules)
    if (!rule["to"].empty())
      rule["for_each"] = true;
  return rules.dump();
}

/// One of the steps but the first gathers in most of the versions; often as in the one before.
void draw_gathers(dice& d, plan& p) {
  p.gathers.clear();
  for (std::uint32_t version = 1; version <= versions_of(p); ++version) {
    auto policies =
        p.gathers.empty() ? std::vector<std::optional<core::gather_policy>>{} : p.gathers.back();
    policies.resize(p.quality.size());
    const bool as_before = version > 1 && d.below(2) == 0;
    const auto steps = version == 1 ? first_steps(p) : p.later[version - 2].steps;
    if (!as_before && steps.size() > 1) {
      std::fill(policies.begin(), policies.end(), std::nullopt);
      auto& one = policies[steps[d.between(1, steps.size() - 1)]];
      if (d.below(2) == 0)
        one = core::gather_policy{core::gather_by::list, 0};
      else if (version == 1 || d.below(4) != 0)
        one = core::gather_policy{core::gather_by::count,
                                  static_cast<std::uint32_t>(d.between(2, chains_of_batch_max))};
    }
    p.gathers.push_back(std::move(policies));
  }
}

bool gathers_by_list(const plan& p, std::uint32_t version) {
  const auto& policies = p.gathers[version - 1];
  return std::any_of(policies.begin(), policies.end(), [](const auto& policy) {
    return policy && policy->by == core::gather_by::list;
  });
}

/// Where lists are gathered there must be some.
void make_lists(plan& p) {
  constexpr std::uint32_t units_max = 10; // each of which may become several in every step
  for (std::uint32_t version = 1; version <= versions_of(p); ++version) {
    if (!gathers_by_list(p, version))
      continue;
    p.lists = true;
    p.units = std::min(p.units, units_max);
    auto& routes = version == 1 ? p.routes : p.later[version - 2].routes;
    const auto& next = version == 1 ? p.next : p.later[version - 2].next;
    routes.front() = divided(routes.front(), next.front());
  }
}

/// In a third of the workflows with several steps one of them gathers. With dice of their own, and
/// last: nothing else depends on it.
void draw_gathering(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 11};
  if (p.units == 0 || steps_of_chain(p) == 1 || d.below(3) != 0)
    return;
  // Over some of the steps a way leads back.
  for (int tries = 8; tries > 0; --tries) {
    auto changed = p;
    draw_gathers(d, changed);
    make_lists(changed);
    bool all_new = true;
    for (std::uint32_t version = 2; version <= versions_of(p); ++version)
      all_new = all_new && differs_from_last(changed, version);
    if (!all_new || !is_right(changed))
      continue;
    p = std::move(changed);
    return;
  }
}

/// In half of the chains a single person may spoil a result, and is found out when others have gone
/// on with it. With dice of their own, and after all that looks at slots.
void draw_spoilers(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 14};
  const bool tasks_fit =
      std::all_of(p.unit_tasks.begin(), p.unit_tasks.end(),
                  [](const unit_task_plan& tasks) { return tasks.judgments <= 1; });
  if (p.units == 0 || steps_of_chain(p) == 1 || !p.later.empty() || !tasks_fit || d.below(2) != 0)
    return;
  p.slots_max = 1;
  for (auto& step : p.quality)
    step.stopping.clear();
  p.remove_contributor = std::max(p.remove_contributor, 200'000U);
  if (p.asks.empty())
    p.contributors = std::max(p.contributors, 6U);
}

/// In some runs single reads fail although the database is there: rarely, because some actors end
/// by it and begin anew. With dice of their own, and last: nothing else depends on it.
void draw_read_faults(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 12};
  p.faults.read_fails = rate(d, 20'000);
  p.faults.unit_read_fails = rate(d, 200'000);
}

/// The routes, some of which show the next step less.
std::string with_inputs(dice& d, const std::string& routes) {
  auto rules = nlohmann::json::parse(routes);
  for (auto& rule : rules)
    if (!rule["to"].empty() && d.below(3) == 0)
      rule["input"] = nlohmann::json::parse(
          d.below(2) == 0 ? R"({"source":"/data"})"
                          : R"({"item":"/item","said":"/result/answer","source":"/data"})");
  return rules.dump();
}

/// In half of the workflows that have routes. With dice of their own, and after all that looks at
/// routes.
void draw_inputs(plan& p) {
  dice d{p.seed * 0xd6e8feb86659fd93ULL + 12};
  if (d.below(2) != 0)
    return;
  const auto draw = [&](std::vector<std::string>& routes) {
    for (auto& rules : routes)
      if (!rules.empty())
        rules = with_inputs(d, rules);
  };
  draw(p.routes);
  for (auto& form : p.later)
    draw(form.routes);
}

/// A fifth of the workflows are jobs, where no tasks judge the first step. With dice of their own,
/// and last: nothing else depends on it.
void draw_job(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 13};
  p.job = p.units > 0 && p.unit_tasks.front().queue.empty() && d.below(5) == 0;
}

/// In half of the runs nodes freeze, or what they say to each other meets with accidents. With dice
/// of their own, and last: nothing else depends on it.
void draw_network(plan& p) {
  dice d{p.seed * 0x9e6c63d0876a9a99ULL + 15};
  if (d.below(2) != 0)
    return;
  auto& f = p.faults;
  f.node_frozen = rate(d, 2'000);
  f.one_way_cut = rate(d, 2'000);
  f.message_lost = rate(d, 20'000);
  f.answer_lost = rate(d, 20'000);
  f.message_late = rate(d, 200'000);
  f.message_doubled = rate(d, 300'000);
}

std::string json_of(const core::gather_policy& policy) {
  core::json_object gather;
  gather.text("by", to_string(policy.by));
  if (policy.by == core::gather_by::count)
    gather.number("size", static_cast<std::int64_t>(policy.size));
  return gather.str();
}

/// The answers that the step knows.
std::string answers_of(const plan& p, std::uint32_t position) {
  return std::string{R"(["red","blue","green")"}
         + (answers_lists(p, position) ? std::string{','} + list_answer : "") + ']';
}

std::string json_of(const core::requirements& asked) {
  return core::json_object{}
      .texts("channels", asked.channels)
      .texts("skills", asked.skills)
      .texts("locations", asked.locations)
      .str();
}

std::string json_of(const core::lease_policy& lease) {
  return core::json_object{}
      .number("ttl_seconds", seconds(lease.ttl))
      .number("total_max_seconds", seconds(lease.total_max))
      .number("regrant_after_seconds", seconds(lease.regrant_after))
      .text("late_submit", to_string(lease.late_submit))
      .str();
}

/// The schema of judgments: those of later versions must name theirs.
std::string schema_in(const plan& p, std::uint32_t version, std::uint32_t position) {
  core::json_object properties;
  properties.raw("answer", R"({"enum":)" + answers_of(p, position) + '}');
  if (names_version(p, version, position))
    properties.raw("form", R"({"const":)" + std::to_string(version) + '}');
  return core::json_object{}
      .text("type", "object")
      .raw("required",
           names_version(p, version, position) ? R"(["answer","form"])" : R"(["answer"])")
      .raw("properties", properties.str())
      .str();
}

std::string tests_in(const quality_plan& q) {
  core::json_object tests;
  tests.number("quiz", static_cast<std::int64_t>(q.quiz))
      .number("quiz_pass", 0.5)
      .number("every", static_cast<std::int64_t>(q.every));
  // Few questions are asked in a run: two wrong answers, or three right ones, are a verdict.
  if (q.sequential)
    tests.raw("sequential", R"({"good":0.9,"bad":0.3})");
  else
    tests.number("certainty", 0.6);
  if (q.feedback)
    tests.boolean("feedback", true);
  return tests.str();
}

/// One step of a form.
std::string step_in(const plan& p, const workflow_form& form, std::uint32_t version,
                    std::uint32_t position) {
  const auto& q = p.quality[position];
  core::json_object step;
  step.text("key", "s" + std::to_string(position))
      .raw("lease", json_of(form.leases[position]))
      .raw("judgment_schema", schema_in(p, version, position))
      .raw("aggregation", core::json_object{}
                              .text("method", q.method)
                              .raw("labels", answers_of(p, position))
                              .str());
  std::string next;
  for (const auto to : form.next[position])
    next += (next.empty() ? "" : ",") + key_of(to);
  if (form.routes[position].empty())
    step.raw("next", '[' + next + ']');
  else
    step.raw("routes", form.routes[position]);
  if (form.stopping[position].empty())
    step.number("judgments_per_unit", static_cast<std::int64_t>(form.slots[position]));
  else
    step.raw("stopping", form.stopping[position]);
  if (const auto asked = asked_in(p, version, position); !asked.ask_nothing())
    step.raw("requirements", json_of(asked));
  if (const auto policy = gathered_in(p, version, position))
    step.raw("gather", json_of(*policy));
  if (q.tested)
    step.raw("test_questions", tests_in(q));
  if (p.monitors)
    step.raw("monitors", R"(["agreement","copying","patterns","speed"])");
  if (const auto& tasks = p.unit_tasks[position]; !tasks.queue.empty())
    step.raw("tasks", core::json_object{}
                          .text("queue", tasks.queue)
                          .text("type", judging_type)
                          .number("judgments", static_cast<std::int64_t>(tasks.judgments))
                          .number("patience_seconds", seconds(tasks.patience))
                          .str());
  return step.str();
}

} // namespace

std::string definition_of(const plan& p, std::uint32_t version) {
  const auto form = version == 1 ? first_form(p) : p.later[version - 2];
  std::string steps;
  for (const auto position : form.steps)
    steps += (steps.empty() ? "" : ",") + step_in(p, form, version, position);
  core::json_object definition;
  definition.text("name", "simulated");
  if (p.job)
    definition.text("starts", to_string(core::job_start::when_launched));
  return definition.raw("steps", '[' + steps + ']').str();
}

bool has_step(const plan& p, std::uint32_t version, std::uint32_t position) {
  if (version == 1)
    return position < p.next.size();
  const auto& steps = p.later[version - 2].steps;
  return std::find(steps.begin(), steps.end(), position) != steps.end();
}

core::requirements asked_in(const plan& p, std::uint32_t version, std::uint32_t position) {
  return p.asks.empty() ? core::requirements{} : p.asks[version - 1][position];
}

std::optional<core::gather_policy> gathered_in(const plan& p, std::uint32_t version,
                                               std::uint32_t position) {
  return p.gathers.empty() ? std::nullopt : p.gathers[version - 1][position];
}

core::contributor_profile drawn_profile(bool whole) {
  if (whole)
    return {{"mail", "web"}, {"reading", "writing"}, {}, "DE-BY", {}};
  return {{"mail"}, {"reading"}, {}, "CH", {}};
}

bool names_version(const plan& p, std::uint32_t version, std::uint32_t position) {
  return version > 1 && p.unit_tasks[position].queue.empty();
}

std::size_t steps_of_chain(const plan& p) {
  auto most = p.next.size();
  for (const auto& form : p.later)
    most = std::max(most, form.steps.size());
  return most;
}

plan draw_plan(std::uint64_t seed) {
  dice d{seed * 0x9e3779b97f4a7c15ULL + 1};
  plan p;
  p.seed = seed;
  p.contributors = static_cast<std::uint32_t>(d.between(2, 8));
  // Mostly few: they are finished while things still go wrong.
  p.units = static_cast<std::uint32_t>(d.between(5, d.below(4) == 0 ? 40 : 10));
  p.slots_max = static_cast<std::uint32_t>(d.between(1, 4));
  draw_workflow(d, p);
  p.think_max = d.span(20ms, 3s);
  p.session_away_max = d.span(100ms, 30s);
  p.die = rate(d, 60'000);
  p.lose_reply = rate(d, 200'000);
  p.weights = draw_habits(d);
  p.pause_unit = rate(d, 100'000);
  p.cancel_unit = rate(d, 60'000, 60);
  p.pause_step = rate(d, 60'000, 60);
  p.cancel_step = rate(d, 20'000, 80);
  p.early_seal = rate(d, 100'000);
  draw_node(d, p);
  p.faults = draw_faults(d);
  share_out(p);
  if (d.below(8) == 0)
    p.faults.timer_lost = d.below(2) == 0 ? 1'000'000 : 300'000;
  p.nodes = static_cast<std::uint32_t>(d.between(1, 3));
  p.forward_patience = d.span(10ms, 4s);
  p.faults.lines_cut = rate(d, 4'000);
  draw_payloads(p);
  draw_quality(p);
  draw_routes(p);
  draw_unit_tasks(p);
  p.receiver_trouble = d.below(3) == 0 ? 0 : static_cast<std::uint32_t>(d.between(1, 60));
  p.webhooks = d.below(3) == 0;
  for (auto& lease : p.leases)
    lease.late_submit = draw_late_submit(d);
  p.monitors = p.units > 0 && d.below(4) == 0;
  if (p.monitors) // with less work there is nothing to be seen
    p.units += 25;
  draw_versions(p);
  draw_requirements_of_steps(p);
  draw_gathering(p);
  draw_inputs(p);
  draw_job(p);
  draw_spoilers(p);
  draw_read_faults(p);
  draw_network(p);
  draw_rare_faults(p);
  return p;
}

std::string describe(const plan& p) {
  std::ostringstream out;
  const auto& f = p.faults;
  out << "plan: " << p.contributors << " contributors, " << p.units << " units, up to "
      << p.slots_max << " slots, " << p.next.size() << " steps, " << versions_of(p) << " versions, "
      << p.machine.tasks << " tasks in " << p.machine.queues.size() << " queues, "
      << p.machine.workers << " workers, " << p.nodes << " nodes, " << p.shards << " shards, "
      << p.writer_lanes << " writer lanes, batch_max " << p.batch_max << ", rejoin_max "
      << p.rejoin_max.count() << "us, high_water " << p.high_water << ", prefetch "
      << p.unit_prefetch << ", leases_max " << p.leases_max << ", events_high_water "
      << p.events_high_water << ", restarts_max " << p.restarts_max
      << "\n  faults per million: commit unavailable " << f.commit_unavailable
      << ", in doubt applied " << f.commit_in_doubt_applied << ", lost " << f.commit_in_doubt_lost
      << ", late " << f.commit_in_doubt_late << ", refused " << f.change_refused << ", read fails "
      << f.read_fails << ", of units " << f.unit_read_fails << ", outage " << f.outage << ", kill "
      << f.node_kill << ", drain " << f.node_drain << ", zombie " << f.zombie << ", partition "
      << f.partition << ", frozen heartbeat " << f.frozen_heartbeat << ", lines cut " << f.lines_cut
      << ", one way cut " << f.one_way_cut << ", frozen " << f.node_frozen << ", message lost "
      << f.message_lost << ", answer lost " << f.answer_lost << ", late " << f.message_late
      << ", doubled " << f.message_doubled << ", crash " << f.actor_crash << ", rush "
      << f.clock_rush << ", timer lost " << f.timer_lost << ", history lost " << f.history_lost
      << ", clock set " << f.clock_set << (p.webhooks ? "; with webhooks" : "")
      << (p.asks.empty() ? "" : "; steps ask something of people")
      << (p.job ? "; the workflow is a job" : "")
      << (p.gathers.empty() ? "\n"
          : p.lists         ? "; a step gathers, also lists\n"
                            : "; a step gathers\n");
  return out.str();
}

} // namespace holdfast::sim
