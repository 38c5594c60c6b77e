#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <vector>

namespace holdfast::persistence::batch {

/// The entries of the audit log in a batch.
class audit_writes {
public:
  void operator()(const core::insert_audit& w);

  void append_to(std::vector<call>& calls);

private:
  columns<core::instant, text, text, text, text> entries_;
};

} // namespace holdfast::persistence::batch
