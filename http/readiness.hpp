#pragma once

#include "http/door.hpp"

namespace holdfast::http {

/// Answers `/readyz`: 200 while the node serves requests, else 503 with the names of the things
/// that are missing.
///
///   node      the node is starting
///   clock     the time of the cluster is not known yet
///   database  the node decides nothing, because its lease in the database may have run out
///   draining  the node is about to stop
void tell_readiness(const door& through, const call_ptr& call);

} // namespace holdfast::http
