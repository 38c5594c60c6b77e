// What only the store of files does: what is on the disk, and what the disk may do to it.

#include "objects/sha256.hpp"
#include "tests/objects/worlds.hpp"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

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

/// Holds the folder of an object as a store does that puts into it or removes from it.
class held_folder {
public:
  explicit held_folder(const fs::path& folder)
      : directory_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
    BOOST_REQUIRE_EQUAL(::flock(directory_, LOCK_EX), 0);
    struct stat found {};
    BOOST_REQUIRE_EQUAL(::fstat(directory_, &found), 0);
    inode_ = ':' + std::to_string(found.st_ino) + ' ';
  }
  ~held_folder() { ::close(directory_); }
  held_folder(const held_folder&) = delete;
  held_folder& operator=(const held_folder&) = delete;

  /// Returns when somebody waits for the folder, or `done` is true.
  void await_somebody_or(const std::atomic<bool>& done) const {
    const auto patience = std::chrono::steady_clock::now() + 10s;
    while (!done && !somebody_waits() && std::chrono::steady_clock::now() < patience)
      std::this_thread::yield();
  }

private:
  /// As the system tells: "1: -> FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF".
  bool somebody_waits() const {
    std::ifstream locks{"/proc/locks"};
    for (std::string line; std::getline(locks, line);)
      if (line.find("->") != std::string::npos && line.find(inode_) != std::string::npos)
        return true;
    return false;
  }

  int directory_;
  std::string inode_;
};

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
BOOST_AUTO_TEST_CASE(remains_of_dead_writers_are_removed_when_old) {
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

// Otherwise it might look at the old object and then remove the new one.
BOOST_AUTO_TEST_CASE(removal_waits_for_who_is_putting_into_the_folder) {
  const auto store = open();
  const auto ref = value_of(store->put("abc"));
  const auto path = store->path_of(ref.content);
  *clock += 1'000'000;
  const auto before = core::from_micros(*clock);
  bool removed = true;
  std::atomic<bool> done{false};
  std::thread remover;
  {
    const held_folder held{path.parent_path()};
    remover = std::thread{[&] {
      const auto outcome = store->remove_if_older(ref.content, before);
      removed = !outcome || *outcome;
      done = true;
    }};
    held.await_somebody_or(done);
    // A put of another process comes to its end.
    std::error_code gone_already;
    fs::last_write_time(path, fs::file_time_type::clock::now() + 1h, gone_already);
    BOOST_TEST(!gone_already);
  }
  remover.join();
  BOOST_TEST(!removed);
  BOOST_TEST(value_of(store->get(ref)) == "abc");
}

BOOST_AUTO_TEST_CASE(putting_waits_for_who_is_removing_from_the_folder) {
  const auto store = open();
  const auto ref = value_of(store->put("abc"));
  const auto path = store->path_of(ref.content);
  bool put = false;
  std::atomic<bool> done{false};
  std::thread producer;
  {
    const held_folder held{path.parent_path()};
    producer = std::thread{[&] {
      put = static_cast<bool>(store->put("abc"));
      done = true;
    }};
    held.await_somebody_or(done);
    BOOST_TEST(!done);
    std::error_code ignored;
    fs::remove(path, ignored); // it was old when it was looked at
  }
  producer.join();
  BOOST_TEST(put);
  BOOST_TEST(value_of(store->get(ref)) == "abc");
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
