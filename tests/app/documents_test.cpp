#include "app/exit_codes.hpp"
#include "core/errors.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using holdfast::test::contains;

namespace core = holdfast::core;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file{holdfast::test::source_dir() + "/" + path};
  BOOST_REQUIRE_MESSAGE(file, "cannot read " + path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The rows of requests, as "`request` | `answer`". Of all tables only theirs begin with two names
/// of which the first has an underscore.
std::vector<std::string> requests_of(const std::string& api) {
  const auto is_name = [](const std::string& text) {
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
  };
  std::vector<std::string> found;
  std::istringstream lines{api};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells{line};
    std::string start, request, between, answer;
    for (auto* part : {&start, &request, &between, &answer})
      std::getline(cells, *part, '`');
    if (start == "| " && between == " | " && is_name(request) && contains(request, "_")
        && is_name(answer))
      found.push_back('`' + request + "` | `" + answer + '`');
  }
  return found;
}

/// The decision records: name of the file -> title, from "# NNNN. title" in its first line.
std::map<std::string, std::string> titles_of_records() {
  std::map<std::string, std::string> titles;
  for (const auto& entry :
       std::filesystem::directory_iterator{holdfast::test::source_dir() + "/docs/adr"}) {
    const auto name = entry.path().filename().string();
    const auto text = text_of("docs/adr/" + name);
    const auto mark = "# " + name.substr(0, name.find('-')) + ". ";
    if (name != "README.md")
      titles[name] = text.compare(0, mark.size(), mark) == 0
                         ? text.substr(mark.size(), text.find('\n') - mark.size())
                         : "";
  }
  return titles;
}

} // namespace

BOOST_AUTO_TEST_SUITE(documents_are_fresh)

BOOST_AUTO_TEST_CASE(operations_list_the_exit_codes_of_the_program) {
  BOOST_TEST(contains(text_of("docs/OPERATIONS.md"), holdfast::app::exit_codes_markdown()));
}

BOOST_AUTO_TEST_CASE(api_lists_every_error) {
  const auto api = text_of("docs/API.md");
  for (auto code = core::errc::invalid_argument; code <= core::errc::events_gone;
       code = static_cast<core::errc>(static_cast<int>(code) + 1)) {
    const auto& row = core::describe(code);
    BOOST_TEST(contains(api, "| " + std::to_string(static_cast<int>(code)) + " | `"
                                 + std::string{row.name} + "` | " + (row.retryable ? "yes" : "no")
                                 + " | " + std::string{row.advice} + " |\n"));
  }
}

BOOST_AUTO_TEST_CASE(documents_show_the_programs_that_the_tests_run) {
  const auto shown = [](const std::string& document, const std::string& program) {
    return contains(text_of(document), "```cpp\n" + text_of(program) + "```\n");
  };
  BOOST_TEST(shown("docs/API.md", "tests/end_to_end/image_node.cpp"));
  BOOST_TEST(shown("docs/PEERS.md", "tests/end_to_end/peer_program.cpp"));
  BOOST_TEST(shown("docs/PEERS.md", "examples/peer/worker.cpp"));
  BOOST_TEST(shown("docs/PEERS.md", "examples/peer/contributor.cpp"));
}

BOOST_AUTO_TEST_CASE(peers_are_told_of_every_request) {
  const auto peers = text_of("docs/PEERS.md");
  const auto requests = requests_of(text_of("docs/API.md"));
  BOOST_TEST(!requests.empty());
  for (const auto& request : requests)
    BOOST_TEST(contains(peers, " | " + request + " | "), request);
}

BOOST_AUTO_TEST_CASE(the_index_of_records_lists_each_with_its_title) {
  constexpr std::size_t title_max = 90; // docs/adr/README.md
  const auto index = text_of("docs/adr/README.md");
  const auto titles = titles_of_records();
  BOOST_TEST(!titles.empty());
  for (const auto& [name, title] : titles) {
    BOOST_TEST((!title.empty() && title.size() <= title_max), name << " has the title " << title);
    BOOST_TEST(contains(index, "| [" + name.substr(0, name.find('-')) + "](" + name + ") | " + title
                                   + " | "),
               name << " is not in the index as " << title);
  }
}

BOOST_AUTO_TEST_SUITE_END()
