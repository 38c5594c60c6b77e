#include "app/cluster_command.hpp"

#include "app/node_endpoint.hpp"
#include "app/node_link.hpp"
#include "app/printable.hpp"
#include "app/reach.hpp"
#include "app/wiring.hpp"
#include "client/endpoint.hpp"
#include "client/peer_system.hpp"
#include "messages/operations.hpp"

#include <caf/actor_system.hpp>
#include <unistd.h>

#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

core::outcome<std::vector<client::endpoint>> nodes_of(const config::loaded& loaded,
                                                      const std::string& nodes) {
  if (!nodes.empty()) {
    auto named = client::endpoints_of(nodes, std::nullopt);
    if (named)
      for (auto& node : *named)
        use_link(node, loaded.values);
    return named;
  }
  auto own = own_endpoint(loaded);
  if (!own)
    return own.error();
  return std::vector<client::endpoint>{std::move(*own)};
}

} // namespace

void cluster_flags::add_to(CLI::App& command) {
  configuration.add_to(command);
  command
      .add_option("--node", nodes,
                  "One or more nodes of the cluster; without it, the node of this configuration")
      ->type_name("HOST:PORT,...");
  timeout = command
                .add_option("--timeout", timeout_seconds,
                            "Seconds to wait for a node and for its answers; without it, a node "
                            "that does not answer at all is given up after two")
                ->type_name("SECONDS")
                ->check(CLI::Range(0.1, 3600.0))
                ->capture_default_str();
}

void cluster_flags::add_watch_to(CLI::App& command) { add_watch_option(command, watch); }

void add_watch_option(CLI::App& command, std::string& seconds) {
  // A flag, so that a name that follows is not taken for the number.
  command
      .add_flag("--watch{2}", seconds,
                "Show it again every 2 seconds, or as many as --watch=SECONDS says, until "
                "interrupted")
      ->check(CLI::Range(0.1, 3600.0));
}

void watch_pause(const std::string& seconds) {
  std::cout.flush();
  std::this_thread::sleep_for(std::chrono::duration<double>{std::stod(seconds)});
  if (::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1)
    guarded_output::terminal() << "\x1b[H\x1b[2J" << std::flush; // to the top of an empty screen
}

std::chrono::milliseconds cluster_flags::patience() const {
  constexpr std::chrono::milliseconds at_once{1800};
  return timeout == nullptr || timeout->empty()
             ? at_once
             : std::chrono::milliseconds{static_cast<std::int64_t>(timeout_seconds * 1e3)};
}

exit_code with_cluster(const cluster_flags& flags,
                       const std::function<exit_code(client::connection&)>& what) {
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto nodes = nodes_of(loaded, flags.nodes);
  if (!nodes)
    return refuse(nodes.error(), exit_code::configuration);
  if (const auto why = why_unreachable(*nodes, flags.patience()); !why.empty()) {
    std::cerr << "holdfast: " << printable_lines(why) << '\n';
    return exit_code::unreachable;
  }
  client::peer_system configuration{peer_settings_of(loaded.values)};
  caf::actor_system system{configuration};
  client::retry_policy retry;
  retry.deadline = core::duration{static_cast<std::int64_t>(flags.timeout_seconds * 1e6)};
  client::connection node{system, *nodes, retry, std::random_device{}()};
  auto result = what(node);
  while (!flags.watch.empty() && result == exit_code::ok) {
    watch_pause(flags.watch);
    result = what(node);
  }
  return result;
}

exit_code refuse(const core::failure& why, exit_code how) {
  std::cerr << "holdfast: " << core::to_string(why.code) << ": " << printable_lines(why.detail)
            << '\n';
  return how;
}

exit_code refused_by_node(const core::failure& why) {
  return refuse(why, why.code == core::errc::unavailable ? exit_code::unreachable
                                                         : exit_code::failed_check);
}

namespace {

constexpr std::size_t digits_of_id = 32;
constexpr std::size_t least_digits = 6;

} // namespace

std::optional<core::uuid> before_prefix(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != '-')
      digits += c;
  if (digits.size() < least_digits || digits.size() > digits_of_id)
    return std::nullopt;
  digits.resize(digits_of_id, '0');
  std::string whole;
  for (std::size_t i = 0; i < digits_of_id; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      whole += '-';
    whole += digits[i];
  }
  auto id = core::parse_uuid(whole);
  // Less by one: a list begins after the id that it is given.
  for (std::size_t i = id ? id->bytes.size() : 0; i > 0; --i)
    if (id->bytes[i - 1]-- != 0)
      break;
  return id;
}

core::outcome<core::uuid> only_one(const std::string& text, std::string_view word,
                                   const std::vector<core::uuid>& following) {
  const auto prefix = *before_prefix(text);
  std::vector<std::string> alike;
  const auto digits_in = [](const std::string& from) {
    std::string digits;
    for (const char c : from)
      if (c != '-')
        digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return digits;
  };
  for (const auto& id : following)
    if (prefix < id && digits_in(core::to_string(id)).rfind(digits_in(text), 0) == 0)
      alike.push_back(core::to_string(id));
  if (alike.size() == 1)
    return *core::parse_uuid(alike.front());
  const std::string of{word};
  if (alike.empty())
    return core::failure{core::errc::not_found, of + ": no id begins with " + text};
  auto candidates = of + ": several ids begin with " + text + ":";
  for (const auto& id : alike)
    candidates += '\n' + id;
  return core::failure{core::errc::invalid_argument, candidates};
}

namespace {

template <class Request, class Id, class Ids>
core::outcome<Id> find_listed(const client::connection& cluster, const std::string& text,
                              std::string_view word, Ids ids_of) {
  return find_id<Id>(text, word,
                     [&](const Id& after, std::uint32_t most) -> core::outcome<std::vector<Id>> {
                       Request request;
                       request.after = after;
                       request.limit = most;
                       const auto page = cluster.ask<msg::answer_to<Request>>(request);
                       if (!page)
                         return page.error();
                       return ids_of(*page);
                     });
}

} // namespace

core::outcome<core::task_id> find_task(const client::connection& cluster, const std::string& text,
                                       std::string_view word) {
  return find_listed<msg::list_tasks, core::task_id>(cluster, text, word,
                                                     [](const msg::task_page& page) {
                                                       std::vector<core::task_id> ids;
                                                       for (const auto& one : page.tasks)
                                                         ids.push_back(one.task);
                                                       return ids;
                                                     });
}

exit_code refuse_id(const core::failure& why) {
  return why.code == core::errc::invalid_argument ? refuse(why, exit_code::usage)
                                                  : refused_by_node(why);
}

std::optional<core::message_id> message_named(std::string_view text) {
  core::message_id id;
  const auto* end = text.data() + text.size();
  const auto shard = std::from_chars(text.data(), end, id.shard);
  if (shard.ec != std::errc{} || shard.ptr == end || *shard.ptr != '-')
    return std::nullopt;
  const auto seq = std::from_chars(shard.ptr + 1, end, id.seq);
  if (seq.ec != std::errc{} || seq.ptr != end)
    return std::nullopt;
  return id;
}

} // namespace holdfast::app
