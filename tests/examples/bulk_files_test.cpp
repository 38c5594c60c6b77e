// What bulk actions write for others: CSV files, and mails.

#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/csv.hpp"
#include "examples/bulk_actions/export_file.hpp"
#include "examples/bulk_actions/mailer.hpp"
#include "examples/bulk_actions/smtp_mailer.hpp"
#include "tests/support/printing.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace bulk {

namespace {

namespace fs = std::filesystem;

struct a_directory {
  a_directory() {
    auto name = (fs::temp_directory_path() / "holdfast-bulk-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    task.value = *core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001");
  }
  ~a_directory() { fs::remove_all(path); }

  std::string whole() const {
    std::ifstream in{export_path(path, task), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{path}, fs::directory_iterator{}));
  }

  fs::path path;
  core::task_id task;
};

} // namespace

// --- CSV ---

BOOST_AUTO_TEST_SUITE(bulk_csv)

// RFC 4180, 2.5-2.7
BOOST_AUTO_TEST_CASE(only_what_needs_quotes_gets_them) {
  BOOST_TEST(csv_line({"a", "b c", ""}) == "a,b c,\r\n");
  BOOST_TEST(csv_line({"a,b", "say \"hi\"", "two\r\nlines", "cr\r", "lf\n"})
             == "\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\",\"cr\r\",\"lf\n\"\r\n");
  BOOST_TEST(csv_line({"\""}) == "\"\"\"\"\r\n");
}

BOOST_AUTO_TEST_CASE(a_row_has_the_fields_of_the_header) {
  BOOST_TEST(csv_header() == "id,name,email,program,campus,status\r\n");
  const person zoe{7, "Zoë, jr.", "z@x.example", "law", "north", program_status::on_leave};
  BOOST_TEST(csv_rows({zoe}) == "7,\"Zoë, jr.\",z@x.example,law,north,ON_LEAVE\r\n");
  BOOST_TEST(csv_rows({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

// --- files ---

BOOST_FIXTURE_TEST_SUITE(bulk_export_file, a_directory)

BOOST_AUTO_TEST_CASE(it_appears_whole_or_not_at_all) {
  export_file file{path, task, 1};
  auto at = file.append({}, "one,");
  at = file.append(at, "two");
  BOOST_TEST(at.bytes == 7);
  BOOST_TEST(!fs::exists(export_path(path, task)));
  file.publish(at);
  BOOST_TEST(whole() == "one,two");
  BOOST_TEST(files() == 1U);
  file.publish(at); // as whoever takes over does
  BOOST_TEST(whole() == "one,two");
}

BOOST_AUTO_TEST_CASE(writes_behind_the_checkpoint_never_happened) {
  const auto at = export_file{path, task, 1}.append({}, "one,");
  export_file{path, task, 1}.append(at, "of a chunk that was not committed");
  export_file next{path, task, 2};
  next.publish(next.append(at, "two"));
  BOOST_TEST(whole() == "one,two");
}

BOOST_AUTO_TEST_CASE(worker_without_the_lease_writes_to_a_file_that_nobody_reads) {
  export_file first{path, task, 1};
  const auto at = first.append({}, "one,");
  export_file second{path, task, 2};
  auto later = second.append(at, "two,");
  first.append(at, "NEVER");
  later = second.append(later, "three");
  second.publish(later);
  BOOST_TEST(whole() == "one,two,three");
  BOOST_TEST(files() == 1U);
}

BOOST_AUTO_TEST_CASE(cleared_files_are_known_to_be_gone) {
  BOOST_TEST(export_file(path, task, 1).has({})); // nothing is done, and nothing is missing
  export_file first{path, task, 1};
  const auto at = first.append({}, "one,");
  export_file second{path, task, 2};
  BOOST_TEST(second.has(at));
  first.clear();
  BOOST_TEST(!second.has(at));
  second.publish(second.append({}, "anew"));
  BOOST_TEST(export_file(path, task, 3).has(at)); // it is whole
}

BOOST_AUTO_TEST_CASE(a_disk_that_does_not_is_a_trouble_that_may_pass) {
  std::ofstream{path / "file"} << "no directory";
  export_file file{path / "file", task, 1};
  BOOST_CHECK_EXCEPTION(file.append({}, "one"), trouble, [](const trouble& what) {
    return what.code == error::disk_unavailable && what.kind == core::failure_kind::transient;
  });
}

BOOST_AUTO_TEST_SUITE_END()

// --- mails ---

BOOST_AUTO_TEST_SUITE(bulk_mails)

BOOST_AUTO_TEST_CASE(a_mail_that_is_sent_again_is_the_same_mail) {
  core::task_id task;
  task.value = *core::parse_uuid("018f2c5e-7c1a-7000-8000-000000000001");
  BOOST_TEST(message_id(task, 42) == "<018f2c5e-7c1a-7000-8000-000000000001.42@bulk.example>");
}

BOOST_AUTO_TEST_CASE(a_message_is_ascii_in_short_lines) {
  std::string subject;
  for (int i = 0; i < 40; ++i)
    subject += "ß€";
  const auto message = message_of({"<1@bulk.example>", "a@x.example", "b@x.example", subject,
                                   ".\r\n" + std::string(3'000, 'x'), core::from_micros(0)});
  std::size_t line = 0;
  for (const auto c : message) {
    BOOST_TEST_REQUIRE(static_cast<unsigned char>(c) < 0x80);
    line = c == '\r' || c == '\n' ? 0 : line + 1;
    BOOST_TEST_REQUIRE(line <= 76U);
  }
  BOOST_TEST(message.find("Date: Thu, 1 Jan 1970 00:00:00 +0000\r\n") == 0U);
  BOOST_TEST(message.find("\r\nMessage-ID: <1@bulk.example>\r\n") != std::string::npos);
  BOOST_TEST(message.find("\r\n.") == std::string::npos);
}

// B21
BOOST_AUTO_TEST_CASE(receivers_of_a_copy_are_named_in_short_lines) {
  mail letter{"<1@b>", "a@x", "b@x", "Hello, you", "Hi", core::from_micros(0)};
  BOOST_TEST(message_of(letter).find("Cc:") == std::string::npos);
  letter.cc = {"c@x", "d@x"};
  BOOST_TEST(message_of(letter).find("\r\nTo: b@x\r\nCc: c@x,\r\n d@x\r\nMessage-ID: <1@b>\r\n")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(plain_subjects_stay_readable) {
  const mail plain{"<1@b>", "a@x", "b@x", "Hello, you", "Hi", core::from_micros(0)};
  BOOST_TEST(message_of(plain).find("\r\nSubject: Hello, you\r\n") != std::string::npos);
  BOOST_TEST(message_of(plain).find("\r\n\r\nSGk=\r\n") != std::string::npos);
}

// B65
BOOST_AUTO_TEST_CASE(only_what_is_about_the_mail_is_for_good) {
  using result = delivery::result;
  BOOST_TEST((result_of_reply(550, true) == result::refused));
  BOOST_TEST((result_of_reply(554, true) == result::refused));
  BOOST_TEST((result_of_reply(554, false) == result::unavailable)); // no service here
  BOOST_TEST((result_of_reply(450, true) == result::later));
  BOOST_TEST((result_of_reply(451, true) == result::later));
  BOOST_TEST((result_of_reply(450, false) == result::unavailable));
  BOOST_TEST((result_of_reply(421, true) == result::unavailable));
  BOOST_TEST((result_of_reply(452, true) == result::unavailable));
  BOOST_TEST((result_of_reply(530, true) == result::unavailable)); // it wants a login
  BOOST_TEST((result_of_reply(0, false) == result::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace bulk
