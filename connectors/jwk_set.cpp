#include "connectors/jwk_set.hpp"

#include "connectors/base64url.hpp"

#include <nlohmann/json.hpp>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <utility>

namespace holdfast::connectors {

namespace {

using nlohmann::json;

constexpr std::size_t p256_bytes = 32;
constexpr std::size_t ed25519_key_bytes = 32;
constexpr std::size_t ed25519_signature_bytes = 64;

struct end_crypto {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <class Object>
using crypto_ptr = std::unique_ptr<Object, end_crypto>;

/// A key that is read, or why it is left out.
struct read_key {
  std::shared_ptr<EVP_PKEY> material{};
  jwt_algorithm algorithm = jwt_algorithm::rs256;
  std::string objection{};
};

read_key no_key(std::string why) { return {nullptr, {}, std::move(why)}; }

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

crypto_ptr<BIGNUM> number_of(std::string_view bytes) {
  return crypto_ptr<BIGNUM>{BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr)};
}

/// The bytes of a member of a key; none when it is missing or wrong.
std::optional<std::string> bytes_in(const json& key, const char* name) {
  const auto found = key.find(name);
  if (found == key.end() || !found->is_string())
    return std::nullopt;
  auto bytes = from_base64url(found->get_ref<const std::string&>());
  return bytes && !bytes->empty() ? bytes : std::nullopt;
}

/// The public key of a type that these parameters make; null when they make none.
std::shared_ptr<EVP_PKEY> key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const crypto_ptr<OSSL_PARAM> parameters{OSSL_PARAM_BLD_to_param(builder)};
  const crypto_ptr<EVP_PKEY_CTX> context{EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr)};
  EVP_PKEY* made = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1
      || EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return nullptr;
  return {made, EVP_PKEY_free};
}

read_key read_rsa(const json& key) {
  const auto modulus = bytes_in(key, "n");
  const auto exponent = bytes_in(key, "e");
  if (!modulus || !exponent || exponent->size() > 4)
    return no_key("has no modulus and exponent that can be read");
  const auto n = number_of(*modulus);
  const auto e = number_of(*exponent);
  const crypto_ptr<OSSL_PARAM_BLD> builder{OSSL_PARAM_BLD_new()};
  if (!n || !e || !builder)
    return no_key("finds no memory");
  if (BN_num_bits(n.get()) < rsa_bits_min || BN_num_bits(n.get()) > rsa_bits_max)
    return no_key("has not 2048 to 8192 bits");
  if (BN_is_odd(n.get()) == 0 || BN_is_odd(e.get()) == 0 || BN_is_one(e.get()) == 1)
    return no_key("has a modulus or an exponent that makes no key");
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1
      || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return no_key("finds no memory");
  auto made = key_from("RSA", builder.get());
  return made ? read_key{std::move(made), jwt_algorithm::rs256, {}} : no_key("is no RSA key");
}

read_key read_p256(const json& key) {
  const auto x = bytes_in(key, "x");
  const auto y = bytes_in(key, "y");
  if (!x || !y || x->size() != p256_bytes || y->size() != p256_bytes)
    return no_key("has no point of 32 and 32 bytes");
  const auto point = '\4' + *x + *y; // uncompressed (SEC 1, section 2.3.3)
  const crypto_ptr<OSSL_PARAM_BLD> builder{OSSL_PARAM_BLD_new()};
  if (!builder
      || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
             != 1
      || OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                          point.size())
             != 1)
    return no_key("finds no memory");
  auto made = key_from("EC", builder.get());
  if (!made)
    return no_key("has a point that is not on the curve");
  const crypto_ptr<EVP_PKEY_CTX> context{EVP_PKEY_CTX_new_from_pkey(nullptr, made.get(), nullptr)};
  if (!context || EVP_PKEY_public_check(context.get()) != 1)
    return no_key("has a point that is not on the curve");
  return {std::move(made), jwt_algorithm::es256, {}};
}

read_key read_ed25519(const json& key) {
  const auto x = bytes_in(key, "x");
  if (!x || x->size() != ed25519_key_bytes)
    return no_key("has no public key of 32 bytes");
  const std::shared_ptr<EVP_PKEY> made{
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(*x), x->size()), EVP_PKEY_free};
  return made ? read_key{made, jwt_algorithm::eddsa, {}} : no_key("is no Ed25519 key");
}

std::string text_in(const json& key, const char* name) {
  const auto found = key.find(name);
  return found != key.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// Whether the list `key_ops`, where there is one, lets the key check signatures.
bool may_verify(const json& key) {
  const auto found = key.find("key_ops");
  return found == key.end()
         || (found->is_array()
             && std::find(found->begin(), found->end(), json("verify")) != found->end());
}

read_key read_key_of(const json& key) {
  if (!key.is_object())
    return no_key("is no object");
  if (key.contains("d") || key.contains("k"))
    return no_key("is secret: publish the public part alone");
  if ((key.contains("use") && text_in(key, "use") != "sig") || !may_verify(key))
    return no_key("has another use");
  const auto type = text_in(key, "kty");
  const auto curve = text_in(key, "crv");
  auto made = type == "RSA"                         ? read_rsa(key)
              : type == "EC" && curve == "P-256"    ? read_p256(key)
              : type == "OKP" && curve == "Ed25519" ? read_ed25519(key)
                                                    : no_key("is of another type");
  if (made.material && key.contains("alg")
      && jwt_algorithm_named(text_in(key, "alg")) != made.algorithm)
    return no_key("is for another algorithm");
  return made;
}

/// A signature of ECDSA as OpenSSL reads it, from the two numbers of a token (RFC 7518, section
/// 3.4). Empty when it has another size.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * p256_bytes)
    return {};
  auto r = number_of(signature.substr(0, p256_bytes));
  auto s = number_of(signature.substr(p256_bytes));
  const crypto_ptr<ECDSA_SIG> both{ECDSA_SIG_new()};
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1)
    return {};
  static_cast<void>(r.release()); // they are parts of `both`
  static_cast<void>(s.release());
  const auto size = i2d_ECDSA_SIG(both.get(), nullptr);
  if (size <= 0)
    return {};
  std::string bytes(static_cast<std::size_t>(size), '\0');
  auto* end = reinterpret_cast<unsigned char*>(bytes.data());
  i2d_ECDSA_SIG(both.get(), &end);
  return bytes;
}

bool verifies(EVP_PKEY* key, jwt_algorithm algorithm, const jwt& token) {
  const auto signature =
      algorithm == jwt_algorithm::es256 ? der_of(token.signature) : token.signature;
  if (signature.empty()
      || (algorithm == jwt_algorithm::eddsa && signature.size() != ed25519_signature_bytes))
    return false;
  const auto* digest = algorithm == jwt_algorithm::eddsa ? nullptr : EVP_sha256();
  const crypto_ptr<EVP_MD_CTX> context{EVP_MD_CTX_new()};
  const bool good = context
                    && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1
                    && EVP_DigestVerify(context.get(), octets(signature), signature.size(),
                                        octets(token.signed_part), token.signed_part.size())
                           == 1;
  ERR_clear_error(); // the queue of this thread is for others as well
  return good;
}

} // namespace

core::outcome<jwk_set> jwk_set::parse(std::string_view text) {
  const auto wrong = [](std::string what) {
    return core::failure{core::errc::invalid_argument, std::move(what)};
  };
  if (text.size() > jwk_set_bytes_max)
    return wrong("the key set is larger than 64 KiB");
  const auto document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("keys") || !document["keys"].is_array())
    return wrong("the key set is no JSON object with a list of keys");
  const auto& listed = document["keys"];
  if (listed.size() > jwk_set_keys_max)
    return wrong("the key set has more than 64 keys");
  jwk_set made;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    auto read = read_key_of(listed[i]);
    std::optional<std::string> id;
    if (read.material && listed[i].contains("kid"))
      id = text_in(listed[i], "kid");
    const auto same = [&](const key& one) { return one.id == id; };
    if (read.material && std::any_of(made.keys_.begin(), made.keys_.end(), same))
      read = no_key("has no kid of its own");
    if (read.material)
      made.keys_.push_back({read.algorithm, std::move(id), std::move(read.material)});
    else
      made.left_out_.push_back("keys/" + std::to_string(i) + ": " + read.objection);
  }
  ERR_clear_error();
  if (made.keys_.empty())
    return wrong("the key set has no key for RS256, ES256 or EdDSA"
                 + (made.left_out_.empty() ? std::string{} : "; " + made.left_out_.front()));
  return made;
}

signature_verdict jwk_set::check(const jwt& token) const {
  const auto found = token.key_id
                         ? std::find_if(keys_.begin(), keys_.end(),
                                        [&](const key& one) { return one.id == token.key_id; })
                     : keys_.size() == 1 ? keys_.begin()
                                         : keys_.end();
  if (found == keys_.end())
    return token.key_id ? signature_verdict::key_unknown : signature_verdict::wrong;
  // The key decides: a token that names another algorithm was not signed with it.
  return found->algorithm == token.algorithm
                 && verifies(found->material.get(), found->algorithm, token)
             ? signature_verdict::good
             : signature_verdict::wrong;
}

} // namespace holdfast::connectors
