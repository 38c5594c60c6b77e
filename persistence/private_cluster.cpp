#include "persistence/private_cluster.hpp"

#include "files/private_file.hpp"
#include "persistence/connection.hpp"
#include "persistence/preconditions.hpp"
#include "persistence/wal_size.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace holdfast::persistence {

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

// Major versions of servers that take the settings below.
constexpr int oldest_major_version = oldest_server_version / 10000;
constexpr int newest_major_version = 17;
constexpr const char* debian_programs = "/usr/lib/postgresql/";
constexpr const char* database_user = "holdfast";
constexpr const char* socket_name = "/.s.PGSQL.5432";
/// `sun_path` has 108 bytes, the last one for the NUL.
constexpr std::size_t socket_path_max = 107;
/// Begins what a server says that is not ready yet: that it starts up, recovers, or shuts down.
constexpr const char* at_work = "the database system is ";
/// A log beyond this is set aside at the next start; with warnings only it takes years.
constexpr std::uintmax_t log_bytes_max = 16 << 20;

core::failure problem(std::string text) { return {core::errc::unavailable, std::move(text)}; }

core::failure os_problem(const std::string& what) {
  const auto number = errno;
  return problem("private database: " + what + ": " + std::strerror(number));
}

std::string read_file(const std::string& name) {
  std::ifstream in{name, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A directory entry outlives a power cut only after its directory has been synced.
void sync_directory(const std::string& name) {
  const int descriptor = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
}

std::string tail_of(const std::string& file) {
  constexpr std::size_t bytes = 1500;
  auto text = read_file(file);
  if (text.size() > bytes)
    text = "..." + text.substr(text.size() - bytes);
  return text;
}

/// A value in postgresql.conf.
std::string setting(const std::string& value) {
  std::string out = "'";
  for (const char c : value)
    out += c == '\'' ? std::string{"''"} : std::string(1, c);
  return out + '\'';
}

/// In a list of directories commas separate, so each name is in double quotes.
std::string directory_list(const std::string& directory) {
  std::string quoted = "\"";
  for (const char c : directory)
    quoted += c == '"' ? std::string{"\"\""} : std::string(1, c);
  return setting(quoted + '"');
}

std::string conninfo_value(const std::string& value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '\'';
}

/// FNV-1a: two directories get two names, nothing more is needed.
std::string short_name_of(const std::string& directory) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const unsigned char c : directory)
    hash = (hash ^ c) * 0x100000001b3ULL;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// For the volume that `directory` is on; for an endless one where that cannot be told.
wal_size wal_size_in(const std::string& directory) {
  struct statvfs volume {};
  if (statvfs(directory.c_str(), &volume) != 0)
    return wal_size_for(UINT64_MAX, UINT64_MAX);
  const std::uint64_t block = volume.f_frsize;
  return wal_size_for(volume.f_blocks * block, volume.f_bavail * block);
}

/// What the predecessor's postmaster.pid says: its process and what it is doing.
struct postmaster_file {
  pid_t pid = 0;
  bool stopping = false;
};

postmaster_file read_postmaster_file(const std::string& data) {
  std::ifstream in{data + "/postmaster.pid"};
  postmaster_file file;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == 1)
      file.pid = static_cast<pid_t>(std::strtol(line.c_str(), nullptr, 10));
    if (number == 8)
      file.stopping = line.rfind("stopping", 0) == 0;
  }
  return file;
}

/// The major version of a cluster; 0 where there is none.
int version_of_cluster(const std::string& data) {
  return static_cast<int>(std::strtol(read_file(data + "/PG_VERSION").c_str(), nullptr, 10));
}

/// The major version of a server program, as it says itself: `postgres (PostgreSQL) 15.18`. 0 where
/// it says nothing of the kind within `limit`.
int version_of_program(const std::string& postgres, const std::optional<os_user>& run_as,
                       core::duration limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return 0;
  auto asked = server_process::start({postgres, {"--version"}, run_as, ends[1], SIGKILL});
  close(ends[1]);
  std::string told(256, '\0');
  ssize_t length = 0;
  if (asked && asked->ended_within(limit)) {
    length = read(ends[0], told.data(), told.size());
  } else if (asked) {
    asked->signal(SIGKILL);
    asked->ended_within(limit);
  }
  close(ends[0]);
  told.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  const std::string before = "(PostgreSQL) ";
  const auto at = told.find(before);
  if (at == std::string::npos)
    return 0;
  return static_cast<int>(std::strtol(told.c_str() + at + before.size(), nullptr, 10));
}

bool can_run(int major_version) {
  return major_version >= oldest_major_version && major_version <= newest_major_version;
}

} // namespace

private_cluster::private_cluster(private_cluster_options options) : options_(std::move(options)) {}

private_cluster::~private_cluster() {
  stop(shutdown::fast);
  if (lock_ >= 0)
    close(lock_);
}

core::outcome<bool> private_cluster::start() {
  if (running())
    return true;
  constexpr core::outcome<bool> (private_cluster::*steps[])() = {
      &private_cluster::prepare_directory,   &private_cluster::lock_directory,
      &private_cluster::await_predecessor,   &private_cluster::find_binaries,
      &private_cluster::make_cluster,        &private_cluster::choose_socket_directory,
      &private_cluster::write_configuration, &private_cluster::launch,
      &private_cluster::await_answer,
  };
  for (const auto step : steps)
    if (auto done = (this->*step)(); !done)
      return done;
  return true;
}

core::outcome<bool> private_cluster::prepare_directory() {
  std::error_code error;
  options_.directory = fs::absolute(options_.directory, error).lexically_normal().string();
  while (options_.directory.size() > 1 && options_.directory.back() == '/')
    options_.directory.pop_back();
  if (options_.directory.find('\n') != std::string::npos)
    return problem("private database: the directory's name contains a line break");
  // A user who can write here has files of this user overwritten, by links in their place.
  if (const auto made = files::make_directory(options_.directory); !made)
    return problem("private database: " + made.error().detail);
  if (geteuid() != 0)
    return true;
  server_user_ = find_os_user("postgres");
  if (!server_user_)
    server_user_ = find_os_user("nobody");
  if (!server_user_)
    return problem("private database: PostgreSQL does not run as root, and there is neither an "
                   "account \"postgres\" nor \"nobody\" to run it as");
  if (const auto barrier = first_barrier(*server_user_, options_.directory); !barrier.empty())
    return problem("private database: as root the server runs as \"" + server_user_->name
                   + "\", which may not enter " + barrier + ". Choose a data directory elsewhere, "
                   + "e.g. /var/lib/holdfast, or allow it with: chmod o+x " + barrier);
  return true;
}

/// One node per directory. The kernel drops the lock with the process that holds it.
core::outcome<bool> private_cluster::lock_directory() {
  if (lock_ >= 0)
    return true;
  const int descriptor = files::open_lock(path("node.lock"));
  if (descriptor < 0)
    return os_problem("cannot open " + path("node.lock"));
  const auto deadline = clock::now() + options_.predecessor_timeout;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      close(descriptor);
      return os_problem("cannot lock " + path("node.lock"));
    }
    if (clock::now() >= deadline) {
      close(descriptor);
      return problem("private database: another node uses " + options_.directory);
    }
    poll(nullptr, 0, 2); // a killed node lets go within milliseconds, and no event tells of it
  }
  lock_ = descriptor;
  return true;
}

/// A killed node's server is still shutting down: wait for it. PostgreSQL itself would refuse to
/// start beside it.
core::outcome<bool> private_cluster::await_predecessor() {
  const auto data = path("pgdata");
  const auto patience = clock::now() + options_.predecessor_timeout;
  const auto deadline = clock::now() + options_.start_timeout;
  for (;;) {
    const auto file = read_postmaster_file(data);
    if (file.pid == 0)
      return true;
    const auto alive = processes_in(data);
    if (alive.empty()) {
      // A crash left the file; should its number belong to some other process by now, PostgreSQL
      // would take that for its predecessor. Nobody is in the directory, so it is safe to remove.
      std::error_code gone_already;
      fs::remove(data + "/postmaster.pid", gone_already);
      return true;
    }
    if (clock::now() >= (file.stopping ? deadline : patience))
      return problem("private database: a server (process " + std::to_string(alive.front())
                     + ") runs in " + data + " and does not stop; it was not started by this node");
    gone_within(alive.front(), std::chrono::milliseconds{50});
  }
}

/// The newest server that can be run, or the one whose version has made the cluster.
core::outcome<bool> private_cluster::find_binaries() {
  const auto data = path("pgdata");
  const auto made_by = version_of_cluster(data);
  std::vector<std::string> places{options_.binary_directory};
  if (options_.binary_directory.empty()) {
    places.clear();
    for (int version = newest_major_version; version >= oldest_major_version; --version)
      places.push_back(debian_programs + std::to_string(version) + "/bin");
    const char* search = std::getenv("PATH");
    std::istringstream in{search == nullptr ? "" : search};
    for (std::string place; std::getline(in, place, ':');)
      places.push_back(place);
  }
  for (const auto& place : places) {
    std::error_code error;
    // Followed to the end: beside a link in PATH there is no initdb's `postgres`.
    const auto initdb = fs::canonical(place + "/initdb", error);
    if (error || access((initdb.parent_path() / "postgres").c_str(), X_OK) != 0)
      continue;
    const auto version =
        version_of_program(initdb.parent_path() / "postgres", server_user_, options_.start_timeout);
    if (!can_run(version) || (made_by != 0 && version != made_by))
      continue;
    binaries_ = initdb.parent_path().string();
    version_ = version;
    return true;
  }
  const auto searched = options_.binary_directory.empty()
                            ? std::string{debian_programs} + " or PATH"
                            : options_.binary_directory;
  const auto range =
      std::to_string(oldest_major_version) + " to " + std::to_string(newest_major_version);
  if (made_by == 0)
    return problem("private database: found no server (initdb and postgres) of PostgreSQL " + range
                   + " in " + searched + "; install the package postgresql");
  const auto maker = std::to_string(made_by);
  if (!can_run(made_by))
    return problem("private database: " + data + " was made by PostgreSQL " + maker
                   + ", and this program runs versions " + range + "; upgrade it with pg_upgrade");
  return problem("private database: " + data + " was made by PostgreSQL " + maker
                 + ", and there is no server of that version in " + searched
                 + "; install the package postgresql-" + maker
                 + ", or upgrade the directory with pg_upgrade");
}

/// A directory that only the server's account may enter.
core::outcome<bool> private_cluster::make_private(const std::string& directory) {
  const auto owner = server_user_ ? server_user_->uid : geteuid();
  if (mkdir(directory.c_str(), 0700) == 0) {
    if (server_user_ && chown(directory.c_str(), server_user_->uid, server_user_->gid) != 0)
      return os_problem("cannot give " + directory + " to " + server_user_->name);
    return true;
  }
  if (errno != EEXIST)
    return os_problem("cannot make " + directory);
  struct stat found {};
  if (lstat(directory.c_str(), &found) != 0)
    return os_problem("cannot look at " + directory);
  // Somebody may have been here first, in /tmp above all.
  if (!S_ISDIR(found.st_mode) || found.st_uid != owner || (found.st_mode & 077) != 0)
    return problem("private database: " + directory
                   + " exists and is not a directory of mode 0700 that belongs to the server");
  return true;
}

core::outcome<bool> private_cluster::choose_socket_directory() {
  const auto usable = [](const std::string& directory) {
    // libpq takes a comma for the end of a host.
    return directory.size() + std::strlen(socket_name) <= socket_path_max
           && directory.find(',') == std::string::npos;
  };
  socket_directory_ = path("socket");
  if (!usable(socket_directory_)) {
    const char* runtime = server_user_ ? nullptr : std::getenv("XDG_RUNTIME_DIR");
    const auto name = "/holdfast-" + short_name_of(options_.directory);
    socket_directory_ = (runtime == nullptr ? std::string{"/tmp"} : std::string{runtime}) + name;
    if (!usable(socket_directory_) || (runtime != nullptr && access(runtime, W_OK) != 0))
      socket_directory_ = "/tmp" + name;
  }
  conninfo_ = "host=" + conninfo_value(socket_directory_)
              + " port=5432 dbname=postgres user=" + database_user;
  return make_private(socket_directory_);
}

/// Made under another name first, so that a killed initdb leaves nothing that looks like a cluster.
core::outcome<bool> private_cluster::make_cluster() {
  const auto data = path("pgdata");
  std::error_code error;
  if (fs::exists(data + "/PG_VERSION", error))
    return true;
  const auto draft = path("pgdata.new");
  fs::remove_all(draft, error);
  if (auto made = make_private(draft); !made)
    return made;
  const auto log = path("initdb.log");
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (output < 0)
    return os_problem("cannot write " + log);
  auto initdb = server_process::start(
      {binaries_ + "/initdb",
       {"--pgdata=" + draft, "--encoding=UTF8", "--locale=C", "--data-checksums",
        std::string{"--username="} + database_user, "--auth=peer", "--no-instructions"},
       server_user_,
       output,
       SIGTERM});
  close(output);
  if (!initdb)
    return problem("private database: " + initdb.error().detail);
  if (!initdb->ended_within(options_.start_timeout)) {
    initdb->signal(SIGKILL);
    initdb->ended_within(options_.stop_timeout);
    return problem("private database: initdb did not finish; " + tail_of(log));
  }
  if (initdb->exit_status() != 0)
    return problem("private database: initdb failed; " + tail_of(log));
  // initdb has synced what is inside.
  fs::rename(draft, data, error);
  if (error)
    return problem("private database: cannot rename " + draft + ": " + error.message());
  sync_directory(options_.directory);
  fs::remove(log, error);
  return true;
}

/// Written anew at every start, so that a new version's settings reach old clusters. The files lie
/// outside `pgdata`: root writes nothing into a directory that another account controls.
core::outcome<bool> private_cluster::write_configuration() {
  std::string idents;
  auto users = options_.allowed_users;
  users.push_back(own_user_name());
  for (const auto& user : users) {
    // A name that begins with a slash would be a pattern.
    if (user.empty() || user.front() == '/' || user.find_first_of("\"\\\n\r#") != std::string::npos)
      return problem("private database: \"" + user + "\" cannot be the name of an account");
    idents += "holdfast \"" + user + "\" " + database_user + '\n';
  }
  const auto wal = wal_size_in(options_.directory);
  const auto settings = "listen_addresses = ''\n"
                        "unix_socket_directories = "
                        + directory_list(socket_directory_)
                        + "\n"
                          "unix_socket_permissions = 0700\n"
                          "hba_file = "
                        + setting(path("pg_hba.conf"))
                        + "\n"
                          "ident_file = "
                        + setting(path("pg_ident.conf"))
                        + "\n"
                          "max_connections = "
                        + std::to_string(options_.max_connections)
                        + "\n"
                          "shared_buffers = "
                        + setting(options_.shared_buffers)
                        + "\n"
                          // What was answered must be on disk: none of these is an option.
                          "fsync = on\n"
                          "synchronous_commit = on\n"
                          "full_page_writes = on\n"
                          // Nobody replicates from a private cluster.
                          "wal_level = minimal\n"
                          "max_wal_senders = 0\n"
                          "max_logical_replication_workers = 0\n"
                          "wal_compression = "
                        + (version_ >= 15 ? "lz4" : "on")
                        + "\n"
                          "max_wal_size = "
                        + std::to_string(wal.max_mb)
                        + "MB\n"
                          "min_wal_size = "
                        + std::to_string(wal.min_mb)
                        + "MB\n"
                          "checkpoint_timeout = 15min\n"
                          // How long rows of ended leases may pile up (docs/adr/0075).
                          "autovacuum_naptime = 2s\n"
                          "jit = off\n"
                          "idle_in_transaction_session_timeout = 5s\n"
                          "log_destination = stderr\n"
                          "logging_collector = off\n"
                          "log_line_prefix = '%m [%p] %q%a '\n"
                          "log_timezone = UTC\n"
                          "timezone = UTC\n"
                          "lc_messages = C\n"
                        + (version_ >= 14 ? "default_toast_compression = lz4\n"
                                            "client_connection_check_interval = 1s\n"
                                          : "");
  constexpr mode_t for_the_server = 0644; // which may run as another user
  const std::pair<const char*, std::string> all[] = {
      {"postgresql.conf", settings},
      {"pg_hba.conf", "local all all peer map=holdfast\n"},
      {"pg_ident.conf", idents}};
  for (const auto& [name, content] : all)
    if (const auto written =
            files::write_whole(path(name), content, for_the_server, files::existing::replace);
        !written)
      return problem("private database: " + written.error().detail);
  return true;
}

core::outcome<bool> private_cluster::launch() {
  const auto log = path("server.log");
  std::error_code error;
  if (const auto size = fs::file_size(log, error); !error && size > log_bytes_max)
    fs::rename(log, log + ".1", error);
  const int output =
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640);
  if (output < 0)
    return os_problem("cannot write " + log);
  auto server =
      server_process::start({binaries_ + "/postgres",
                             {"-D", path("pgdata"), "--config-file=" + path("postgresql.conf")},
                             server_user_,
                             output,
                             SIGINT});
  close(output);
  if (!server)
    return problem("private database: " + server.error().detail);
  server_ = *server;
  return true;
}

core::outcome<bool> private_cluster::await_answer() {
  const auto began = clock::now();
  auto deadline = began + options_.start_timeout;
  for (;;) {
    auto answered = connection::open(conninfo_, "holdfast start", "", options_.start_timeout);
    if (answered)
      return true;
    // Wakes at once when the server gives up, else asks again: an attempt costs 0.1 ms. A server
    // that takes longer logs each, and with a full disk does so for all of the time.
    const bool soon = clock::now() - began < std::chrono::seconds{1};
    if (server_->ended_within(std::chrono::milliseconds{soon ? 5 : 200})) {
      server_.reset();
      return problem("private database: the server did not start; " + tail_of(path("server.log")));
    }
    if (options_.stop_asked && options_.stop_asked()) {
      stop(shutdown::immediate);
      return problem("private database: its start was called off");
    }
    // It recovers, which takes as long as it takes: stopped now, it would begin again with the
    // same.
    if (answered.error().detail.find(at_work) != std::string::npos)
      deadline = clock::now() + options_.start_timeout;
    if (clock::now() >= deadline) {
      stop(shutdown::immediate);
      return problem("private database: the server does not answer: " + answered.error().detail);
    }
  }
}

bool private_cluster::running() {
  if (server_ && server_->ended_within(core::duration{0}))
    server_.reset();
  return server_.has_value();
}

bool private_cluster::reachable() const {
  std::error_code error;
  return fs::exists(socket_directory_ + socket_name, error);
}

core::outcome<bool> private_cluster::stop(shutdown how) {
  if (!running())
    return true;
  const auto stopped = [&](int signal) {
    server_->signal(signal);
    return server_->ended_within(options_.stop_timeout);
  };
  const bool ended = (how == shutdown::fast && stopped(SIGINT)) || stopped(SIGQUIT);
  if (!ended)
    return problem("private database: the server (process " + std::to_string(server_->pid())
                   + ") does not stop");
  server_.reset();
  // Ours alone, or not empty; the place inside the data directory may stay.
  if (socket_directory_ != path("socket"))
    rmdir(socket_directory_.c_str());
  return true;
}

} // namespace holdfast::persistence
