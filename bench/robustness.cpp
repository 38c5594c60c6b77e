#include "bench/robustness.hpp"

#include "bench/child.hpp"
#include "bench/shell.hpp"
#include "bench/task_requests.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "persistence/verify.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace holdfast::bench {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto herd_ttl = 5s;
constexpr std::uint32_t claim_most = 1000; ///< As much as one claim may have.
constexpr auto round_limit = 10min;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// How much more the most frequent came than the least frequent.
double most_per_least(const std::map<std::string, std::uint64_t>& counts) {
  if (counts.empty())
    return 0;
  const auto [least, most] =
      std::minmax_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  return static_cast<double>(most->second)
         / static_cast<double>(std::max<std::uint64_t>(least->second, 1));
}

/// What the database answers to a statement, as text.
std::string answer_to(const std::string& conninfo, const std::string& sql) {
  auto asked =
      run_shell("psql -X -q -A -t -v ON_ERROR_STOP=1 " + quoted(conninfo) + " -c " + quoted(sql));
  if (asked.status != 0)
    throw std::runtime_error{"psql: " + asked.output};
  return std::move(asked.output);
}

/// One column of one row.
double number_of(const std::string& conninfo, const std::string& query) {
  return std::strtod(answer_to(conninfo, query).c_str(), nullptr);
}

/// Rows in which an invariant is broken.
double violations_in(const std::string& conninfo) {
  const auto verified = persistence::verify(conninfo);
  if (!verified)
    throw std::runtime_error{"verify: " + verified.error().detail};
  std::uint64_t all = 0;
  for (const auto& one : *verified)
    all += one.violations;
  return static_cast<double>(all);
}

/// A step of its own, filled with units, whose leases last so long.
core::step_id leased_step(node_under_load& node, std::size_t units, std::uint32_t slots,
                          double ttl_seconds) {
  core::uuid_source ids{static_cast<std::uint64_t>(core::to_micros(wall_now()))};
  const auto ttl = std::to_string(ttl_seconds);
  const auto made = call<msg::workflow_created>(
      node, msg::create_workflow{
                {ids.next(wall_now())},
                R"({"name":"herd","steps":[{"key":"label","judgments_per_unit":)"
                    + std::to_string(slots) + R"(,"lease":{"ttl_seconds":)" + ttl
                    + R"(,"total_max_seconds":)" + ttl + R"(,"regrant_after_seconds":1},)"
                    + R"("judgment_schema":{"type":"object","required":["answer"],)"
                      R"("properties":{"answer":{"enum":["yes","no"]}}}}]})"});
  const auto step = made.steps.front().step;
  constexpr std::size_t rows_at_once = 2000;
  for (std::size_t from = 0; from < units; from += rows_at_once) {
    msg::add_source_data data{step, {}};
    for (auto i = from; i < std::min(units, from + rows_at_once); ++i)
      data.rows.push_back({"unit-" + std::to_string(i), R"({"n":)" + std::to_string(i) + "}", 0});
    call<msg::source_data_added>(node, std::move(data));
  }
  return step;
}

// ── contributors ─────────────────────────────────────────────────────────────────────────────────

/// What contributors of one round share.
struct herd {
  msg::gateway_actor gateway;
  core::step_id step;
  std::size_t wanted = 0; ///< Grants, or judgments that are handed in, after which it is over.
  bool patient = false;   ///< They ask again when there is nothing; else they go.
  bool races = false;     ///< They hand in at the end of the lease; else they keep what they get.
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> present{0};
  std::promise<void> all_gone;
  std::mutex mutex;
  std::vector<std::pair<std::string, core::unit_id>> grants;
  std::map<core::errc, std::uint64_t> answers; ///< To judgments.
  std::uint64_t failures = 0;
};

struct herd_member {
  std::shared_ptr<herd> all;
  std::string name;
  core::uuid_source ids{0};
  std::mt19937_64 random;
};

using member_ptr = caf::stateful_actor<herd_member>*;

void graze(member_ptr self);

void graze_later(member_ptr self, std::chrono::milliseconds pause) {
  self->delayed_send(self, pause, std::string{"again"});
}

void leave(member_ptr self) {
  if (--self->state.all->present == 0)
    self->state.all->all_gone.set_value();
  self->quit();
}

/// A little before the end of the lease, or a little after it.
void race(member_ptr self, const msg::assignment& held) {
  auto& st = self->state;
  const auto left = held.expires_at - wall_now()
                    + core::duration{static_cast<std::int64_t>(st.random() % 100'001) - 50'000};
  const core::judgment_id id{st.ids.next(wall_now())};
  const msg::submit_judgment judgment{held.step,  held.unit, st.name,
                                      held.token, id,        R"({"answer":"yes"})"};
  self->delayed_send(self, std::max<core::duration>(left, core::duration::zero()), judgment);
}

void hand_in_late(member_ptr self, const msg::submit_judgment& judgment) {
  const auto answered = [=](core::errc how) {
    auto& all = *self->state.all;
    {
      const std::lock_guard lock{all.mutex};
      ++all.answers[how];
    }
    ++all.done;
    graze(self);
  };
  self->request(self->state.all->gateway, caf::infinite, judgment)
      .then([=](const msg::judgment_accepted&) { answered(core::errc::none); },
            [=](const caf::error& why) { answered(msg::failure_of(why).code); });
}

void graze(member_ptr self) {
  auto& st = self->state;
  if (st.all->done >= st.all->wanted)
    return leave(self);
  self->request(st.all->gateway, caf::infinite,
                msg::ask_assignment{st.all->step, st.name, {st.ids.next(wall_now())}})
      .then(
          [=](const msg::assignment& given) {
            auto& all = *self->state.all;
            if (all.races)
              return race(self, given);
            {
              const std::lock_guard lock{all.mutex};
              all.grants.emplace_back(self->state.name, given.unit);
            }
            ++all.done;
            graze(self);
          },
          [=](const caf::error& why) {
            auto& all = *self->state.all;
            const bool nothing = msg::failure_of(why).code == core::errc::no_unit_available;
            if (nothing && !all.patient)
              return leave(self);
            if (!nothing) {
              const std::lock_guard lock{all.mutex};
              ++all.failures;
            }
            graze_later(self, 20ms);
          });
}

caf::behavior graze_from_now_on(member_ptr self) {
  graze(self);
  return {[=](const std::string&) { graze(self); },
          [=](const msg::submit_judgment& judgment) { hand_in_late(self, judgment); }};
}

/// Lets contributors of these names at it, a member for each, and waits until all are gone.
void let_loose(node_under_load& node, const std::shared_ptr<herd>& all,
               const std::vector<std::string>& names) {
  all->gateway = node.gateway();
  all->present = names.size();
  auto gone = all->all_gone.get_future();
  for (std::size_t i = 0; i < names.size(); ++i)
    node.system().spawn([=](member_ptr self) {
      self->state.all = all;
      self->state.name = names[i];
      self->state.ids =
          core::uuid_source{static_cast<std::uint64_t>(core::to_micros(wall_now())) * 10'000 + i};
      self->state.random.seed(i);
      return graze_from_now_on(self);
    });
  if (gone.wait_for(round_limit) != std::future_status::ready)
    throw std::runtime_error{"contributors do not come to an end"};
}

std::vector<std::string> names_of(const std::string& kind, std::size_t people, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < people * each; ++i)
    names.push_back(kind + std::to_string(i % people));
  return names;
}

/// The leases that one half of the people has let run out are taken by the other half.
void expire_units(const std::string& conninfo, std::size_t leases, results& out) {
  constexpr std::size_t people = 20;
  node_under_load node{conninfo, 51};
  const auto step = leased_step(node, leases, 1, std::chrono::duration<double>(herd_ttl).count());
  const auto holders = std::make_shared<herd>();
  holders->step = step;
  holders->wanted = leases;
  let_loose(node, holders, names_of("holder", people, 1));
  const auto held = clock::now();
  const auto heirs = std::make_shared<herd>();
  heirs->step = step;
  heirs->wanted = leases;
  heirs->patient = true;
  let_loose(node, heirs, names_of("heir", people, 1));
  std::map<std::string, std::uint64_t> by_heir;
  for (const auto& [name, unit] : heirs->grants)
    ++by_heir[name];
  out.add("robustness.37.units.leases", static_cast<double>(holders->grants.size()), "");
  out.add("robustness.37.units.retaken_after", seconds_since(held), "s",
          at_most(std::chrono::duration<double>(herd_ttl + 5s).count()));
  out.add("robustness.37.units.fairness_of_contributors", most_per_least(by_heir), "x",
          at_most(1.5));
}

// ── tasks ────────────────────────────────────────────────────────────────────────────────────────

const core::queue_name herd_queue = "herd";

void expire_tasks(const std::string& conninfo, std::size_t leases, results& out) {
  constexpr std::size_t keys = 20;
  constexpr std::uint32_t heirs = 10;
  constexpr std::uint32_t bite = 50; ///< Small, so that who comes when can be seen.
  node_under_load node{conninfo, 52};
  call<msg::queue_view>(node, msg::put_queue{herd_queue, R"({"lease":{"ttl_seconds":5},)"
                                                         R"("retry":{"crashes_max":100}})"});
  core::uuid_source ids{53};
  for (std::size_t from = 0; from < leases; from += claim_most) {
    msg::enqueue_tasks request{herd_queue, {}};
    for (auto i = from; i < std::min<std::size_t>(leases, from + claim_most); ++i) {
      request.tasks.push_back(new_task(ids));
      request.tasks.back().key = "k" + std::to_string(i % keys);
    }
    call<msg::task_outcomes>(node, std::move(request));
  }
  caf::scoped_actor workers{node.system()};
  std::uint64_t claims = 0;
  const auto claim = [&](const std::string& worker, std::uint32_t most) {
    msg::claim_tasks wanted;
    wanted.queue = herd_queue;
    wanted.worker = worker + std::to_string(claims++ % heirs);
    wanted.claim = {ids.next(wall_now())};
    wanted.most = most;
    wanted.wait = 30s;
    workers->send(node.gateway(), std::move(wanted));
  };
  const auto next_answer = [&](const std::function<void(const msg::leased_tasks&)>& seen) {
    workers->receive([&](const msg::leased_tasks& answer) { seen(answer); },
                     [&](const caf::error& why) {
                       throw std::runtime_error{"a claim: " + msg::failure_of(why).detail};
                     });
  };
  std::size_t held = 0;
  for (std::size_t i = 0; i * claim_most < leases; ++i)
    claim("holder", claim_most);
  while (held < leases)
    next_answer([&](const msg::leased_tasks& answer) {
      held += answer.tasks.size();
      if (answer.tasks.empty())
        claim("holder", claim_most);
    });
  const auto since = clock::now();
  for (std::uint32_t i = 0; i < heirs; ++i)
    claim("heir", bite);
  std::size_t retaken = 0;
  std::map<std::string, std::uint64_t> by_key; // of the first half
  while (retaken < leases)
    next_answer([&](const msg::leased_tasks& answer) {
      for (const auto& task : answer.tasks)
        if (retaken++ < leases / 2)
          ++by_key[task.key];
      if (retaken < leases)
        claim("heir", bite);
    });
  out.add("robustness.37.tasks.leases", static_cast<double>(held), "");
  out.add("robustness.37.tasks.retaken_after", seconds_since(since), "s",
          at_most(std::chrono::duration<double>(herd_ttl + 5s).count()));
  out.add("robustness.37.tasks.fairness_of_keys", most_per_least(by_key), "x", at_most(1.5));
}

} // namespace

void expire_at_once(const std::string& conninfo, std::size_t leases, results& out) {
  expire_tasks(conninfo, leases, out);
  expire_units(conninfo, leases, out);
}

void assign_concurrently(const std::string& conninfo, std::size_t assignments, results& out) {
  constexpr std::uint32_t slots = 3;
  constexpr std::size_t people = 4;
  constexpr std::size_t places = 16; ///< From which each of them asks.
  const auto all = std::make_shared<herd>();
  const auto began = clock::now();
  {
    node_under_load node{conninfo, 54};
    all->step = leased_step(node, assignments / slots, slots, 3600);
    all->wanted = assignments; // which may be a few more than there are slots
    let_loose(node, all, names_of("same", people, places));
  }
  const std::set<std::pair<std::string, core::unit_id>> distinct{all->grants.begin(),
                                                                 all->grants.end()};
  out.add("robustness.38.assignments", static_cast<double>(all->grants.size()), "");
  out.add("robustness.38.took", seconds_since(began), "s");
  out.add("robustness.38.failures", static_cast<double>(all->failures), "", at_most(0));
  out.add("robustness.38.duplicates", static_cast<double>(all->grants.size() - distinct.size()), "",
          at_most(0));
  out.add("robustness.38.violations", violations_in(conninfo), "", at_most(0));
}

void race_expiry(const std::string& conninfo, std::size_t races, results& out) {
  constexpr std::size_t people = 2000;
  const auto all = std::make_shared<herd>();
  const auto began = clock::now();
  {
    node_under_load node{conninfo, 55};
    // Half of the judgments are in time, and each unit takes three; the others' units come again.
    all->step = leased_step(node, std::max<std::size_t>(races / 3, people), 3, 1);
    all->wanted = races;
    all->patient = true;
    all->races = true;
    let_loose(node, all, names_of("racer", people, 1));
  }
  std::uint64_t handed_in = 0;
  for (const auto& [how, times] : all->answers)
    handed_in += times;
  const auto accepted = all->answers[core::errc::none];
  const auto too_late = all->answers[core::errc::lease_expired]
                        + all->answers[core::errc::lease_not_held]
                        + all->answers[core::errc::stale_token];
  out.add("robustness.39.races", static_cast<double>(handed_in), "");
  out.add("robustness.39.took", seconds_since(began), "s");
  out.add("robustness.39.accepted", static_cast<double>(accepted), "", at_least(1));
  out.add("robustness.39.too_late", static_cast<double>(too_late), "", at_least(1));
  out.add("robustness.39.other_answers", static_cast<double>(handed_in - accepted - too_late), "");
  out.add("robustness.39.drift", violations_in(conninfo), "", at_most(0));
}

void verify_judgments(const std::string& conninfo, std::size_t judgments, results& out) {
  constexpr std::uint32_t slots = 3;
  std::uint64_t stored = 0;
  {
    node_under_load node{conninfo, 56};
    const auto step = node.make_step(judgments / slots, slots);
    stored = node.work(step, 64, round_limit, true).judgments;
  }
  const auto began = clock::now();
  const auto violations = violations_in(conninfo);
  out.add("robustness.54.judgments", static_cast<double>(stored), "");
  out.add("robustness.54.verify", seconds_since(began), "s", at_most(30));
  out.add("robustness.54.violations", violations, "", at_most(0));
}

// ── batches ──────────────────────────────────────────────────────────────────────────────────────

void spoil_batches(const std::string& conninfo, std::size_t rounds, results& out) {
  constexpr std::size_t at_once = 100;
  node_under_load node{conninfo, 57};
  // Each in a queue of its own: what an actor decides stands on what it decided before, so it loses
  // that with what is refused. All others share the transaction, and nothing else.
  const auto queue_of = [](std::size_t i) { return "spoiled-" + std::to_string(i); };
  for (std::size_t i = 0; i < at_once; ++i)
    call<msg::queue_view>(node, msg::put_queue{queue_of(i), "{}"});
  const core::queue_name unwanted = "unwanted";
  answer_to(conninfo, "ALTER TABLE holdfast.tasks ADD CONSTRAINT unwanted CHECK (type <> '"
                          + unwanted + "') NOT VALID");
  core::uuid_source ids{58};
  caf::scoped_actor callers{node.system()};
  std::size_t others_least = at_once;
  std::size_t refused = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < at_once; ++i) {
      msg::enqueue_tasks request{queue_of(i), {new_task(ids)}};
      if (i == round % at_once)
        request.tasks.front().type = unwanted;
      callers->send(node.gateway(), std::move(request));
    }
    std::size_t committed = 0;
    for (std::size_t i = 0; i < at_once; ++i)
      callers->receive(
          [&](const msg::task_outcomes& answer) {
            committed += answer.outcomes.front().refusal == core::errc::none ? 1 : 0;
          },
          [&](const caf::error& why) {
            refused += msg::failure_of(why).code == core::errc::refused_by_store ? 1 : 0;
          });
    others_least = std::min(others_least, committed);
  }
  out.add("robustness.32.batches", static_cast<double>(rounds), "");
  out.add("robustness.32.refused", static_cast<double>(refused), "",
          at_least(static_cast<double>(rounds)));
  out.add("robustness.32.others_committed_least", static_cast<double>(others_least), "",
          at_least(static_cast<double>(at_once - 1)));
}

// ── poison ───────────────────────────────────────────────────────────────────────────────────────

namespace {

const core::queue_name poison_queue = "poison";
const std::vector<std::string> poisons{"segv", "abort", "memory", "hang"};
constexpr std::uint32_t crashes_max = 3;
constexpr auto poison_ttl = 500ms;

/// What tasks do to a process that does them carelessly.
void swallow(const std::string& type) {
  if (type == "segv")
    std::raise(SIGSEGV);
  if (type == "abort")
    std::abort();
  if (type == "memory")
    std::raise(SIGKILL); // as the kernel does with who takes too much of it
  if (type == "hang") {
    std::this_thread::sleep_for(2 * poison_ttl);
    std::_Exit(1);
  }
}

} // namespace

void work_until_poisoned(std::uint16_t port) {
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const client::connection node{system, {"127.0.0.1", port}, {}, 57};
  core::uuid_source ids{std::random_device{}()};
  const auto worker = "w" + std::to_string(getpid());
  for (;;) {
    msg::claim_tasks claim;
    claim.queue = poison_queue;
    claim.worker = worker;
    claim.claim = {ids.next(wall_now())};
    claim.most = 1;
    claim.wait = 5s;
    claim.tied = true;
    const auto leased = node.ask<msg::leased_tasks>(claim);
    if (!leased)
      std::_Exit(1); // the node is gone
    for (const auto& task : leased->tasks) {
      swallow(task.type);
      node.ask<msg::task_outcomes>(
          msg::complete_tasks{poison_queue, worker, {{{task.task, task.token}, "{}"}}});
    }
  }
}

void poison_workers(const std::string& conninfo, std::size_t poisoned, results& out) {
  constexpr std::size_t workers = 8;
  constexpr auto between = 20ms; // of tasks that do no harm
  /// Of these for each that does: so few processes end that others are there.
  constexpr std::uint64_t harmless_for_each = 15;
  node_under_load node{conninfo, 58};
  call<msg::queue_view>(
      node, msg::put_queue{poison_queue, R"({"lease":{"ttl_seconds":0.5},"retry":{"crashes_max":3,)"
                                         R"("least_seconds":0.05,"most_seconds":0.1}})"});
  const auto port = node.system().middleman().publish(node.gateway(), 0, "127.0.0.1", true);
  if (!port)
    throw std::runtime_error{"cannot publish the gateway"};
  core::uuid_source ids{59};
  const auto enqueue = [&](const std::string& type) {
    msg::enqueue_tasks request{poison_queue, {new_task(ids)}};
    request.tasks.back().type = type;
    call<msg::task_outcomes>(node, std::move(request));
  };
  const auto statistics = [&] {
    return call<msg::queue_statistics>(node, msg::get_queue_statistics{poison_queue});
  };
  std::vector<std::unique_ptr<child>> at_work(workers);
  const auto until = clock::now() + round_limit;
  std::size_t made = 0;
  std::uint64_t harmless = 0;
  std::uint64_t replaced = 0;
  while (made < poisoned || statistics().live > 0) {
    for (auto& one : at_work)
      if (!one || one->ended()) { // whoever supervises workers starts them again
        one = std::make_unique<child>(
            std::vector<std::string>{"holdfast_bench", "--poisoned-worker", std::to_string(*port)});
        ++replaced;
      }
    if (made < poisoned) {
      enqueue("harmless");
      if (++harmless % harmless_for_each == 0)
        enqueue(poisons[made++ % poisons.size()]);
    }
    if (clock::now() > until)
      throw std::runtime_error{"poisoned tasks do not come to an end"};
    std::this_thread::sleep_for(between);
  }
  at_work.clear();
  const std::string dead = "FROM report.tasks WHERE queue = 'poison' AND type <> 'harmless'";
  const auto harmless_of = [&](const std::string& what) {
    return number_of(conninfo,
                     "SELECT " + what
                         + " FROM report.tasks WHERE queue = 'poison' AND type = 'harmless'");
  };
  const auto count = static_cast<double>(poisoned);
  out.add("robustness.31.poisoned", count, "");
  out.add("robustness.31.processes_ended", static_cast<double>(replaced - workers), "");
  out.add("robustness.31.dead_letters",
          number_of(conninfo, "SELECT count(*) " + dead + " AND workflow_status = 'ERROR'"), "",
          at_least(count));
  out.add("robustness.31.crashes_most", number_of(conninfo, "SELECT max(crashes) " + dead), "",
          at_most(crashes_max));
  out.add("robustness.31.history_complete",
          number_of(conninfo,
                    "SELECT count(*) FROM (SELECT t.crashes, count(a.task_id) AS kept FROM"
                    " report.tasks t LEFT JOIN report.task_attempts a USING (task_id)"
                    " WHERE t.queue = 'poison' AND t.type <> 'harmless'"
                    " GROUP BY t.task_id, t.crashes) x WHERE kept >= crashes"),
          "", at_least(count));
  out.add("robustness.31.harmless_done",
          harmless_of("count(*) FILTER (WHERE workflow_status = 'COMPLETED')"), "",
          at_least(static_cast<double>(harmless)));
  out.add("robustness.31.harmless_delay_p99",
          harmless_of("percentile_cont(0.99) WITHIN GROUP (ORDER BY"
                      " extract(epoch FROM finished_at - created_at))"),
          "s", at_most(1));
}

} // namespace holdfast::bench
