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
  cross_site,             ///< 403: a cookie came with it, and not from a page of this node.
  route_unknown,          ///< 404
  method_not_allowed,     ///< 405
  unsupported_media_type, ///< 415
  request_malformed,      ///< 400: no HTTP, or no JSON.
  body_too_large,         ///< 413
  header_too_large,       ///< 431
  too_many_guesses,       ///< 429: tokens that are not good came from this address.
  request_timeout,        ///< 408: the request did not arrive in time.
  internal_error,         ///< 500: the request ended without an answer.
  precondition_failed,    ///< 412: the item is not at the version that `If-Match` names.
  precondition_required,  ///< 428: a change of a definition names no version.
};

/// Every refusal, for the reference.
const std::vector<refusal>& all_refusals();

/// The status with which HTTP tells a code.
unsigned status_of(core::errc code);

/// A failure of an operation.
response problem_of(const core::failure& why);
/// The same with the places in the request that its detail names.
response problem_of(const core::failure& why, const known_places& known);
/// The problems of the parts of a request.
response problem_of(const std::vector<request_problem>& problems);
response problem_of(refusal why, std::string detail);

/// Whether the body of an answer is a problem.
bool is_problem(const response& one);
/// The name of the error that a problem tells.
std::string_view code_of_problem(const response& problem);
/// Adds the trace to which the request belongs.
void add_trace_id(response& problem, std::string_view trace_id);

} // namespace holdfast::http
