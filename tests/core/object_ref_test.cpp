// Addresses of objects, and the text that stands in a row for a payload.

#include "core/object_ref.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

using namespace holdfast::core;

namespace {

const std::string digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

object_ref a_ref(std::uint64_t bytes = 3) { return {*parse_digest(digits), bytes}; }

std::string ref_text(const std::string& hex, const std::string& bytes) {
  return R"({"$holdfast.object":"sha256:)" + hex + R"(","bytes":)" + bytes + "}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(object_refs)

BOOST_AUTO_TEST_CASE(a_digest_is_read_as_it_is_written) {
  const auto content = parse_digest(digits);
  BOOST_REQUIRE(content);
  BOOST_TEST(int{content->bytes[0]} == 0xba);
  BOOST_TEST(int{content->bytes[31]} == 0xad);
  BOOST_TEST(to_string(*content) == digits);
  auto capitals = digits;
  capitals[0] = 'B';
  BOOST_TEST((parse_digest(capitals) == content));
  auto other = digits;
  other[7] = 'g';
  for (const auto& text : {std::string{}, digits.substr(1), digits + "0", other})
    BOOST_TEST(!parse_digest(text), text);
}

// A80, A81, C21
BOOST_AUTO_TEST_CASE(a_reference_is_json_and_is_read_as_it_is_written) {
  BOOST_TEST(to_json(a_ref()) == ref_text(digits, "3"));
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{65'536}, std::numeric_limits<std::uint64_t>::max()}) {
    const auto back = parse_object_ref(to_json(a_ref(bytes)));
    BOOST_REQUIRE(back);
    BOOST_TEST((*back == a_ref(bytes)));
    BOOST_TEST(begins_like_object_ref(to_json(a_ref(bytes))));
  }
}

// A payload that merely looks like one must not be followed.
BOOST_AUTO_TEST_CASE(nothing_else_is_a_reference) {
  auto capitals = digits;
  capitals[0] = 'B';
  for (const auto& text :
       {std::string{}, std::string{"{}"}, std::string{"[1]"}, ref_text(digits, ""),
        ref_text(digits, "03"), ref_text(digits, "-1"), ref_text(digits, "3.0"),
        ref_text(digits, "18446744073709551616"), ref_text(digits.substr(1), "3"),
        ref_text(capitals, "3"), ref_text(digits, "3") + " ", " " + ref_text(digits, "3"),
        ref_text(digits, "3").substr(0, 30), ref_text(digits, "3,\"more\":1")})
    BOOST_TEST(!parse_object_ref(text), text);
}

BOOST_AUTO_TEST_CASE(beginning_of_a_reference_is_recognized) {
  BOOST_TEST(begins_like_object_ref(R"({"$holdfast.object":7})"));
  BOOST_TEST(!begins_like_object_ref(R"({"$holdfast.objects":7})"));
  BOOST_TEST(!begins_like_object_ref(R"({"a":{"$holdfast.object":7}})"));
  BOOST_TEST(!begins_like_object_ref("{}"));
}

BOOST_AUTO_TEST_SUITE_END()
