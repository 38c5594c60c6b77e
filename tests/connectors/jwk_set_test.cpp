// Key sets of issuers, and the signatures of tokens: good ones of each algorithm, and forged ones.

#include "connectors/base64url.hpp"
#include "connectors/jwk_set.hpp"
#include "connectors/jwt.hpp"
#include "tests/connectors/jwt_maker.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using connectors::jwk_set;
using connectors::signature_verdict;
using nlohmann::json;

/// One key of each algorithm, and the set of all of them.
struct issuer_fixture {
  const std::vector<signing_key> own{signing_key::rsa("r"), signing_key::p256("p"),
                                     signing_key::ed25519("e")};
  const std::vector<signing_key> foreign{signing_key::rsa("r"), signing_key::p256("p"),
                                         signing_key::ed25519("e")};
  const json claims{{"iss", "https://id.example.org"}, {"sub", "ana"}};
  const jwk_set keys{*jwk_set::parse(key_set_of(own))};

  signature_verdict verdict_on(const std::string& token) const {
    const auto parts = connectors::parse_jwt(token);
    BOOST_REQUIRE(parts);
    return keys.check(*parts);
  }
  bool is_good(const std::string& token) const {
    return verdict_on(token) == signature_verdict::good;
  }
};

/// Why there is no key set in this text; empty when there is one.
std::string objection_to_key_set(const json& keys) {
  const auto made = jwk_set::parse(json{{"keys", keys}}.dump());
  return made ? std::string{} : made.error().detail;
}

std::string objection_to_token(const std::string& token) {
  const auto parts = connectors::parse_jwt(token);
  return parts ? std::string{} : parts.error().detail;
}

BOOST_FIXTURE_TEST_SUITE(signatures_of_tokens, issuer_fixture)

BOOST_AUTO_TEST_CASE(a_token_of_each_algorithm_is_good) {
  BOOST_TEST(keys.size() == 3U);
  for (const auto& key : own)
    BOOST_TEST(is_good(token_of(claims, key)), key.algorithm());
}

BOOST_AUTO_TEST_CASE(a_token_of_another_key_with_the_same_kid_is_wrong) {
  for (const auto& key : foreign)
    BOOST_TEST((verdict_on(token_of(claims, key)) == signature_verdict::wrong), key.algorithm());
}

BOOST_AUTO_TEST_CASE(a_token_that_was_changed_is_wrong) {
  for (const auto& key : own) {
    const auto token = token_of(claims, key);
    const auto first = token.find('.');
    const auto second = token.rfind('.');
    auto other = claims;
    other["sub"] = "eve";
    BOOST_TEST(
        !is_good(token.substr(0, first + 1) + base64url(other.dump()) + token.substr(second)));
    for (const std::size_t at : {second + 1, (second + token.size()) / 2}) {
      auto changed = token;
      changed[at] = changed[at] == 'A' ? 'B' : 'A';
      BOOST_TEST(!is_good(changed), key.algorithm());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_signature_that_is_cut_or_longer_is_wrong) {
  for (const auto& key : own) {
    const auto text = unsigned_token({{"alg", key.algorithm()}, {"kid", key.id()}}, claims);
    const auto signature = key.sign(text);
    BOOST_TEST(is_good(text + '.' + base64url(signature)));
    BOOST_TEST(!is_good(text + '.' + base64url(signature.substr(1))));
    BOOST_TEST(!is_good(text + '.' + base64url(signature + 'x')));
    BOOST_TEST(!is_good(text + '.'));
    BOOST_TEST(!is_good(text + '.' + base64url(std::string(signature.size(), '\0'))));
  }
}

BOOST_AUTO_TEST_CASE(the_algorithm_of_the_key_decides) {
  for (const auto& key : own)
    for (const auto* algorithm : {"RS256", "ES256", "EdDSA"}) {
      const auto token = token_with({{"alg", algorithm}, {"kid", key.id()}}, claims, key);
      BOOST_TEST(is_good(token) == (key.algorithm() == algorithm));
    }
}

BOOST_AUTO_TEST_CASE(a_kid_that_is_not_there_is_told_apart) {
  const auto other = signing_key::p256("new");
  BOOST_TEST((verdict_on(token_of(claims, other)) == signature_verdict::key_unknown));
}

BOOST_AUTO_TEST_CASE(a_token_without_kid_is_checked_where_there_is_one_key) {
  const auto token = token_with({{"alg", "EdDSA"}}, claims, own[2]);
  BOOST_TEST((verdict_on(token) == signature_verdict::wrong));
  const auto one = jwk_set::parse(key_set_of({own[2]}));
  BOOST_REQUIRE(one);
  BOOST_TEST((one->check(*connectors::parse_jwt(token)) == signature_verdict::good));
}

BOOST_AUTO_TEST_CASE(algorithms_without_a_public_key_are_refused) {
  const std::string refused = "the token is not signed by RS256, ES256 or EdDSA";
  for (const auto* none : {"none", "None", "NONE", ""})
    BOOST_TEST(objection_to_token(unsigned_token({{"alg", none}, {"kid", "r"}}, claims) + '.')
               == refused);
  for (const auto& key : own)
    BOOST_TEST(objection_to_token(hmac_token(claims, key.id(), key.public_pem())) == refused);
  BOOST_TEST(objection_to_token(token_with({{"kid", "r"}}, claims, own[0])) == refused);
  BOOST_TEST(objection_to_token(token_with({{"alg", 5}}, claims, own[0])) == refused);
}

BOOST_AUTO_TEST_CASE(a_token_that_is_not_written_strictly_is_refused) {
  const auto token = token_of(claims, own[2]);
  const std::string refused = "the token is no base64url without padding";
  BOOST_TEST(objection_to_token(token + "==") == refused);
  BOOST_TEST(objection_to_token(token + '\n') == refused);
  BOOST_TEST(objection_to_token('+' + token) == refused);
  BOOST_TEST(objection_to_token(token + ".x") == "the token does not have three parts");
  BOOST_TEST(objection_to_token("..") == "the token has no header that can be read");
  BOOST_TEST(objection_to_token(base64url("[]") + "..")
             == "the token has no header that can be read");
  auto large = claims;
  large["padding"] = std::string(connectors::jwt_bytes_max, 'x');
  BOOST_TEST(objection_to_token(token_of(large, own[2])) == "the token is too large");
}

BOOST_AUTO_TEST_CASE(headers_that_change_the_meaning_are_refused) {
  const auto with = [&](const json& more) {
    json header{{"alg", "EdDSA"}, {"kid", "e"}};
    header.update(more);
    return objection_to_token(token_with(header, claims, own[2]));
  };
  BOOST_TEST(with({{"crit", json::array({"b64"})}})
             == "the token has a critical header that is not known");
  BOOST_TEST(with({{"typ", "dpop+jwt"}}) == "the token is of another type");
  BOOST_TEST(with({{"kid", 7}}) == "the token has a kid that cannot be read");
  BOOST_TEST(with({{"typ", "at+JWT"}}).empty());
}

BOOST_AUTO_TEST_CASE(keys_that_are_not_fit_are_left_out) {
  const auto without = [&](std::size_t which, const json& change) {
    auto key = own[which].public_part();
    key.update(change);
    return !objection_to_key_set(json::array({key})).empty();
  };
  BOOST_TEST(!without(0, json::object()));
  BOOST_TEST(without(0, {{"use", "enc"}}));
  BOOST_TEST(without(0, {{"alg", "RS512"}}));
  BOOST_TEST(without(0, {{"key_ops", json::array({"encrypt"})}}));
  BOOST_TEST(without(0, {{"d", "AQAB"}}));
  BOOST_TEST(without(0, {{"e", "AQ"}}));
  BOOST_TEST(without(0, {{"n", own[0].public_part()["n"].get<std::string>() + "="}}));
  BOOST_TEST(without(1, {{"y", own[1].public_part()["x"]}}));
  BOOST_TEST(without(1, {{"crv", "P-521"}}));
  BOOST_TEST(without(2, {{"x", "AAAA"}}));
  BOOST_TEST(without(2, {{"crv", "X25519"}}));
  BOOST_TEST(!objection_to_key_set(json::array({json{{"kty", "oct"}, {"k", "c2VjcmV0"}}})).empty());
  BOOST_TEST(
      !objection_to_key_set(json::array({signing_key::rsa("s", 1024).public_part()})).empty());
}

BOOST_AUTO_TEST_CASE(other_keys_do_not_harm_those_that_are_fit) {
  const auto made = jwk_set::parse(json{
      {"keys", json::array({own[2].public_part(), foreign[2].public_part(), json{{"kty", "oct"}},
                            7})}}.dump());
  BOOST_REQUIRE(made);
  BOOST_TEST(made->size() == 1U);
  BOOST_TEST(made->left_out().size() == 3U);
  BOOST_TEST(
      (made->check(*connectors::parse_jwt(token_of(claims, own[2]))) == signature_verdict::good));
}

BOOST_AUTO_TEST_CASE(key_sets_are_bounded) {
  BOOST_TEST(!jwk_set::parse(""));
  BOOST_TEST(!jwk_set::parse("{}"));
  BOOST_TEST(!jwk_set::parse("[]"));
  BOOST_TEST(!jwk_set::parse(R"({"keys": []})"));
  auto many = json::array();
  for (std::size_t i = 0; i < connectors::jwk_set_keys_max; ++i) {
    auto key = own[2].public_part();
    key["kid"] = std::to_string(i);
    many.push_back(key);
  }
  BOOST_TEST(objection_to_key_set(many).empty());
  many.push_back(own[0].public_part());
  BOOST_TEST(objection_to_key_set(many) == "the key set has more than 64 keys");
  const auto large = json{{"keys", json::array({own[2].public_part()})},
                          {"padding", std::string(connectors::jwk_set_bytes_max, 'x')}};
  BOOST_TEST(!jwk_set::parse(large.dump()));
}

BOOST_AUTO_TEST_CASE(claims_are_read_by_the_names_that_are_configured) {
  const auto text = json{{"iss", "i"},
                         {"aud", {"a", "b"}},
                         {"exp", 1800000000},
                         {"nbf", 1700000000.5},
                         {"https://h/role", "worker"},
                         {"name", "w1"},
                         {"queues", json::array({"mail"})}}
                        .dump();
  const auto read = connectors::parse_claims(text, {"https://h/role", "name", "queues", ""});
  BOOST_REQUIRE(read);
  BOOST_TEST(read->issuer == "i");
  BOOST_TEST(read->audiences.size() == 2U);
  BOOST_TEST((read->expires_at == core::from_micros(1'800'000'000'000'000)));
  BOOST_TEST((read->not_before == core::from_micros(1'700'000'000'000'000)));
  BOOST_TEST((!read->issued_at && !read->workflows));
  BOOST_TEST((read->roles == std::vector<std::string>{"worker"}));
  BOOST_TEST(read->name == "w1");
  BOOST_TEST((read->queues == std::vector<std::string>{"mail"}));
}

BOOST_AUTO_TEST_CASE(claims_of_another_type_are_refused) {
  const connectors::claim_names names{"role", "sub", "queues", ""};
  for (const auto& wrong : std::vector<json>{{{"exp", "soon"}},
                                             {{"exp", -1}},
                                             {{"exp", 1e300}},
                                             {{"aud", 5}},
                                             {{"role", {{"admin", true}}}},
                                             {{"role", json::array({1})}},
                                             {{"sub", 7}},
                                             {{"queues", true}}})
    BOOST_TEST(!connectors::parse_claims(wrong.dump(), names), wrong.dump());
  BOOST_TEST(!connectors::parse_claims("[]", names));
  BOOST_TEST(!connectors::parse_claims("{", names));
}

BOOST_AUTO_TEST_CASE(base64url_has_one_text_for_each_value) {
  BOOST_TEST((connectors::from_base64url("") == std::string{}));
  BOOST_TEST((connectors::from_base64url("-_8") == std::string{"\xfb\xff"}));
  for (const auto* wrong : {"A", "AB", "+/8", "AA==", "AA AA", "-_9"})
    BOOST_TEST((connectors::from_base64url(wrong) == std::nullopt), wrong);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
