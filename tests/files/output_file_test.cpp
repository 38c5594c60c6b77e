// finding D4: files that somebody asks a command to write, in directories where others write, too.

#include "files/output_file.hpp"

#include "tests/files/scratch.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

using namespace holdfast;
using core::errc;
using test::code_of;
using test::nobody;

namespace {

struct outputs : test::scratch {
  static core::outcome<bool> write(const std::string& path, const std::string& text) {
    return files::write_output(path, [&](std::ostream& to) { to << text; });
  }
  /// Only root can make it somebody else's.
  bool given_away(const std::string& link) const {
    return ::lchown(link.c_str(), nobody, static_cast<gid_t>(-1)) == 0;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(output_files, outputs)

BOOST_AUTO_TEST_CASE(file_takes_its_place_as_a_whole_or_not_at_all) {
  put("file", "before", 0640);
  {
    auto unfinished = files::output_file::create(at("file"));
    BOOST_REQUIRE(unfinished);
    unfinished->stream() << "half" << std::flush;
    BOOST_TEST(text_of(at("file")) == "before");
  }
  BOOST_TEST(entries() == 1U);
  BOOST_TEST((code_of(write(at("file"), "after")) == errc::none));
  BOOST_TEST(text_of(at("file")) == "after");
  BOOST_TEST(mode_of(at("file")) == 0640U); // as its owner had it
  BOOST_TEST(entries() == 1U);
  BOOST_TEST((code_of(write(at("new"), std::string(100'000, 'x'))) == errc::none));
  BOOST_TEST(text_of(at("new")).size() == 100'000U);
}

BOOST_AUTO_TEST_CASE(a_file_of_several_names_is_not_written_through_one_of_them) {
  put("kept", "kept");
  std::filesystem::create_hard_link(at("kept"), at("file"));
  BOOST_TEST((code_of(write(at("file"), "new")) == errc::none));
  BOOST_TEST(text_of(at("kept")) == "kept");
}

BOOST_AUTO_TEST_CASE(own_links_are_followed_and_stay) {
  std::filesystem::create_directory(at("far"));
  std::filesystem::create_symlink("far/file", at("link"));
  BOOST_TEST((code_of(write(at("link"), "text")) == errc::none));
  BOOST_TEST(std::filesystem::is_symlink(at("link")));
  BOOST_TEST(text_of(at("far/file")) == "text");
  std::filesystem::create_symlink("loop", at("loop"));
  BOOST_TEST((code_of(write(at("loop"), "text")) == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(links_of_others_are_refused) {
  put("victim", "theirs", 0600);
  std::filesystem::create_symlink(at("victim"), at("file"));
  std::filesystem::create_directory(at("victims"));
  std::filesystem::create_symlink(at("victims"), at("exports"));
  if (!given_away(at("file")) || !given_away(at("exports")))
    return;
  const auto refused = write(at("file"), "text");
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().detail.find("link of another user") != std::string::npos);
  BOOST_TEST(text_of(at("victim")) == "theirs");
  BOOST_TEST(mode_of(at("victim")) == 0600U);
  for (const auto* spelled : {"exports", "exports/", "exports//"})
    BOOST_TEST(!files::output_directory(at(spelled)), spelled);
  BOOST_TEST(std::filesystem::is_empty(at("victims")));
}

BOOST_AUTO_TEST_CASE(directories_are_made_and_links_to_them_followed) {
  const auto made = files::output_directory(at("a/b/"));
  BOOST_REQUIRE(made);
  BOOST_TEST(std::filesystem::is_directory(at("a/b")));
  std::filesystem::create_symlink(at("a"), at("link"));
  const auto behind = files::output_directory(at("link"));
  BOOST_REQUIRE(behind);
  BOOST_TEST(*behind == at("a"));
  put("file", "");
  BOOST_TEST((code_of(files::output_directory(at("file/a"))) == errc::invalid_argument));
}

BOOST_AUTO_TEST_CASE(terminals_pipes_and_devices_are_written_to_as_they_are) {
  BOOST_TEST((code_of(write("/dev/null", "text")) == errc::none));
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  BOOST_TEST((code_of(write("/proc/self/fd/" + std::to_string(ends[1]), "text")) == errc::none));
  char read[5]{};
  BOOST_TEST(::read(ends[0], read, 4) == 4);
  BOOST_TEST(std::string{read} == "text");
  ::close(ends[0]);
  ::close(ends[1]);
  // As `> file` of a shell, with something in it already.
  put("file", "before ");
  const int file = ::open(at("file").c_str(), O_WRONLY | O_APPEND);
  BOOST_TEST((code_of(write("/dev/fd/" + std::to_string(file), "after")) == errc::none));
  ::close(file);
  BOOST_TEST(text_of(at("file")) == "before after");
}

BOOST_AUTO_TEST_CASE(pipes_of_others_are_refused) {
  BOOST_REQUIRE(::mkfifo(at("pipe").c_str(), 0666) == 0);
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  BOOST_TEST((code_of(write(at("pipe"), "text")) == errc::none));
  if (given_away(at("pipe")))
    BOOST_TEST((code_of(write(at("pipe"), "text")) == errc::invalid_argument));
  ::close(reader);
}

BOOST_AUTO_TEST_CASE(file_of_another_user_stays_theirs_and_hidden) {
  put("file", "secret", 0600);
  if (!given_away(at("file")))
    return;
  BOOST_TEST((code_of(write(at("file"), "new")) == errc::none));
  struct stat facts {};
  BOOST_REQUIRE(::stat(at("file").c_str(), &facts) == 0);
  BOOST_TEST(facts.st_uid == nobody);
  BOOST_TEST(mode_of(at("file")) == 0600U);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_named) {
  BOOST_TEST(write(at("none/file"), "text").error().detail
             == at("none/file") + ": No such file or directory");
  // Full from the first byte on.
  const auto full = write("/dev/full", "text");
  BOOST_REQUIRE(!full);
  BOOST_TEST(full.error().detail == "/dev/full: No space left on device");
  BOOST_TEST(!write("/dev/full", std::string(100'000, 'x')));
}

BOOST_AUTO_TEST_SUITE_END()
