#include "app/exit_codes.hpp"
#include "core/errors.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace core = holdfast::core;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file{HOLDFAST_SOURCE_DIR "/" + path};
  BOOST_REQUIRE_MESSAGE(file, "cannot read " + path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(documents_are_fresh)

BOOST_AUTO_TEST_CASE(operations_list_the_exit_codes_of_the_program) {
  BOOST_TEST(contains(text_of("docs/OPERATIONS.md"), holdfast::app::exit_codes_markdown()));
}

BOOST_AUTO_TEST_CASE(api_lists_every_error) {
  const auto api = text_of("docs/API.md");
  for (auto code = core::errc::invalid_argument; code <= core::errc::damaged;
       code = static_cast<core::errc>(static_cast<int>(code) + 1)) {
    const auto& row = core::describe(code);
    BOOST_TEST(contains(api, "| " + std::to_string(static_cast<int>(code)) + " | `"
                                 + std::string{row.name} + "` | " + (row.retryable ? "yes" : "no")
                                 + " | " + std::string{row.advice} + " |\n"));
  }
}

BOOST_AUTO_TEST_CASE(api_shows_the_programs_that_the_tests_run) {
  for (const auto* name : {"peer_program", "worker_program", "image_node"}) {
    const auto program = text_of("tests/end_to_end/" + std::string{name} + ".cpp");
    BOOST_TEST(contains(text_of("docs/API.md"), "```cpp\n" + program + "```\n"), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
