#pragma once

#include "core/object_ref.hpp"

#include <string_view>

namespace holdfast::objects {

/// The address of these bytes (FIPS 180-4).
core::digest sha256(std::string_view bytes);

inline core::object_ref ref_of(std::string_view bytes) { return {sha256(bytes), bytes.size()}; }

} // namespace holdfast::objects
