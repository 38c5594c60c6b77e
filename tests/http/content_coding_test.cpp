// Compression of answers and requests.

#include "http/content_coding.hpp"
#include "http/weighted_names.hpp"
#include "tests/http/server_fixture.hpp"

#include <boost/test/unit_test.hpp>
#include <zstd.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace holdfast;
using http::content_coding;
using test::get;
using test::post;
using test::text_answer;

namespace {

constexpr std::size_t much = 100UL * 1024 * 1024;
constexpr std::array<content_coding, 2> codings{content_coding::gzip, content_coding::zstd};

/// `{"a": 1}`, packed by other programs.
constexpr std::string_view small_document = R"({"a": 1})";
const std::string gzip_made_by_python{
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x54\xb2\x52\x30\xac\x05\x00\x97\x8e\xa1"
    "\xfb\x08\x00\x00\x00",
    28};
const std::string zstd_made_by_its_program{
    "\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00\x7b\x22\x61\x22\x3a\x20\x31\x7d\x7d\x91\x9d"
    "\x79",
    21};

http::request asking(std::vector<http::parameter> headers) {
  http::request made;
  made.headers = std::move(headers);
  return made;
}

content_coding coding_for(const std::string& accepted) {
  return http::coding_for(asking({{"accept-encoding", accepted}}));
}

std::string packed(std::string_view text, content_coding how) {
  const auto encoder = http::piece_encoder::make(how);
  auto made = encoder->next(text);
  return made + encoder->last();
}

bool all_may(std::size_t) { return true; }

core::errc error_of(std::string_view bytes, content_coding how, std::size_t most = much) {
  const auto text = http::decoded(bytes, how, most, all_may);
  return text ? core::errc::none : text.error().code;
}

std::string unpacked(std::string_view bytes, content_coding how) {
  const auto text = http::decoded(bytes, how, much, all_may);
  BOOST_REQUIRE_MESSAGE(text, "the bytes are packed");
  return *text;
}

std::string value_of(const std::vector<http::parameter>& headers, std::string_view name) {
  for (const auto& one : headers)
    if (one.name == name)
      return one.value;
  return {};
}

/// A text that is no repetition.
std::string various_text(std::size_t bytes) {
  std::string text;
  unsigned number = 1;
  while (text.size() < bytes) {
    number = number * 1664525U + 1013904223U;
    text += std::to_string(number);
  }
  text.resize(bytes);
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(content_codings)

BOOST_AUTO_TEST_CASE(names_and_weights_of_all_fields_are_read_in_order) {
  const auto names =
      http::weighted_names_of(asking({{"accept", "text/csv;header=present;q=0.5 , */*;q=0"},
                                      {"host", "here"},
                                      {"accept", "Application/JSON;Q=0.125,,a;q=x,b;q=1.000"}}),
                              "accept");
  BOOST_REQUIRE_EQUAL(names.size(), 5U);
  const std::array<std::pair<std::string, unsigned>, 5> wanted{
      {{"text/csv", 500U}, {"*/*", 0U}, {"application/json", 125U}, {"a", 1000U}, {"b", 1000U}}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    BOOST_TEST(names[i].name == wanted[i].first);
    BOOST_TEST(names[i].weight == wanted[i].second);
  }
}

BOOST_AUTO_TEST_CASE(coding_of_an_answer_is_the_one_that_the_client_likes_best) {
  BOOST_TEST((http::coding_for(asking({})) == content_coding::identity));
  BOOST_TEST((coding_for("") == content_coding::identity));
  BOOST_TEST((coding_for("br, deflate") == content_coding::identity));
  BOOST_TEST((coding_for("gzip") == content_coding::gzip));
  BOOST_TEST((coding_for("x-gzip") == content_coding::gzip));
  BOOST_TEST((coding_for("GZIP, ZSTD") == content_coding::zstd));
  BOOST_TEST((coding_for("zstd;q=0.5, gzip") == content_coding::gzip));
  BOOST_TEST((coding_for("zstd;q=0, gzip;q=0.001") == content_coding::gzip));
  BOOST_TEST((coding_for("gzip;q=0") == content_coding::identity));
  BOOST_TEST((coding_for("gzip;q=0.000, zstd;q=0.0") == content_coding::identity));
  BOOST_TEST((coding_for("*") == content_coding::zstd));
  BOOST_TEST((coding_for("zstd;q=0, *") == content_coding::gzip));
  BOOST_TEST((coding_for("*;q=0") == content_coding::identity));
  BOOST_TEST((coding_for("identity, gzip;q=0.5") == content_coding::identity));
  BOOST_TEST((coding_for("identity;q=0.5, gzip") == content_coding::gzip));
}

BOOST_AUTO_TEST_CASE(coding_of_a_request_is_one_that_is_known_or_none) {
  const auto coding_of = [](std::vector<http::parameter> headers) {
    return http::coding_of(asking(std::move(headers)));
  };
  BOOST_TEST((coding_of({}) == content_coding::identity));
  BOOST_TEST((coding_of({{"content-encoding", "identity"}}) == content_coding::identity));
  BOOST_TEST((coding_of({{"content-encoding", "GZip"}}) == content_coding::gzip));
  BOOST_TEST((coding_of({{"content-encoding", "zstd"}}) == content_coding::zstd));
  BOOST_TEST(!coding_of({{"content-encoding", "br"}}));
  BOOST_TEST(!coding_of({{"content-encoding", "gzip, gzip"}}));
  BOOST_TEST(!coding_of({{"content-encoding", "gzip"}, {"content-encoding", "gzip"}}));
}

BOOST_AUTO_TEST_CASE(body_is_the_same_after_packing_and_unpacking) {
  for (const auto how : codings)
    for (const std::size_t size : {0UL, 1UL, 16383UL, 16384UL, 16385UL, 1'000'000UL}) {
      const auto text = various_text(size);
      BOOST_TEST((unpacked(packed(text, how), how) == text));
      const std::string same(size, 's');
      BOOST_TEST((unpacked(packed(same, how), how) == same));
    }
}

BOOST_AUTO_TEST_CASE(bodies_that_other_programs_have_packed_are_unpacked) {
  BOOST_TEST(unpacked(gzip_made_by_python, content_coding::gzip) == small_document);
  BOOST_TEST(unpacked(zstd_made_by_its_program, content_coding::zstd) == small_document);
}

BOOST_AUTO_TEST_CASE(body_in_several_parts_is_unpacked_as_one) {
  for (const auto how : codings)
    BOOST_TEST(unpacked(packed("one ", how) + packed("two ", how) + packed("", how), how)
               == "one two ");
}

BOOST_AUTO_TEST_CASE(bomb_is_refused_before_it_is_unpacked) {
  constexpr std::size_t most = 1'000'000;
  for (const auto how : codings) {
    const auto encoder = http::piece_encoder::make(how);
    std::string bomb;
    const std::string zeros(1'000'000, '\0');
    for (int i = 0; i < 200; ++i)
      bomb += encoder->next(zeros);
    bomb += encoder->last();
    BOOST_TEST(bomb.size() < 2'000'000U);
    std::size_t taken = 0;
    const auto text = http::decoded(bomb, how, most, [&](std::size_t bytes) {
      taken += bytes;
      return true;
    });
    BOOST_REQUIRE(!text);
    BOOST_TEST((text.error().code == core::errc::too_large));
    BOOST_TEST(taken <= most);
  }
}

BOOST_AUTO_TEST_CASE(body_of_exactly_the_bound_is_unpacked) {
  const auto text = various_text(50'000);
  for (const auto how : codings) {
    const auto bytes = packed(text, how);
    BOOST_TEST((error_of(bytes, how, text.size()) == core::errc::none));
    BOOST_TEST((error_of(bytes, how, text.size() - 1) == core::errc::too_large));
  }
}

BOOST_AUTO_TEST_CASE(unpacking_ends_when_no_room_is_left_for_bodies) {
  for (const auto how : codings) {
    std::size_t room = 100'000;
    const auto text =
        http::decoded(packed(std::string(1'000'000, 'a'), how), how, much, [&](std::size_t bytes) {
          const bool fits = bytes <= room;
          room -= fits ? bytes : 0;
          return fits;
        });
    BOOST_REQUIRE(!text);
    BOOST_TEST((text.error().code == core::errc::overloaded));
  }
}

BOOST_AUTO_TEST_CASE(every_beginning_of_a_body_and_every_other_bytes_are_refused) {
  for (const auto how : codings) {
    const auto bytes = packed("a text of some length, with a text in it", how);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      BOOST_TEST((error_of(bytes.substr(0, size), how) == core::errc::invalid_argument));
    BOOST_TEST((error_of(bytes + "more", how) == core::errc::invalid_argument));
    BOOST_TEST((error_of(small_document, how) == core::errc::invalid_argument));
  }
  BOOST_TEST((error_of(gzip_made_by_python, content_coding::zstd) == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(body_that_wants_a_large_window_is_refused) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 26);
  std::string made;
  std::array<char, 100'000> out{};
  for (const auto how : {ZSTD_e_flush, ZSTD_e_end}) {
    ZSTD_inBuffer in{small_document.data(), how == ZSTD_e_flush ? small_document.size() : 0, 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    BOOST_REQUIRE_EQUAL(ZSTD_compressStream2(context.get(), &to, &in, how), 0U);
    made.append(out.data(), to.pos);
  }
  BOOST_TEST((error_of(made, content_coding::zstd) == core::errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(answer_is_packed_where_it_gains_and_says_so) {
  const auto text = std::string(http::encoded_bytes_min, 'a');
  for (const auto how : codings) {
    auto plain = text_answer(text);
    plain.headers.push_back({"Vary", "Accept"});
    const auto made = http::encoded(plain, how);
    BOOST_TEST(made.body.size() < text.size());
    BOOST_TEST((unpacked(made.body, how) == text));
    BOOST_TEST(value_of(made.headers, "Content-Encoding") == http::to_string(how));
    BOOST_TEST(value_of(made.headers, "Vary") == "Accept, Accept-Encoding");
  }
  const auto unasked = http::encoded(text_answer(text), content_coding::identity);
  BOOST_TEST(unasked.body == text);
  BOOST_TEST(value_of(unasked.headers, "Content-Encoding") == "");
  BOOST_TEST(value_of(unasked.headers, "Vary") == "Accept-Encoding");
  const auto small = http::encoded(text_answer(text.substr(1)), content_coding::gzip);
  BOOST_TEST(small.body == text.substr(1));
  BOOST_TEST(small.headers.empty());
  auto coded = text_answer(text);
  coded.headers.push_back({"Content-Encoding", "br"});
  BOOST_TEST(http::encoded(coded, content_coding::gzip).body == text);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(content_codings_of_the_server, test::server_fixture)

BOOST_AUTO_TEST_CASE(answers_are_packed_for_clients_that_ask) {
  const auto text = std::string(5000, 'a');
  open([&](const http::call_ptr& call) { call->answer(text_answer(text)); });
  auto client = connect();
  client.send(get("/", "Accept-Encoding: br, gzip\r\n"));
  auto reply = client.read();
  BOOST_TEST(reply.header("content-encoding") == "gzip");
  BOOST_TEST(reply.header("vary") == "Accept-Encoding");
  BOOST_TEST(unpacked(reply.body, content_coding::gzip) == text);
  client.send(get("/"));
  reply = client.read();
  BOOST_TEST(!reply.has("content-encoding"));
  BOOST_TEST(reply.body == text);
  client.send("HEAD / HTTP/1.1\r\nHost: here\r\nAccept-Encoding: gzip\r\n\r\n");
  reply = client.read(true);
  BOOST_TEST(reply.header("content-encoding") == "gzip");
  BOOST_TEST(std::stoul(reply.header("content-length")) < text.size());
}

BOOST_AUTO_TEST_CASE(bodies_are_unpacked_within_the_bounds_of_bodies) {
  options.limits.body_bytes_max = 10'000;
  options.limits.bodies_bytes_max = 16'000;
  open([](const http::call_ptr& call) {
    auto objection = call->unpack_body();
    call->answer(objection ? std::move(*objection) : text_answer(call->asked().body));
  });
  auto client = connect();
  const auto status_of = [&](const std::string& body, const std::string& coding) {
    client.send(post("/", body, "Content-Encoding: " + coding + "\r\n"));
    return client.read().status;
  };
  client.send(post("/", gzip_made_by_python, "Content-Encoding: gzip\r\n"));
  BOOST_TEST(client.read().body == small_document);
  client.send(post("/", std::string{small_document}));
  BOOST_TEST(client.read().body == small_document);
  for (const auto how : codings) {
    const std::string name{http::to_string(how)};
    BOOST_TEST(status_of(packed(std::string(10'000, 'a'), how), name) == 200);
    BOOST_TEST(status_of(packed(std::string(10'001, 'a'), how), name) == 413);
    BOOST_TEST(status_of("no bytes of a coding", name) == 400);
  }
  // The packed body and the unpacked one are there together for a moment.
  const auto text = various_text(10'000);
  BOOST_TEST(
      status_of(packed(text, content_coding::gzip) + packed("", content_coding::gzip), "gzip")
      == 200);
  client.send(post("/", "whatever", "Content-Encoding: br\r\n"));
  const auto reply = client.read();
  BOOST_TEST(reply.status == 415);
  BOOST_TEST(reply.header("accept-encoding") == "gzip, zstd");
}

BOOST_AUTO_TEST_CASE(unpacked_bodies_take_room_from_all_others) {
  options.limits.body_bytes_max = 10'000;
  options.limits.bodies_bytes_max = 16'000;
  open();
  auto first = connect();
  auto second = connect();
  const auto body = packed(std::string(10'000, 'a'), content_coding::gzip);
  first.send(post("/", body, "Content-Encoding: gzip\r\n"));
  auto call = calls.take();
  BOOST_REQUIRE(call);
  BOOST_TEST(!call->unpack_body());
  second.send(post("/", body, "Content-Encoding: gzip\r\n"));
  const auto other = calls.take();
  BOOST_REQUIRE(other);
  auto objection = other->unpack_body();
  BOOST_REQUIRE(objection);
  BOOST_TEST(objection->status == 503U);
  other->answer(std::move(*objection));
  BOOST_TEST(second.read().status == 503);
  call->answer(text_answer("first"));
  call.reset(); // gives the room back
  BOOST_TEST(first.read().body == "first");
  second.send(post("/", body, "Content-Encoding: gzip\r\n"));
  const auto again = calls.take();
  BOOST_REQUIRE(again);
  BOOST_TEST(!again->unpack_body());
  again->answer(text_answer("second"));
  BOOST_TEST(second.read().body == "second");
}

BOOST_AUTO_TEST_SUITE_END()
