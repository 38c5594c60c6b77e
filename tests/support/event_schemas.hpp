#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

/// What is wrong with `event` (JSON) by the schema that is published for events of its type; empty
/// when it is as published.
std::string deviation_from_schema(std::string_view event);

} // namespace holdfast::test
