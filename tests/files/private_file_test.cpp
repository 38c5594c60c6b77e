// Files whose content others must not read, choose or redirect.

#include "files/private_file.hpp"

#include "tests/files/scratch.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace holdfast;
using core::errc;
using files::existing;
using test::code_of;
using test::nobody;
using test::scratch;

BOOST_FIXTURE_TEST_SUITE(private_files, scratch)

BOOST_AUTO_TEST_CASE(secret_of_its_owner_is_read_as_a_whole) {
  for (const mode_t mode : {0600U, 0400U, 0640U, 0440U}) {
    const auto path = put("secret", std::string(1000, 's'), mode);
    const auto text = files::read_secret(path, 1000);
    BOOST_REQUIRE(text);
    BOOST_TEST(text->size() == 1000U);
    std::filesystem::remove(path);
  }
  BOOST_TEST((code_of(files::read_secret(put("secret", std::string(1001, 's')), 1000))
              == errc::too_large));
}

// finding D6
BOOST_AUTO_TEST_CASE(secret_that_others_can_read_or_write_is_refused) {
  for (const mode_t mode : {0604U, 0602U, 0601U, 0620U, 0666U, 0644U}) {
    const auto refused = files::read_secret(put("secret", "s", mode), 1000);
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().detail.find(at("secret")) == 0U);
    BOOST_TEST(refused.error().detail.find("chmod 600") != std::string::npos,
               refused.error().detail);
  }
}

// finding D6
BOOST_AUTO_TEST_CASE(secret_behind_a_link_of_another_user_or_that_is_no_file_is_refused) {
  put("target", "s");
  BOOST_REQUIRE(::symlink(at("target").c_str(), at("link").c_str()) == 0);
  const auto linked = files::read_secret(at("link"), 1000);
  BOOST_REQUIRE(!linked);
  BOOST_TEST(linked.error().detail.find("symbolic link") != std::string::npos);
  BOOST_TEST(!files::read_secret(directory.string(), 1000));
  BOOST_REQUIRE(::mkfifo(at("pipe").c_str(), 0600) == 0);
  BOOST_TEST(!files::read_secret(at("pipe"), 1000)); // and it does not wait
  BOOST_TEST(!files::read_secret(at("missing"), 1000));
  if (::geteuid() != 0)
    return; // only root can give files away
  BOOST_REQUIRE(::chown(put("theirs", "s").c_str(), nobody, static_cast<gid_t>(-1)) == 0);
  const auto theirs = files::read_secret(at("theirs"), 1000);
  BOOST_REQUIRE(!theirs);
  BOOST_TEST(theirs.error().detail.find("belongs to another user") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(file_is_written_whole_with_its_mode_and_leaves_nothing_beside_it) {
  const auto before = ::umask(0);
  BOOST_TEST(
      (code_of(files::write_whole(at("node.json"), "one", 0600, existing::replace)) == errc::none));
  ::umask(0077);
  BOOST_TEST(
      (code_of(files::write_whole(at("ca.crt"), "two", 0644, existing::keep)) == errc::none));
  ::umask(before);
  BOOST_TEST(mode_of(at("node.json")) == 0600U);
  BOOST_TEST(mode_of(at("ca.crt")) == 0644U);
  BOOST_TEST(text_of(at("node.json")) == "one");
  BOOST_TEST((code_of(files::write_whole(at("ca.crt"), "three", 0644, existing::keep))
              == errc::already_exists));
  BOOST_TEST(text_of(at("ca.crt")) == "two");
  BOOST_TEST(
      (code_of(files::write_whole(at("node.json"), "", 0600, existing::replace)) == errc::none));
  BOOST_TEST(text_of(at("node.json")).empty());
  BOOST_TEST(entries() == 2U);
  BOOST_TEST(!files::write_whole(at("no/such/directory"), "", 0600, existing::replace));
}

// finding D4
BOOST_AUTO_TEST_CASE(links_that_others_have_laid_are_replaced_and_never_followed) {
  put("precious", "as it was", 0600);
  for (const auto* name : {"node.json", "node.json.new"})
    BOOST_REQUIRE(::symlink(at("precious").c_str(), at(name).c_str()) == 0);
  BOOST_TEST((code_of(files::write_whole(at("node.json"), "ours", 0644, existing::replace))
              == errc::none));
  BOOST_TEST(text_of(at("precious")) == "as it was");
  BOOST_TEST(mode_of(at("precious")) == 0600U);
  BOOST_TEST(text_of(at("node.json")) == "ours");
  BOOST_TEST(!std::filesystem::is_symlink(at("node.json")));
  BOOST_REQUIRE(::symlink(at("precious").c_str(), at("kept").c_str()) == 0);
  BOOST_TEST((code_of(files::write_whole(at("kept"), "ours", 0644, existing::keep))
              == errc::already_exists));
  BOOST_REQUIRE(::symlink(at("nowhere").c_str(), at("node.lock").c_str()) == 0);
  BOOST_TEST(files::open_lock(at("node.lock")) == -1);
  BOOST_TEST(!std::filesystem::exists(at("nowhere")));
}

// finding D4
BOOST_AUTO_TEST_CASE(directory_that_others_own_or_can_write_is_refused) {
  const auto before = ::umask(0);
  BOOST_TEST((code_of(files::make_directory(at("made"))) == errc::none));
  ::umask(before);
  BOOST_TEST((mode_of(at("made")) & 0022U) == 0U);
  for (const mode_t mode : {0770U, 0702U, 0777U, 01777U}) {
    BOOST_REQUIRE(::chmod(at("made").c_str(), mode) == 0);
    const auto refused = files::make_directory(at("made"));
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().detail
               == at("made") + ": others than its owner can write there; chmod go-w it");
  }
  BOOST_REQUIRE(::chmod(at("made").c_str(), 0750) == 0);
  BOOST_TEST((code_of(files::check_directory(at("made"))) == errc::none));
  put("file", "");
  BOOST_TEST(!files::make_directory(at("file")));
  BOOST_TEST((code_of(files::make_directory(at("a/b/c"))) == errc::none));
  if (::geteuid() != 0)
    return; // only root can give directories away
  BOOST_REQUIRE(::chown(at("made").c_str(), nobody, static_cast<gid_t>(-1)) == 0);
  const auto theirs = files::check_directory(at("made"));
  BOOST_REQUIRE(!theirs);
  BOOST_TEST(theirs.error().detail.find("belongs to user 65534") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
