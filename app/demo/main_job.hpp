#pragma once

#include "app/demo/audit.hpp"
#include "app/demo/dataset.hpp"
#include "app/demo/kill_schedule.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/observer.hpp"
#include "app/demo/progress.hpp"
#include "app/demo/report.hpp"
#include "app/demo/tally.hpp"
#include "app/main_loop.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app::demo {

struct demo_peer;

struct main_job_settings {
  double speed = 1;
  std::uint32_t kills = 0;
  std::uint64_t seed = 1;
};

/// A real labelling job from start to end: loads the sets into a node, lets the recorded
/// contributors work, kills the node meanwhile and starts it again, and compares the outcome with
/// the recording. The node is another process; this one is the peer in which the contributors live.
class main_job {
public:
  /// All of them outlive the job; the node is running.
  main_job(const std::vector<dataset>& sets, const main_job_settings& settings, node_process& node,
           const std::string& data_dir, progress_bar& bar, main_loop& loop);
  ~main_job();

  main_job(const main_job&) = delete;
  main_job& operator=(const main_job&) = delete;

  /// Does everything and says what came out. The node is still running then.
  demo_report run();

private:
  bool load();
  void start_contributors();
  bool await_contributors();
  bool restart_node();
  bool await_completion();
  bool play_second_act();
  void inspect();
  bool failed(const std::string& what);
  void show_progress();

  const std::vector<dataset>& sets_;
  const main_job_settings settings_;
  node_process& node_;
  const std::string data_dir_;
  progress_bar& bar_;
  main_loop& loop_;

  std::uint64_t units_ = 0;
  std::uint64_t judgments_ = 0;
  kill_schedule kills_;
  std::shared_ptr<tally> tally_;
  std::shared_ptr<observed> seen_;
  std::vector<loaded_set> loaded_;
  demo_report report_;

  std::unique_ptr<demo_peer> peer_;
};

} // namespace holdfast::app::demo
