// What receivers know our webhooks by.

#include "connectors/webhook_signature.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::connectors;

namespace {

const std::string first = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string second = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

std::string refusal_of_secret(const std::string& text) {
  const auto keys = parse_secret(text);
  return keys ? "" : keys.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(signatures_of_webhooks)

// The example of the documentation of Svix, whose scheme became Standard Webhooks.
BOOST_AUTO_TEST_CASE(the_published_example_has_the_published_signature) {
  const auto keys = parse_secret(first);
  BOOST_REQUIRE(keys);
  BOOST_TEST(
      signature_of(*keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})")
      == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

BOOST_AUTO_TEST_CASE(with_two_keys_each_signs) {
  const auto both = parse_secret(second + "\n" + first + "\n");
  const auto one = parse_secret(second);
  const auto other = parse_secret(first);
  BOOST_REQUIRE((both && one && other));
  BOOST_TEST(signature_of(*both, "id", 1, "body")
             == signature_of(*one, "id", 1, "body") + " " + signature_of(*other, "id", 1, "body"));
}

BOOST_AUTO_TEST_CASE(id_time_and_body_are_all_signed) {
  const auto keys = parse_secret(first);
  BOOST_REQUIRE(keys);
  const auto signature = signature_of(*keys, "id", 1, "body");
  BOOST_TEST(signature != signature_of(*keys, "ie", 1, "body"));
  BOOST_TEST(signature != signature_of(*keys, "id", 2, "body"));
  BOOST_TEST(signature != signature_of(*keys, "id", 1, "bodz"));
}

BOOST_AUTO_TEST_CASE(lines_may_end_as_they_like) {
  for (const auto& text : {first, first + "\n", first + "\r\n", "\n" + first + "\n\n"})
    BOOST_TEST(refusal_of_secret(text) == "");
}

BOOST_AUTO_TEST_CASE(malformed_secret_is_refused_without_being_quoted) {
  BOOST_TEST(refusal_of_secret("") == "it is empty");
  BOOST_TEST(refusal_of_secret("hunter2") == "line 1 does not begin with whsec_");
  BOOST_TEST(refusal_of_secret(first + "\n" + second + "\n" + first)
             == "line 3 is one too many: there may be two, the new one and the old one");
  for (const auto* text : {"whsec_", "whsec_hunter2", "whsec_hunter22hunter2!",
                           "whsec_====", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa w",
                           "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9="})
    BOOST_TEST(refusal_of_secret(text) == "line 1 has no base64 behind whsec_", text);
  BOOST_TEST(refusal_of_secret("whsec_c2hvcnQ=")
             == "line 1 has a key of 5 bytes, and not of 24 to 64");
  BOOST_TEST(refusal_of_secret("whsec_" + std::string(88, 'A'))
             == "line 1 has a key of 66 bytes, and not of 24 to 64");
}

BOOST_AUTO_TEST_SUITE_END()
