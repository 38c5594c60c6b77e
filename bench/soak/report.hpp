#pragma once

#include "bench/soak/soak_result.hpp"

#include <string>
#include <vector>

namespace holdfast::soak {

/// Why a run proves nothing, although nothing was wrong.
std::vector<std::string> void_reasons(const soak_result& result);
/// Everything that was wrong.
std::vector<std::string> violations(const soak_result& result);
/// `green`, `red` or `void`.
std::string verdict_word(const soak_result& result);

/// The verdict as JSON, with every figure.
std::string verdict_json(const soak_result& result);
/// The same for people, with plots, as one file.
std::string report_html(const soak_result& result);

} // namespace holdfast::soak
