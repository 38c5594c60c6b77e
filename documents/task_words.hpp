#pragma once

#include "core/errors.hpp"

#include <string>
#include <string_view>

namespace holdfast::documents {

/// Checks that the version of a task's body is one: `major.minor`. Which ones a type has is in the
/// policy of its queue: `core::check_form`.
core::failure check_version(const std::string& version);

/// Checks a short text of a task that may be empty. `what` names the field in the detail.
core::failure check_word(const std::string& text, std::string_view what);

} // namespace holdfast::documents
