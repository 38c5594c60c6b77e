#include "app/cluster_command.hpp"
#include "app/main_loop.hpp"
#include "app/printable.hpp"
#include "app/shell_handler.hpp"
#include "app/task_verbs.hpp"
#include "client/worker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

/// The payload that a node takes is smaller in every configuration; what is above is refused here,
/// before it fills the memory.
constexpr std::size_t result_bytes_max = std::size_t{16} * 1024 * 1024;

struct claim_flags {
  cluster_flags cluster;
  core::queue_name queue;
  std::vector<std::string> types;
  std::string name = "shell";
  std::uint32_t threads = 1;
  std::uint32_t most = 0; ///< 0: until it is stopped.
  double retry_after_seconds = 0;
  double grace_seconds = 30;
  shell_options shell;
};

core::duration seconds_in(double seconds) {
  return core::duration{static_cast<std::int64_t>(seconds * 1e6)};
}

/// Does so many tasks, on one thread. The last one ends after the worker has been told to stop: it
/// would take another at once.
class limited_handler : public client::task_handler {
public:
  limited_handler(std::shared_ptr<client::task_handler> inner, std::uint32_t most, main_loop& loop)
      : inner_(std::move(inner)), most_(most), loop_(loop), stops_(stopping_.get_future()) {}

  outcome run(const client::task_context& task) override {
    if (most_ == 0)
      return inner_->run(task);
    if (finished_)
      return client::wait_until{};
    auto how = inner_->run(task);
    if (++ended_ == most_) {
      finished_ = true;
      loop_.post([] {}); // wakes the main thread
      stops_.wait();
    }
    return how;
  }

  bool finished() const { return finished_; }
  /// The worker stops now. Once.
  void stop() { stopping_.set_value(); }

private:
  std::shared_ptr<client::task_handler> inner_;
  const std::uint32_t most_;
  main_loop& loop_;
  std::uint32_t ended_ = 0;
  std::atomic<bool> finished_{false};
  std::promise<void> stopping_;
  std::future<void> stops_;
};

void print_end(const client::worker_counts& counts) {
  std::cerr << "holdfast: " << counts.completed << " tasks completed, " << counts.failed
            << " attempts failed, " << counts.released << " given back, " << counts.lost
            << " lost\n";
}

exit_code claim(const claim_flags& flags) {
  main_loop loop; // before the threads of the connection, so that signals come to this one
  const auto options = [&] {
    auto shell = flags.shell;
    shell.queue = flags.queue;
    shell.retry_after = seconds_in(flags.retry_after_seconds);
    shell.output_bytes_max = result_bytes_max;
    return shell;
  }();
  return with_cluster(flags.cluster, [&](client::connection& cluster) {
    client::worker_settings settings;
    settings.queue = flags.queue;
    settings.name = flags.name;
    settings.threads = flags.threads;
    settings.grace = seconds_in(flags.grace_seconds);
    settings.on_problem = [&loop](const client::worker_problem& problem) {
      auto text = problem.what + ": " + std::string{core::to_string(problem.why.code)} + ": "
                  + printable(problem.why.detail);
      loop.post([line = std::move(text)] { std::cerr << "holdfast: " << line << '\n'; });
    };
    const auto handler = std::make_shared<limited_handler>(std::make_shared<shell_handler>(options),
                                                           flags.most, loop);
    client::worker worker{cluster, settings};
    for (const auto& type : flags.types)
      worker.handle(type, handler);
    worker.start();
    while (loop.signaled() == 0 && !handler->finished())
      loop.run_for(-1);
    handler->stop();
    worker.stop();
    loop.run_for(0); // problems of the last moment
    print_end(worker.counts());
    return exit_code::ok;
  });
}

} // namespace

void add_claim(CLI::App& tasks, exit_code& result) {
  const auto flags = std::make_shared<claim_flags>();
  auto* command = tasks.add_subcommand(
      "claim", "Do tasks with a command of the shell, until SIGTERM: a worker without a program");
  flags->cluster.add_to(*command);
  command->add_option("QUEUE", flags->queue, "Name of the queue")->required();
  command
      ->add_option("--exec", flags->shell.command,
                   "For /bin/sh: gets the body on its standard input, and writes the result, which "
                   "is JSON, to its standard output. Exit code 0 completes the task, 65 fails it "
                   "for good, 75 puts it off without an attempt, every other one fails an attempt")
      ->type_name("COMMAND")
      ->required();
  command->add_option("--type", flags->types, "Take tasks of this type; may be repeated")
      ->type_name("TYPE")
      ->expected(1)
      ->take_all()
      ->required();
  command->add_flag("--text", flags->shell.result_is_text,
                    "The output is no JSON: it becomes a JSON string, without its last line end");
  command->add_option("--name", flags->name, "Of the worker, for people")->capture_default_str();
  auto* threads = command->add_option("--threads", flags->threads, "Commands that run at once")
                      ->type_name("N")
                      ->check(CLI::Range(1U, 1000U))
                      ->capture_default_str();
  command->add_option("--most", flags->most, "End after so many tasks, one after the other")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(threads);
  command
      ->add_option("--retry-after", flags->retry_after_seconds,
                   "Seconds for which exit code 75 puts a task off, at least")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command
      ->add_option(
          "--grace", flags->grace_seconds,
          "Seconds that running commands have to end after SIGTERM; then they get it, too, "
          "and their tasks are given back")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command->callback([flags, &result] { result = claim(*flags); });
}

} // namespace holdfast::app
