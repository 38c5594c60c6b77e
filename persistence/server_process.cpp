#include "persistence/server_process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace holdfast::persistence {

namespace {

namespace fs = std::filesystem;

std::string error_text(int number) { return std::strerror(number); }

core::failure os_failure(const std::string& what, int number) {
  return {core::errc::unavailable, what + ": " + error_text(number)};
}

/// Becomes `user` for good. Only calls that are safe between fork and exec.
bool become(const os_user& user) {
  return setgroups(user.groups.size(), user.groups.data()) == 0 && setgid(user.gid) == 0
         && setuid(user.uid) == 0;
}

/// Closes everything from `first` on: a descriptor that leaks into a server which outlives us keeps
/// whatever it locks locked.
void close_descriptors_from(unsigned first, unsigned limit) {
  if (syscall(SYS_close_range, first, ~0U, 0U) == 0)
    return;
  for (auto descriptor = first; descriptor < limit; ++descriptor)
    close(static_cast<int>(descriptor));
}

void reset_signals() {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    sigaction(number, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// What the child tells when it cannot become the program. Sent over a pipe that exec closes.
struct start_problem {
  char stage[32];
  int number;
};

struct prepared_start {
  const program_start* what;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  pid_t parent;
  int report;
  unsigned descriptors;
};

[[noreturn]] void child(const prepared_start& start) {
  constexpr int report = 3;
  const auto fail = [&](const char* stage) {
    start_problem problem{};
    problem.number = errno;
    std::strncpy(problem.stage, stage, sizeof problem.stage - 1);
    const auto written = write(report, &problem, sizeof problem);
    _exit(written == sizeof problem ? 127 : 126);
  };
  // A session of its own: a ^C in the terminal is for the node, which then stops its server.
  setsid();
  reset_signals();
  umask(077);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(start.what->output, 1);
  dup2(start.what->output, 2);
  if (start.report == report)
    fcntl(report, F_SETFD, FD_CLOEXEC);
  else
    dup3(start.report, report, O_CLOEXEC);
  close_descriptors_from(report + 1, start.descriptors);
  if (start.what->run_as && !become(*start.what->run_as))
    fail("change user");
  if (chdir("/") != 0)
    fail("change directory");
  if (start.what->death_signal != 0) {
    // After the change of user, which clears it. Should the parent have died before, nobody would
    // send the signal any more.
    if (prctl(PR_SET_PDEATHSIG, start.what->death_signal) != 0)
      fail("set the death signal");
    if (getppid() != start.parent)
      _exit(125);
  }
  execve(start.what->program.c_str(), start.arguments.data(), start.environment.data());
  fail("run");
  _exit(124);
}

unsigned descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
}

int milliseconds(core::duration left) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(count, 0, 60'000));
}

/// Watches for the end of a process, child or not, without reaping it.
class process_watch {
public:
  explicit process_watch(pid_t pid)
      : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0U))) {}
  process_watch(const process_watch&) = delete;
  process_watch& operator=(const process_watch&) = delete;
  ~process_watch() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }

  /// True when it has ended; false when `limit` has passed.
  bool wait(core::duration limit) const {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!ended()) {
      const auto left =
          std::chrono::duration_cast<core::duration>(deadline - std::chrono::steady_clock::now());
      if (left <= core::duration{0})
        return false;
      // A sandbox may forbid pidfd_open; then look again every 2 ms.
      pollfd readable_at_end{descriptor_, POLLIN, 0};
      if (poll(&readable_at_end, 1, descriptor_ < 0 ? 2 : milliseconds(left)) > 0)
        return true; // also for a zombie that nobody reaps
    }
    return true;
  }

private:
  bool ended() const {
    siginfo_t child{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &child, WEXITED | WNOHANG | WNOWAIT) == 0)
      return child.si_pid == pid_;
    return kill(pid_, 0) != 0 && errno == ESRCH;
  }

  pid_t pid_;
  int descriptor_;
};

} // namespace

std::optional<os_user> find_os_user(const std::string& name) {
  const auto* entry = getpwnam(name.c_str());
  if (entry == nullptr)
    return std::nullopt;
  os_user user{name, entry->pw_uid, entry->pw_gid, {}};
  int count = 64;
  user.groups.resize(static_cast<std::size_t>(count));
  if (getgrouplist(name.c_str(), user.gid, user.groups.data(), &count) < 0)
    user.groups = {user.gid};
  else
    user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

std::string own_user_name() {
  const auto uid = geteuid();
  const auto* entry = getpwuid(uid);
  return entry == nullptr ? std::to_string(uid) : entry->pw_name;
}

std::string first_barrier(const os_user& user, const std::string& directory) {
  std::vector<std::string> way;
  fs::path at;
  for (const auto& part : fs::path{directory}) {
    at /= part;
    way.push_back(at.string());
  }
  const auto pid = fork();
  if (pid == 0) {
    if (!become(user))
      _exit(255);
    for (std::size_t i = 0; i < way.size(); ++i)
      if (access(way[i].c_str(), X_OK) != 0)
        _exit(static_cast<int>(std::min<std::size_t>(i + 1, 254)));
    _exit(0);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)
      || WEXITSTATUS(status) == 255)
    return way.back();
  const auto barrier = static_cast<std::size_t>(WEXITSTATUS(status));
  return barrier == 0 ? std::string{} : way[std::min(barrier, way.size()) - 1];
}

core::outcome<server_process> server_process::start(const program_start& what) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return os_failure("cannot make a pipe", errno);
  prepared_start prepared{&what, {}, {}, getpid(), ends[1], descriptor_limit()};
  prepared.arguments.push_back(const_cast<char*>(what.program.c_str()));
  for (const auto& argument : what.arguments)
    prepared.arguments.push_back(const_cast<char*>(argument.c_str()));
  prepared.arguments.push_back(nullptr);
  // Nothing of ours: a PGDATA or PGOPTIONS of the user must not reach the server, and its messages
  // are read by people who file bugs.
  static char path[] = "PATH=/usr/bin:/bin";
  static char locale[] = "LC_ALL=C";
  prepared.environment = {path, locale, nullptr};
  const auto pid = fork();
  if (pid == 0)
    child(prepared);
  const auto fork_error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return os_failure("cannot fork", fork_error);
  }
  start_problem problem{};
  ssize_t got = 0;
  do
    got = read(ends[0], &problem, sizeof problem);
  while (got < 0 && errno == EINTR);
  close(ends[0]);
  if (got == 0)
    return server_process{pid};
  waitpid(pid, nullptr, 0);
  return os_failure("cannot " + std::string{problem.stage} + " (" + what.program + ')',
                    problem.number);
}

void server_process::signal(int number) const {
  if (!ended_ && pid_ > 0)
    kill(pid_, number);
}

bool server_process::reap() {
  if (ended_)
    return true;
  int status = 0;
  const auto got = waitpid(pid_, &status, WNOHANG);
  if (got == 0)
    return false;
  // ECHILD: somebody else in this process waits for all children; then it is gone as well.
  ended_ = true;
  exit_status_ = got == pid_ ? status : 0;
  return true;
}

bool server_process::ended_within(core::duration limit) {
  return reap() || (process_watch{pid_}.wait(limit) && reap());
}

bool gone_within(pid_t pid, core::duration limit) { return process_watch{pid}.wait(limit); }

std::vector<pid_t> processes_in(const std::string& directory) {
  std::error_code error;
  const auto wanted = fs::canonical(directory, error);
  std::vector<pid_t> found;
  if (error)
    return found;
  for (auto entry = fs::directory_iterator{"/proc", error};
       !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    std::error_code unreadable;
    if (fs::read_symlink(entry->path() / "cwd", unreadable) == wanted && !unreadable)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

} // namespace holdfast::persistence
