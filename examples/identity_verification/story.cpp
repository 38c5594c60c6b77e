#include "examples/identity_verification/story.hpp"

#include "app/demo/node_process.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"
#include "examples/identity_verification/onlooker.hpp"
#include "examples/identity_verification/simulation.hpp"
#include "examples/shared/story.hpp"

#include <CLI/Validators.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <ratio>
#include <set>
#include <string>
#include <vector>

namespace identity {

namespace {

using namespace std::chrono_literals;
using examples::wall_time;

struct story_flags {
  std::uint32_t verifications = 40;
  simulation world{1, 20'000}; ///< A day in some four seconds.
};

constexpr auto start_limit = 60s;
constexpr auto stop_limit = 30s;
/// Far more than the slowest verification takes at the slowest speed that is allowed.
constexpr auto story_limit = 5min;
/// What the node that is killed held is free after this. Not scaled: a second or so is what a
/// program needs to come back.
constexpr auto story_ttl = 2s;

class verification_story {
public:
  verification_story(const story_flags& flags, app::demo::node_process& node)
      : flags_(flags), node_(node), service_(flags.world.seed, flags.world.speed) {}

  /// What went wrong; empty when all is as promised.
  std::vector<std::string> run();

private:
  bool enqueue(client::connection& to);
  bool watch(onlooker& eyes);
  bool kill_and_restart(std::size_t at_work);
  void check_all(const onlooker& eyes);
  void tell_end(const onlooker& eyes) const;
  void tell_longest(const onlooker& eyes) const;
  bool failed(const std::string& what);

  const story_flags flags_;
  app::demo::node_process& node_;
  const simulated_service service_;
  const examples::teller teller_;
  std::vector<core::task_id> people_;
  std::vector<std::string> problems_;
};

bool verification_story::failed(const std::string& what) {
  problems_.push_back(what);
  return false;
}

std::vector<std::string> verification_story::run() {
  if (const auto started = node_.start(start_limit); !started) {
    failed(started.error().detail);
    return problems_;
  }
  teller_.say("a node with a private database runs, the handlers inside it");
  {
    client::peer_system configuration{client::peer_settings{}};
    caf::actor_system system{configuration};
    client::connection to_node{system, {"127.0.0.1", node_.port()}, {}, flags_.world.seed};
    if (enqueue(to_node)) {
      onlooker eyes{to_node, queue_name, service_, people_, flags_.world.seed};
      if (watch(eyes)) {
        check_all(eyes);
        tell_end(eyes);
      }
    }
  }
  if (node_.stop(stop_limit) != 0)
    failed("the node did not stop as it should");
  return problems_;
}

bool verification_story::enqueue(client::connection& to) {
  const auto made = to.ask<msg::queue_view>(msg::put_queue{queue_name, queue_policy(story_ttl)});
  if (!made)
    return failed("no queue: " + made.error().detail);
  core::uuid_source ids{flags_.world.seed};
  msg::enqueue_tasks batch{queue_name, {}};
  for (std::uint32_t i = 0; i < flags_.verifications; ++i) {
    auto& request = batch.tasks.emplace_back();
    request.task.value = ids.next(wall_time());
    request.type = task_type;
    request.body = R"({"person": )" + std::to_string(i + 1) + "}";
    people_.push_back(request.task);
  }
  const auto enqueued = to.ask<msg::task_outcomes>(batch);
  if (!enqueued)
    return failed("not enqueued: " + enqueued.error().detail);
  teller_.say(std::to_string(people_.size()) + " people hand in their documents");
  return true;
}

/// Until all have ended. The node is killed when a third has.
bool verification_story::watch(onlooker& eyes) {
  const auto until = wall_time() + story_limit;
  bool killed = false;
  while (eyes.ended() < people_.size()) {
    if (wall_time() > until)
      return failed("not all verifications have ended in time");
    if (const auto silent = eyes.look(wall_time); silent.code != core::errc::none)
      return failed("the node does not answer: " + silent.detail);
    if (!killed && eyes.ended() * 3 >= people_.size()) {
      killed = true;
      teller_.say(std::to_string(eyes.ended()) + " have their verdict");
      if (!kill_and_restart(eyes.at_work()))
        return false;
    }
  }
  teller_.say("all have their verdict");
  return true;
}

bool verification_story::kill_and_restart(std::size_t at_work) {
  node_.kill();
  if (node_.ended_within(stop_limit) != 128 + SIGKILL)
    return failed("the node could not be killed");
  teller_.say("the node is killed, at work on " + std::to_string(at_work) + " of the others");
  if (const auto started = node_.start(start_limit); !started)
    return failed(started.error().detail);
  teller_.say("it is back and goes on in the states that were stored");
  return true;
}

void verification_story::check_all(const onlooker& eyes) {
  for (const auto& what : eyes.objections())
    failed(what);
  for (const auto& [who, life] : eyes.seen()) {
    const auto truth = service_.truth(who);
    if (life.status != "COMPLETED")
      failed(core::to_string(who) + " ended as " + life.status);
    else if (life.path.back().second != truth)
      failed(core::to_string(who) + " is not " + std::string{to_string(truth)}
             + " as the service says");
    std::set<check> done;
    for (const auto& found : life.findings)
      if (!done.insert(found.what).second)
        failed(core::to_string(who) + " was checked twice for the same");
  }
}

/// The verification that was seen in the most states, as an example.
void verification_story::tell_longest(const onlooker& eyes) const {
  const auto longest =
      std::max_element(eyes.seen().begin(), eyes.seen().end(), [](const auto& a, const auto& b) {
        return a.second.path.size() < b.second.path.size();
      });
  std::cout << "\nOne of them, " << core::to_string(longest->first)
            << ", in hours of the world outside:\n";
  const auto& path = longest->second.path;
  for (const auto& [at, in] : path) {
    const std::chrono::duration<double, std::ratio<3600>> hours = at - path.front().first;
    char text[32];
    std::snprintf(text, sizeof text, "%8.1f  ", hours.count() * flags_.world.speed);
    std::cout << text << to_string(in) << '\n';
  }
  for (const auto& found : longest->second.findings)
    std::cout << "          " << to_string(found.what) << ' ' << to_string(found.says)
              << ", known by " << to_string(found.by) << '\n';
}

void verification_story::tell_end(const onlooker& eyes) const {
  std::size_t verified = 0;
  std::size_t reviewed = 0;
  std::size_t taken_over = 0;
  std::map<source, std::size_t> known_by;
  for (const auto& [who, life] : eyes.seen()) {
    verified += life.path.back().second == state::verified ? 1U : 0U;
    taken_over += life.crashes > 0 ? 1U : 0U;
    for (const auto& found : life.findings) {
      reviewed += found.what == check::manual_review ? 1U : 0U;
      ++known_by[found.by];
    }
  }
  tell_longest(eyes);
  const auto calls = [&](reception how) {
    const auto found = eyes.callbacks().find(how);
    return found == eyes.callbacks().end() ? 0U : found->second;
  };
  std::cout << "\nverified " << verified << ", rejected " << people_.size() - verified
            << "; reviewed by a person " << reviewed << "\nfindings known by callback "
            << known_by[source::callback] << ", by polling " << known_by[source::polling]
            << "\ncallbacks applied " << calls(reception::applied) << " ("
            << eyes.taken_from_others() << " took the task from a worker), not awaited any more "
            << calls(reception::not_awaited) << ", undone " << calls(reception::undone)
            << "\ntaken over from the killed node " << taken_over << '\n';
}

} // namespace

void add_story_command(CLI::App& cli, app::exit_code& result) {
  auto flags = std::make_shared<story_flags>();
  const auto options = [flags](CLI::App& command) {
    command.add_option("--verifications", flags->verifications, "How many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--speed", flags->world.speed, "How many seconds pass in one")
        ->check(CLI::Range(2'000.0, 100'000.0))
        ->capture_default_str();
    command.add_option("--seed", flags->world.seed, "Of all that is random in the service")
        ->capture_default_str();
  };
  const auto play = [flags](app::demo::node_process& node, const std::filesystem::path&) {
    set_environment(flags->world);
    return verification_story{*flags, node}.run();
  };
  examples::add_story_command(
      cli, result,
      "Verify some identities through a node that is killed meanwhile, and check that each ends "
      "once and as it should",
      options, [play] {
        // Leases are short here, so extensions must not be gathered for long.
        return examples::story{{"--set", "task.extension_delay=100ms"},
                               "each ended once, with the verdict of the service.",
                               play};
      });
}

} // namespace identity
