#pragma once

#include "client/task_handler.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "examples/bulk_actions/people.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The decisions of bulk actions, as pure functions: who may, how far a task is, and how it goes on
/// when something is in its way.
namespace bulk {

using namespace holdfast;

inline constexpr const char* queue_name = "bulk";

/// The policy of the queue, as JSON.
std::string queue_policy(core::duration ttl);

// --- who may ---

/// Why a task of this right may not run for `owner` under the rights of `run_as`; empty when it
/// may. Asked at submit and again with every chunk, because rights come and go.
std::string objection_to(right needed, const std::optional<staff_member>& owner,
                         const std::optional<staff_member>& run_as);

// --- how far a task is ---

/// How much is done at once, and at most.
struct measure {
  std::size_t people_per_chunk = 200;
  std::size_t rows_per_chunk = 500; ///< Of an export.
  std::size_t mails_per_chunk = 25;
  std::int64_t targets_max = 50'000;
  std::int64_t at_once_max = 100; ///< As many are done while the caller waits, if they like.
  std::int64_t export_rows_max = 100'000; ///< More are refused: a file that is cut looks whole.
  /// How long those are left alone whose mail server has said "later".
  core::duration put_off_for = std::chrono::minutes{5};
};

/// Where a task is: a row of the application's own, written in the transaction of the chunk that it
/// follows. So a chunk is done when, and only when, the bookmark is behind it.
struct bookmark {
  std::int64_t position = 0;  ///< The last person that was dealt with, or how many newcomers were.
  std::int64_t done = 0;      ///< People that were dealt with.
  std::int64_t refused = 0;   ///< Of these, those that a mail server, or a node, refused.
  std::int64_t total = -1;    ///< How many there were to begin with; -1: not counted yet.
  std::int64_t bytes = 0;     ///< Of the file, as far as its rows are done.
  core::token file_token = 0; ///< Whose file has them.
  bool finished = false;      ///< From then on it is immune to being run again.
};

/// The bookmark after a chunk of `people`, of whom the last has this id. Fewer than were asked for
/// are the last.
bookmark after_chunk(bookmark at, std::size_t people, std::size_t asked_for, person_id last);

/// 0 to 100. A query is live, so there may come fewer or more than were counted: 100 means that it
/// is finished.
std::uint32_t percent(const bookmark& at);

/// What Holdfast is told of the bookmark, for operators: progress that no worker relies on.
msg::task_update progress(const bookmark& at);

// --- when something is in its way ---

/// Thrown by a chunk that cannot be done. Nothing of it was written.
struct trouble {
  std::string code; ///< From the catalogue.
  std::string detail;
  core::failure_kind kind = core::failure_kind::transient;
  core::duration retry_after{}; ///< Not before.
};

/// How a task goes on. One that got anywhere under this lease comes back soon and uses up no try:
/// so a million mails may meet any number of short outages, and yet nothing is tried for ever.
client::outcome outcome_of(const trouble& what, bool got_on, core::instant now);

} // namespace bulk
