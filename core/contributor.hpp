#pragma once

#include "core/ids.hpp"
#include "core/trust_course.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// What a contributor may do in a step. The numbers are stored.
enum class contributor_standing : std::uint8_t {
  working = 1,
  removed = 2, ///< Gets no more units there; what they handed in does not count.
};

/// Why a standing is what it is. The numbers are stored.
enum class standing_reason : std::uint8_t {
  quiz_failed = 1,    ///< The quiz cannot be passed any more.
  test_questions = 2, ///< All but certainly right too seldom.
  requester = 3,      ///< Somebody said so.
  forgiven = 4,       ///< Back at work: a question was forgiven that had spoken against them.
};

/// The names in events, reports and messages.
std::string_view to_string(contributor_standing standing);
std::string_view to_string(standing_reason reason);

/// What says that the work of somebody is worth a look. The numbers are stored.
enum class monitor : std::uint8_t {
  agreement = 1, ///< Agrees with the others hardly more than chance would.
  copying = 2,   ///< Makes the same mistakes as somebody else.
  patterns = 3,  ///< Answers as though nobody had read the questions.
  speed = 4,     ///< Half of the work took far less time, or far more, than others take.
};

inline constexpr monitor all_monitors[] = {monitor::agreement, monitor::copying, monitor::patterns,
                                           monitor::speed};

/// The names in definitions and messages.
std::string_view to_string(monitor what);
std::optional<monitor> monitor_named(std::string_view name);

/// Which parts of its history quality control of a step needs.
struct history_scope {
  bool tests = false;  ///< `questions`, `contributors`, `asked_questions` and `trusted_judgments`.
  bool votes = false;  ///< `votes`.
  bool judged = false; ///< `judged`.
};

/// What quality control of a step goes on from when the step starts: everything else follows from
/// it. In a fixed order, so that the same history gives the same decisions.
struct step_history {
  struct question {
    unit_id unit;
    std::uint64_t ordinal = 0;
    std::string truth;         ///< As in `insert_unit`; empty where it cannot be read.
    bool open = true;          ///< Judgable: neither paused nor canceled.
    bool forgiven = false;     ///< Answers to it say nothing.
    bool reconsidered = false; ///< It was forgiven at some time, or is.
  };
  /// A contributor, by name.
  struct worked {
    contributor_id contributor;
    std::uint64_t assignments = 0; ///< Ever granted in the step, on test questions too.
  };
  /// A contributor holds or held a lease of a test question, or judged it.
  struct asked {
    contributor_id contributor;
    unit_id unit;
    std::optional<bool> correct; ///< None: without an answer so far.
    judgment_moment when{};      ///< Of the answer.
  };
  struct standing {
    contributor_id contributor;
    contributor_standing what = contributor_standing::working;
    standing_reason why = standing_reason::requester;
    instant at{};
    bool by_removal = false; ///< As in `put_standing`.
  };
  struct flag {
    contributor_id contributor;
    monitor what = monitor::agreement;
  };
  /// A unit that is still open, and a removed contributor who has a lease of it or, unless it is a
  /// test question, a judgment that counts.
  struct unsettled {
    contributor_id contributor;
    unit_id unit;
  };
  /// A judgment, tainted or not, of a unit that is still open and no test question, and how much it
  /// is trusted. Of those who answered a question that was reconsidered.
  struct trusted {
    contributor_id contributor;
    unit_id unit;
    judgment_moment when;
    trust_mark trust{};
  };
  /// A contributor, and what they handed in.
  struct worked_through {
    contributor_id contributor;
    std::uint32_t units = 0; ///< With a judgment of theirs, tainted or not; no test questions.
  };
  /// A judgment that is not tainted, on a test question too.
  struct vote {
    contributor_id contributor;
    unit_id unit;
    std::string answer;
  };
  /// A finished unit of which the requester has said the result.
  struct overridden_unit {
    unit_id unit;
    std::string answer;
  };
  /// A row that the database does not give back. It is missing below, but for a question.
  struct unreadable {
    enum class row : std::uint8_t {
      standing,
      flag,
      question,
      vote,
      work ///< A lease or judgment of a unit, of which nobody can say whose it was.
    };
    row what = row::standing;
    contributor_id contributor; ///< Of a standing, flag or vote.
    unit_id unit;               ///< The test question, or that of the vote or the work.
    std::string why;            ///< As the database says it.
  };

  std::vector<question> questions;    ///< By ordinal.
  std::vector<worked> contributors;   ///< By name (bytes).
  std::vector<asked> asked_questions; ///< Answered ones first, in order of submission (then of
                                      ///< judgment id); then the others by contributor and unit,
                                      ///< each pair once.
  std::vector<standing> standings;    ///< By contributor; as last written.
  std::vector<flag> flags;            ///< By contributor and monitor.
  std::vector<unsettled> unsettled_units; ///< By contributor and unit.
  /// Likewise: a unit that is still open, and a contributor who is back at work and has a judgment
  /// of it that does not count.
  std::vector<unsettled> reinstatable_units;
  std::vector<trusted> trusted_judgments;  ///< By contributor and unit.
  std::vector<vote> votes;                 ///< In order of submission, then of judgment id.
  std::vector<overridden_unit> overridden; ///< By unit; with `votes`.
  /// By contributor (bytes). None where it was not asked for: then nobody counts.
  std::optional<std::vector<worked_through>> judged;
  std::vector<unreadable> damage; ///< By kind of row.
};

/// Names the row, where it is stored, and why it cannot be read.
std::string text_of(const step_history::unreadable& row);

} // namespace holdfast::core
