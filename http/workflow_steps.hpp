#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "http/gateway_client.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::http {

/// Which steps belong to workflows that readers of events have asked for. Events name their step
/// alone. A step never changes its workflow and is stored before the first of its events, so what
/// has been read once stays true.
///
/// For the thread of the gateway client's actor alone.
class workflow_steps : public std::enable_shared_from_this<workflow_steps> {
public:
  explicit workflow_steps(gateway_client gateway) : gateway_(std::move(gateway)) {}

  /// Whether the step is one of the workflow's; none while that is not known.
  std::optional<bool> has(core::workflow_id workflow, core::step_id step) const;
  /// Finds out, and runs `then`; with a failure when that was not possible.
  void look_up(core::workflow_id workflow, core::step_id step,
               std::function<void(const core::failure&)> then);

private:
  using question = std::pair<core::step_id, std::function<void(const core::failure&)>>;

  struct known {
    std::unordered_set<core::step_id> own;
    std::unordered_set<core::step_id> others;
    std::uint32_t versions = 0;  ///< The steps of so many versions are known.
    std::vector<question> asked; ///< The look that is under way answers these.
    std::vector<question> later; ///< The look may have begun before their steps were made.
  };

  /// The steps of one version; 0: of the latest.
  void read(core::workflow_id workflow, std::uint32_t version, std::uint32_t latest);
  void end(core::workflow_id workflow, const core::failure& why);

  const gateway_client gateway_;
  std::map<core::workflow_id, known> workflows_;
};

} // namespace holdfast::http
