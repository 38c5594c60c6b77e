// What every object store does: the same for memory and for files.

#include "objects/sha256.hpp"
#include "tests/objects/worlds.hpp"

#include <algorithm>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

template <class World>
struct store_fixture {
  World world;
  std::unique_ptr<objects::object_store> store = world.open();

  core::object_ref put(std::string_view bytes) { return value_of(store->put(bytes)); }
  core::instant now() const { return core::from_micros(*world.clock); }
  void advance(core::duration by) { *world.clock += by.count(); }
  std::vector<objects::stored_object> all() { return value_of(store->list({}, 10'000)); }
};

std::string many_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::uint32_t x = 1;
  for (auto& byte : bytes) {
    x = x * 1'664'525 + 1'013'904'223;
    byte = static_cast<char>(x >> 24U);
  }
  return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(object_store)

// A80, C21
BOOST_AUTO_TEST_CASE_TEMPLATE(what_was_put_is_what_one_gets, World, worlds) {
  store_fixture<World> f;
  for (const auto& bytes : {std::string{}, std::string{"x"}, std::string("\0\xff\n\0", 4),
                            std::string{R"({"a":1})"}, many_bytes(3'000'000)}) {
    const auto ref = f.put(bytes);
    BOOST_TEST(ref.bytes == bytes.size());
    BOOST_TEST((value_of(f.store->get(ref)) == bytes));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_address_is_the_sha_256_of_the_bytes, World, worlds) {
  store_fixture<World> f;
  // The example of FIPS 180-4.
  const auto ref = f.put("abc");
  BOOST_TEST(to_string(ref.content)
             == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST((f.put("abc") == ref));
  BOOST_TEST((f.put("abd").content != ref.content));
  BOOST_TEST(f.all().size() == 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_not_there_is_said_to_be_missing, World, worlds) {
  store_fixture<World> f;
  const auto missing = f.store->get(objects::ref_of("never put"));
  BOOST_TEST(fails_with(missing, core::errc::not_found));
  BOOST_TEST(missing.error().detail.find(to_string(objects::sha256("never put")))
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_not_what_was_stored_is_never_served, World, worlds) {
  store_fixture<World> f;
  const auto ref = f.put("the truth");
  for (const auto* altered : {"", "the trut", "the truth!", "The truth", "the trutk"}) {
    f.world.overwrite(ref.content, altered);
    const auto got = f.store->get(ref);
    BOOST_TEST(fails_with(got, core::errc::damaged), altered);
    BOOST_TEST(got.error().detail.find(to_string(ref.content)) != std::string::npos);
  }
  // Whoever has the bytes heals it.
  f.put("the truth");
  BOOST_TEST(value_of(f.store->get(ref)) == "the truth");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_reference_of_another_length_does_not_fit, World, worlds) {
  store_fixture<World> f;
  auto ref = f.put("abc");
  for (const std::uint64_t bytes : {0U, 2U, 4U}) {
    ref.bytes = bytes;
    BOOST_TEST(fails_with(f.store->get(ref), core::errc::damaged));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(only_what_is_old_is_removed, World, worlds) {
  store_fixture<World> f;
  const auto ref = f.put("abc");
  const auto stored_at = f.now();
  BOOST_TEST(!value_of(f.store->remove_if_older(objects::sha256("never put"), stored_at + 1h)));
  BOOST_TEST(!value_of(f.store->remove_if_older(ref.content, stored_at - 1us)));
  BOOST_TEST(!value_of(f.store->remove_if_older(ref.content, stored_at)));
  BOOST_TEST(value_of(f.store->get(ref)) == "abc");
  BOOST_TEST(value_of(f.store->remove_if_older(ref.content, stored_at + 1us)));
  BOOST_TEST(fails_with(f.store->get(ref), core::errc::not_found));
  BOOST_TEST(!value_of(f.store->remove_if_older(ref.content, stored_at + 1us)));
  BOOST_TEST(f.all().empty());
}

// What a sweep has found to be waste may be wanted again before it is removed.
BOOST_AUTO_TEST_CASE_TEMPLATE(putting_again_makes_young, World, worlds) {
  store_fixture<World> f;
  const auto ref = f.put("abc");
  f.advance(48h);
  const auto before = f.now() - 24h;
  f.put("abc");
  BOOST_TEST(!value_of(f.store->remove_if_older(ref.content, before)));
  const auto all = f.all();
  BOOST_REQUIRE_EQUAL(all.size(), 1U);
  BOOST_TEST((all[0].stored_at == f.now()));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(all_objects_are_listed_in_pages_in_order, World, worlds) {
  store_fixture<World> f;
  BOOST_TEST(f.all().empty());
  std::vector<core::digest> put;
  for (int i = 0; i < 600; ++i) { // so that many share their first byte
    f.advance(1s);
    put.push_back(f.put("object " + std::to_string(i)).content);
  }
  std::vector<core::digest> listed;
  core::digest from;
  for (;;) {
    const auto page = value_of(f.store->list(from, 7));
    BOOST_TEST(page.size() <= 7U);
    const bool last = page.size() < 7;
    for (const auto& object : page) {
      if (listed.empty() || listed.back() < object.content)
        listed.push_back(object.content);
      BOOST_TEST((object.bytes == 8 || object.bytes == 9 || object.bytes == 10));
    }
    if (last)
      break;
    from = page.back().content; // it comes again, as the first of the next page
  }
  std::sort(put.begin(), put.end());
  BOOST_TEST((listed == put));
  const auto first = value_of(f.store->list(put[300], 1));
  BOOST_REQUIRE_EQUAL(first.size(), 1U);
  BOOST_TEST((first[0].content == put[300]));
  BOOST_TEST(value_of(f.store->list({}, 0)).empty());
}

// The sweep and those who put are of different processes and know nothing of each other.
BOOST_AUTO_TEST_CASE_TEMPLATE(what_is_put_while_others_sweep_stays, World, worlds) {
  store_fixture<World> f;
  std::atomic<bool> done{false};
  std::atomic<int> removed{0};
  std::thread rescuer{[&] {
    // Everything that is not of this very moment is waste.
    while (!done) {
      const auto before = f.now();
      const auto page = f.store->list({}, 100);
      for (const auto& object : *page)
        removed += *f.store->remove_if_older(object.content, before) ? 1 : 0;
    }
  }};
  int lost = 0;
  for (int i = 0; i < 300; ++i) {
    f.advance(1s);
    const auto ref = f.store->put("the same again"); // makes young what is about to be removed
    lost += ref && f.store->get(*ref) ? 0 : 1;
  }
  done = true;
  rescuer.join();
  BOOST_TEST(lost == 0);
  f.advance(1s);
  const auto left = f.all();
  for (const auto& object : left)
    BOOST_TEST(value_of(f.store->remove_if_older(object.content, f.now())));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
