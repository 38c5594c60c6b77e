// What only the store of files does: what is on the disk, and what the disk may do to it.

#include "objects/sha256.hpp"
#include "tests/objects/worlds.hpp"

#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// The permissions, in octal digits.
unsigned mode_of(const fs::path& path) {
  struct stat found {};
  BOOST_REQUIRE_EQUAL(::stat(path.c_str(), &found), 0);
  return found.st_mode & 0777U;
}

std::set<std::string> files_in(const fs::path& directory) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator{directory})
    if (entry.is_regular_file())
      files.insert(fs::relative(entry.path(), directory).string());
  return files;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(file_object_store, file_world)

BOOST_AUTO_TEST_CASE(objects_are_files_for_their_owner_only) {
  const auto store = open();
  const auto ref = value_of(store->put("abc"));
  const auto path = store->path_of(ref.content);
  BOOST_TEST(path
             == directory / "ba"
                    / "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(mode_of(directory) == 0700U);
  BOOST_TEST(mode_of(path.parent_path()) == 0700U);
  BOOST_TEST(mode_of(path) == 0600U);
  BOOST_TEST(fs::file_size(path) == 3U);
}

// A80, I-12
BOOST_AUTO_TEST_CASE(objects_outlive_their_store) {
  const auto ref = value_of(open()->put("abc"));
  *clock += 10;
  const auto store = open();
  BOOST_TEST(value_of(store->get(ref)) == "abc");
  const auto all = value_of(store->list({}, 10));
  BOOST_REQUIRE_EQUAL(all.size(), 1U);
  BOOST_TEST(core::to_micros(all[0].stored_at) == *clock - 10);
}

BOOST_AUTO_TEST_CASE(two_stores_share_a_directory) {
  const auto one = open();
  const auto other = open();
  const auto ref = value_of(one->put("abc"));
  BOOST_TEST(value_of(other->get(ref)) == "abc");
  BOOST_TEST((value_of(other->put("abc")) == ref));
  BOOST_TEST(files_in(directory).size() == 1U);
}

// A writer dies before its file has a name: others see nothing of it, and it is cleared one day.
BOOST_AUTO_TEST_CASE(what_dead_writers_left_is_removed_when_it_is_old) {
  const auto ref = value_of(open()->put("whole"));
  const auto draft = directory / "new" / "half";
  { std::ofstream{draft} << "ha"; }
  const auto set_age = [&](core::duration age) {
    const auto at = *clock - age.count();
    const timespec times[2] = {{at / 1'000'000, 0}, {at / 1'000'000, 0}};
    BOOST_REQUIRE_EQUAL(::utimensat(AT_FDCWD, draft.c_str(), times, 0), 0);
  };
  set_age(59min); // perhaps somebody still writes it
  BOOST_TEST(value_of(open()->list({}, 10)).size() == 1U);
  BOOST_TEST(fs::exists(draft));
  set_age(61min);
  const auto store = open();
  BOOST_TEST(!fs::exists(draft));
  BOOST_TEST(value_of(store->get(ref)) == "whole");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_what_could_not_be_stored) {
  const auto store = open();
  // Where its folder should be is a file.
  { std::ofstream{directory / "ba"} << "in the way"; }
  const auto refused = store->put("abc");
  BOOST_TEST(fails_with(refused, core::errc::unavailable));
  BOOST_TEST(refused.error().detail.find((directory / "ba").string()) != std::string::npos);
  BOOST_TEST(files_in(directory / "new").empty());
  fs::remove(directory / "ba");
  BOOST_TEST(value_of(store->get(value_of(store->put("abc")))) == "abc");
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_used_is_named) {
  { std::ofstream{directory} << "a file"; }
  const auto refused = objects::file_object_store::open(directory, reader_of(clock));
  BOOST_TEST(fails_with(refused, core::errc::unavailable));
  BOOST_TEST(refused.error().detail.find(directory.string()) != std::string::npos);
  const auto nowhere =
      objects::file_object_store::open(directory.parent_path() / "no" / "where", reader_of(clock));
  BOOST_TEST(fails_with(nowhere, core::errc::unavailable));
}

BOOST_AUTO_TEST_CASE(links_and_directories_are_not_followed) {
  const auto store = open();
  const auto ref = value_of(store->put("abc"));
  const auto path = store->path_of(ref.content);
  const auto elsewhere = directory.parent_path() / "elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  BOOST_TEST(fails_with(store->get(ref), core::errc::damaged));
  BOOST_TEST(value_of(store->list({}, 10)).empty());
  fs::remove(path);
  fs::create_directory(path);
  BOOST_TEST(fails_with(store->get({ref.content, 4096}), core::errc::damaged));
}

BOOST_AUTO_TEST_CASE(files_that_are_no_objects_are_left_alone) {
  const auto store = open();
  const auto ref = value_of(store->put("abc"));
  const auto note = store->path_of(ref.content).parent_path() / "README";
  { std::ofstream{note} << "backed up daily"; }
  BOOST_TEST(value_of(store->list({}, 10)).size() == 1U);
  BOOST_TEST(fs::exists(note));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
