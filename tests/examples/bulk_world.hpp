#pragma once

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/bulk_run.hpp"
#include "tests/examples/memory_college.hpp"
#include "tests/examples/virtual_thread.hpp"
#include "tests/examples/virtual_worker.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

/// The example about bulk actions in virtual time: the real handlers, on workers to whom something
/// happens between any two of their steps, with leases of a real node.
namespace holdfast::test {

inline constexpr bulk::staff_id registrar = 1; ///< May do everything.
inline constexpr bulk::staff_id coach = 2;     ///< May do everything at the campus in the north.
inline constexpr std::size_t college_size = 25;

/// The unit at this place of the only step. The seventh is finished.
core::unit_id unit_numbered(std::size_t number);

enum class mishap {
  none,
  death, ///< Its process is killed. Somebody else goes on at once.
  hang,  ///< It wakes up when its lease is over and somebody else has done everything.
};

class bulk_world : public node_fixture {
public:
  bulk_world();
  ~bulk_world();

  /// Workers have this from now on.
  void use(const bulk::tools& other);
  /// A college in which nothing has been done, with nothing in the post.
  void begin_anew();

  template <class Action>
  core::task_id enqueue(const Action& what, bulk::staff_id run_as = registrar) {
    return enqueue(Action::type, Action::version, bulk::encode(what), run_as);
  }
  core::task_id enqueue(const std::string& type, const std::string& version,
                        const std::string& body, bulk::staff_id run_as);

  /// A worker does whatever is due, once; how it says that it went.
  holdfast::client::outcome work();
  /// Has the task done, and something happen at a step of the first worker, counted from 1. False
  /// when it had ended before.
  bool do_with(mishap what, std::size_t step);
  /// Until the task has ended; how long that may take.
  msg::task_view see_through(const core::task_id& task, core::duration limit);
  msg::task_view look(const core::task_id& task);

  /// What is in the file of an export; empty when there is none.
  std::string exported(const core::task_id& task) const;
  /// Files that nobody will come back to.
  std::size_t left_behind() const;

  memory_college& college() { return *college_; }
  memory_post post;
  bulk::tools with;

private:
  struct attempt;

  void claim(attempt& by);
  void run(attempt& by);
  void run_until_it_hangs(attempt& by);
  void wake_up_too_late(attempt& by);
  void hand_in(attempt& by);
  void step();

  const std::filesystem::path exports_;
  std::shared_ptr<memory_college> college_;
  std::map<std::string, std::shared_ptr<holdfast::client::task_handler>> handlers_;
  std::uint64_t names_ = 0;
  std::size_t steps_left_ = 0; ///< Until something happens; 0: nothing will.
  bool happened_ = false;
  std::function<void()> happens_;
};

} // namespace holdfast::test
