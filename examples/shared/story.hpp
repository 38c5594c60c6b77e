#pragma once

#include "app/demo/node_process.hpp"
#include "app/exit_codes.hpp"
#include "core/outcome.hpp"
#include "core/time.hpp"

#include <CLI/App.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// What the stories of the examples have in common: each plays its example on a node with a private
/// database, says what happens, and checks what was promised.
namespace examples {

using namespace holdfast;

core::instant wall_time();

/// The story as it happens: a line for whatever a reader wants to know, with the time.
class teller {
public:
  void say(const std::string& what) const;

private:
  const core::instant began_ = wall_time();
};

/// Why a story cannot go on.
struct broken_off {
  std::string why;
};

/// What was answered. Without an answer the story is broken off, and says at what.
template <class T>
T need(core::outcome<T> answer, const std::string& what) {
  if (!answer)
    throw broken_off{what + ": " + answer.error().detail};
  return std::move(*answer);
}

struct story {
  std::vector<std::string> node_arguments; ///< Besides its data directory.
  std::string promise;                     ///< What is said at the end when it was kept.
  /// Starts the node, plays and stops it. What was not as promised, a line for each.
  std::function<std::vector<std::string>(app::demo::node_process& node,
                                         const std::filesystem::path& data_dir)>
      play;
};

/// Plays a story in a directory that is removed afterwards. The node is this program too and has
/// its environment.
app::exit_code run(const story& which);

/// Adds the command `story`; `flags` adds its options.
void add_story_command(CLI::App& cli, app::exit_code& result, const std::string& about,
                       const std::function<void(CLI::App&)>& flags, std::function<story()> which);

} // namespace examples
