#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about staged tasks. It comes after the tasks that are made of them.
class intake_writes {
public:
  void operator()(const core::take_staged& w);
  void operator()(const core::refuse_staged& w);
  void operator()(const core::stage_task& w);

  void append_to(std::vector<call>& calls);

private:
  columns<int8> taken_;
  columns<int8, text, text, core::instant> refused_;
  columns<core::uuid, text, text, text, text, text, text, int2, text, text, text, bool, int4,
          core::instant, text, text, text, text>
      staged_;
};

} // namespace holdfast::persistence::batch
