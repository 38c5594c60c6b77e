#pragma once

#include "core/change.hpp"
#include "core/workflow_versions.hpp"
#include "messages/work_messages.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::sim {

/// The auditor's conclusions from commits and acknowledgements. They are a value: when the
/// database goes back to an earlier copy of its tables, the auditor goes back to the memory of the
/// same moment. Requests that clients have sent, and the numbers that were ever given out, are kept
/// elsewhere and do not go back.
struct auditor_memory {
  struct granted {
    core::contributor_id owner;
    core::assignment_id assignment;
  };
  /// A result that a unit had, and where it went with it.
  struct outcome {
    std::string result;
    std::int16_t route = core::no_route;
  };
  struct unit_memory {
    core::step_id step;
    core::unit_state state = core::unit_state::judgable;
    std::map<core::token, granted> tokens;
    std::set<core::unit_state> states; ///< All it has ever had.
    // Events so far.
    std::uint32_t announced = 0;
    std::uint32_t judged = 0;
    std::uint32_t finalized = 0;
    std::uint32_t told_reopened = 0;
    std::uint32_t told_withdrawn = 0;
    std::uint32_t canceled = 0;
    bool canceled_with_parent = false; ///< So it was told.
    std::uint32_t tested = 0;
    std::uint32_t told_reinstated = 0;
    std::uint32_t restored = 0; ///< Judgments, as it has written.
    core::instant finalized_at;
    std::uint32_t reopened = 0;
    std::set<std::string> results;      ///< All it has ever had.
    std::vector<outcome> outcomes;      ///< The same, one after the other.
    bool withdrawn = false;             ///< It was canceled when it was finalized.
    std::set<core::judgment_id> behind; ///< Those that counted when it got the last one.
    core::unit_id batch;                ///< Of which it is part.
    std::vector<core::unit_id> members; ///< Of a batch, in its order; also when it is taken apart.
    std::uint32_t ungathered = 0;       ///< How often it was taken out of a batch.
    bool taken_apart = false;           ///< A batch whose units wait again.
    bool entered = false;               ///< It has been counted in its step.
  };
  struct step_memory {
    std::uint64_t units = 0;
    std::uint64_t finished = 0;
    std::uint64_t reopened = 0; ///< Results that were taken back.
    std::uint64_t reissued = 0; ///< Of these, so it was told: others had been made from them.
    std::uint64_t revision = 0;
    core::step_status status = core::step_status::open;
    std::uint64_t flagged = 0; ///< ContributorFlagged.
    std::uint64_t stood = 0;   ///< Standings that were written.
    bool was_sealed = false;   ///< At some time.
  };
  struct shard_memory {
    std::size_t rows = 0;
    core::event_seq last = 0;
    core::epoch epoch = 0;
    std::uint64_t batch_seq = 0;
    std::uint64_t batches = 0; ///< Sequence number of its last batch.
  };
  std::map<std::pair<core::step_id, core::contributor_id>, core::contributor_standing> stood_;
  std::set<core::unit_id> ever_forgiven_;
  std::unordered_map<core::unit_id, unit_memory> units_;
  std::map<core::step_id, step_memory> steps_;
  std::map<core::shard_id, shard_memory> shards_;
  std::map<core::judgment_id, std::uint32_t> received_;
  std::map<std::pair<std::string, core::message_id>, std::uint32_t> applied_;

  // Acknowledged requests.
  std::map<core::judgment_id, msg::submit_judgment> judgments_;
  std::map<core::judgment_id, msg::submit_judgment> surplus_; ///< Answered as that.
  /// Questions whose answer had been acknowledged when their contributor asked for feedback.
  std::set<std::pair<core::unit_id, core::contributor_id>> feedback_due_;
  /// Of a unit whose lineage was asked for: what had been acknowledged of its item by then.
  std::map<core::unit_id, std::set<core::judgment_id>> to_be_told_;
  /// The lease that each assignment was first granted, by its unit and token.
  std::map<core::assignment_id, std::pair<core::unit_id, core::token>> named_;
  std::set<std::pair<core::step_id, std::string>> keys_;
  std::map<core::workflow_id, std::uint32_t> acknowledged_versions_;
  std::map<core::workflow_id, std::vector<std::string>> definitions_; ///< As last seen.
  struct missed_steps {
    std::vector<core::step_id> open; ///< When they were missed.
    core::instant since;
  };
  std::map<core::contributor_id, missed_steps> missed_; ///< By searches.

  struct known_workflow {
    core::versioned_workflow versions;
    std::vector<core::step_id> steps; ///< By position.
  };
  mutable std::map<core::workflow_id, known_workflow> workflows_;
};

} // namespace holdfast::sim
