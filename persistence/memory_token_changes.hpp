#pragma once

#include "persistence/memory_webhook_changes.hpp"

namespace holdfast::persistence::memory {

/// The part of a batch that is about API tokens, applied as the statement of
/// postgres_token_batch.cpp does.
class token_changes : public webhook_changes {
public:
  using webhook_changes::webhook_changes;
  using webhook_changes::operator();

  void operator()(const core::put_api_token& w);
};

} // namespace holdfast::persistence::memory
