#pragma once

#include "app/exit_codes.hpp"
#include "app/node_additions.hpp"
#include "client/task_handler.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::app {

/// A program that is a node, with the command line of `holdfast` and, if it has any, handlers that
/// run in the node. See "Handlers inside a node" in docs/API.md.
class program {
public:
  /// Adds itself to a command line and leaves in the second argument how it ended, if it was the
  /// one that was asked for.
  using command = std::function<void(CLI::App&, exit_code&)>;

  /// `name` is that of the executable, for its help; `about` one line of what it is.
  explicit program(std::string name, std::string about = "A Holdfast node that does tasks itself");

  /// The node does the tasks of `queue` that have a type named here, up to `threads` (1 to 1,000)
  /// at once. One object serves all threads. Once for each queue.
  void work_on(std::string queue, std::uint32_t threads,
               std::map<std::string, std::shared_ptr<client::task_handler>> handlers);

  /// Profiles of contributors come from `find` in place of what `put_profile` says, which is then
  /// refused. Called on one thread of the node, which waits for it meanwhile.
  void find_profiles_with(profile_finder find);

  /// Contributors find steps in the directory that `open` makes, in place of the index in memory.
  /// Called at the start of the node and whenever its search is started again; must not throw.
  void list_steps_in(core::step_directory_opener open);

  /// A command besides `node`, `status`, `verify`, `certs` and `config`.
  void add(command more);

  /// Does what the command line says and returns the exit code. Call it on the main thread, before
  /// any other is made.
  int run(int argc, char** argv);

private:
  std::string name_;
  std::string about_;
  node_additions additions_;
  std::vector<command> commands_;
};

} // namespace holdfast::app
