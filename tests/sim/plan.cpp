#include "tests/sim/plan.hpp"

#include "core/json_text.hpp"

#include <array>
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

void draw_workflow(dice& d, plan& p) {
  const auto steps = d.between(1, 3);
  p.next.resize(steps);
  // A tree: each step but the first is reached from one of those before it.
  for (std::uint32_t position = 1; position < steps; ++position)
    p.next[d.below(position)].push_back(position);
  for (std::uint64_t i = 0; i < steps; ++i) {
    core::lease_policy lease;
    lease.ttl = std::chrono::seconds{d.between(1, 40)};
    lease.total_max = lease.ttl + std::chrono::seconds{d.below(2) * d.between(0, 60)};
    lease.regrant_after = std::chrono::seconds{d.below(2) * d.between(0, 30)};
    p.leases.push_back(lease);
  }
}

void draw_node(dice& d, plan& p) {
  p.shards = static_cast<std::uint32_t>(d.between(1, 4));
  p.writer_lanes = static_cast<std::uint32_t>(d.between(1, 2));
  p.batch_max = d.between(1, 50);
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
  for (auto left = queues + d.below(3); left > 0; --left)
    t.policies.push_back(draw_policy(d));
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
    if (d.below(3) == 0)
      continue;
    core::json_object rule;
    rule.number("min", static_cast<std::int64_t>(d.between(1, p.slots_max)))
        .number("max", static_cast<std::int64_t>(p.slots_max));
    if (d.below(2) == 0)
      rule.number("stop_at", 0.7);
    if (d.below(2) == 0)
      rule.boolean("curtail", true);
    q.stopping = rule.str();
  }
  p.remove_contributor = rate(d, 600'000, 30);
}

std::string key_of(std::uint64_t position) { return "\"s" + std::to_string(position) + '"'; }

/// Half of the workflows do not send every unit everywhere, some lead to one step in several ways,
/// and some send units back.
void draw_routes(plan& p) {
  dice d{p.seed * 0xd6e8feb86659fd93ULL + 7};
  p.routes.resize(p.next.size());
  if (d.below(2) == 0)
    return;
  for (std::uint64_t i = 0; i < p.next.size(); ++i) {
    std::string onward;
    for (std::uint64_t later = i + 1; later < p.next.size(); ++later)
      if (const auto& next = p.next[i];
          d.below(3) == 0 || std::find(next.begin(), next.end(), later) != next.end())
        onward += (onward.empty() ? "" : ",") + key_of(later);
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
        p.excludes = true;
      }
      rule.number("loops_max", static_cast<std::int64_t>(d.between(1, 2)));
      rules += (rules.empty() ? "" : ",") + rule.str();
    };
    if (d.below(2) == 0)
      add(R"({"answer":"red"})", key_of(d.below(i + 1)));
    if (d.below(3) == 0)
      add(R"({"answer_not":["green"],"confidence_below":0.6})", onward);
    if (d.below(3) == 0)
      add(R"({"sample":0.3})", {});
    add({}, onward);
    p.routes[i] = '[' + rules + ']';
  }
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

} // namespace

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
  constexpr std::array late{core::late_submit::reject, core::late_submit::accept_if_free,
                            core::late_submit::surplus};
  for (auto& lease : p.leases)
    lease.late_submit = late[d.below(late.size())];
  p.monitors = p.units > 0 && d.below(4) == 0;
  if (p.monitors) // with less work there is nothing to be seen
    p.units += 25;
  return p;
}

std::string definition_of(const plan& p) {
  const auto seconds = [](core::duration d) {
    return std::chrono::duration_cast<std::chrono::seconds>(d).count();
  };
  std::string steps;
  for (std::size_t i = 0; i < p.next.size(); ++i) {
    std::string next;
    for (const auto position : p.next[i])
      next += (next.empty() ? "" : ",") + key_of(position);
    const auto lease = core::json_object{}
                           .number("ttl_seconds", seconds(p.leases[i].ttl))
                           .number("total_max_seconds", seconds(p.leases[i].total_max))
                           .number("regrant_after_seconds", seconds(p.leases[i].regrant_after))
                           .text("late_submit", to_string(p.leases[i].late_submit))
                           .str();
    const auto& q = p.quality[i];
    core::json_object step;
    step.text("key", "s" + std::to_string(i))
        .raw("lease", lease)
        .raw("judgment_schema", R"({"type":"object","required":["answer"],)"
                                R"("properties":{"answer":{"enum":["red","blue","green"]}}})")
        .raw("aggregation", core::json_object{}
                                .text("method", q.method)
                                .raw("labels", R"(["red","blue","green"])")
                                .str());
    if (p.routes[i].empty())
      step.raw("next", '[' + next + ']');
    else
      step.raw("routes", p.routes[i]);
    if (q.stopping.empty())
      step.number("judgments_per_unit", static_cast<std::int64_t>(p.slots_max));
    else
      step.raw("stopping", q.stopping);
    if (q.tested)
      step.raw("test_questions", core::json_object{}
                                     .number("quiz", static_cast<std::int64_t>(q.quiz))
                                     .number("quiz_pass", 0.5)
                                     .number("certainty", 0.6)
                                     .number("every", static_cast<std::int64_t>(q.every))
                                     .str());
    if (p.monitors)
      step.raw("monitors", R"(["agreement","copying","patterns","speed"])");
    if (const auto& tasks = p.unit_tasks[i]; !tasks.queue.empty())
      step.raw("tasks", core::json_object{}
                            .text("queue", tasks.queue)
                            .text("type", judging_type)
                            .number("judgments", static_cast<std::int64_t>(tasks.judgments))
                            .number("patience_seconds", seconds(tasks.patience))
                            .str());
    steps += (steps.empty() ? "" : ",") + step.str();
  }
  return core::json_object{}.text("name", "simulated").raw("steps", '[' + steps + ']').str();
}

std::string describe(const plan& p) {
  std::ostringstream out;
  const auto& f = p.faults;
  out << "plan: " << p.contributors << " contributors, " << p.units << " units, up to "
      << p.slots_max << " slots, " << p.next.size() << " steps, " << p.machine.tasks << " tasks in "
      << p.machine.queues.size() << " queues, " << p.machine.workers << " workers, " << p.nodes
      << " nodes, " << p.shards << " shards, " << p.writer_lanes << " writer lanes, batch_max "
      << p.batch_max << ", high_water " << p.high_water << ", prefetch " << p.unit_prefetch
      << ", leases_max " << p.leases_max << ", events_high_water " << p.events_high_water
      << ", restarts_max " << p.restarts_max << "\n  faults per million: commit unavailable "
      << f.commit_unavailable << ", in doubt applied " << f.commit_in_doubt_applied << ", lost "
      << f.commit_in_doubt_lost << ", late " << f.commit_in_doubt_late << ", refused "
      << f.change_refused << ", outage " << f.outage << ", kill " << f.node_kill << ", drain "
      << f.node_drain << ", zombie " << f.zombie << ", partition " << f.partition
      << ", frozen heartbeat " << f.frozen_heartbeat << ", lines cut " << f.lines_cut << ", crash "
      << f.actor_crash << ", rush " << f.clock_rush << ", timer lost " << f.timer_lost
      << (p.webhooks ? "; with webhooks\n" : "\n");
  return out.str();
}

} // namespace holdfast::sim
