#pragma once

#include "core/errors.hpp"
#include "http/call.hpp"
#include "http/request_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Errors as RFC 9457 wants them: `application/problem+json`.
namespace holdfast::http {

/// Errors that only HTTP has, besides those of `core::errc`.
enum class refusal {
  unauthenticated,        ///< 401
  not_allowed,            ///< 403
  route_unknown,          ///< 404
  method_not_allowed,     ///< 405
  unsupported_media_type, ///< 415
  request_malformed,      ///< 400: no HTTP, or no JSON.
  body_too_large,         ///< 413
  header_too_large,       ///< 431
  too_many_guesses,       ///< 429: tokens that are not good came from this address.
  request_timeout,        ///< 408: the request did not arrive in time.
  internal_error,         ///< 500: the request ended without an answer.
};

/// Every refusal, for the reference.
const std::vector<refusal>& all_refusals();

/// The status with which HTTP tells a code.
unsigned status_of(core::errc code);

/// A failure of an operation.
response problem_of(const core::failure& why);
/// The problems of the parts of a request.
response problem_of(const std::vector<request_problem>& problems);
response problem_of(refusal why, std::string detail);

} // namespace holdfast::http
