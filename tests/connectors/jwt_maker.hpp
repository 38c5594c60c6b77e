#pragma once

// Makes keys of an issuer, key sets and JSON Web Tokens, by OpenSSL.

#include <nlohmann/json.hpp>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::test {

inline std::string base64url(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xffff;
    for (count += 8; count >= 6; count -= 6)
      text += letters[(bits >> (count - 6)) & 63];
  }
  if (count > 0)
    text += letters[(bits << (6 - count)) & 63];
  return text;
}

/// A pair of keys of an issuer.
class signing_key {
public:
  static signing_key rsa(std::string id, unsigned bits = 2048) {
    return {std::move(id), "RS256",
            EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(bits))};
  }
  static signing_key p256(std::string id) {
    return {std::move(id), "ES256", EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")};
  }
  static signing_key ed25519(std::string id) {
    return {std::move(id), "EdDSA", EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
  }

  const std::string& id() const { return id_; }
  const std::string& algorithm() const { return algorithm_; }

  /// The public part, as an entry of a key set.
  nlohmann::json public_part() const {
    nlohmann::json key{{"kid", id_}, {"use", "sig"}, {"alg", algorithm_}};
    if (algorithm_ == "RS256") {
      key.update({{"kty", "RSA"},
                  {"n", base64url(number(OSSL_PKEY_PARAM_RSA_N, 0))},
                  {"e", base64url(number(OSSL_PKEY_PARAM_RSA_E, 0))}});
    } else if (algorithm_ == "ES256") {
      key.update({{"kty", "EC"},
                  {"crv", "P-256"},
                  {"x", base64url(number(OSSL_PKEY_PARAM_EC_PUB_X, 32))},
                  {"y", base64url(number(OSSL_PKEY_PARAM_EC_PUB_Y, 32))}});
    } else {
      std::string bytes(32, '\0');
      std::size_t size = bytes.size();
      need(EVP_PKEY_get_raw_public_key(pair_.get(), octets_of(bytes), &size) == 1);
      key.update({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", base64url(bytes)}});
    }
    return key;
  }

  std::string public_pem() const {
    const std::unique_ptr<BIO, int (*)(BIO*)> out{BIO_new(BIO_s_mem()), BIO_free};
    need(PEM_write_bio_PUBKEY(out.get(), pair_.get()) == 1);
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }

  /// The signature as a token carries it.
  std::string sign(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(),
                                                                     EVP_MD_CTX_free};
    const auto* digest = algorithm_ == "EdDSA" ? nullptr : EVP_sha256();
    need(EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, pair_.get()) == 1);
    std::size_t size = 1024;
    std::string made(size, '\0');
    need(EVP_DigestSign(context.get(), octets_of(made), &size,
                        reinterpret_cast<const unsigned char*>(text.data()), text.size())
         == 1);
    made.resize(size);
    return algorithm_ == "ES256" ? two_numbers(made) : made;
  }

private:
  signing_key(std::string id, std::string algorithm, EVP_PKEY* pair)
      : id_(std::move(id)), algorithm_(std::move(algorithm)), pair_(pair, EVP_PKEY_free) {
    need(pair != nullptr);
  }

  static void need(bool worked) {
    if (!worked)
      throw std::runtime_error{"OpenSSL refuses"};
  }
  static unsigned char* octets_of(std::string& bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
  }
  static std::string bytes_of_number(const BIGNUM* value, int size) {
    std::string bytes(static_cast<std::size_t>(size > 0 ? size : BN_num_bytes(value)), '\0');
    need(BN_bn2binpad(value, octets_of(bytes), static_cast<int>(bytes.size())) >= 0);
    return bytes;
  }
  std::string number(const char* parameter, int size) const {
    BIGNUM* value = nullptr;
    need(EVP_PKEY_get_bn_param(pair_.get(), parameter, &value) == 1);
    const std::unique_ptr<BIGNUM, void (*)(BIGNUM*)> owner{value, BN_free};
    return bytes_of_number(value, size);
  }
  static std::string two_numbers(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<ECDSA_SIG, void (*)(ECDSA_SIG*)> both{
        d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), ECDSA_SIG_free};
    need(both != nullptr);
    return bytes_of_number(ECDSA_SIG_get0_r(both.get()), 32)
           + bytes_of_number(ECDSA_SIG_get0_s(both.get()), 32);
  }

  std::string id_;
  std::string algorithm_;
  std::shared_ptr<EVP_PKEY> pair_;
};

/// The public parts of these keys, as an issuer publishes them.
inline std::string key_set_of(const std::vector<signing_key>& keys) {
  auto all = nlohmann::json::array();
  for (const auto& key : keys)
    all.push_back(key.public_part());
  return nlohmann::json{{"keys", all}}.dump();
}

inline std::string unsigned_token(const nlohmann::json& header, const nlohmann::json& claims) {
  return base64url(header.dump()) + '.' + base64url(claims.dump());
}

/// A token with this header, signed by the key.
inline std::string token_with(const nlohmann::json& header, const nlohmann::json& claims,
                              const signing_key& key) {
  const auto text = unsigned_token(header, claims);
  return text + '.' + base64url(key.sign(text));
}

inline std::string token_of(const nlohmann::json& claims, const signing_key& key) {
  return token_with({{"alg", key.algorithm()}, {"kid", key.id()}, {"typ", "JWT"}}, claims, key);
}

/// A token signed by HMAC, with the secret that a forger has: the public key.
inline std::string hmac_token(const nlohmann::json& claims, const std::string& key_id,
                              const std::string& secret) {
  const auto text = unsigned_token({{"alg", "HS256"}, {"kid", key_id}}, claims);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return text + '.' + base64url({reinterpret_cast<const char*>(digest.data()), size});
}

} // namespace holdfast::test
