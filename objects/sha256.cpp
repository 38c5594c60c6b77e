#include "objects/sha256.hpp"

#include <openssl/sha.h>

namespace holdfast::objects {

core::digest sha256(std::string_view bytes) {
  core::digest content;
  static_assert(sizeof content.bytes == SHA256_DIGEST_LENGTH);
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), content.bytes.data());
  return content;
}

} // namespace holdfast::objects
