#pragma once

#include "core/errors.hpp"
#include "http/request_reader.hpp"

#include <vector>

namespace holdfast::http {

/// The places in the request that a failure speaks of, as far as its detail names them; empty where
/// it names none.
///
/// Actors tell of a request in its own words: a line of a detail begins with a JSON pointer into
/// the only document of the request (`/retry/max: must be …`), or with the name of a member and
/// perhaps a pointer into that (`body: /to: is missing`, `priority must be …`).
std::vector<request_problem> places_in(const core::failure& why, const known_places& known);

} // namespace holdfast::http
