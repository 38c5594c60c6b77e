#include "http/refusal_answers.hpp"

#include "core/errors.hpp"
#include "http/problem.hpp"

namespace holdfast::http {

response answer_to(server_refusal why, const std::string& detail) {
  switch (why) {
  case server_refusal::malformed:
    return problem_of(refusal::request_malformed, detail);
  case server_refusal::header_too_large:
    return problem_of(refusal::header_too_large, detail);
  case server_refusal::body_too_large:
    return problem_of(refusal::body_too_large, detail);
  case server_refusal::header_timeout:
  case server_refusal::body_timeout:
    return problem_of(refusal::request_timeout, detail);
  case server_refusal::connections_full:
  case server_refusal::address_full:
  case server_refusal::bodies_full:
    return problem_of(core::failure{core::errc::overloaded, detail});
  case server_refusal::draining:
  case server_refusal::answer_timeout:
    return problem_of(core::failure{core::errc::unavailable, detail});
  case server_refusal::unanswered:
  case server_refusal::unread:
    break;
  }
  return problem_of(refusal::internal_error, detail);
}

} // namespace holdfast::http
