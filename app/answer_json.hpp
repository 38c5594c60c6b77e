#pragma once

#include "http/answer_writer.hpp"

#include <string>

namespace holdfast::app {

/// The answer of a node as the HTTP API writes it, on one line: a program that reads both needs one
/// reader. The shape of the answer (http/shapes) must be included. `now` is the cluster's time.
template <class Answer>
std::string answer_in_json(Answer answer, core::instant now) {
  return http::to_json(answer, now);
}

} // namespace holdfast::app
