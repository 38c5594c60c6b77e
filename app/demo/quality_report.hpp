#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The findings of the demo's second act.
namespace holdfast::app::demo {

/// Somebody whose work a monitor finds worth a look. That removes nobody.
struct flagged_contributor {
  std::string name;
  bool spammer = false;
  std::string monitor;
  std::string why; ///< As `get_step_quality` says it in the end; empty if it does so no more.
};

/// The results of one way of asking people, on the same units as the others.
struct programme_report {
  std::uint64_t units = 0; ///< With known truth, not used as test questions.
  std::uint64_t finished = 0;
  /// Not finished, and nobody who was left could judge them: people are removed, and recorded ones
  /// have answers to some units only.
  std::uint64_t out_of_people = 0;
  std::uint64_t right = 0;        ///< Of the finished ones.
  std::uint64_t judgments = 0;    ///< On these units, those that count no more included.
  std::uint64_t test_answers = 0; ///< On test questions.
  std::vector<flagged_contributor> flagged;

  double accuracy() const {
    return finished == 0 ? 0 : static_cast<double>(right) / static_cast<double>(finished);
  }
};

struct removed_contributor {
  std::string name;
  bool spammer = false;
  std::string reason;
  std::uint32_t tests = 0;
  std::uint32_t right = 0;
};

/// Results whose confidence lies in one tenth of the scale.
struct confidence_bin {
  double confidence = 0; ///< Mean.
  std::uint64_t units = 0;
  std::uint64_t right = 0;
};

/// The trust of one contributor before their first test question and after each.
struct trust_curve {
  bool spammer = false;
  std::vector<double> trust;
};

struct quality_report {
  std::string set;
  std::uint32_t recorded = 0; ///< Contributors who answer as they were recorded.
  std::uint32_t spammers = 0; ///< Who answer without looking.
  programme_report fixed;     ///< Five judgments each, majority vote.
  programme_report adaptive;  ///< Test questions, stopping rule, model.
  std::vector<removed_contributor> removed;
  std::vector<confidence_bin> calibration; ///< Of `adaptive`; bins without units are left out.
  std::vector<trust_curve> trust;

  std::uint64_t spammers_removed() const;
  /// The mean distance between the confidence of results and the share of them that is right.
  double calibration_error() const;
};

} // namespace holdfast::app::demo
