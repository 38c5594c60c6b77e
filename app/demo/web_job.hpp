#pragma once

#include "app/demo/crew.hpp"
#include "app/demo/kill_schedule.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/observer.hpp"
#include "app/demo/progress.hpp"
#include "app/main_loop.hpp"
#include "core/outcome.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::app::demo {

struct web_job_settings {
  double speed = 1; ///< Of the first half.
  std::uint64_t seed = 1;
  double per_second = 1; ///< Judgments of the second half.
  std::string http_port; ///< Of the pages, on loopback.
  std::string data_dir;
  bool is_kept = false; ///< The data directory.
  bool json = false;
  bool live = false; ///< Show the progress of the second half, too.
};

/// A recorded job to look at: its contributors do the first half at once and the second half
/// slowly, so that a person can watch them and label units beside them. The node is another
/// process, and is started again whenever it is killed.
class web_job {
public:
  /// All of them outlive the job; the node is running.
  web_job(const std::vector<dataset>& sets, web_job_settings settings, node_process& node,
          progress_bar& bar, main_loop& loop);
  ~web_job();

  web_job(const web_job&) = delete;
  web_job& operator=(const web_job&) = delete;

  /// Runs until SIGINT or SIGTERM. The detail of a failure is for people. The node is still running
  /// after success.
  core::outcome<bool> run();

private:
  /// Addresses for the person.
  struct places {
    std::string console; ///< Signs in.
    std::string label;
    std::string label_as_contributor; ///< Signs in.
  };

  core::outcome<bool> load();
  void send_contributors();
  core::outcome<bool> run_first_half();
  core::outcome<bool> tell_places();
  core::outcome<bool> run_second_half();
  core::outcome<bool> tend_node();
  core::outcome<std::string> make_link(const std::string& role, const std::string& contributor);
  std::string text_of_places(const places& of);
  void show_progress();
  /// On stdout: the text for people, or the event as a line of JSON with its particulars, an object
  /// or null.
  void tell(const char* event, const nlohmann::ordered_json& particulars, const std::string& text);

  const std::vector<dataset>& sets_;
  const web_job_settings settings_;
  const std::string pages_; ///< Their address, without a path.
  node_process& node_;
  progress_bar& bar_;
  main_loop& loop_;

  std::uint64_t units_ = 0;
  std::uint64_t judgments_ = 0;
  std::size_t contributors_ = 0;
  kill_schedule no_kills_; ///< The node is killed by the person, or not at all.
  std::shared_ptr<tally> tally_;
  std::shared_ptr<observed> seen_;
  std::shared_ptr<work_pace> pace_;
  std::vector<loaded_set> loaded_;
  std::chrono::steady_clock::time_point up_since_;
  unsigned early_ends_ = 0; ///< In a row, each soon after the node was up.
  std::unique_ptr<demo_peer> peer_;
};

} // namespace holdfast::app::demo
