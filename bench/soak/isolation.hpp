#pragma once

#include "bench/soak/detour.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/wrong_clock.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

/// What a machine lets the harness do to itself: lines and disks that can be made bad without
/// anybody else noticing. Needs root; everything is gone with the process.
namespace holdfast::soak {

/// Leaves the machine's namespaces, as far as it lets us. To be called once, before there is a
/// second thread: only the calling thread and what it starts afterwards are apart.
obstacles leave_the_machine();

/// Why the machine's memory does not hold file systems of so many bytes; empty when it does.
std::string obstacle_to_disks(std::uint64_t bytes);

struct unmap_clock {
  void operator()(wrong_clock* page) const;
};
using clock_page = std::unique_ptr<wrong_clock, unmap_clock>;

/// The wall clock of a program, to be made wrong while it runs. Its other clocks stay right. The
/// program may run under another account.
class wall_clock {
public:
  /// Its files begin with `path`; the program is `program` on the true time. Throws
  /// `std::runtime_error` when they cannot be written.
  wall_clock(std::string path, const std::string& program);

  /// Another program, from its next start on. Throws as above.
  void use(const std::string& program) const;
  /// What to run instead of the program.
  std::string program() const { return path_ + "-on-clock"; }
  void set(std::chrono::seconds ahead);
  /// How often the program has read a time that was wrong.
  std::uint64_t misled() const { return page_->misled; }

private:
  std::string page_file() const { return path_ + "-clock"; }
  std::string library() const { return path_ + "-clock.so"; }

  std::string path_;
  clock_page page_;
};

/// The wall clock of the harness itself, which is the machine of all users of the cluster.
class own_clock {
public:
  /// Begins the program anew on a clock that can be made wrong, unless it runs on one. To be called
  /// before there is a second thread. Throws `std::runtime_error`.
  static own_clock begin(char* const* arguments);

  void set(std::chrono::seconds ahead) { page_->seconds_ahead = ahead.count(); }
  std::uint64_t misled() const { return page_->misled; }

private:
  explicit own_clock(clock_page page) : page_(std::move(page)) {}

  clock_page page_;
};

/// Nodes on lines of their own. Each is in a network namespace, and the harness's own is the router
/// between them, so that what one sends to another can be lost on its way. Belongs to the main
/// thread.
class network {
public:
  /// Throws `std::runtime_error` with what went wrong. Requires that `leave_the_machine` found no
  /// obstacle.
  explicit network(std::uint32_t nodes);
  ~network();
  network(const network&) = delete;
  network& operator=(const network&) = delete;

  static std::string address_of(std::uint32_t node);

  /// Calls `start`; processes that it starts are those of the node.
  void inside(std::uint32_t node, const std::function<void()>& start) const;

  /// From now on nothing that `from` sends reaches `to`.
  void cut(std::uint32_t from, std::uint32_t to);
  /// From now on all that a node sends and gets crawls, and what piles up is lost.
  void clog(std::uint32_t node);
  /// From now on all that passes between a node and other places is late, by more or less, and some
  /// of it lost. Only without the obstacle to delays; what `seed` decides is which of it.
  void put_far(std::uint32_t node, std::uint64_t seed);
  /// Takes one `cut` back.
  void mend(std::uint32_t from, std::uint32_t to);
  /// Ends all of them.
  void heal();
  /// Packets that were lost or held back by any of them since the last `heal`.
  std::uint64_t disturbed() const;

private:
  std::uint64_t swallowed() const;

  int home_ = -1;
  std::vector<int> spaces_;                   ///< Of the nodes.
  std::map<std::string, std::uint32_t> cuts_; ///< Rules, with how many have asked for each.
  std::vector<std::string> turns_;            ///< Rules that lead to the detour.
  std::optional<detour> detour_;
  std::vector<std::uint32_t> clogged_;
  std::uint64_t swallowed_before_ = 0;
};

/// A file system that can be made full, mounted on a directory. In memory: what is written there
/// outlives any process, and no machine.
class small_disk {
public:
  /// Throws `std::runtime_error`. The directory is made if it is not there.
  small_disk(std::string directory, std::uint64_t bytes);
  ~small_disk();
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  void fill();
  void free_up();

private:
  std::string filler() const { return directory_ + "/filler"; }

  std::string directory_;
};

} // namespace holdfast::soak
