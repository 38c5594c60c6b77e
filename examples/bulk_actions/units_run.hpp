#pragma once

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/bulk_run.hpp"

#include <memory>

namespace bulk {

/// Units are written down, changed by their node, and struck out in the transaction that moves the
/// bookmark. Who dies in between leaves some that are changed once more, to what they are.
class units_run : public bulk_run {
public:
  units_run(const tools& with, const client::task_context& task, change_unit_status what);

private:
  bool chunk() override;
  client::outcome ended() override;

  /// False when the unit is finished, or gone: it stays as it is.
  bool change(const unit_row& unit) const;

  const change_unit_status what_;
  const std::unique_ptr<unit_port> units_;
};

} // namespace bulk
