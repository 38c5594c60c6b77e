#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/printable.hpp"
#include "app/read_input.hpp"
#include "app/task_verbs.hpp"
#include "app/time_option.hpp"
#include "client/id_source.hpp"
#include "http/shapes/task_shapes.hpp"
#include "messages/task_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

/// Tasks of one request; below the node's `limits.batch_rows` in any useful configuration.
constexpr std::size_t tasks_per_request = 100;

struct enqueue_flags {
  cluster_flags cluster;
  std::string queue;
  msg::task_request task; ///< All but the body; of an envelope, what it does not say.
  std::string id;
  std::string body = "{}";
  std::string file;
  std::string run_at;
  bool lines = false;
  bool envelopes = false;
  bool json = false;
};

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    if (text.find_first_not_of(" \t\r", from) < end)
      lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

core::outcome<msg::task_outcomes> enqueue(const enqueue_flags& flags,
                                          const client::connection& cluster,
                                          const std::vector<std::string>& bodies,
                                          client::id_source& ids) {
  if (flags.envelopes) {
    msg::enqueue_envelopes request{flags.queue, {}};
    for (const auto& body : bodies)
      request.envelopes.push_back({body, flags.task.priority, flags.task.key, flags.task.credential,
                                   flags.task.unique_key, flags.task.reject_duplicate,
                                   flags.task.run_at, flags.task.owner_id, flags.task.run_as_id});
    return cluster.ask<msg::task_outcomes>(request);
  }
  msg::enqueue_tasks request{flags.queue, {}};
  for (const auto& body : bodies) {
    auto task = flags.task;
    if (!task.task)
      task.task = {ids.next()};
    task.body = body;
    request.tasks.push_back(std::move(task));
  }
  return cluster.ask<msg::task_outcomes>(request);
}

/// Says on stdout which task is there, or on stderr why none is.
bool tell_outcome(const msg::task_outcome& outcome, const client::connection& cluster, bool json) {
  const bool good = outcome.refusal == core::errc::none;
  if (json)
    std::cout << answer_in_json(outcome, cluster.now()) << '\n';
  else if (good)
    std::cout << core::to_string(outcome.task)
              << (outcome.repeated ? " was there already\n" : " is enqueued\n");
  if (!good)
    refuse({outcome.refusal, outcome.detail}, exit_code::failed_check);
  return good;
}

exit_code run(enqueue_flags flags) {
  if (!read_time(flags.run_at, "--run-at", flags.task.run_at))
    return exit_code::usage;
  if (!flags.id.empty()) {
    const auto id = id_in<core::task_id>(flags.id, "--id");
    if (!id)
      return exit_code::usage;
    flags.task.task = *id;
  }
  if (!flags.file.empty()) {
    auto read = read_input(flags.file);
    if (!read)
      return refuse(read.error(), exit_code::usage);
    flags.body = std::move(*read);
  }
  const auto bodies = flags.lines ? lines_in(flags.body) : std::vector<std::string>{flags.body};
  if (bodies.size() > 1 && flags.task.task)
    return refuse({core::errc::invalid_argument, "--id is of one task, and there are "
                                                     + std::to_string(bodies.size()) + " lines"},
                  exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    client::id_source ids;
    bool good = true;
    for (auto from = bodies.begin(); from != bodies.end();) {
      const auto count = std::min<std::ptrdiff_t>(tasks_per_request, bodies.end() - from);
      const auto done = enqueue(flags, cluster, {from, from + count}, ids);
      if (!done)
        return refused_by_node(done.error());
      for (const auto& outcome : done->outcomes)
        good = tell_outcome(outcome, cluster, flags.json) && good;
      from += count;
    }
    return good ? exit_code::ok : exit_code::failed_check;
  });
}

} // namespace

void add_enqueue(CLI::App& tasks, exit_code& result) {
  const auto flags = std::make_shared<enqueue_flags>();
  auto* command = tasks.add_subcommand("enqueue", "Make a task, or one of each line of a file");
  flags->cluster.add_to(*command);
  auto& task = flags->task;
  command->add_option("QUEUE", flags->queue, "Name of the queue")->required();
  auto* type =
      command->add_option("TYPE", task.type, "Type of the task, which chooses its handler");
  auto* body = command->add_option("BODY", flags->body, "Its body in JSON")->capture_default_str();
  command->add_option("--file", flags->file, "Read the body from a file; - is the standard input")
      ->type_name("FILE")
      ->excludes(body);
  command->add_flag("--lines", flags->lines, "Make a task of each line that is not empty");
  auto* envelopes = command->add_flag(
      "--envelope", flags->envelopes,
      "The body is a job envelope, see docs/API.md, which says id, type and all that is in it");
  command->add_option("--id", flags->id, "Its id, under which it is made only once; else a new one")
      ->type_name("TASK")
      ->excludes(envelopes);
  command->add_option("--version", task.version, "Version of the body's form")
      ->type_name("VERSION")
      ->capture_default_str()
      ->excludes(envelopes);
  command->add_option("--state", task.state, "Its first state; else that of its type")
      ->type_name("STATE")
      ->excludes(envelopes);
  command->add_option("--data", task.data, "JSON that belongs to the state")
      ->type_name("JSON")
      ->capture_default_str()
      ->excludes(envelopes);
  command->add_option("--max-attempts", task.max_attempts, "Attempts; else as the queue says")
      ->type_name("N")
      ->excludes(envelopes);
  command->add_option("--priority", task.priority, "Higher goes first")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--key", task.key, "Shares and limits of the queue are per key")
      ->type_name("KEY");
  command->add_option("--credential", task.credential, "Rate limits are per credential")
      ->type_name("NAME");
  command->add_option("--unique-key", task.unique_key, "At most one live task of the queue has it")
      ->type_name("KEY");
  command->add_flag("--reject-duplicate", task.reject_duplicate,
                    "Refuse when the unique key is taken; else tell the task that has it");
  command->add_option("--run-at", flags->run_at, "Not before this time")->type_name("TIME");
  command->add_option("--owner", task.owner_id, "The end user who asks for it")->type_name("ID");
  command->add_option("--run-as", task.run_as_id, "The user under whom it runs")->type_name("ID");
  command->add_flag("--json", flags->json, "Print one JSON object for each task, one on each line");
  command->callback([flags, type, &result] {
    if (type->empty() && !flags->envelopes)
      throw CLI::RequiredError("TYPE");
    result = run(*flags);
  });
}

namespace {

struct eject_flags {
  cluster_flags cluster;
  std::string task;
  std::string at;
  msg::eject_task request;
  bool json = false;
};

exit_code eject(eject_flags flags) {
  if (!read_time(flags.at, "--at", flags.request.next_action))
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto id = find_task(cluster, flags.task, "TASK");
    if (!id)
      return refuse_id(id.error());
    flags.request.task = *id;
    client::id_source ids;
    flags.request.claim = {ids.next()};
    const auto given = cluster.ask<msg::leased_tasks>(flags.request);
    if (!given)
      return refused_by_node(given.error());
    if (flags.json)
      std::cout << answer_in_json(*given, cluster.now()) << '\n';
    else
      std::cout << core::to_string(*id) << " is ejected\n";
    return exit_code::ok;
  });
}

} // namespace

void add_eject(CLI::App& tasks, exit_code& result) {
  const auto flags = std::make_shared<eject_flags>();
  auto* command = tasks.add_subcommand(
      "eject", "Take it from its worker, because something better is known, such as by a callback");
  flags->cluster.add_to(*command);
  auto& request = flags->request;
  command->add_option("QUEUE", request.queue, "Name of the queue")->required();
  command->add_option("TASK", flags->task, "Id of the task, or how it begins")->required();
  command->add_option("--state", request.update.state, "Its new state; else the one that it has")
      ->type_name("STATE");
  command->add_option("--data", request.update.data, "JSON that belongs to the state")
      ->type_name("JSON");
  command->add_option("--at", flags->at, "Not before this time; else at once")->type_name("TIME");
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = eject(*flags); });
}

} // namespace holdfast::app
