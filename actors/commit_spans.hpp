#pragma once

#include "core/change.hpp"
#include "core/hosted_item.hpp"
#include "core/tracer.hpp"

#include <cstddef>

/// The spans that follow from what the database has committed.
namespace holdfast::actors {

/// A transaction that has been committed.
struct told_commit {
  core::instant began; ///< Of its first try.
  core::instant ended;
  std::size_t changes = 0; ///< Of all requests that share it.
};

/// Tells of one change of the transaction: of the commit, as a part of the request that led to the
/// change, and of the handlers of the tasks that ended with it. Requests share a transaction, and
/// a span has one parent: so each traced change has a span of its own, of the same time.
void tell_commit(core::tracer& to, const told_commit& commit, const core::change& change,
                 const core::hosted_item& item);

} // namespace holdfast::actors
