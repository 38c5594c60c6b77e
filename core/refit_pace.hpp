#pragma once

#include "core/step_survey.hpp"

#include <cstdint>

namespace holdfast::core {

/// When the model of a step is refitted, one refit at a time: as often as a step is surveyed. A new
/// life of the step begins with a refit, if it has judgments enough.
class refit_pace {
public:
  /// The step has that many judgments now. True: its model is to be refitted.
  bool due(std::uint64_t judgments) {
    if (refitting_ || judgments < next_)
      return false;
    refitting_ = true;
    next_ = next_survey_after(judgments);
    return true;
  }

  /// The refit is over, well or not.
  void ended() { refitting_ = false; }

private:
  std::uint64_t next_ = next_survey_after(0);
  bool refitting_ = false;
};

} // namespace holdfast::core
