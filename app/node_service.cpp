#include "app/node_service.hpp"

#include "actors/node.hpp"
#include "actors/outside.hpp"
#include "app/admin_token.hpp"
#include "app/listen_port.hpp"
#include "app/node_endpoint.hpp"
#include "app/node_identity.hpp"
#include "app/version.hpp"
#include "app/watchdog.hpp"
#include "app/wiring.hpp"
#include "client/accept_guard.hpp"
#include "client/id_source.hpp"
#include "client/middleman_memory.hpp"
#include "connectors/trusted_authorities.hpp"
#include "core/backoff.hpp"
#include "core/log_limit.hpp"
#include "core/name_claim.hpp"
#include "link/published_actors.hpp"
#include "messages/errors.hpp"
#include "metrics/scrape.hpp"
#include "objects/file_object_store.hpp"
#include "objects/sha256.hpp"
#include "persistence/migrate.hpp"
#include "persistence/name_holders.hpp"
#include "persistence/preconditions.hpp"
#include "persistence/server_settings.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>

namespace holdfast::app {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// How often the main thread looks after its private database. It wakes for signals and actors at
/// once.
constexpr auto database_check_interval = 1s;

/// Between two attempts to start a private database again that has ended; it doubles with each that
/// fails. A full disk is made free by people, and nobody wants to wait for long after that.
constexpr core::duration database_retry_min = 1s;
constexpr core::duration database_retry_max = 15s;

/// Between two looks at who else has the name of this node.
constexpr int name_look_ms = 100;

/// For the actor system to send its last bytes and stop its threads.
constexpr auto teardown_patience = 5s;

/// A collector of traces that hangs holds up the end of a node for so long at most.
constexpr core::duration patience_with_collector = 5s;

/// How the time for a drain is shared out. Running handlers may go on for half of it, and be told
/// near its end; then what they have not finished is given back; the rest the node needs itself.
core::duration patience_with_handlers(core::duration drain_timeout) { return drain_timeout / 2; }
core::duration patience_with_workers(core::duration drain_timeout) { return drain_timeout * 3 / 4; }
/// Requests of HTTP are short, but for those that wait for something to happen.
core::duration patience_with_http(core::duration drain_timeout) {
  return std::min<core::duration>(drain_timeout / 8, 2s);
}

core::instant wall_clock() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

int milliseconds(steady_clock::duration span) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
  return count <= 0 ? 0 : static_cast<int>(count) + 1;
}

/// Tells `ended` why `root` ended.
caf::behavior root_watcher(caf::event_based_actor* self, const caf::actor& root,
                           const std::function<void(caf::error)>& ended) {
  self->monitor(root);
  self->set_down_handler([self, ended](caf::down_msg& down) {
    ended(std::move(down.reason));
    self->quit();
  });
  // CAF ends an actor that has nothing to wait for; this one waits for the DOWN alone.
  return {[](const actors::drain&) {}};
}

} // namespace

node_service::node_service(const config::loaded& configuration, const node_additions& additions)
    : configuration_(configuration),
      settings_(configuration.values),
      additions_(additions),
      log_(settings_.log.level, settings_.log.format) {
  incarnation_ = core::incarnation_id{client::id_source{}.next()};
  loop_.on_hangup([this] {
    log_.info("hangup", {{"what", "certificates and secrets are read anew"}});
    if (link_)
      link_->reload();
    if (dialer_)
      dialer_->reload();
    if (http_)
      http_->reload();
    if (announced_)
      write_node_file_now(); // it has the connection string
  });
}

exit_code node_service::run() {
  if (settings_.node.memory == config::memory_access::closed)
    ::prctl(PR_SET_DUMPABLE, 0); // keys and passwords are in memory
  if (const auto failed = take_directory())
    return *failed;
  if (const auto failed = choose_port())
    return *failed;
  if (const auto failed = choose_local_users())
    return *failed;
  if (const auto failed = open_webhooks())
    return *failed;
  if (const auto failed = open_traces())
    return *failed;
  log_.info("node_starting", {{"version", version},
                              {"name", settings_.node.name},
                              {"pid", std::to_string(::getpid())},
                              {"incarnation", core::to_string(incarnation_)},
                              {"data_dir", settings_.node.data_dir}});
  if (const auto failed = start_database()) {
    stop_database();
    return *failed;
  }
  if (const auto failed = claim_name()) {
    stop_database();
    return *failed;
  }
  if (const auto failed = open_objects()) {
    stop_database();
    return *failed;
  }
  const auto result = run_actors();
  log_.info("node_stopped", {{"exit_code", std::to_string(static_cast<int>(result))}});
  log_.flush();
  return result;
}

std::optional<exit_code> node_service::take_directory() {
  auto lock = data_dir_lock::take(settings_.node.data_dir);
  if (lock) {
    directory_lock_ = std::move(*lock);
    // Of an earlier life that was killed: whoever reads it now must not take it for ours.
    remove_node_file(settings_.node.data_dir);
    auto name = node_name_of(configuration_);
    if (name) {
      settings_.node.name = std::move(*name);
      return std::nullopt;
    }
    log_.error("data_dir_refused", {{"what", name.error().detail}});
    return exit_code::configuration;
  }
  log_.error("data_dir_refused", {{"what", lock.error().detail}});
  return lock.error().code == core::errc::already_exists ? exit_code::data_dir_in_use
                                                         : exit_code::configuration;
}

std::optional<exit_code> node_service::choose_port() {
  const auto refuse = [this](const core::failure& why) {
    give_up_on_port(why);
    return std::exchange(give_up_, std::nullopt);
  };
  auto held =
      hold_port(settings_.node.listen_address, static_cast<std::uint16_t>(settings_.node.port));
  if (!held)
    return refuse(held.error());
  held_port_ = std::move(*held);
  port_ = held_port_->number();
  if (has_http(settings_)) {
    auto http =
        hold_port(settings_.http.listen_address, static_cast<std::uint16_t>(settings_.http.port));
    if (!http)
      return refuse(http.error());
    held_http_port_ = std::move(*http);
  }
  if (has_link(settings_))
    if (const auto checked = node_link::check(settings_); !checked)
      return refuse(checked.error());
  return std::nullopt;
}

/// Logs the users that are turned away on loopback, each once a second at most. Of a connection
/// whose user the system does not tell, which is over already as a rule, there is nothing to say.
std::function<void(long)> logger_of_foreign_users(const log_stream& log) {
  return [log, limit = std::make_shared<core::log_limit>()](long user) {
    if (user < 0)
      return;
    const auto left_out = limit->admit(std::to_string(user), core::log_limit::clock::now());
    if (!left_out)
      return;
    log.write(actors::log_level::warning, "foreign_user",
              {{"user", std::to_string(user)},
               {"what", "a process of this user was refused on loopback: name the user in "
                        "link.local_users, or give it a certificate"},
               {"not_logged_before", std::to_string(*left_out)}});
  };
}

/// Chooses the users that may connect over loopback. Behind a link only this very process may.
std::optional<exit_code> node_service::choose_local_users() {
  if (has_link(settings_)) {
    client::accept_from(link::local_users::own(), logger_of_foreign_users(log_));
    return std::nullopt;
  }
  auto users = local_users_of(settings_);
  if (!users) {
    log_.error("local_users_refused", {{"what", users.error().detail}});
    return exit_code::configuration;
  }
  client::accept_from(std::move(*users), logger_of_foreign_users(log_));
  return std::nullopt;
}

/// False, for the caller to pass on.
bool node_service::give_up_on_port(const core::failure& why) {
  log_.error("port_refused", {{"what", why.detail}});
  give_up_ =
      why.code == core::errc::already_exists ? exit_code::port_in_use : exit_code::configuration;
  return false;
}

/// For the next connection. The private database is reached at one place for ever.
std::string node_service::database_conninfo() {
  const std::lock_guard lock{conninfo_mutex_};
  if (cluster_)
    return conninfo_;
  auto now = conninfo_of(settings_);
  if (std::exchange(conninfo_, now) != now)
    loop_.post([this] {
      if (announced_)
        write_node_file_now();
    });
  return now;
}

std::optional<exit_code> node_service::start_database() {
  if (!settings_.database.url) {
    auto options = private_cluster_of(settings_);
    options.stop_asked = [this] { return loop_.signaled() != 0; };
    cluster_.emplace(std::move(options));
    if (const auto started = cluster_->start(); !started) {
      if (loop_.signaled() != 0)
        return exit_code::ok;
      log_.error("private_database_failed", {{"what", started.error().detail}});
      return exit_code::database;
    }
    conninfo_ = cluster_->conninfo();
    log_.info("private_database_started", {{"pid", std::to_string(cluster_->server_pid())}});
  }
  if (!meets_preconditions())
    return exit_code::database;
  const auto migrated =
      persistence::migrate(database_conninfo(), persistence::embedded_migrations());
  if (!migrated) {
    log_.error("migration_failed", {{"what", migrated.error().detail}});
    return exit_code::database;
  }
  log_.info("database_ready", {{"schema_version", std::to_string(migrated->version)},
                               {"applied", std::to_string(migrated->newly_applied.size())}});
  tell_of_server_settings();
  return std::nullopt;
}

/// Before anything is written: what a node cannot work with shows only later, and in other words.
bool node_service::meets_preconditions() {
  const auto facts = persistence::read_database_facts(database_conninfo());
  if (!facts) {
    log_.error("database_unavailable", {{"what", facts.error().detail}});
    return false;
  }
  const auto report = persistence::check_preconditions(*facts, connections_of(settings_));
  for (const auto& problem : report.warned)
    log_.write(actors::log_level::warning, "database_warning", {{"what", problem}});
  for (const auto& problem : report.refused)
    log_.error("database_refused", {{"what", problem}});
  return report.refused.empty();
}

/// Of a server that others keep, nothing is refused: they may know why it is as it is.
void node_service::tell_of_server_settings() {
  const auto settings = persistence::read_server_settings(database_conninfo());
  if (!settings)
    return; // whoever needs the database next says so
  for (const auto& problem : persistence::problems_in(*settings))
    log_.write(problem.only_under_load ? actors::log_level::info : actors::log_level::warning,
               "server_setting",
               {{"name", problem.name}, {"value", problem.value}, {"what", problem.detail}});
}

/// Two processes of one name would end each other, again and again: who comes second refuses for as
/// long as the first lives.
std::optional<exit_code> node_service::claim_name() {
  const auto& directory = settings_.node.data_dir;
  core::name_claim claim{earlier_life_of(directory), settings_.node.lease_time};
  while (!cluster_) { // a private database has no other node
    const auto holders = persistence::read_name_holders(database_conninfo(), settings_.node.name);
    if (!holders) {
      log_.error("database_unavailable", {{"what", holders.error().detail}});
      return exit_code::database;
    }
    const core::instant now{
        std::chrono::duration_cast<core::duration>(steady_clock::now().time_since_epoch())};
    const auto verdict = claim.look(*holders, now);
    if (verdict == core::claim_verdict::free)
      break;
    if (verdict == core::claim_verdict::taken) {
      log_.error("name_taken",
                 {{"name", settings_.node.name},
                  {"holder", core::to_string(claim.holder().incarnation)},
                  {"address", claim.holder().address},
                  {"what", "a node of this name runs: give each node its own node.name"}});
      return exit_code::fenced;
    }
    loop_.run_for(name_look_ms);
    if (loop_.signaled() != 0)
      return exit_code::ok; // nothing was begun that would have to be ended
  }
  if (const auto noted = note_life(directory, incarnation_); !noted) {
    log_.error("data_dir_refused", {{"what", noted.error().detail}});
    return exit_code::configuration;
  }
  return std::nullopt;
}

std::optional<exit_code> node_service::open_objects() {
  const auto directory = objects_directory_of(settings_);
  if (!directory)
    return std::nullopt;
  auto opened = objects::file_object_store::open(*directory, wall_clock);
  if (!opened) {
    log_.error("objects_refused",
               {{"directory", directory->string()}, {"what", opened.error().detail}});
    return exit_code::configuration;
  }
  objects_ = std::move(*opened);
  return std::nullopt;
}

std::optional<exit_code> node_service::open_webhooks() {
  auto opened = webhook_sender_of(settings_);
  if (!opened) {
    log_.error("webhooks_refused", {{"what", opened.error().detail}});
    return exit_code::configuration;
  }
  webhooks_ = std::move(*opened);
  // A node without HTTPS receivers needs no authorities, so their absence is no reason to refuse
  // the start; but whoever makes the first webhook should not have to find out from its deliveries.
  if (const auto trusted = connectors::read_authorities(settings_.webhooks.ca_file);
      trusted && trusted->count == 0)
    log_.write(
        actors::log_level::warning, "no_certificate_authorities",
        {{"looked_in", trusted->source},
         {"what", "webhooks to HTTPS receivers fail: install the package ca-certificates, or "
                  "set webhooks.ca_file"}});
  return std::nullopt;
}

std::optional<exit_code> node_service::open_traces() {
  auto opened =
      trace_exporter_of(settings_, client::random_seed(), [log = log_](const std::string& why) {
        if (why.empty())
          log.info("traces_sent_again", {});
        else
          log.write(actors::log_level::warning, "traces_dropped", {{"what", why}});
      });
  if (!opened) {
    log_.error("traces_refused", {{"what", opened.error().detail}});
    return exit_code::configuration;
  }
  traces_ = std::move(*opened);
  if (!traces_)
    return std::nullopt;
  traces_reported_ = registry_->join([of = traces_](const metrics::scrape_ptr& into) {
    const auto outcome = [&](const char* name, std::uint64_t spans) {
      into->add(metrics::metric::trace_spans_total, {name}, static_cast<double>(spans));
    };
    outcome("sent", of->sent());
    outcome("dropped", of->dropped());
  });
  return std::nullopt;
}

exit_code node_service::run_actors() {
  client::peer_system configuration{peer_settings_of(settings_)};
  auto system = std::make_unique<caf::actor_system>(configuration);
  actors_ = system.get();

  node_start start;
  start.incarnation = incarnation_;
  start.seed = client::random_seed();
  start.conninfo = std::function<std::string()>{[this] { return database_conninfo(); }};
  start.port = port_;
  start.objects = objects_;
  start.tracer = traces_;
  start.webhooks = std::exchange(webhooks_, nullptr); // it ends with the actors that use it
  auto node = node_settings_of(settings_, start);
  node.log = log_.as_function();
  node.registry = registry_;
  node.find_profile = additions_.find_profile;
  node.digest = [](std::string_view bytes) { return core::to_string(objects::sha256(bytes)); };
  node.open_step_directory = additions_.open_step_directory;
  if (has_link(settings_))
    gateway_.emplace(*system, "127.0.0.1", std::uint16_t{0}); // the link knows where
  else
    gateway_.emplace(*system, settings_.node.listen_address, port_);
  if (!additions_.handlers.empty())
    workers_.emplace(*system, additions_.handlers, settings_.node.name, incarnation_,
                     patience_with_handlers(settings_.node.drain_timeout), log_);
  client::endpoint peer_node;
  use_link(peer_node, settings_);
  dialer_.emplace(*system, std::move(peer_node));
  node.dial = dialer_->as_function();
  node.link_status = [this] {
    const auto* counters = link_counters_.load();
    return counters ? status_of(*counters) : msg::link_status{};
  };
  node.peers_slowed = [this] {
    const auto* counters = link_counters_.load();
    return counters ? counters->slowed.load() : 0;
  };
  actors::outside outside;
  outside.publish = [](caf::actor_id actor, actors::reach who) {
    return link::published_actors::of_process().published(
        actor, who == actors::reach::nodes ? link::audience::nodes : link::audience::anybody);
  };
  if (has_link(settings_))
    outside.who_is = [peers = peers_](const caf::node_id& process) {
      return peers->find(key_of(process));
    };
  actors::set_outside(std::move(outside));
  client::bound_unread(std::size_t{settings_.peers.unread_mb} * 1024 * 1024,
                       [this, limit = std::make_shared<core::log_limit>()](std::uint16_t port) {
                         if (auto* link = open_link_.load())
                           link->end_unread(port); // it logs the peer's name
                         if (limit->admit({}, core::log_limit::clock::now()))
                           log_.write(
                               actors::log_level::warning, "connection_unread",
                               {{"port", std::to_string(port)},
                                {"what", "what waits for this port of loopback to read is "
                                         "above peers.unread_mb: the connection is closed"}});
                       });
  node.on_gateway = [this](const msg::member_gateway_actor& gateway) {
    loop_.post([this, gateway] { publish(gateway); });
  };
  auto root = actors::spawn_node(*system, std::move(node));
  auto watcher = system->spawn(root_watcher, root, [this](caf::error reason) {
    loop_.post([this, reason = std::move(reason)] {
      root_ended_ = true;
      if (reason && reason != caf::exit_reason::user_shutdown)
        root_reason_ = msg::failure_of(reason);
    });
  });

  while (!root_ended_ && !give_up_ && loop_.signaled() == 0) {
    loop_.run_for(cluster_ ? milliseconds(database_check_interval) : -1);
    watch_database();
  }
  const auto result = root_ended_ ? ended_by_itself() : drain(root);

  remove_node_file(settings_.node.data_dir);
  stop_database();
  {
    // `~actor_system` waits for every actor and for the last bytes to peers: with a peer that has
    // stopped reading, for ever; and the workers for every handler. Nothing durable depends on it
    // any more.
    const watchdog impatient{teardown_patience, [this, result] {
                               log_.info("node_stopped",
                                         {{"exit_code", std::to_string(static_cast<int>(result))},
                                          {"teardown", "cut short"}});
                               log_.flush();
                               ::_exit(static_cast<int>(result));
                             }};
    loop_.discard_posted(); // handles must not outlive the system
    http_.reset();
    workers_.reset();
    gateway_.reset();
    dialer_.reset();
    root = nullptr;
    watcher = nullptr;
    system.reset();
    client::bound_unread(std::numeric_limits<std::size_t>::max(), nullptr);
    open_link_ = nullptr;
    link_.reset(); // last: it brings the system's last bytes to peers
  }
  return result;
}

void node_service::publish(const msg::member_gateway_actor& gateway) {
  if (const auto published = gateway_->publish(gateway); !published) {
    give_up_on_port({core::errc::already_exists, published.error().detail});
    return;
  }
  if (!open_link() || !open_http(gateway))
    return;
  log_.info("gateway_published",
            {{"address", settings_.node.listen_address}, {"port", std::to_string(port_)}});
  if (workers_)
    workers_->reach(gateway);
  if (!http_)
    announce(); // else once HTTP is served
}

/// True without TLS, and when it is open already: it outlives gateways.
bool node_service::open_link() {
  if (link_ || !has_link(settings_))
    return true;
  auto opened = node_link::open(settings_, log_, port_, gateway_->port(), peers_);
  if (!opened)
    return give_up_on_port(opened.error());
  link_ = std::move(*opened);
  link_counters_ = &link_->counters();
  open_link_ = link_.get();
  return true;
}

/// True without `http.port`. The entrance outlives gateways, as the link does.
bool node_service::open_http(const msg::member_gateway_actor& gateway) {
  if (!has_http(settings_))
    return true;
  if (!http_) {
    auto opened = http_entrance::open(settings_, log_, *actors_, registry_, traces_);
    if (!opened)
      return give_up_on_port(opened.error());
    http_ = std::move(*opened);
    log_.info("http_listening", {{"address", settings_.http.listen_address},
                                 {"port", std::to_string(http_->port())},
                                 {"token", admin_token_file(settings_.node.data_dir).string()}});
  }
  http_->reach(caf::actor_cast<msg::gateway_actor>(gateway),
               [this] { loop_.post([this] { announce(); }); });
  return true;
}

void node_service::announce() {
  if (std::exchange(announced_, true))
    return;
  if (!write_node_file_now()) {
    give_up_ = exit_code::configuration;
    return;
  }
  log_.info("node_ready", {{"port", std::to_string(port_)}});
  // For the script that started us, which need not read the log.
  std::cout << "ready pid=" << ::getpid() << " port=" << port_
            << " incarnation=" << core::to_string(incarnation_);
  if (http_)
    std::cout << " http=" << http_->port();
  std::cout << std::endl;
}

bool node_service::write_node_file_now() {
  const auto written = write_node_file(settings_.node.data_dir,
                                       {::getpid(), address_to_reach(settings_.node.listen_address),
                                        port_, core::to_string(incarnation_), database_conninfo()});
  if (!written)
    log_.error("node_file_failed", {{"what", written.error().detail}});
  return static_cast<bool>(written);
}

void node_service::watch_database() {
  if (!cluster_)
    return;
  if (!cluster_->running())
    return restart_database();
  // Twice, because a server that has just started may not have made it yet.
  if (cluster_->reachable()) {
    socket_missed_ = false;
    return;
  }
  if (!std::exchange(socket_missed_, true))
    return;
  log_.error("private_database_unreachable",
             {{"what", "its socket was deleted; it is started again"}});
  stop_database();
  restart_database();
}

/// As often as it takes. A node without its database answers `unavailable`, which is better than
/// none, and goes on when somebody has freed the disk.
void node_service::restart_database() {
  const auto now = steady_clock::now();
  if (now < database_starts_.not_before)
    return;
  if (database_starts_.failed == 0)
    log_.error("private_database_ended", {{"what", "starting it again"}});
  if (const auto started = cluster_->start(); !started) {
    const auto pause =
        core::backoff(++database_starts_.failed, database_retry_min, database_retry_max);
    // After the attempt, which may have taken long.
    database_starts_.not_before = steady_clock::now() + pause;
    log_.error("private_database_failed", {{"what", started.error().detail},
                                           {"attempt", std::to_string(database_starts_.failed)},
                                           {"again_in_ms", std::to_string(milliseconds(pause))}});
    return;
  }
  database_starts_ = {};
  socket_missed_ = false;
  log_.info("private_database_started", {{"pid", std::to_string(cluster_->server_pid())}});
}

/// While the node still answers: what the workers have not finished is given back, so that nobody
/// has to wait for the end of its lease.
void node_service::stop_workers() {
  if (!workers_)
    return;
  workers_->stop([this] { loop_.post([this] { workers_stopped_ = true; }); });
  const auto until = steady_clock::now() + patience_with_workers(settings_.node.drain_timeout);
  while (!workers_stopped_ && !root_ended_ && steady_clock::now() < until)
    loop_.run_for(milliseconds(until - steady_clock::now()));
  if (!workers_stopped_)
    log_.error("handlers_still_run", {{"what", "their tasks are given back all the same"}});
}

exit_code node_service::drain(const caf::actor& root) {
  if (give_up_)
    log_.error("node_gives_up", {});
  else
    log_.info("node_draining", {{"signal", std::to_string(loop_.signaled())}});
  const auto until = steady_clock::now() + settings_.node.drain_timeout;
  gateway_->close();
  if (link_)
    link_->stop_accepting();
  if (http_)
    http_->drain(patience_with_http(settings_.node.drain_timeout));
  stop_workers();
  caf::anon_send(root, actors::drain{});
  while (!root_ended_ && steady_clock::now() < until)
    loop_.run_for(milliseconds(until - steady_clock::now()));
  if (traces_) // the last thing: the ends of all others are among its spans
    traces_->finish(std::clamp<core::duration>(
        std::chrono::duration_cast<core::duration>(until - steady_clock::now()),
        core::duration::zero(), patience_with_collector));
  if (give_up_)
    return *give_up_;
  if (root_ended_)
    return root_reason_.code == core::errc::none ? exit_code::ok : ended_by_itself();
  log_.error("drain_incomplete",
             {{"what", "not done within node.drain_timeout; nothing acknowledged is lost"}});
  return exit_code::drain_incomplete;
}

exit_code node_service::ended_by_itself() const {
  log_.error("node_ended", {{"reason", std::string{core::to_string(root_reason_.code)}},
                            {"what", root_reason_.detail}});
  return root_reason_.code == core::errc::fenced ? exit_code::fenced : exit_code::crashed;
}

void node_service::stop_database() {
  if (!cluster_)
    return;
  if (const auto stopped = cluster_->stop(persistence::private_cluster::shutdown::fast); !stopped)
    log_.error("private_database_not_stopped", {{"what", stopped.error().detail}});
  else
    log_.info("private_database_stopped", {});
}

} // namespace holdfast::app
