#include "bench/soak/nemesis.hpp"

#include "bench/soak/clock_faults.hpp"
#include "bench/soak/database_losses.hpp"
#include "bench/soak/shard_moves.hpp"
#include "bench/soak/sql_session.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 10ms;
constexpr auto takeover_limit = 60s;
/// Of the scorecard, whose far line moves nothing (row 24).
constexpr auto far_line_lease_min = 5s;
/// More than a drain may take, so that one which takes too long is measured.
constexpr auto drain_limit = 30s;
/// For shards to stop moving before a fault: so long is none to have moved.
constexpr auto settled_time = 1000ms;
constexpr auto settling_limit = 10s;
/// For the last interrupted commit to be tried again. A silent server is given up after seconds.
constexpr auto resolving_limit = 20s;
/// Of a server's connections, those that the harness takes at most: more than any server here has.
constexpr std::size_t slots_limit = 1000;
/// Every node is "holdfast node <name>" to the server; so are its reads and its audits.
constexpr auto end_sessions_of_nodes = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                       " WHERE application_name LIKE 'holdfast %'"
                                       " AND pid <> pg_backend_pid()";

/// Who hosts what, as the database says.
struct hosting {
  shard_hosts each;
  std::map<std::string, std::uint32_t> shards; ///< By incarnation; empty text for nobody.
  std::uint64_t epochs = 0;                    ///< Their sum: how often shards have moved.
};

std::optional<hosting> look(const cluster& nodes) {
  try {
    sql_session session{nodes.conninfo()};
    hosting seen;
    for (const auto& row : session.rows("SELECT coalesce(s.host::text, ''), s.epoch, s.shard"
                                        " FROM holdfast.shard_leases s")) {
      ++seen.shards[row[0]];
      const auto epoch = std::stoull(row[1]);
      seen.epochs += epoch;
      seen.each[row[2]] = {row[0], epoch};
    }
    return seen;
  } catch (const std::exception&) {
    return std::nullopt; // the server is away
  }
}

/// Strikes one fault.
class striker {
public:
  striker(cluster& nodes, const planned_fault& planned, const std::function<bool()>& between)
      : nodes_(nodes), between_(between) {
    struck_.planned = planned;
  }

  struck_fault strike() {
    const auto before = look_when_settled();
    victim_ = nodes_.incarnation(struck_.planned.node);
    struck_.bit = before && before->shards.count(victim_) != 0;
    struck_.begun = clock::now();
    switch (struck_.planned.kind) {
    case fault_kind::kill:
      node().kill();
      await_takeover();
      wait();
      nodes_.start(struck_.planned.node);
      break;
    case fault_kind::freeze:
      node().signal(SIGSTOP);
      await_takeover();
      wait();
      node().signal(SIGCONT);
      break;
    case fault_kind::hesitation:
      node().signal(SIGSTOP);
      wait();
      node().signal(SIGCONT);
      await_hosts();
      break;
    case fault_kind::blink:
      node().signal(SIGSTOP);
      wait();
      node().signal(SIGCONT);
      expect_unmoved(before, "the pause was much shorter than the lease");
      break;
    case fault_kind::drain:
      drain(struck_.planned.node);
      break;
    case fault_kind::hard_stop:
      node().signal(SIGTERM);
      wait();
      node().kill();
      await_takeover();
      struck_.takeover_seconds.reset(); // a drain, or a kill: neither's figure
      nodes_.start(struck_.planned.node);
      break;
    case fault_kind::rolling_restart:
      struck_.bit = before.has_value();
      change_version();
      for (std::uint32_t number = 0; number < nodes_.size(); ++number)
        drain(number);
      struck_.takeover_seconds.reset(); // of several
      break;
    case fault_kind::join_and_leave:
      join_and_leave(before);
      break;
    case fault_kind::database_cut:
      cut();
      break;
    case fault_kind::backends_ended:
      end_backends();
      await_hosts();
      break;
    case fault_kind::slots_exhausted:
      exhaust_slots();
      await_hosts();
      break;
    case fault_kind::held_snapshot:
      hold_snapshot();
      expect_unmoved(before, "nobody but the clean-up had to wait");
      break;
    case fault_kind::commit_cut:
      interrupt_commits(commit_interruptions::manner::cuts);
      break;
    case fault_kind::commit_hang:
      interrupt_commits(commit_interruptions::manner::hangs);
      break;
    case fault_kind::server_crash:
    case fault_kind::outage:
      struck_.bit = true;
      nodes_.server().crash();
      wait();
      nodes_.server().restart();
      break;
    case fault_kind::failover:
      struck_.bit = true;
      nodes_.server().fail_over();
      await_hosts();
      nodes_.server().restore_standby();
      break;
    case fault_kind::lossy_failover:
      lose_commits(striking_now(), database_copy::manner::standby);
      break;
    case fault_kind::older_copy:
      lose_commits(striking_now(), database_copy::manner::backup);
      break;
    case fault_kind::standby_away:
      lose_standby(striking_now());
      break;
    case fault_kind::database_partition:
      cut_from_server();
      break;
    case fault_kind::disk_full:
      fill_disk();
      break;
    case fault_kind::partition:
    case fault_kind::partial_partition:
    case fault_kind::one_way_partition:
    case fault_kind::bad_line:
      hurt_lines();
      expect_unmoved(before, "every node reached the server");
      break;
    case fault_kind::far_line:
      hurt_lines();
      expect_far_node_kept(before);
      break;
    case fault_kind::swizzle:
      swizzle(before);
      break;
    case fault_kind::clock_jump:
      jump_clock_of_node(striking_now());
      expect_unmoved(before, "only its wall clock moved");
      break;
    case fault_kind::database_clock:
      set_back_clock_of_server(striking_now());
      break;
    case fault_kind::worker_clock:
      jump_clock_of_users(striking_now());
      expect_unmoved(before, "only the wall clock of users moved");
      break;
    case fault_kind::compound:
      compound();
      break;
    case fault_kind::count:
      break;
    }
    if (struck_.ended == clock::time_point{})
      struck_.ended = clock::now();
    return struck_;
  }

private:
  striking striking_now() {
    return {nodes_, struck_, [this] { rest(); }, [this](core::duration at) { wait_until(at); },
            [this] { await_hosts(); }};
  }

  app::demo::node_process& node() { return nodes_.node(struck_.planned.node); }

  void rest(std::chrono::milliseconds length = pause) {
    between_();
    std::this_thread::sleep_for(length);
  }

  void wait() { wait_until(struck_.planned.lasts); }
  /// Since its beginning.
  void wait_until(core::duration at) {
    while (clock::now() < struck_.begun + at)
      rest();
  }

  std::vector<std::string> incarnations() const {
    std::vector<std::string> all;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number)
      all.push_back(nodes_.incarnation(number));
    return all;
  }

  /// The shards that the last fault has moved go back first: to a node that was fenced only when
  /// its lease is new, which takes longer than any pause between two moves. Then nothing moves by
  /// itself.
  std::optional<hosting> look_when_settled() {
    auto seen = look(nodes_);
    auto since = clock::now();
    const auto until = since + settling_limit;
    while (clock::now() < until && clock::now() < since + settled_time) {
      rest(settled_time / 10); // each look is a new session
      auto now = look(nodes_);
      if (!now || !seen || now->epochs != seen->epochs || now->shards.count("") != 0
          || !each_has_shards(now->each, incarnations()))
        since = clock::now();
      seen = std::move(now);
    }
    return seen;
  }

  /// Until the victim hosts nothing and everything has a host.
  void await_takeover() {
    while (clock::now() < struck_.begun + takeover_limit) {
      if (const auto seen = look(nodes_);
          seen && seen->shards.count(victim_) == 0 && seen->shards.count("") == 0) {
        struck_.takeover_seconds =
            std::chrono::duration<double>(clock::now() - struck_.begun).count();
        return;
      }
      rest();
    }
    struck_.violation = "no takeover within a minute";
  }

  /// Until every shard has a host that runs.
  void await_hosts() {
    const auto all = incarnations();
    const std::set<std::string> running(all.begin(), all.end());
    const auto until = clock::now() + takeover_limit;
    while (clock::now() < until) {
      const auto seen = look(nodes_);
      if (seen && std::all_of(seen->shards.begin(), seen->shards.end(), [&](const auto& host) {
            return running.count(host.first) != 0;
          }))
        return;
      rest();
    }
    struck_.violation = "a shard has no host a minute later";
  }

  /// TCP sends a lost packet again after 0.4 s, 0.8 s and so on where a round trip takes 200 ms. A
  /// renewal of which two packets in a row are lost so takes longer than what is left of a lease of
  /// two seconds, and such a lease does run out now and then. Then only shards of that node move.
  void expect_far_node_kept(const std::optional<hosting>& before) {
    if (nodes_.lease_time() >= far_line_lease_min)
      return expect_unmoved(before, "every node reached the server");
    expect_moves_of(nodes_.incarnation(struck_.planned.node), before, look(nodes_), "was far away");
  }

  void expect_unmoved(const std::optional<hosting>& before, const char* why) {
    const auto after = look(nodes_);
    struck_.bit = struck_.bit && before && after;
    if (before && after && before->epochs != after->epochs)
      struck_.violation = std::string{"shards moved although "} + why;
  }

  /// A run of two versions goes to the newer one and back, so that each is met by the other.
  void change_version() {
    if (!nodes_.has_older())
      return;
    const bool up = nodes_.uses_older();
    nodes_.use_older(!up);
    struck_.versions = up ? struck_fault::change::upgrade : struck_fault::change::rollback;
  }

  void drain(std::uint32_t number) {
    ask_to_go(number);
    nodes_.start(number);
  }

  void ask_to_go(std::uint32_t number) {
    victim_ = nodes_.incarnation(number);
    const auto asked = clock::now();
    const auto ended = nodes_.node(number).stop(drain_limit);
    struck_.exit_seconds.push_back(std::chrono::duration<double>(clock::now() - asked).count());
    if (!ended || *ended != 0)
      struck_.violation = "a drain ended with " + (ended ? std::to_string(*ended) : "no exit code");
    await_takeover();
  }

  /// A node more takes its share, and gives it back when it goes. The others keep what they have.
  void join_and_leave(const std::optional<hosting>& before) {
    nodes_.start(nodes_.guest());
    const auto guest = nodes_.incarnation(nodes_.guest());
    const auto given = [&](const std::optional<hosting>& seen) {
      return seen ? shards_of(seen->each, guest) : 0;
    };
    for (const auto until = clock::now() + settling_limit;
         given(look(nodes_)) == 0 && clock::now() < until;)
      rest(settled_time / 10);
    const auto joined = look_when_settled();
    struck_.shards_given = given(joined);
    struck_.bit = struck_.shards_given > 0;
    expect_moves_of(guest, before, joined, "joined");
    wait();
    ask_to_go(nodes_.guest());
    struck_.takeover_seconds.reset(); // its beginning was long before
    expect_moves_of(guest, joined, look_when_settled(), "left");
  }

  void expect_moves_of(const std::string& who, const std::optional<hosting>& before,
                       const std::optional<hosting>& after, const char* did) {
    if (!before || !after) {
      struck_.bit = false;
      return;
    }
    if (const auto others = moves_between_others(before->each, after->each, who); others > 0)
      struck_.violation =
          std::to_string(others) + " shards moved between others when a node " + did;
  }

  /// One after the other, until the time is over; the node goes on in between.
  void interrupt_commits(commit_interruptions::manner how) {
    auto& commits = nodes_.commits();
    commits.begin("holdfast node " + cluster::name_of(struck_.planned.node), how);
    wait();
    commits.end();
    for (const auto until = clock::now() + resolving_limit;
         !commits.resolved() && clock::now() < until;)
      rest();
    struck_.commits = commits.seen();
    struck_.bit = struck_.commits.all() > 0;
    if (!commits.resolved())
      struck_.violation = "nobody found out what became of a commit that was interrupted";
  }

  void fill_disk() {
    auto& server = nodes_.server();
    const auto reports = server.full_disk_reports();
    server.disk().fill();
    wait();
    server.disk().free_up();
    struck_.bit = server.full_disk_reports() > reports;
    if (!server.running()) // it gives up when it has no room to recover
      server.restart();
    await_hosts();
  }

  /// What the node sends to the server is lost, and the other way round: no session ends by it. The
  /// others take over when the lease has run out, also from what it had begun to write.
  void cut_from_server() {
    auto& lines = nodes_.lines();
    const auto node = struck_.planned.node;
    for (const auto server : {nodes_.server_place(), nodes_.server_place() + 1}) {
      lines.cut(node, server);
      lines.cut(server, node);
    }
    await_takeover();
    wait();
    struck_.bit = struck_.bit && lines.disturbed() > 0;
    lines.heal();
    await_hosts();
  }

  /// Every place that a node talks to, except the users'.
  template <class Function>
  void for_each_neighbour(std::uint32_t node, Function seen) {
    for (std::uint32_t place = 0; place <= nodes_.server_place() + 1; ++place)
      if (place != node)
        seen(place);
  }

  /// Nodes are cut off from each other and from the server, one after the other, and come back in
  /// another order: what one gives up, others take that are about to be cut off themselves.
  void swizzle(const std::optional<hosting>& before) {
    auto& lines = nodes_.lines();
    const auto& planned = struck_.planned;
    const auto flaps = planned.cut_order.size();
    const auto step = planned.lasts / (2 * static_cast<std::int64_t>(flaps));
    auto at = core::duration::zero();
    for (const auto node : planned.cut_order) {
      wait_until(at);
      for_each_neighbour(node, [&](std::uint32_t place) {
        lines.cut(node, place);
        lines.cut(place, node);
      });
      at += step;
    }
    for (const auto node : planned.heal_order) {
      wait_until(at);
      for_each_neighbour(node, [&](std::uint32_t place) {
        lines.mend(node, place);
        lines.mend(place, node);
      });
      at += step;
    }
    struck_.bit = lines.disturbed() > 0;
    lines.heal();
    await_hosts();
    const auto after = look_when_settled();
    struck_.bit = struck_.bit && before && after;
    if (before && after)
      struck_.moves_per_flap = static_cast<double>(most_moves_of_one(before->each, after->each))
                               / static_cast<double>(flaps);
  }

  void hurt_lines() {
    auto& lines = nodes_.lines();
    const auto node = struck_.planned.node;
    const auto other = struck_.planned.other;
    for (std::uint32_t each = 0; each < nodes_.size(); ++each) {
      if (each == node)
        continue;
      if (struck_.planned.kind == fault_kind::partition
          || (struck_.planned.kind == fault_kind::partial_partition && each == other)) {
        lines.cut(node, each);
        lines.cut(each, node);
      } else if (struck_.planned.kind == fault_kind::one_way_partition) {
        lines.cut(node, each);
      }
    }
    if (struck_.planned.kind == fault_kind::bad_line)
      lines.clog(node);
    if (struck_.planned.kind == fault_kind::far_line)
      lines.put_far(node, static_cast<std::uint64_t>(struck_.planned.at.count()));
    wait();
    struck_.bit = lines.disturbed() > 0;
    lines.heal();
  }

  /// Of three nodes one is left, and for a while it has no server.
  void compound() {
    const auto killed = struck_.planned.other;
    node().signal(SIGSTOP);
    nodes_.node(killed).kill();
    nodes_.server().crash();
    nodes_.server().restart();
    wait();
    node().signal(SIGCONT);
    nodes_.start(killed);
    await_hosts();
  }

  /// The sessions of one node are ended as often as it opens them.
  void cut() {
    const auto sessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                          " WHERE application_name = 'holdfast node "
                          + cluster::name_of(struck_.planned.node) + "'";
    struck_.bit = false;
    while (clock::now() < struck_.begun + struck_.planned.lasts) {
      try {
        sql_session session{nodes_.conninfo()};
        struck_.bit = !session.rows(sessions).empty() || struck_.bit;
      } catch (const std::exception&) { // the server is away: cut off as well
      }
      rest();
    }
  }

  void end_backends() {
    struck_.bit = false;
    while (clock::now() < struck_.begun + struck_.planned.lasts) {
      try {
        sql_session session{nodes_.conninfo()};
        struck_.bit = !session.rows(end_sessions_of_nodes).empty() || struck_.bit;
      } catch (const std::exception&) { // ended as well
      }
      rest();
    }
  }

  /// The harness takes every connection that is free, and then those that the nodes had. They come
  /// by the same account, so that none is kept for them.
  void exhaust_slots() {
    const auto reports = nodes_.server().full_slots_reports();
    std::vector<std::unique_ptr<sql_session>> taken;
    const auto take = [&] {
      try {
        while (taken.size() < slots_limit)
          taken.push_back(std::make_unique<sql_session>(nodes_.conninfo()));
      } catch (const std::exception&) { // nobody is let in any more
      }
    };
    take();
    while (clock::now() < struck_.begun + struck_.planned.lasts) {
      try {
        if (!taken.empty())
          taken.front()->run(end_sessions_of_nodes);
      } catch (const std::exception&) {
        taken.erase(taken.begin()); // this one was ended; another takes its place
      }
      take();
      rest();
    }
    struck_.bit = nodes_.server().full_slots_reports() > reports;
  }

  void hold_snapshot() {
    struck_.bit = false;
    try {
      sql_session session{nodes_.conninfo()};
      session.run("SET idle_in_transaction_session_timeout = 0"); // the server's ends it after 5 s
      session.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
      session.run("SELECT FROM holdfast.shard_leases");
      wait();
      // It bit if everything that ended since is still there for it alone to see.
      struck_.bit = session.rows("SELECT backend_xmin IS NOT NULL FROM pg_stat_activity"
                                 " WHERE pid = pg_backend_pid()")
                    == std::vector<std::vector<std::string>>{{"t"}};
      session.run("COMMIT");
    } catch (const std::exception& e) {
      struck_.violation = std::string{"the transaction did not stay open: "} + e.what();
    }
  }

  cluster& nodes_;
  const std::function<bool()>& between_;
  std::string victim_;
  struck_fault struck_;
};

} // namespace

std::vector<struck_fault> strike(cluster& nodes, const soak_plan& plan, clock::time_point start,
                                 const std::function<bool()>& between) {
  std::vector<struck_fault> all;
  const auto wait_until = [&](core::duration at) {
    while (clock::now() < start + at) {
      if (!between())
        return false;
      std::this_thread::sleep_for(pause);
    }
    return true;
  };
  for (const auto& planned : plan.faults) {
    if (!wait_until(planned.at))
      return all;
    std::cerr << std::chrono::duration_cast<std::chrono::seconds>(clock::now() - start).count()
              << " s: " << name_of(planned.kind) << " of " << cluster::name_of(planned.node)
              << std::flush;
    all.push_back(striker{nodes, planned, between}.strike());
    const auto& struck = all.back();
    if (struck.takeover_seconds)
      std::cerr << ", taken over in " << *struck.takeover_seconds << " s";
    std::cerr << (struck.bit ? "" : " (met nothing)")
              << (struck.violation.empty() ? "" : ": " + struck.violation) << '\n';
  }
  wait_until(plan.request.load_time);
  return all;
}

} // namespace holdfast::soak
