#pragma once

#include "core/definition_problem.hpp"

#include <string>
#include <string_view>
#include <vector>

/// A receiver over HTTP as a definition names it: of webhooks, and of the tasks of a queue that
/// pushes them.
namespace holdfast::core {

/// Whether `name` may name a secret: 1 to 64 of `a-z 0-9 _ . -`, beginning with a letter or digit,
/// so that it is the name of a file and of nothing outside its directory.
bool is_secret_name(std::string_view name);

/// Everything that is wrong with the members `url` and `secret` of the definition at `place`.
/// Whether the address may be connected to is only known when it is.
std::vector<definition_problem>
problems_of_receiver(const std::string& url, const std::string& secret, const std::string& place);

} // namespace holdfast::core
