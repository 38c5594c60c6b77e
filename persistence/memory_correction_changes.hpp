#pragma once

#include "persistence/memory_token_changes.hpp"

namespace holdfast::persistence::memory {

/// The part of a batch that is about corrections, applied as the statements of
/// postgres_correction_batch.cpp do.
class correction_changes : public token_changes {
public:
  using token_changes::token_changes;
  using token_changes::operator();

  void operator()(const core::override_unit& w);
  void operator()(const core::recount_unit& w);
  void operator()(const core::insert_correction& w);
  void operator()(const core::set_taint_requested& w);
  void operator()(const core::insert_judgment_correction& w);
};

} // namespace holdfast::persistence::memory
