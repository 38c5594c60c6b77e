#pragma once

#include "client/task_handler.hpp"
#include "examples/bulk_actions/mailer.hpp"
#include "examples/bulk_actions/rules.hpp"
#include "examples/bulk_actions/store.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace bulk {

/// What the handlers of a node have to work with.
struct tools {
  std::shared_ptr<store> tables;
  std::function<std::unique_ptr<mailer>()> open_mailer; ///< For one run.
  /// For one run, too.
  std::function<std::unique_ptr<unit_port>(const client::task_context&)> open_units;
  std::filesystem::path exports; ///< The directory of the files.
  measure most;
  /// Between two chunks, to leave the database to others for a while; may be empty.
  std::function<void()> pause;
};

/// One execution of one task, chunk by chunk. It is made for its lease and ends with it; what it
/// has to know of earlier ones is in the bookmark.
class bulk_run {
public:
  bulk_run(const tools& with, const client::task_context& task, right needed);
  virtual ~bulk_run() = default;

  bulk_run(const bulk_run&) = delete;
  bulk_run& operator=(const bulk_run&) = delete;

  /// Until the task is finished, or this run cannot go on.
  client::outcome go();

protected:
  using chunk_work = std::function<void(transaction&, const staff_member& run_as)>;

  /// The next chunk. False when the lease is over.
  virtual bool chunk() = 0;
  /// How a finished task ends.
  virtual client::outcome ended();
  /// The task fails for good: nobody comes back to what was begun.
  virtual void given_up() {}
  /// Whether what the bookmark says is done is gone, so that all has to be done anew.
  virtual bool is_lost() const { return false; }

  /// Does `work` in a transaction with the bookmark in `at`. Looks before whether the rights are
  /// still there; a task that is finished has no work. False when the lease is over.
  bool transact(const chunk_work& work);
  /// The same for what has happened already, whoever may still do what.
  bool record(const std::function<void(transaction&)>& what);

  /// The people that are next. Moves the bookmark behind them: store it in the same transaction.
  std::vector<person> take(transaction& tx, const staff_member& run_as, const target& who,
                           std::size_t most);

  bool canceled() const { return task_.canceled(); }
  core::instant now() const { return task_.now(); }

  const tools& with_;
  const job job_;
  bookmark at; ///< As `transact` found it, and as the work moves it.

private:
  const client::task_context& task_;
  const right needed_;
  // People that were dealt with, by what is committed.
  std::optional<std::int64_t> done_before_; ///< When this run began.
  std::int64_t done_ = 0;
};

} // namespace bulk
