#include "bench/soak/nemesis.hpp"

#include <csignal>
#include <exception>
#include <iostream>
#include <map>
#include <thread>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 10ms;
constexpr auto takeover_limit = 60s;
constexpr auto drain_limit = 30s;

/// Who hosts what, as the database says.
struct hosting {
  std::map<std::string, std::uint32_t> shards; ///< By incarnation; empty text for nobody.
  std::uint64_t epochs = 0;                    ///< Their sum: how often shards have moved.
};

std::optional<hosting> look(const cluster& nodes) {
  try {
    sql_session session{nodes.conninfo()};
    hosting seen;
    for (const auto& row : session.rows("SELECT coalesce(s.host::text, ''), s.epoch"
                                        " FROM holdfast.shard_leases s")) {
      ++seen.shards[row[0]];
      seen.epochs += std::stoull(row[1]);
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
    const auto before = look(nodes_);
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
    case fault_kind::blink:
      blink(before);
      break;
    case fault_kind::drain:
      drain();
      break;
    case fault_kind::database_cut:
      cut();
      break;
    case fault_kind::server_crash:
      struck_.bit = true;
      nodes_.crash_server();
      wait();
      nodes_.restart_server();
      break;
    case fault_kind::count:
      break;
    }
    struck_.ended = clock::now();
    return struck_;
  }

private:
  app::demo::node_process& node() { return nodes_.node(struck_.planned.node); }

  void rest() {
    between_();
    std::this_thread::sleep_for(pause);
  }

  void wait() {
    while (clock::now() < struck_.begun + struck_.planned.lasts)
      rest();
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

  void blink(const std::optional<hosting>& before) {
    node().signal(SIGSTOP);
    wait();
    node().signal(SIGCONT);
    const auto after = look(nodes_);
    struck_.bit = before.has_value();
    if (before && after && before->epochs != after->epochs)
      struck_.violation = "shards moved although the pause was much shorter than the lease";
  }

  void drain() {
    const auto ended = node().stop(drain_limit);
    if (!ended || *ended != 0)
      struck_.violation = "a drain ended with " + (ended ? std::to_string(*ended) : "no exit code");
    await_takeover();
    nodes_.start(struck_.planned.node);
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
  wait_until(plan.load_time);
  return all;
}

} // namespace holdfast::soak
