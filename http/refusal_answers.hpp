#pragma once

#include "http/call.hpp"
#include "http/server_options.hpp"

#include <string>

namespace holdfast::http {

/// The answer of the server in place of the handler.
response answer_to(server_refusal why, const std::string& detail);

} // namespace holdfast::http
