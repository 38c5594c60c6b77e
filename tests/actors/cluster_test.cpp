// Several nodes on one database: they share the shards, pass requests on to their hosts, and take
// over from each other.

#include "actors/internal_messages.hpp"
#include "client/courier.hpp"
#include "core/node_worker.hpp"
#include "core/placement.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <iterator>
#include <map>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

constexpr std::uint32_t shard_count = 8;

struct cluster : virtual_world {
  cluster() { watches_actors = true; }
  ~cluster() {
    me.disconnect();
    nodes.clear();
  }

  /// Starts a node and lets the cluster settle.
  virtual_node& start(const std::string& name) {
    auto& node = nodes[name] = std::make_unique<virtual_node>(*this, name, 1000 * ++starts_);
    node->settings.shards = shard_count;
    node->settings.time_suspended = [this] { return suspended; };
    node->start();
    advance(4s); // two heartbeats and more
    BOOST_REQUIRE_MESSAGE(node->gateway, name << " has no gateway");
    return *node;
  }
  void start_three() {
    for (const auto* name : {"a", "b", "c"})
      start(name);
  }
  virtual_node& at(const std::string& name) { return *nodes.at(name); }

  /// How many shards each process hosts.
  std::map<std::string, std::uint32_t> shares() const {
    std::map<std::string, std::uint32_t> found;
    for (const auto& shard : database->tables().shards) {
      const auto host = database->tables().nodes.find(shard.host);
      ++found[host == database->tables().nodes.end() ? "nobody" : host->second.name];
    }
    return found;
  }
  /// The node that hosts the queue.
  virtual_node& host_of(const core::queue_name& queue) {
    const auto& tables = database->tables();
    const auto& shard = tables.shards[core::shard_of(queue, shard_count)];
    return at(tables.nodes.at(shard.host).name);
  }
  /// A queue of one of its shards.
  core::queue_name queue_hosted_by(const std::string& name) {
    int number = 0;
    while (&host_of("q" + std::to_string(number)) != &at(name))
      ++number;
    return "q" + std::to_string(number);
  }
  /// One that moves when the first of two nodes comes beside the second.
  static core::queue_name queue_that_prefers(const std::string& first, const std::string& second) {
    for (int number = 0;; ++number) {
      auto queue = "q" + std::to_string(number);
      const auto shard = core::shard_of(queue, shard_count);
      if (core::suitability(first, shard) > core::suitability(second, shard))
        return queue;
    }
  }
  virtual_node& other_than(const virtual_node& node) {
    for (const auto& [name, one] : nodes)
      if (one.get() != &node && one->gateway)
        return *one;
    BOOST_FAIL("there is no other node");
    throw 0;
  }

  template <class Request>
  answer<msg::answer_to<Request>> call(virtual_node& node, Request request,
                                       core::duration patience = 0s) {
    const auto answered = me.send(node.gateway, std::move(request));
    settle();
    for (core::duration waited{0}; !answered->arrived() && waited < patience; waited += 10ms)
      advance(10ms);
    return *answered;
  }
  template <class Id>
  Id fresh() {
    return {ids.next(now())};
  }
  msg::enqueue_tasks some_tasks(const core::queue_name& queue, int number) {
    msg::enqueue_tasks request{queue, {}};
    for (int i = 0; i < number; ++i) {
      msg::task_request task;
      task.task = fresh<core::task_id>();
      task.type = "work";
      task.body = "{}";
      request.tasks.push_back(task);
    }
    return request;
  }
  void given_queue(const core::queue_name& queue) {
    const auto made = call(*nodes.begin()->second, msg::put_queue{queue, "{}"});
    BOOST_REQUIRE_MESSAGE(made.value, (made.error ? made.error->detail : "no answer"));
  }
  msg::claim_tasks a_claim(const core::queue_name& queue, const std::string& worker) {
    msg::claim_tasks claim;
    claim.queue = queue;
    claim.worker = worker;
    claim.claim = fresh<core::assignment_id>();
    claim.most = 10;
    return claim;
  }
  /// How many lines of the node's log begin with `event`.
  static std::ptrdiff_t logged(const virtual_node& node, const std::string& event) {
    return std::count_if(node.log.begin(), node.log.end(),
                         [&](const std::string& line) { return line.rfind(event + ' ', 0) == 0; });
  }
  /// I-7: no row of an earlier epoch follows one of a later epoch.
  void epochs_never_go_back() const {
    for (const auto& [shard, rows] : database->tables().outbox)
      for (std::size_t i = 1; i < rows.size(); ++i)
        BOOST_TEST(rows[i - 1].epoch <= rows[i].epoch);
  }

  core::duration suspended{}; ///< How long the machine of the nodes was suspended so far.
  std::map<std::string, std::unique_ptr<virtual_node>> nodes;
  client me{*this};
  core::uuid_source ids{99};

private:
  std::uint64_t starts_ = 0;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(clustering, cluster)

BOOST_AUTO_TEST_CASE(nodes_share_the_shards) {
  start("a");
  BOOST_TEST(shares()["a"] == shard_count);
  start("b");
  start("c");
  const auto three = shares();
  BOOST_TEST(three.size() == 3U);
  for (const auto& [name, share] : three) {
    BOOST_TEST(share > 0U, name);
  }
  epochs_never_go_back();
}

BOOST_AUTO_TEST_CASE(any_node_takes_any_request) { // D3
  start_three();
  for (int i = 0; i < 12; ++i) {
    const auto queue = "q" + std::to_string(i);
    given_queue(queue);
    const auto tasks = some_tasks(queue, 3);
    auto& far = other_than(host_of(queue));
    const auto enqueued = call(far, tasks);
    BOOST_REQUIRE_MESSAGE(enqueued.value, (enqueued.error ? enqueued.error->detail : "no answer"));
    const auto claimed = call(at("b"), a_claim(queue, "w"));
    BOOST_REQUIRE(claimed.value);
    BOOST_REQUIRE(claimed.value->tasks.size() == 3U);
    msg::complete_tasks done{queue, "w", {}};
    for (const auto& task : claimed.value->tasks)
      done.tasks.push_back({{task.task, task.token}, {}});
    const auto completed = call(at("c"), done);
    BOOST_REQUIRE(completed.value);
    for (const auto& outcome : completed.value->outcomes)
      BOOST_TEST((outcome.refusal == core::errc::none));
  }
  BOOST_TEST(database->tables().tasks.empty());
}

// A96: the index of each node has the steps that it hosts.
BOOST_AUTO_TEST_CASE(contributors_find_the_steps_of_all_nodes_from_any_node) {
  start_three();
  std::vector<core::step_id> steps;
  for (int i = 0; i < 12; ++i) {
    const auto created =
        call(at("a"), msg::create_workflow{fresh<core::workflow_id>(), one_step}, 2s);
    BOOST_REQUIRE(created.value);
    steps.push_back(created.value->steps.front().step);
  }
  advance(1s);
  std::sort(steps.begin(), steps.end());
  const auto found_at = [&](const std::string& node) {
    const auto offers = call(at(node), msg::find_steps{"ana", 20, 0, {}}, 2s);
    BOOST_REQUIRE(offers.value);
    BOOST_TEST(offers.value->complete);
    std::vector<core::step_id> found;
    for (const auto& offer : offers.value->steps)
      found.push_back(offer.step);
    return found;
  };
  for (const auto* node : {"a", "b", "c"})
    BOOST_TEST((found_at(node) == steps), node);
  const auto page = call(at("b"), msg::find_steps{"ana", 5, 0, steps[3]}, 2s);
  BOOST_REQUIRE(page.value);
  BOOST_TEST(page.value->steps.size() == 5U);
  BOOST_TEST((page.value->steps.front().step == steps[4]));

  // Whichever node is asked, all list what they host anew.
  const auto rebuilt = call(at("b"), msg::rebuild_step_index{}, 2s);
  BOOST_REQUIRE(rebuilt.value);
  BOOST_TEST(rebuilt.value->complete);
  BOOST_TEST(rebuilt.value->nodes == 3U);
  BOOST_TEST(rebuilt.value->steps == steps.size());
  BOOST_TEST((found_at("a") == steps));

  // What a lost node hosted is missing until others have it, and they say so.
  at("c").kill();
  const auto during = call(at("a"), msg::find_steps{"ana", 20, 0, {}}, 2s);
  BOOST_REQUIRE(during.value);
  BOOST_TEST((!during.value->complete || during.value->steps.size() == steps.size()));
  const auto without = call(at("a"), msg::rebuild_step_index{}, 2s);
  BOOST_REQUIRE(without.value);
  BOOST_TEST((!without.value->complete || without.value->steps == steps.size()));
  advance(30s);
  BOOST_TEST((found_at("a") == steps));
  BOOST_TEST((found_at("b") == steps));

  // Profiles are put at their home, and seen everywhere.
  for (int i = 0; i < 8; ++i) {
    msg::put_profile profile;
    profile.contributor = "p" + std::to_string(i);
    profile.skills = {"ner"};
    BOOST_REQUIRE(call(at("b"), profile, 2s).value);
    const auto seen = call(at("a"), msg::get_profile{profile.contributor}, 2s);
    BOOST_REQUIRE(seen.value);
    BOOST_TEST(seen.value->skills.size() == 1U);
  }
}

// A177
BOOST_AUTO_TEST_CASE(events_become_tasks_of_a_queue_that_another_node_hosts) {
  start_three();
  const auto created =
      call(at("a"), msg::create_workflow{fresh<core::workflow_id>(), one_step}, 2s);
  BOOST_REQUIRE(created.value);
  const auto shard = core::shard_of(created.value->steps.front().step, shard_count);
  const auto& tables = database->tables();
  const auto& home = at(tables.nodes.at(tables.shards[shard].host).name);
  int number = 0;
  while (&host_of("q" + std::to_string(number)) == &home)
    ++number;
  const auto queue = "q" + std::to_string(number);
  given_queue(queue);
  const auto put = call(
      at("a"), msg::put_webhook{"group", R"({"queue":")" + queue + R"(","start":"oldest"})"}, 2s);
  BOOST_REQUIRE_MESSAGE(put.value, (put.error ? put.error->detail : "no answer"));
  advance(5s);
  BOOST_TEST(tables.tasks.size() == 1U);
  BOOST_TEST(tables.webhook_places.at({tables.webhooks.begin()->first, shard}).seq == 1U);
  // The queue is taken over in between; the next event finds its way to the new host.
  host_of(queue).kill();
  advance(5s);
  const auto step = created.value->steps.front().step;
  const auto added =
      call(other_than(home), msg::add_source_data{step, {{"row-0", R"({"n":0})", 0}}}, 5s);
  BOOST_REQUIRE_MESSAGE(added.value, (added.error ? added.error->detail : "no answer"));
  advance(10s);
  BOOST_TEST(tables.tasks.size() == 2U);
}

BOOST_AUTO_TEST_CASE(
    a_killed_node_is_replaced_at_once) { // D3, scorecard: takeover of a killed node
  start_three();
  given_queue("mail");
  BOOST_REQUIRE(call(at("a"), some_tasks("mail", 5)).value);
  auto& host = host_of("mail");
  auto& other = other_than(host);
  const auto claim = a_claim("mail", "w");
  BOOST_REQUIRE(call(other, claim).value);
  const auto before = now();
  host.kill(); // lets a second pass
  BOOST_TEST(shares().count(host.settings.name) == 0U);
  BOOST_TEST(shares().count("nobody") == 0U);
  BOOST_TEST((now() - before <= 1s));
  // The lease goes on under its token, at the next host.
  const auto again = call(other, claim);
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->tasks.size() == 5U);
  epochs_never_go_back();
}

BOOST_AUTO_TEST_CASE(a_request_waits_while_its_host_is_replaced) {
  start_three();
  given_queue("mail");
  auto& host = host_of("mail");
  auto& other = other_than(host);
  host.cut_off(true); // decides, but nothing of it is written
  const auto asked = me.send(other.gateway, some_tasks("mail", 2));
  settle();
  BOOST_TEST(!asked->arrived());
  host.kill();
  BOOST_REQUIRE(asked->arrived());
  BOOST_REQUIRE_MESSAGE(asked->value, (asked->error ? asked->error->detail : ""));
  BOOST_TEST(database->tables().tasks.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_frozen_node_is_replaced_when_its_lease_has_run_out) {
  start_three();
  given_queue("mail");
  auto& host = host_of("mail");
  host.stop_renewals(true);
  host.isolate(true);
  const auto frozen_at = now();
  const auto over = database->tables().nodes.at(host.settings.incarnation).expires_at;
  advance(3s); // nobody has evidence of its death
  BOOST_TEST(shares().count(host.settings.name) == 1U);
  advance(over - now() - 1ms);
  BOOST_TEST(shares().count(host.settings.name) == 1U);
  advance(50ms); // whenever the others would have looked anyway
  BOOST_TEST(shares().count(host.settings.name) == 0U);
  BOOST_TEST((now() - frozen_at <= host.settings.lease_time + 1s));
  advance(1s);
  BOOST_REQUIRE(call(other_than(host), some_tasks("mail", 2)).value);
  // I-7: what it still believes to host it does not decide any more.
  const auto stale = me.send(host.gateway, some_tasks("mail", 2));
  advance(4s);
  BOOST_REQUIRE(stale->arrived());
  BOOST_TEST(!stale->value);
  BOOST_TEST(database->tables().tasks.size() == 2U);
  // It comes back, and gets its share again without a restart.
  host.stop_renewals(false);
  host.isolate(false);
  advance(5s);
  BOOST_TEST(!host.ended());
  BOOST_TEST(shares()[host.settings.name] > 0U);
  BOOST_REQUIRE(call(host, some_tasks("mail", 2)).value);
  epochs_never_go_back();
}

// Nobody else was there at its last look. I-7
BOOST_AUTO_TEST_CASE(a_node_that_was_alone_does_not_answer_from_an_old_memory) {
  start("a");
  given_queue("mail");
  at("a").cut_off(true);
  advance(at("a").settings.lease_time);
  start("b");
  BOOST_TEST(shares()["b"] == shard_count);
  BOOST_REQUIRE(call(at("b"), some_tasks("mail", 2)).value);
  const auto stale = me.send(at("a").gateway, a_claim("mail", "w")); // it knows of no task
  settle();
  BOOST_TEST(!stale->arrived());
  advance(4s);
  BOOST_REQUIRE(stale->arrived());
  BOOST_TEST(stale->code() == core::errc::unavailable);
  at("a").cut_off(false);
  advance(5s);
  const auto claimed = call(at("a"), a_claim("mail", "w"));
  BOOST_REQUIRE(claimed.value);
  BOOST_TEST(claimed.value->tasks.size() == 2U);
  epochs_never_go_back();
}

// F07, I-7: the actors' clock stands still while the machine is suspended, the lease runs out.
BOOST_AUTO_TEST_CASE(a_node_whose_machine_was_suspended_decides_nothing_before_it_has_renewed) {
  start("a");
  given_queue("mail");
  at("a").stop_renewals(true);
  suspended += at("a").settings.lease_time / 2;
  BOOST_TEST(call(at("a"), a_claim("mail", "w")).value.has_value());
  suspended += at("a").settings.lease_time / 2;
  const auto asked = me.send(at("a").gateway, a_claim("mail", "w"));
  settle();
  BOOST_TEST(!asked->arrived());
  at("a").stop_renewals(false);
  advance(2s); // within the patience of requests
  BOOST_TEST(asked->value.has_value());
}

BOOST_AUTO_TEST_CASE(a_single_node_goes_on_where_it_was_when_the_database_is_back) { // I-12
  start("a");
  given_queue("mail");
  BOOST_REQUIRE(call(at("a"), some_tasks("mail", 2)).value);
  const auto held = call(at("a"), a_claim("mail", "w"));
  BOOST_REQUIRE(held.value);
  at("a").cut_off(true);
  advance(1s);
  const auto accepted = me.send(at("a").gateway, some_tasks("mail", 1));
  advance(10s);
  BOOST_TEST(!accepted->arrived()); // decided before the lease ended: it waits for the disk
  const auto early = me.send(at("a").gateway, a_claim("mail", "v"));
  advance(4s);
  BOOST_REQUIRE(early->arrived());
  BOOST_TEST(early->code() == core::errc::unavailable);
  const auto late = me.send(at("a").gateway, some_tasks("mail", 1));
  settle();
  at("a").cut_off(false);
  advance(2s);
  BOOST_TEST(accepted->value.has_value());
  BOOST_TEST(late->value.has_value()); // within its patience
  BOOST_TEST(database->tables().tasks.size() == 4U);
  BOOST_TEST(database->tables().shards[core::shard_of(core::queue_name{"mail"}, shard_count)].epoch
             == 1U);
  msg::complete_tasks done{"mail", "w", {}};
  for (const auto& task : held.value->tasks)
    done.tasks.push_back({{task.task, task.token}, {}});
  const auto completed = call(at("a"), done);
  BOOST_REQUIRE(completed.value);
  for (const auto& outcome : completed.value->outcomes)
    BOOST_TEST((outcome.refusal == core::errc::none));
}

BOOST_AUTO_TEST_CASE(a_node_says_when_it_fences_itself_and_when_that_is_over) {
  start("a");
  auto& node = at("a");
  for (std::ptrdiff_t outage = 1; outage <= 2; ++outage) {
    advance(10s);
    const auto lease = database->tables().nodes.at(node.settings.incarnation).expires_at;
    node.cut_off(true);
    advance(lease - now() - 1ms);
    BOOST_TEST(logged(node, "fenced") == outage - 1);
    advance(2ms); // at once, whenever it would have tried again
    BOOST_TEST(logged(node, "fenced") == outage);
    advance(20s);
    BOOST_TEST(logged(node, "fenced") == outage);
    BOOST_TEST(logged(node, "fence_lifted") == outage - 1);
    const auto during = call(node, msg::get_guard_status{});
    BOOST_REQUIRE(during.value);
    BOOST_TEST(during.value->fenced);
    BOOST_TEST((during.value->fenced_since > lease - 1s && during.value->fenced_since <= lease));
    BOOST_TEST(during.value->why == "the test has cut the line");
    BOOST_TEST(during.value->fences == static_cast<std::uint64_t>(outage));
    node.cut_off(false);
    advance(2s);
    BOOST_TEST(logged(node, "fence_lifted") == outage);
    const auto after = call(node, msg::get_guard_status{});
    BOOST_REQUIRE(after.value);
    BOOST_TEST(!after.value->fenced);
    BOOST_TEST((after.value->fenced_since == core::instant{}));
  }
  node.cut_off(true); // one renewal that fails is no end
  advance(2s);
  node.cut_off(false);
  advance(10s);
  BOOST_TEST(logged(node, "fenced") == 2);
  BOOST_TEST(logged(node, "renewal_failed") > 2);
}

// I-7: what was decided before the shard was lost
BOOST_AUTO_TEST_CASE(a_node_says_which_of_its_writes_came_too_late) {
  start("a");
  start("b");
  const auto queue = queue_hosted_by("a");
  given_queue(queue);
  database->set_commit_faults(
      [](const persistence::write_batch&) { return persistence::commit_fault::unavailable; });
  const auto asked = me.send(at("a").gateway, some_tasks(queue, 1));
  settle();
  at("a").stop_renewals(true);
  advance(10s);
  BOOST_REQUIRE(&host_of(queue) == &at("b"));
  database->set_commit_faults(nullptr);
  advance(5s); // its writer tries again
  const auto guards = call(at("a"), msg::get_guard_status{});
  BOOST_REQUIRE(guards.value);
  BOOST_TEST(guards.value->stale_writes == 1U);
  BOOST_TEST(guards.value->in_doubt == 0U);
  BOOST_TEST(call(at("b"), msg::get_guard_status{}).value->stale_writes == 0U);
  epochs_never_go_back();
}

// Else the first one back would take everything, and every actor would start anew twice.
BOOST_AUTO_TEST_CASE(after_an_outage_of_the_database_everybody_has_what_was_theirs) {
  start_three();
  given_queue("mail");
  const auto before = database->tables().shards;
  for (auto& [name, node] : nodes)
    node->cut_off(true);
  advance(20s);
  for (auto& [name, node] : nodes)
    node->cut_off(false);
  advance(5s);
  const auto& after = database->tables().shards;
  for (core::shard_id shard = 0; shard < shard_count; ++shard) {
    BOOST_TEST((after[shard].host == before[shard].host));
    BOOST_TEST(after[shard].epoch == before[shard].epoch);
  }
  for (auto& [name, node] : nodes)
    BOOST_TEST(call(*node, some_tasks("mail", 1)).value.has_value(), name);
}

BOOST_AUTO_TEST_CASE(node_that_does_not_come_back_after_an_outage_is_replaced) {
  start_three();
  given_queue("mail");
  for (auto& [name, node] : nodes)
    node->cut_off(true);
  advance(20s);
  at("c").isolate(true);
  at("a").cut_off(false);
  at("b").cut_off(false);
  advance(5s); // two heartbeats and more
  BOOST_TEST(shares().count("c") == 0U);
  BOOST_TEST(call(at("a"), some_tasks("mail", 1)).value.has_value());
}

BOOST_AUTO_TEST_CASE(a_stopped_node_hands_over_without_a_pause) {
  start_three();
  given_queue("mail");
  auto& host = host_of("mail");
  auto& other = other_than(host);
  BOOST_REQUIRE(call(other, some_tasks("mail", 2)).value);
  caf::anon_send(host.root, actors::drain{});
  const auto during = me.send(other.gateway, some_tasks("mail", 2));
  advance(1s);
  BOOST_TEST(host.ended());
  BOOST_REQUIRE(during->arrived());
  BOOST_REQUIRE_MESSAGE(during->value, (during->error ? during->error->detail : ""));
  BOOST_TEST(shares().count("nobody") == 0U);
  BOOST_TEST(database->tables().tasks.size() == 4U);
}

// The actor that hosts the shards dies before it hears what the node has lost: its next life does
// not believe that to be here still.
BOOST_AUTO_TEST_CASE(work_lost_while_the_shards_crashed_is_found_at_its_host) {
  start("a");
  const auto hosts_of_a = actors_named("shards");
  BOOST_REQUIRE(hosts_of_a.size() == 1U);
  start("b");
  std::vector<core::queue_name> queues;
  for (int i = 0; i < 16; ++i) {
    queues.push_back("q" + std::to_string(i));
    given_queue(queues.back());
  }
  at("a").cut_off(true);
  advance(20s);
  BOOST_TEST(shares()["b"] == shard_count);
  held_back = "shards";
  crash(hosts_of_a.front());
  at("a").cut_off(false);
  advance(1s);
  held_back.clear();
  advance(10s);
  for (const auto& queue : queues)
    for (const auto* name : {"a", "b"}) {
      const auto enqueued = call(at(name), some_tasks(queue, 1), 5s);
      BOOST_TEST(enqueued.value.has_value(), queue << " through " << name);
    }
}

BOOST_AUTO_TEST_CASE(no_request_fails_while_shards_move) {
  start("a");
  for (int i = 0; i < 6; ++i)
    given_queue("q" + std::to_string(i));
  std::vector<awaited_answer<msg::enqueue_tasks>> asked;
  std::size_t wanted = 0;
  for (const auto* name : {"b", "c", "d"}) {
    auto& node = nodes[name] = std::make_unique<virtual_node>(*this, name, 5000 + name[0]);
    node->settings.shards = shard_count;
    node->start();
    for (int turn = 0; turn < 100; ++turn) {
      const auto queue = "q" + std::to_string(turn % 6);
      asked.push_back(me.send(at("a").gateway, some_tasks(queue, 1)));
      ++wanted;
      advance(30ms);
    }
  }
  advance(5s);
  for (const auto& one : asked) {
    BOOST_REQUIRE(one->arrived());
    BOOST_TEST(one->value.has_value(), (one->error ? one->error->detail : ""));
  }
  BOOST_TEST(database->tables().tasks.size() == wanted);
  BOOST_TEST(shares().size() == 4U);
  epochs_never_go_back();
}

BOOST_AUTO_TEST_CASE(leases_survive_a_handover_with_their_tokens) {
  start("a");
  const auto queue = queue_that_prefers("b", "a");
  given_queue(queue);
  BOOST_REQUIRE(call(at("a"), some_tasks(queue, 3)).value);
  const auto claimed = call(at("a"), a_claim(queue, "w"));
  BOOST_REQUIRE(claimed.value);
  start("b");
  BOOST_REQUIRE(&host_of(queue) == &at("b"));
  msg::complete_tasks done{queue, "w", {}};
  for (const auto& task : claimed.value->tasks)
    done.tasks.push_back({{task.task, task.token}, {}});
  const auto completed = call(at("a"), done);
  BOOST_REQUIRE(completed.value);
  for (const auto& outcome : completed.value->outcomes)
    BOOST_TEST((outcome.refusal == core::errc::none));
}

BOOST_AUTO_TEST_CASE(a_workflow_runs_over_several_nodes) { // I-5, I-6, I-8
  start_three();
  const auto definition =
      workflow_json("chain", {step_json("one", 1, {"two"}), step_json("two", 1, {"three"}),
                              step_json("three", 1, {})});
  for (int i = 0; i < 4; ++i) {
    const auto created =
        call(at("a"), msg::create_workflow{fresh<core::workflow_id>(), definition});
    BOOST_REQUIRE_MESSAGE(created.value, (created.error ? created.error->detail : "no answer"));
    const auto& steps = created.value->steps;
    msg::add_source_data data{steps[0].step, {}};
    for (int row = 0; row < 5; ++row)
      data.rows.push_back({"row-" + std::to_string(row), R"({"n": 1})"});
    BOOST_REQUIRE(call(at("b"), data).value);
    BOOST_REQUIRE(call(at("c"), msg::seal_step{steps[0].step}).value);
    for (const auto& step : steps) {
      for (int unit = 0; unit < 5; ++unit) {
        const auto lease =
            call(at("b"), msg::ask_assignment{step.step, "ana", fresh<core::assignment_id>()});
        BOOST_REQUIRE_MESSAGE(lease.value, (lease.error ? lease.error->detail : "no answer"));
        msg::submit_judgment judgment;
        judgment.step = step.step;
        judgment.unit = lease.value->unit;
        judgment.contributor = "ana";
        judgment.token = lease.value->token;
        judgment.judgment = fresh<core::judgment_id>();
        judgment.payload = R"({"answer": "red"})";
        BOOST_REQUIRE(call(at("c"), judgment).value);
      }
      advance(1s);
    }
    const auto counts = call(at("a"), msg::get_step_statistics{steps[2].step});
    BOOST_REQUIRE(counts.value);
    BOOST_TEST(counts.value->finalized == 5U);
    BOOST_TEST(counts.value->step.completed_units == 5U);
  }
  BOOST_TEST(broken_invariants(*database) == "");
}

/// Stands before a node's endpoint, and keeps the answers of the first deliveries of events.
caf::behavior keeps_first_answers(caf::event_based_actor* self, const caf::actor& door,
                                  const std::shared_ptr<int>& left) {
  self->monitor(door);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(door, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
  return {[=](actors::apply_events& m) -> caf::result<actors::events_applied> {
    auto promise = self->make_response_promise<actors::events_applied>();
    if (--*left < 0)
      promise.delegate(door, std::move(m));
    else // applied, and its answer is lost
      self->request(door, 60min, std::move(m))
          .then([promise](actors::events_applied) {}, [promise](const caf::error&) {});
    return promise;
  }};
}

// finding E4
BOOST_AUTO_TEST_CASE(a_delivery_of_events_whose_answer_is_lost_is_made_again_within_minutes) {
  const auto left = std::make_shared<int>(3);
  network->stand_before_doors(
      [=](const caf::actor& door) { return system->spawn(keeps_first_answers, door, left); });
  start_three();
  const auto definition =
      workflow_json("chain", {step_json("one", 1, {"two"}), step_json("two", 1, {})});
  std::vector<core::step_id> seconds;
  for (int i = 0; i < 6; ++i) {
    const auto created =
        call(at("a"), msg::create_workflow{fresh<core::workflow_id>(), definition});
    BOOST_REQUIRE(created.value);
    const auto& steps = created.value->steps;
    seconds.push_back(steps[1].step);
    BOOST_REQUIRE(
        call(at("b"), msg::add_source_data{steps[0].step, {{"row", R"({"n": 1})"}}}).value);
    const auto lease =
        call(at("b"), msg::ask_assignment{steps[0].step, "ana", fresh<core::assignment_id>()});
    BOOST_REQUIRE(lease.value);
    msg::submit_judgment judgment;
    judgment.step = steps[0].step;
    judgment.unit = lease.value->unit;
    judgment.contributor = "ana";
    judgment.token = lease.value->token;
    judgment.judgment = fresh<core::judgment_id>();
    judgment.payload = R"({"answer": "red"})";
    BOOST_REQUIRE(call(at("c"), judgment).value);
  }
  for (int minutes = 0; minutes < 8; ++minutes)
    advance(1min);
  BOOST_TEST(*left < 0);
  for (const auto& step : seconds)
    BOOST_TEST(call(at("a"), msg::ask_assignment{step, "ana", fresh<core::assignment_id>()})
                   .value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

// The lifecycle system knows one node and no steps; they are hosted everywhere. A36
BOOST_AUTO_TEST_CASE(the_steps_of_a_job_follow_it_on_all_nodes) {
  start_three();
  std::string definition = R"({"name":"w","starts":"when_launched","steps":[{"key":"s0")";
  for (int i = 1; i < 12; ++i)
    definition +=
        R"(,"next":["s)" + std::to_string(i) + R"("]},{"key":"s)" + std::to_string(i) + '"';
  const auto id = fresh<core::workflow_id>();
  const auto created = call(at("a"), msg::create_workflow{id, definition + "}]}"}, 5s);
  BOOST_REQUIRE(created.value);
  const auto all_are = [&](core::step_status status, std::uint64_t revision) {
    for (const auto& [step, stored] : database->tables().steps)
      if (stored.row.status != status || stored.row.job_revision != revision)
        return false;
    return database->tables().steps.size() == 12U;
  };
  BOOST_TEST(all_are(core::step_status::paused, 0));
  std::uint64_t revision = 0;
  for (auto& [name, node] : nodes)
    for (const auto status : {core::job_status::launched, core::job_status::paused}) {
      const auto told = call(
          *node, msg::job_status_changed{id, ++revision, static_cast<std::uint8_t>(status)}, 5s);
      BOOST_REQUIRE_MESSAGE(told.value, (told.error ? told.error->detail : "no answer"));
      BOOST_TEST(told.value->applied, name);
      advance(2s);
      BOOST_TEST(all_are(status == core::job_status::launched ? core::step_status::open
                                                              : core::step_status::paused,
                         revision),
                 name);
    }
  BOOST_TEST(broken_invariants(*database) == "");
}

/// Four tasks that a worker holds, tied to it, over another node than that of their queue.
struct work_elsewhere : cluster {
  work_elsewhere() {
    start_three();
    given_queue("mail");
    host = &host_of("mail");
    far = &other_than(*host);
    BOOST_REQUIRE(call(*far, some_tasks("mail", 4)).value);
    auto claim = a_claim("mail", "w");
    claim.tied = true;
    const auto claimed = worker.send(far->gateway, claim);
    settle();
    BOOST_REQUIRE(claimed->value);
    held = claimed->value->tasks;
    BOOST_REQUIRE(held.size() == 4U);
  }

  /// Neither hosts the queue nor has been told anything by the worker.
  virtual_node& third() {
    for (auto& [name, node] : nodes)
      if (node.get() != host && node.get() != far)
        return *node;
    BOOST_FAIL("there is no third node");
    throw 0;
  }
  std::size_t left_for_others() {
    const auto next = call(*host, a_claim("mail", "v"));
    BOOST_REQUIRE(next.value);
    return next.value->tasks.size();
  }
  /// The worker hands all in over the node of the queue.
  void expect_that_all_count() {
    msg::complete_tasks done{"mail", "w", {}};
    for (const auto& task : held)
      done.tasks.push_back({{task.task, task.token}, "{}"});
    const auto answered = call(*host, done);
    BOOST_REQUIRE(answered.value);
    for (const auto& outcome : answered.value->outcomes)
      BOOST_TEST((outcome.refusal == core::errc::none), outcome.detail);
    BOOST_TEST(database->tables().task_attempts.empty());
  }

  client worker{*this};
  virtual_node* host = nullptr;
  virtual_node* far = nullptr;
  std::vector<msg::leased_task> held;
};

BOOST_FIXTURE_TEST_CASE(a_worker_that_dies_gives_back_what_it_holds_elsewhere, work_elsewhere) {
  worker.disconnect();
  advance(1s);
  BOOST_TEST(left_for_others() == 4U);
}

// A node that dies, or ends, or whose lines break, takes no worker with it that was connected to
// it: rolling restarts make nobody do anything twice.
BOOST_FIXTURE_TEST_CASE(a_worker_outlives_the_node_in_between, work_elsewhere) {
  far->kill();
  advance(5s);
  BOOST_TEST(left_for_others() == 0U);
  expect_that_all_count();
}

/// Two tasks: one is done inside a node, the other by a program of its own.
struct work_inside : cluster {
  work_inside() {
    start_three();
    given_queue("mail");
    host = &host_of("mail");
    BOOST_REQUIRE(call(*host, some_tasks("mail", 2)).value);
  }

  /// A worker of the node takes a task.
  msg::leased_task inside(virtual_node& node) {
    worker = core::name_inside(node.settings.name, node.settings.incarnation) + '-'
             + to_string(fresh<core::task_id>());
    return one_of(node, worker);
  }
  msg::leased_task one_of(virtual_node& node, const std::string& name) {
    auto claim = a_claim("mail", name);
    claim.most = 1;
    claim.tied = true;
    const auto got = call(node, claim, 2s);
    BOOST_REQUIRE(got.value);
    BOOST_REQUIRE(got.value->tasks.size() == 1U);
    return got.value->tasks.front();
  }
  core::errc complete(virtual_node& node, const std::string& name, const msg::leased_task& task) {
    const auto done =
        call(node, msg::complete_tasks{"mail", name, {{{task.task, task.token}, "{}"}}}, 2s);
    BOOST_REQUIRE(done.value);
    return done.value->outcomes.front().refusal;
  }
  std::size_t leased() const { return database->tables().task_leases.size(); }
  std::uint32_t crashes(const msg::leased_task& task) const {
    return database->tables().tasks.at(task.task).progress.crashes;
  }

  virtual_node* host = nullptr;
  core::worker_id worker; ///< The last that was made.
};

// B35, D15: what ran inside a node is over with it, what did not goes on.
BOOST_FIXTURE_TEST_CASE(tasks_done_inside_a_killed_node_are_given_to_others_at_once, work_inside) {
  auto& far = other_than(*host);
  const auto task = inside(far);
  const auto other = one_of(*host, "w");
  far.kill(); // lets a second pass, far less than a lease lives
  BOOST_TEST(leased() == 1U);
  BOOST_TEST(crashes(task) == 1U);
  BOOST_TEST((one_of(*host, "v").task == task.task));
  BOOST_TEST((complete(*host, "w", other) == core::errc::none));
}

BOOST_FIXTURE_TEST_CASE(tasks_done_inside_the_host_of_their_queue_are_given_to_others,
                        work_inside) {
  const auto task = inside(*host);
  one_of(other_than(*host), "w");
  auto& next = other_than(*host);
  host->kill();
  advance(1s);
  BOOST_TEST(leased() == 1U);
  BOOST_TEST((one_of(next, "v").task == task.task));
}

BOOST_FIXTURE_TEST_CASE(tasks_done_inside_a_frozen_node_are_given_away_and_it_is_fenced,
                        work_inside) {
  auto& far = other_than(*host);
  const auto task = inside(far);
  far.stop_renewals(true);
  advance(3s);
  BOOST_TEST(leased() == 1U); // nobody has evidence of its death
  advance(far.settings.lease_time);
  BOOST_TEST(leased() == 0U);
  BOOST_TEST(crashes(task) == 1U);
  const auto again = one_of(*host, "v");
  // It comes back: what it did meanwhile does not count, what it takes now does.
  far.stop_renewals(false);
  advance(4s);
  const auto old_worker = worker;
  BOOST_TEST((complete(far, old_worker, task) != core::errc::none));
  const auto next = one_of(far, old_worker);
  advance(4s);
  BOOST_TEST((complete(far, old_worker, next) == core::errc::none));
  BOOST_TEST((complete(*host, "v", again) == core::errc::none));
}

BOOST_FIXTURE_TEST_CASE(a_node_that_is_started_again_keeps_what_its_new_process_does, work_inside) {
  auto& far = other_than(*host);
  const auto name = far.settings.name;
  const auto task = inside(far);
  far.kill();
  auto& again = start(name);
  const auto first = inside(again);
  const auto second = inside(again);
  BOOST_TEST((first.task == task.task || second.task == task.task));
  advance(2 * again.settings.sweep_interval - 5s); // the hosts look who lives again and again
  BOOST_TEST(leased() == 2U);
  host->kill(); // and when they begin
  advance(2s);
  BOOST_TEST(leased() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_worker_outlives_the_drain_of_the_node_in_between, work_elsewhere) {
  // What it has accepted and cannot write yet keeps it from ending.
  std::string own = "a";
  for (given_queue(own); &host_of(own) != far; given_queue(own))
    own += 'a';
  BOOST_REQUIRE(call(*far, some_tasks(own, 1)).value);
  far->cut_off(true);
  const auto accepted = me.send(far->gateway, a_claim(own, "x"));
  settle();
  caf::anon_send(far->root, actors::drain{});
  settle();
  BOOST_REQUIRE(!far->ended());
  worker.disconnect(); // it is told to go elsewhere
  settle();
  far->cut_off(false);
  advance(5s);
  BOOST_TEST(far->ended());
  BOOST_TEST(left_for_others() == 0U);
  expect_that_all_count();
}

BOOST_FIXTURE_TEST_CASE(leases_held_over_a_node_that_died_run_out, work_elsewhere) {
  far->kill();
  worker.disconnect();
  advance(5s);
  BOOST_TEST(left_for_others() == 0U);
  advance(60s);
  BOOST_TEST(left_for_others() == 4U);
}

// D26, D3: over whichever node the extension comes, the host of the queue gives it.
BOOST_FIXTURE_TEST_CASE(a_lease_is_extended_over_nodes_that_do_not_host_its_queue, work_elsewhere) {
  const auto ttl = held.front().expires_at - now();
  msg::extend_tasks more{"mail", "w", {}};
  for (const auto& task : held)
    more.tasks.push_back({task.task, task.token});
  for (auto* way : {far, &third()}) {
    // With the second one, well behind the first end.
    advance(ttl * 3 / 4);
    const auto extended = call(*way, more, 2s); // many wait for one commit
    BOOST_REQUIRE_MESSAGE(extended.value, (extended.error ? extended.error->detail : "late"));
    for (const auto& outcome : extended.value->outcomes)
      BOOST_TEST((outcome.refusal == core::errc::none), outcome.detail);
  }
  advance(ttl * 3 / 4);
  BOOST_TEST(left_for_others() == 0U);
  BOOST_TEST(worker.lost().empty());
  expect_that_all_count();
}

/// Somebody takes one of these tasks by a callback that comes over the third node.
struct callback_elsewhere : work_elsewhere {
  callback_elsewhere() {
    callback.queue = "mail";
    callback.task = held.front().task;
    callback.update.data = R"({"by":"callback"})";
    callback.worker = "callback";
    callback.claim = fresh<core::assignment_id>();
    mine = eject(third());
    BOOST_TEST(mine.token == held.front().token + 1);
  }
  msg::leased_task eject(virtual_node& over) {
    const auto taken = call(over, callback);
    BOOST_REQUIRE_MESSAGE(taken.value, (taken.error ? taken.error->detail : "late"));
    BOOST_REQUIRE(taken.value->tasks.size() == 1U);
    return taken.value->tasks.front();
  }
  core::errc complete(virtual_node& over, const core::worker_id& by, const msg::leased_task& task,
                      const std::string& result) {
    const auto done =
        call(over, msg::complete_tasks{"mail", by, {{{task.task, task.token}, result}}});
    BOOST_REQUIRE_MESSAGE(done.value, (done.error ? done.error->detail : "late"));
    return done.value->outcomes.front().refusal;
  }

  msg::eject_task callback;
  msg::leased_task mine;
};

// D30, D32, D33: the callback does not wait for the lease of the owner, who is told, and whose late
// result counts nowhere.
BOOST_FIXTURE_TEST_CASE(a_callback_over_another_node_ejects_the_owner, callback_elsewhere) {
  BOOST_REQUIRE(worker.lost().size() == 1U);
  BOOST_TEST((worker.lost().front().task == held.front().task));
  BOOST_TEST(worker.lost().front().token == held.front().token);
  for (auto& [name, node] : nodes)
    BOOST_TEST((complete(*node, "w", held.front(), R"("late")") == core::errc::lease_not_held),
               name);
  msg::save_task save{"mail", "w", {held.front().task, held.front().token}, {}};
  save.update.data = R"({"by":"w"})";
  const auto saved = call(*far, save);
  BOOST_REQUIRE(saved.value);
  BOOST_TEST((saved.value->refusal == core::errc::lease_not_held));
  BOOST_TEST((complete(third(), "callback", mine, R"("in time")") == core::errc::none));
  const auto view = call(*far, msg::get_task{mine.task});
  BOOST_REQUIRE(view.value);
  BOOST_TEST(view.value->result == R"("in time")");
  BOOST_TEST(view.value->data == R"({"by":"callback"})");
  for (auto other = std::next(held.begin()); other != held.end(); ++other)
    BOOST_TEST((complete(*far, "w", *other, "{}") == core::errc::none)); // nobody took these
}

// D30, D33, I-3: the next host knows who was ejected, and by whom.
BOOST_FIXTURE_TEST_CASE(an_ejection_outlives_the_host_of_the_queue, callback_elsewhere) {
  host->kill();
  advance(5s);
  BOOST_REQUIRE(&host_of("mail") != host);
  BOOST_TEST((complete(*far, "w", held.front(), R"("late")") == core::errc::lease_not_held));
  BOOST_TEST(eject(*far).token == mine.token); // repeated, as if its answer had been lost
  BOOST_TEST((complete(*far, "callback", mine, "{}") == core::errc::none));
}

/// A peer that has a way to each of three nodes.
struct peer_of_all : cluster {
  peer_of_all() {
    start_three();
    holdfast::client::courier_deps deps;
    deps.on_lost = [](holdfast::client::way_number) {};
    deps.follows_placement = true;
    courier = system->spawn(holdfast::client::courier, std::move(deps));
    for (auto& [name, node] : nodes)
      reach(*node);
    for (int number = 0; number < 12; ++number) {
      queues.push_back("q" + std::to_string(number));
      BOOST_REQUIRE(ask(msg::put_queue{queues.back(), "{}"}).value);
    }
  }
  ~peer_of_all() {
    caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
    courier = nullptr;
    settle();
  }

  void reach(const virtual_node& node) {
    caf::anon_send(courier, holdfast::client::gateway_found{node.gateway, ways++});
    advance(200ms); // it says who it is
  }
  template <class Request>
  answer<msg::answer_to<Request>> ask(Request request, core::duration patience = 10s) {
    const auto answered =
        send<msg::answer_to<Request>>(msg::gateway_actor{courier}, std::move(request));
    settle();
    for (core::duration waited{0}; !answered->arrived() && waited < patience; waited += 10ms)
      advance(10ms);
    return *answered;
  }
  /// A life of a task in each queue.
  void work() {
    for (const auto& queue : queues) {
      const auto enqueued = ask(some_tasks(queue, 1));
      BOOST_REQUIRE_MESSAGE(enqueued.value, (enqueued.error ? enqueued.error->detail : "late"));
      const auto claimed = ask(a_claim(queue, "w"));
      BOOST_REQUIRE(claimed.value);
      BOOST_REQUIRE(claimed.value->tasks.size() == 1U);
      const auto& task = claimed.value->tasks.front();
      const auto done = ask(msg::complete_tasks{queue, "w", {{{task.task, task.token}, {}}}});
      BOOST_REQUIRE(done.value);
      BOOST_TEST((done.value->outcomes.front().refusal == core::errc::none));
    }
  }

  holdfast::client::courier_actor courier;
  holdfast::client::way_number ways = 0;
  std::vector<core::queue_name> queues;
};

// No request is passed on: nobody needs a forwarder.
BOOST_FIXTURE_TEST_CASE(a_peer_of_all_nodes_asks_the_hosts_themselves, peer_of_all) {
  work();
  BOOST_TEST(actors_named("forwarder").empty());
  BOOST_TEST(call(at("a"), some_tasks(queue_hosted_by("b"), 1)).value.has_value());
  BOOST_TEST(actors_named("forwarder").size() == 1U); // `me` knows one node only
}

BOOST_FIXTURE_TEST_CASE(placement_known_to_a_peer_is_a_hint, peer_of_all) { // I-7, I-13
  work();
  at("b").kill();
  work();
  start("d"); // some shards are its, and the peer has no way to it
  work();
  BOOST_TEST(!actors_named("forwarder").empty());
  reach(at("d"));
  work();
  BOOST_TEST(database->tables().tasks.empty());
  epochs_never_go_back();
}

BOOST_FIXTURE_TEST_CASE(a_peer_is_served_while_the_host_that_it_asks_ends, peer_of_all) {
  for (const auto* name : {"a", "c"}) {
    caf::anon_send(at(name).root, actors::drain{});
    work();
    advance(5s);
    BOOST_TEST(at(name).ended());
  }
  work();
  BOOST_TEST(database->tables().tasks.empty());
}

// Its requests change their way, and what is tied to its life stays so.
BOOST_FIXTURE_TEST_CASE(a_peer_that_dies_gives_back_what_it_holds_at_the_hosts, peer_of_all) {
  const auto queue = queue_hosted_by("b");
  BOOST_REQUIRE(ask(some_tasks(queue, 3)).value);
  auto claim = a_claim(queue, "w");
  claim.tied = true;
  BOOST_REQUIRE(ask(claim).value);
  BOOST_TEST(call(at("b"), a_claim(queue, "v")).value->tasks.empty());
  caf::anon_send_exit(courier, caf::exit_reason::user_shutdown);
  advance(1s);
  BOOST_TEST(call(at("b"), a_claim(queue, "v")).value->tasks.size() == 3U);
}

BOOST_AUTO_TEST_CASE(audit_log_names_the_author_of_a_request_that_another_node_decides) {
  start("a");
  start("b");
  const auto queue = queue_hosted_by("b");
  const auto made = send<msg::queue_view>(
      at("a").gateway, caf::make_message(msg::author{"admin"}, msg::put_queue{queue, "{}"}));
  advance(1s);
  BOOST_REQUIRE(made->value);
  const auto& log = database->tables().audit_log;
  BOOST_REQUIRE_EQUAL(log.size(), 1U);
  BOOST_TEST(log.begin()->second.who == "admin");
  BOOST_TEST(log.begin()->second.item == "queue " + queue);
}

// F44
BOOST_AUTO_TEST_CASE(a_node_that_knows_no_authors_gets_the_request_alone) {
  network->speak(1);
  start("a");
  start("b");
  const auto queue = queue_hosted_by("b");
  const auto made = send<msg::queue_view>(
      at("a").gateway, caf::make_message(msg::author{"admin"}, msg::put_queue{queue, "{}"}));
  advance(1s);
  BOOST_TEST(made->value.has_value());
  BOOST_TEST(database->tables().audit_log.empty());
}

BOOST_AUTO_TEST_CASE(every_node_says_who_hosts_what) {
  start_three();
  for (auto& [name, node] : nodes) {
    const auto said = call(*node, msg::get_placement{});
    BOOST_REQUIRE(said.value);
    BOOST_TEST((said.value->node == node->settings.incarnation));
    BOOST_REQUIRE(said.value->hosts.size() == shard_count);
    BOOST_REQUIRE(said.value->epochs.size() == shard_count);
    for (core::shard_id shard = 0; shard < shard_count; ++shard) {
      BOOST_TEST((said.value->hosts[shard] == database->tables().shards[shard].host), name);
      BOOST_TEST(said.value->epochs[shard] == database->tables().shards[shard].epoch, name);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_node_lists_the_nodes_and_those_that_are_gone) {
  start_three();
  const auto gone = at("b").settings.incarnation;
  at("b").kill();
  advance(1min);
  const auto listed = call(at("a"), msg::list_nodes{100}).value;
  BOOST_REQUIRE(listed);
  BOOST_TEST(!listed->more);
  std::uint32_t hosted = 0;
  std::size_t alive = 0;
  for (const auto& node : listed->nodes) {
    hosted += node.shards;
    alive += node.alive ? 1 : 0;
    BOOST_TEST(node.alive == (node.incarnation != gone), node.name);
  }
  BOOST_TEST(alive == 2U);
  BOOST_TEST(hosted == shard_count);
  const auto latest = call(at("c"), msg::list_nodes{1}).value;
  BOOST_REQUIRE(latest);
  BOOST_TEST(latest->more);
  BOOST_TEST(latest->nodes.size() == 1U);
  for (const auto limit : {0U, 1001U})
    BOOST_TEST((call(at("a"), msg::list_nodes{limit}).code() == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_session_ends_on_every_node) {
  start_three();
  const auto definition = workflow_json("flat", {step_json("label", 1, {})});
  std::vector<core::step_id> steps;
  for (int i = 0; i < 6; ++i) {
    const auto created =
        call(at("a"), msg::create_workflow{fresh<core::workflow_id>(), definition});
    BOOST_REQUIRE(created.value);
    steps.push_back(created.value->steps[0].step);
    BOOST_REQUIRE(call(at("a"), msg::add_source_data{steps.back(), {{"row", "{}"}}}).value);
    BOOST_REQUIRE(
        call(at("a"), msg::ask_assignment{steps.back(), "ana", fresh<core::assignment_id>()})
            .value);
  }
  const auto ended = call(at("a"), msg::end_session{"ana"});
  BOOST_REQUIRE(ended.value);
  BOOST_TEST(ended.value->released == 6U);
}

BOOST_AUTO_TEST_CASE(a_later_process_of_the_same_name_takes_the_place_of_the_first) { // F48
  start("a");
  auto& first = at("a");
  auto second = std::make_unique<virtual_node>(*this, "a", 4242);
  second->settings.shards = shard_count;
  second->start();
  advance(20s);
  BOOST_TEST(first.ended());
  BOOST_TEST(msg::failure_of(first.end_reason()).code == core::errc::fenced);
  BOOST_REQUIRE(second->gateway);
  BOOST_REQUIRE(call(*second, msg::put_queue{"mail", "{}"}).value);
  second.reset();
}

BOOST_AUTO_TEST_CASE(nodes_that_cannot_reach_each_other_answer_what_they_host) {
  start_three();
  given_queue("mail");
  auto& host = host_of("mail");
  auto& other = other_than(host);
  host.isolate(true);
  const auto shards_before = shares();
  const auto asked = me.send(other.gateway, some_tasks("mail", 1));
  advance(2s);
  BOOST_TEST(!asked->arrived());
  advance(2s);
  BOOST_REQUIRE(asked->arrived());
  BOOST_TEST(asked->code() == core::errc::unavailable);
  BOOST_TEST(call(host, some_tasks("mail", 1)).value.has_value());
  BOOST_TEST((shares() == shards_before)); // F22: no takeover while the database is reached
  host.isolate(false);
  advance(2s);
  BOOST_TEST(call(other, some_tasks("mail", 1)).value.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
