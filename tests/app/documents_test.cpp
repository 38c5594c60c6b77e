#include "app/exit_codes.hpp"
#include "app/version.hpp"
#include "core/errors.hpp"
#include "core/workflow_warnings.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
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

/// The blocks of C++ that a page shows, each with the end of its last line.
std::vector<std::string> cpp_blocks(const std::string& page) {
  const std::string opening = "```cpp\n";
  std::vector<std::string> blocks;
  for (auto at = page.find(opening); at != std::string::npos;) {
    const auto begin = at + opening.size();
    const auto end = page.find("```\n", begin);
    blocks.push_back(page.substr(begin, end == std::string::npos ? end : end - begin));
    at = page.find(opening, begin);
  }
  return blocks;
}

/// The files that a page names in backticks, by a path from one of these folders. A source may be
/// named without its extension; a pattern is no name.
std::vector<std::string> files_named_in(const std::string& page) {
  const std::set<std::string> folders{
      "actors", "app",  "calendar", "client",  "config",      "core",  "documents", "docs",
      "files",  "link", "messages", "objects", "persistence", "tests", "connectors"};
  std::vector<std::string> files;
  std::istringstream parts{page};
  bool quoted = false;
  for (std::string part; std::getline(parts, part, '`'); quoted = !quoted)
    if (quoted && folders.count(part.substr(0, part.find('/'))) != 0
        && part.find('/') != std::string::npos && part.find_first_of(" \n<*|") == std::string::npos)
      files.push_back(part);
  return files;
}

/// The bold terms of a page, each as its letters and digits alone: "hand-over" is "handover", and
/// "to stage" is "stage".
std::vector<std::string> bold_terms(const std::string& page) {
  const std::string mark = "**";
  std::vector<std::string> terms;
  for (auto at = page.find(mark); at != std::string::npos;) {
    const auto begin = at + mark.size();
    const auto end = page.find(mark, begin);
    if (end == std::string::npos)
      break;
    auto text = page.substr(begin, end - begin);
    if (text.compare(0, 3, "to ") == 0)
      text.erase(0, 3);
    std::string term;
    for (const unsigned char c : text)
      if (std::isalnum(c) != 0)
        term += static_cast<char>(std::tolower(c));
    terms.push_back(term);
    at = page.find(mark, end + mark.size());
  }
  return terms;
}

/// The bold terms that have more than one entry, separated by blanks.
std::string defined_twice(const std::string& page) {
  std::map<std::string, int> entries;
  for (const auto& term : bold_terms(page))
    ++entries[term];
  std::string found;
  for (const auto& [term, count] : entries)
    if (count > 1)
      found += (found.empty() ? "" : " ") + term;
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
  for (auto code = core::errc::invalid_argument; code <= core::errc::rate_limited;
       code = static_cast<core::errc>(static_cast<int>(code) + 1)) {
    const auto& row = core::describe(code);
    BOOST_TEST(contains(api, "| " + std::to_string(static_cast<int>(code)) + " | `"
                                 + std::string{row.name} + "` | " + (row.retryable ? "yes" : "no")
                                 + " | " + std::string{row.advice} + " |\n"));
  }
}

BOOST_AUTO_TEST_CASE(api_lists_every_warning_of_a_definition) {
  std::string table = "| code | when |\n|---|---|\n";
  for (const auto& kind : core::warning_kinds())
    table += "| `" + std::string{kind.code} + "` | " + std::string{kind.when} + " |\n";
  BOOST_TEST(contains(text_of("docs/API.md"), table), table);
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

BOOST_AUTO_TEST_CASE(the_readme_shows_lines_of_the_worker_that_the_tests_run) {
  const auto worker = text_of("examples/peer/worker.cpp");
  const auto shown = cpp_blocks(text_of("README.md"));
  BOOST_TEST(!shown.empty());
  for (const auto& lines : shown)
    BOOST_TEST(contains(worker, '\n' + lines), lines);
}

BOOST_AUTO_TEST_CASE(peers_are_told_of_every_request) {
  const auto peers = text_of("docs/PEERS.md");
  const auto requests = requests_of(text_of("docs/API.md"));
  BOOST_TEST(!requests.empty());
  for (const auto& request : requests)
    BOOST_TEST(contains(peers, " | " + request + " | "), request);
}

BOOST_AUTO_TEST_CASE(names_of_files_are_read_from_a_page) {
  const auto files = files_named_in("`core/unit` and `docs/API.md`, not `core/x y`, `a|b/c`, "
                                    "`tests/<folder>/x.cpp`, `other/x` or core/lease.hpp");
  BOOST_TEST(files == (std::vector<std::string>{"core/unit", "docs/API.md"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(pages_for_contributors_name_files_that_are_there) {
  const auto root = holdfast::test::source_dir() + "/";
  for (const auto* page : {"CONTRIBUTING.md", "docs/ARCHITECTURE.md"}) {
    const auto files = files_named_in(text_of(page));
    constexpr std::size_t files_least = 20; // fewer: names are not read as such
    BOOST_TEST(files.size() > files_least, page << " names " << files.size());
    for (const auto& file : files)
      BOOST_TEST(
          (std::filesystem::exists(root + file) || std::filesystem::exists(root + file + ".hpp")),
          page << " names " << file);
  }
}

BOOST_AUTO_TEST_CASE(the_changelog_has_a_section_of_this_version_below_the_unreleased_changes) {
  const auto changelog = text_of("CHANGELOG.md");
  const auto unreleased = changelog.find("\n## [Unreleased]\n");
  const auto version = changelog.find("\n## [" + std::string{holdfast::app::version} + "] - ");
  BOOST_TEST_REQUIRE(unreleased != std::string::npos);
  BOOST_TEST_REQUIRE(version != std::string::npos);
  BOOST_TEST(unreleased < version);
}

BOOST_AUTO_TEST_CASE(a_second_entry_of_a_term_is_found_in_any_spelling) {
  BOOST_TEST(defined_twice("**batch** - one.\n\n**batch sequence** - two.\n") == "");
  BOOST_TEST(defined_twice("**taint** - one.\n\n**role** - two.\n\n**Taint** - three.\n")
             == "taint");
  BOOST_TEST(defined_twice("**handover**, **hand-over**, **to stage**, **stage**")
             == "handover stage");
}

BOOST_AUTO_TEST_CASE(the_glossary_has_one_entry_for_each_term) {
  const auto glossary = text_of("docs/GLOSSARY.md");
  constexpr std::size_t terms_least = 100; // fewer: the entries are not read as such
  BOOST_TEST(bold_terms(glossary).size() > terms_least);
  BOOST_TEST(defined_twice(glossary) == "");
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
