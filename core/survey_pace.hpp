#pragma once

#include "core/step_survey.hpp"

#include <algorithm>
#include <cstdint>

namespace holdfast::core {

/// When a step is surveyed without anybody asking, one survey at a time. A new life of the step
/// begins anew: its first survey comes early and tells how many judgments there are.
class survey_pace {
public:
  /// A judgment came in. True: the step is to be surveyed now.
  bool judged() {
    ++judgments_;
    if (surveying_ || judgments_ < next_)
      return false;
    surveying_ = true;
    return true;
  }

  /// Somebody has surveyed the step and looked at so many judgments. Of a step with more than a
  /// survey looks at, that is less than there are.
  void surveyed(std::uint64_t looked_at) {
    judgments_ = std::max(judgments_, looked_at);
    next_ = next_survey_after(judgments_);
  }

  /// The survey that `judged` has asked for is over, well or not.
  void ended() {
    surveying_ = false;
    next_ = std::max(next_, next_survey_after(judgments_));
  }

private:
  std::uint64_t judgments_ = 0; ///< As far as known.
  std::uint64_t next_ = next_survey_after(0);
  bool surveying_ = false;
};

} // namespace holdfast::core
