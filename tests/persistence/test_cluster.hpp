#pragma once

#include "persistence/migrate.hpp"
#include "persistence/private_cluster.hpp"

#include <cstdlib>
#include <filesystem>
#include <pqxx/pqxx>
#include <stdexcept>
#include <string>

namespace holdfast::test {

/// A directory that is gone with the object. Anyone may enter, because a server started by root
/// runs as somebody else.
class scratch_directory {
public:
  scratch_directory() {
    std::string pattern = "/tmp/holdfast-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("cannot make a scratch directory in /tmp");
    path_ = pattern;
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// The PostgreSQL server of this test process, with the schema in place. Started at first use,
/// stopped at exit.
class test_cluster {
public:
  static test_cluster& instance() {
    static test_cluster one;
    return one;
  }

  persistence::private_cluster& server() { return server_; }
  const std::string& conninfo() const { return server_.conninfo(); }

  /// Runs SQL beside the store under test.
  pqxx::result sql(const std::string& text) {
    pqxx::connection database{conninfo()};
    pqxx::work tx{database};
    auto result = tx.exec(text);
    tx.commit();
    return result;
  }

  /// Deletes every row but the migrations. (TRUNCATE would sync two files per table.)
  void clean() {
    sql("DELETE FROM holdfast.unit_exclusions;"
        "DELETE FROM holdfast.judgments; DELETE FROM holdfast.active_leases;"
        "DELETE FROM holdfast.surplus_judgments;"
        "DELETE FROM holdfast.ended_leases; DELETE FROM holdfast.units;"
        "DELETE FROM holdfast.contributor_standings; DELETE FROM holdfast.repairs;"
        "DELETE FROM holdfast.corrections; DELETE FROM holdfast.judgment_corrections;"
        "DELETE FROM holdfast.contributor_flags; DELETE FROM holdfast.contributor_profiles;"
        "DELETE FROM holdfast.api_tokens; DELETE FROM holdfast.contributor_removals;"
        "DELETE FROM holdfast.steps; DELETE FROM holdfast.workflow_versions;"
        "DELETE FROM holdfast.workflows;"
        "DELETE FROM holdfast.schedules;"
        "DELETE FROM holdfast.late_results; DELETE FROM holdfast.finished_tasks;"
        "DELETE FROM holdfast.task_attempts; DELETE FROM holdfast.task_leases;"
        "DELETE FROM holdfast.tasks; DELETE FROM holdfast.queues;"
        "DELETE FROM holdfast.audit_log;"
        "DELETE FROM holdfast.removed_queues;"
        "DELETE FROM holdfast.task_intake; DELETE FROM holdfast.webhooks;"
        "DELETE FROM holdfast.outbox; DELETE FROM holdfast.inbox;"
        "DELETE FROM holdfast.consumer_cursors; DELETE FROM holdfast.shard_leases;"
        "DELETE FROM holdfast.event_gaps;"
        "DELETE FROM holdfast.nodes; DELETE FROM holdfast.cluster");
  }

private:
  test_cluster() : server_(options(directory_.path())) {
    const auto started = server_.start();
    if (!started)
      throw std::runtime_error(started.error().detail);
    const auto migrated =
        persistence::migrate(server_.conninfo(), persistence::embedded_migrations());
    if (!migrated)
      throw std::runtime_error(migrated.error().detail);
  }

  static persistence::private_cluster_options options(const std::string& directory) {
    persistence::private_cluster_options made;
    made.directory = directory;
    made.shared_buffers = "32MB";
    return made;
  }

  scratch_directory directory_;
  persistence::private_cluster server_;
};

} // namespace holdfast::test
