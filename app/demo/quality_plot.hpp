#pragma once

#include "app/demo/quality_report.hpp"

#include <string>

namespace holdfast::app::demo {

/// Two charts as one SVG document: how often answers of some confidence are right, and how trust
/// in each contributor went with the test questions they answered.
std::string plot_of(const quality_report& report);

} // namespace holdfast::app::demo
