#pragma once

#include "examples/record_linker/entity_api.hpp"
#include "examples/record_linker/match_handler.hpp"
#include "examples/record_linker/node_port.hpp"
#include "tests/examples/memory_links.hpp"
#include "tests/examples/virtual_thread.hpp"
#include "tests/examples/virtual_worker.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// The example about links in virtual time: the real handler on fifty workers that are all in the
/// midst of something, on a real node, against an API that has its limits and its bad days.
namespace holdfast::test {

/// How often each thing happened, so that a test can see that it did.
struct linker_counts {
  std::uint64_t deaths = 0;       ///< Of workers, while they waited for the API.
  std::uint64_t hung = 0;         ///< Calls that took longer than the lease.
  std::uint64_t refused = 0;      ///< What those handed in then.
  std::uint64_t rate_limited = 0; ///< Times that the node was told of a 429.
  std::uint64_t failed_calls = 0; ///< In an outage.
  std::uint64_t dropped = 0;      ///< Tasks that were done without writing anything.
};

class linker_world : public node_fixture, private linker::node_port {
public:
  explicit linker_world(std::uint64_t seed);
  ~linker_world();

  /// Enters a project with so many records, not asked for yet.
  void add_project(std::uint32_t project, std::size_t records, const std::string& credential);
  void out_of_order(core::duration from, core::duration until); ///< Counted from now.
  void poison(const std::string& label) { poisoned_.insert(label); }
  void run_for(core::duration span);
  /// Until the queue has no live task.
  void run_until_empty(core::duration limit);

  linker::node_port& port() { return *this; }
  /// A worker does the sweep that the schedule has made; what came of it.
  std::string sweep_as_scheduled();
  msg::queue_statistics queue_counts();
  /// Workers that are waiting for the API about a record of the project.
  std::size_t at_work_on(std::uint32_t project) const;
  /// Most that were ever at work at once.
  std::size_t most_at_work() const { return most_at_work_; }
  linker::reply truth(const std::string& label) const;

  /// What was promised about the API and its calls.
  void check_rates() const;
  void check_pauses_after_429() const;
  void check_calls_per_record() const;

  const std::shared_ptr<memory_links> links = std::make_shared<memory_links>();
  linker_counts counts;

private:
  struct worker;
  class api_at_work;
  /// What happened to a record.
  struct account {
    std::uint32_t verdicts = 0; ///< The API said what the record matches, or that it never will.
    std::uint32_t losses = 0;   ///< Workers that died or hung over it.
  };
  struct pause {
    std::string credential;
    core::instant from;
    core::instant until;
  };

  core::outcome<msg::task_outcomes> ask(const msg::enqueue_tasks& request) override;
  core::outcome<msg::task_view> ask(const msg::get_task& request) override;
  core::outcome<msg::tasks_redriven> ask(const msg::redrive_tasks& request) override;
  core::outcome<msg::queue_statistics> ask(const msg::get_queue_statistics& request) override;

  linker::reply called(const std::string& label, const std::string& credential);
  bool chance(double probability);
  bool serve(worker& who);
  void claim(worker& who);
  void begin(worker& who, const msg::leased_task& task);
  void go_on(worker& who);
  void hand_in(worker& who);
  void die(worker& who);
  core::instant next_wake() const;

  const std::uint64_t seed_;
  linker::simulated_api api_;
  std::unique_ptr<linker::match_handler> handler_;
  std::vector<std::unique_ptr<worker>> workers_;
  worker* running_ = nullptr;          ///< Whose thread has the turn.
  std::vector<virtual_worker> silent_; ///< Died without a word: the node sees them connected.
  std::vector<std::pair<core::instant, core::instant>> outages_;
  std::set<std::string> poisoned_;
  std::vector<linker::api_call> calls_;
  std::vector<pause> pauses_;
  std::map<std::string, account> books_; ///< By label.
  std::size_t most_at_work_ = 0;
  std::uint64_t names_ = 0;
};

} // namespace holdfast::test
