#pragma once

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/bulk_run.hpp"
#include "examples/bulk_actions/export_file.hpp"

namespace bulk {

/// Rows go to the disk before the bookmark does. What a crash leaves behind it is cut off.
class export_run : public bulk_run {
public:
  export_run(const tools& with, const client::task_context& task, export_search what);

private:
  bool chunk() override;
  client::outcome ended() override;
  void given_up() override { file_.clear(); }
  bool is_lost() const override { return !file_.has(at); }

  const export_search what_;
  export_file file_;
};

} // namespace bulk
