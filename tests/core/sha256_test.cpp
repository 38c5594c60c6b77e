// SHA-256, against the vectors of FIPS 180-4 and its lengths around a block.

#include "core/sha256.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;

BOOST_AUTO_TEST_SUITE(sha_256)

BOOST_AUTO_TEST_CASE(the_published_vectors_come_out) {
  const auto hex = [](std::string_view text) { return to_string(sha256_of(text)); };
  BOOST_TEST(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
             == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  BOOST_TEST(hex(std::string(1'000'000, 'a'))
             == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

BOOST_AUTO_TEST_CASE(every_length_around_a_block_has_its_padding) {
  // `printf '%0*d' N 0 | sha256sum`
  const auto hex = [](std::size_t zeros) { return to_string(sha256_of(std::string(zeros, '0'))); };
  BOOST_TEST(hex(55) == "9f8ef876f51f5313c91cc3f6b8119af09d8bbdd72098fa149b2780eb3591d6be");
  BOOST_TEST(hex(56) == "bd03ac1428f0ea86f4b83a731ffc7967bb82866d8545322f888d2f6e857ffc18");
  BOOST_TEST(hex(63) == "c7dc2d25e306355c97af916e8d50b27a948506a74c6b2dd1b29e2b63d0a3aa8c");
  BOOST_TEST(hex(64) == "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55");
  BOOST_TEST(hex(65) == "e531ef0f962409170917abf9de3287afec23dd1c42c9e1fea66c5feab99e8f7c");
  BOOST_TEST(hex(119) == "c4487f9d6420e35698f9d9b4952e0a9f4735b0ce1729cdc68672ff30f20c6af2");
  BOOST_TEST(hex(120) == "09719c55365a950c92a06122b6ce2634e3ce9b6dbcde1827171941658c7eedab");
  BOOST_TEST(hex(128) == "45725791c47b32618cc57b88343e2bceec3b0a01b83bc97d144a2cbc11a20c3d");
}

BOOST_AUTO_TEST_SUITE_END()
