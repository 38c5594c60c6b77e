#pragma once

#include "core/object_ref.hpp"

#include <string_view>

namespace holdfast::core {

/// The SHA-256 of some bytes (FIPS 180-4), without a library: for names of small things. The object
/// store has OpenSSL's, which is faster.
digest sha256_of(std::string_view bytes);

} // namespace holdfast::core
