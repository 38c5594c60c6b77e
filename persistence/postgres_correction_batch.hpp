#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about corrections of units and of judgments.
class correction_writes {
public:
  void operator()(const core::override_unit& w);
  void operator()(const core::recount_unit& w);
  void operator()(const core::insert_correction& w);
  void operator()(const core::set_taint_requested& w);
  void operator()(const core::insert_judgment_correction& w);

  void append_to(std::vector<call>& calls);

private:
  columns<core::uuid, text, core::instant, int2, text, int2> overridden_;
  columns<core::uuid, int4> recounted_;
  columns<core::uuid, core::uuid, core::uuid, core::uuid, core::instant, int4, int4, int2, bool,
          bool, bool, text, text, text, text>
      corrections_;
  columns<core::uuid, text, bool> taints_;
  columns<core::uuid, core::uuid, text, core::instant, int2, bool, text, text> judgments_;
};

} // namespace holdfast::persistence::batch
