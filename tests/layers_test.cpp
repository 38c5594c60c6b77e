// Holds every #include to the arrows of docs/ARCHITECTURE.md, and every line to 100 columns.
//
// The checker is a function over a set of files in memory, so that the cases below can show each
// rule failing; the last case gives it the project itself.

#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Path from the root of the project -> text.
using file_set = std::map<std::string, std::string>;

/// One row per folder: what it may include of the others.
struct layer {
  std::string_view folder;
  bool includes_everything;
  std::vector<std::string_view> folders; ///< Besides itself.
  std::vector<std::string_view> files;   ///< Single headers of further folders: their ports.
};

const std::vector<layer> layers{
    {"core", false, {}, {}},
    {"messages", false, {"core"}, {}},
    {"documents", false, {"core"}, {}},
    {"calendar", false, {"core"}, {}},
    {"persistence", false, {"core", "files"}, {}},
    {"objects", false, {"core"}, {}},
    {"files", false, {"core"}, {}},
    {"connectors", false, {"core", "files"}, {}},
    {"config", false, {"core"}, {}},
    {"actors",
     false,
     {"messages", "documents", "core"},
     {"persistence/store.hpp", "objects/object_store.hpp", "connectors/webhook_sender.hpp"}},
    {"link", false, {"core", "files"}, {}},
    {"client", false, {"messages", "link", "core"}, {}},
    {"app", true, {}, {}},
    {"examples", false, {"app", "client", "messages", "core"}, {}},
    {"tests", true, {}, {}},
    {"bench", true, {}, {}},
};

/// One row per library that not everybody may use: headers that begin like this, and the folders
/// that may have them.
struct fenced_library {
  std::string_view name;
  std::vector<std::string_view> headers;
  std::vector<std::string_view> folders;
};

const std::vector<fenced_library> fenced_libraries{
    {"libpqxx", {"pqxx/"}, {"persistence", "examples", "tests", "bench"}},
    {"libpq", {"libpq-fe.h", "postgresql/", "libpq/"}, {"persistence", "bench"}},
    {"CAF", {"caf/"}, {"messages", "actors", "client", "app", "examples", "tests", "bench"}},
    {"date", {"date/"}, {"calendar"}},
    {"toml++", {"toml++/", "toml.hpp"}, {"config"}},
    {"CLI11", {"CLI/"}, {"app", "examples", "bench"}},
    {"spdlog", {"spdlog/"}, {"app", "bench"}},
    {"Boost.Test", {"boost/test/"}, {"tests"}},
    {"Boost.Asio", {"boost/asio", "boost/system/"}, {"link", "tests"}},
    {"OpenSSL", {"openssl/"}, {"link", "objects", "persistence", "connectors", "tests"}},
    {"libcurl", {"curl/"}, {"connectors", "examples"}},
    {"Google Benchmark", {"benchmark/"}, {"bench"}},
};

/// Headers of C++17 (and its <c...> wrappers): all that core may include from outside.
const std::set<std::string_view> standard_headers{
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "codecvt",
    "complex",
    "csetjmp",
    "csignal",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "cuchar",
    "cwchar",
    "cwctype",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "limits",
    "list",
    "locale",
    "map",
    "memory",
    "memory_resource",
    "mutex",
    "new",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ratio",
    "regex",
    "scoped_allocator",
    "set",
    "shared_mutex",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "string",
    "string_view",
    "system_error",
    "condition_variable",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
};

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view folder_of(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

const layer* find_layer(std::string_view folder) {
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const layer& row) { return row.folder == folder; });
  return found == layers.end() ? nullptr : &*found;
}

struct include {
  std::string_view target;
  bool quoted;
};

/// The include of one line, if it is one. Comments before the directive are not looked for: nobody
/// writes them.
std::optional<include> include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!starts_with(line, "#"))
    return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!starts_with(line, "include"))
    return {};
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<'))
    return {};
  const bool quoted = line.front() == '"';
  line.remove_prefix(1);
  return include{line.substr(0, line.find(quoted ? '"' : '>')), quoted};
}

/// Why `layer` may not have the project's own header `target`; empty when it may.
std::string objection_to_own(const layer& from, std::string_view target) {
  const auto to = folder_of(target);
  if (find_layer(to) == nullptr)
    return "is not a path from the root of the project";
  if (from.includes_everything || to == from.folder || contains(from.folders, to)
      || contains(from.files, target))
    return {};
  return "is no arrow: " + std::string{from.folder} + " may not include " + std::string{to};
}

std::string objection_to_library(const layer& from, std::string_view target) {
  if (from.folder == "core" && standard_headers.count(target) == 0)
    return "is not a standard header, and core has nothing else";
  for (const auto& library : fenced_libraries) {
    const bool matches = std::any_of(library.headers.begin(), library.headers.end(),
                                     [&](auto prefix) { return starts_with(target, prefix); });
    if (matches && !contains(library.folders, from.folder))
      return "belongs to " + std::string{library.name} + ", which " + std::string{from.folder}
             + " may not use";
  }
  return {};
}

/// Columns as a reader counts them: UTF-8 continuation bytes take none.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Every broken rule as `path:line: what`.
std::vector<std::string> violations(const file_set& files) {
  constexpr std::size_t columns_max = 100;
  std::vector<std::string> found;
  for (const auto& [path, text] : files) {
    const auto* from = find_layer(folder_of(path));
    if (from == nullptr) {
      found.push_back(path + ": its folder has no row in the table of layers");
      continue;
    }
    std::istringstream lines{text};
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      const auto report = [&, at = path + ':' + std::to_string(number) + ": "](const auto& what) {
        found.push_back(at + what);
      };
      if (columns(line) > columns_max)
        report("longer than 100 columns");
      const auto directive = include_of(line);
      if (!directive)
        continue;
      // A header of ours is ours with either kind of bracket.
      const bool own = directive->quoted || find_layer(folder_of(directive->target)) != nullptr;
      const auto objection = own ? objection_to_own(*from, directive->target)
                                 : objection_to_library(*from, directive->target);
      if (!objection.empty())
        report(std::string{directive->target} + ' ' + objection);
    }
  }
  return found;
}

/// Every .hpp and .cpp of the project, whichever folder it is in: a new folder must not escape the
/// table.
file_set read_project(const std::filesystem::path& root) {
  file_set files;
  for (auto at = std::filesystem::recursive_directory_iterator{root};
       at != std::filesystem::recursive_directory_iterator{}; ++at) {
    const auto name = at->path().filename().string();
    if (at->is_directory() && (name == "build" || starts_with(name, "."))) {
      at.disable_recursion_pending();
      continue;
    }
    const auto extension = at->path().extension();
    if (extension != ".hpp" && extension != ".cpp")
      continue;
    std::ifstream in{at->path(), std::ios::binary};
    files[at->path().lexically_relative(root).generic_string()] = {
        std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  }
  return files;
}

/// What the checker says about one file with this one line.
std::vector<std::string> verdict(const std::string& path, const std::string& line) {
  return violations({{path, line + "\n"}});
}

bool allowed(const std::string& folder, const std::string& line) {
  return verdict(folder + "/x.cpp", line).empty();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines)
    text += "\n  " + line;
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(layers_of_the_project)

BOOST_AUTO_TEST_CASE(core_includes_itself_and_the_standard_library_only) {
  BOOST_TEST(allowed("core", "#include \"core/lease.hpp\""));
  BOOST_TEST(allowed("core", "#include <vector>"));
  for (const auto* other : {"messages", "documents", "calendar", "persistence", "config", "actors",
                            "client", "app", "examples", "tests", "bench"})
    BOOST_TEST(!allowed("core", "#include \"" + std::string{other} + "/x.hpp\""), other);
  for (const auto* header : {"nlohmann/json.hpp", "unistd.h", "caf/actor.hpp", "boost/uuid.hpp"})
    BOOST_TEST(!allowed("core", "#include <" + std::string{header} + ">"), header);
}

BOOST_AUTO_TEST_CASE(siblings_include_core_and_never_each_other) {
  const std::vector<std::string> siblings{"messages", "documents",  "calendar", "persistence",
                                          "objects",  "connectors", "config",   "link"};
  for (const auto& from : siblings) {
    BOOST_TEST(allowed(from, "#include \"core/ids.hpp\""), from);
    BOOST_TEST(!allowed(from, "#include \"actors/unit.hpp\""), from);
    BOOST_TEST(!allowed(from, "#include \"app/wiring.hpp\""), from);
    for (const auto& to : siblings)
      BOOST_TEST(allowed(from, "#include \"" + to + "/x.hpp\"") == (from == to),
                 from << " to " << to);
  }
}

BOOST_AUTO_TEST_CASE(secrets_are_read_by_the_functions_for_private_files) {
  for (const auto* reader : {"link", "connectors"})
    BOOST_TEST(allowed(reader, "#include \"files/private_file.hpp\""), reader);
  for (const auto* other : {"core", "messages", "documents", "actors", "client"})
    BOOST_TEST(!allowed(other, "#include \"files/private_file.hpp\""), other);
}

BOOST_AUTO_TEST_CASE(actors_see_the_port_of_persistence_and_none_of_its_implementations) {
  BOOST_TEST(allowed("actors", "#include \"messages/interfaces.hpp\""));
  BOOST_TEST(allowed("actors", "#include \"documents/document.hpp\""));
  BOOST_TEST(allowed("actors", "#include \"core/unit.hpp\""));
  BOOST_TEST(allowed("actors", "#include \"persistence/store.hpp\""));
  BOOST_TEST(!allowed("actors", "#include \"persistence/memory_store.hpp\""));
  BOOST_TEST(!allowed("actors", "#include \"persistence/pg_store.hpp\""));
  BOOST_TEST(!allowed("actors", "#include \"config/settings.hpp\""));
  BOOST_TEST(!allowed("actors", "#include \"client/peer.hpp\""));
}

BOOST_AUTO_TEST_CASE(a_client_sees_messages_link_and_core) {
  BOOST_TEST(allowed("client", "#include \"messages/interfaces.hpp\""));
  BOOST_TEST(allowed("client", "#include \"link/outlet.hpp\""));
  BOOST_TEST(allowed("client", "#include \"core/ids.hpp\""));
  for (const auto* other : {"documents", "persistence", "config", "actors", "app"})
    BOOST_TEST(!allowed("client", "#include \"" + std::string{other} + "/x.hpp\""), other);
}

BOOST_AUTO_TEST_CASE(examples_see_what_a_user_sees) {
  for (const auto* seen : {"app", "client", "messages", "core"})
    BOOST_TEST(allowed("examples", "#include \"" + std::string{seen} + "/x.hpp\""), seen);
  for (const auto* other : {"documents", "persistence", "config", "actors", "tests"})
    BOOST_TEST(!allowed("examples", "#include \"" + std::string{other} + "/x.hpp\""), other);
}

BOOST_AUTO_TEST_CASE(app_tests_and_bench_include_every_folder) {
  for (const auto* from : {"app", "tests", "bench"})
    for (const auto& to : layers)
      BOOST_TEST(allowed(from, "#include \"" + std::string{to.folder} + "/x.hpp\""),
                 from << " to " << to.folder);
}

BOOST_AUTO_TEST_CASE(each_fenced_library_is_refused_outside_its_folders) {
  for (const auto& library : fenced_libraries)
    for (const auto& header : library.headers)
      for (const auto& from : layers)
        BOOST_TEST(allowed(std::string{from.folder}, "#include <" + std::string{header} + ">")
                       == contains(library.folders, from.folder),
                   header << " in " << from.folder);
}

BOOST_AUTO_TEST_CASE(spelling_does_not_hide_an_include) {
  BOOST_TEST(!allowed("core", "  #  include  \"actors/unit.hpp\" // for a reason"));
  BOOST_TEST(!allowed("core", "#include <actors/unit.hpp>"));
  BOOST_TEST(!allowed("core", "#include\"actors/unit.hpp\""));
  BOOST_TEST(!allowed("config", "#include \"pqxx/pqxx\""));
  BOOST_TEST(allowed("core", "// #include \"actors/unit.hpp\""));
  BOOST_TEST(allowed("core", "#define include_guard \"actors/unit.hpp\""));
}

BOOST_AUTO_TEST_CASE(own_headers_are_named_by_their_path_from_the_root) {
  BOOST_TEST(!allowed("core", "#include \"lease.hpp\""));
  BOOST_TEST(!allowed("tests", "#include \"../core/lease.hpp\""));
}

BOOST_AUTO_TEST_CASE(a_folder_without_a_row_is_refused) {
  BOOST_TEST(verdict("helpers/x.cpp", "").size() == 1U);
  BOOST_TEST(verdict("x.cpp", "").size() == 1U);
}

BOOST_AUTO_TEST_CASE(lines_end_at_column_one_hundred) {
  BOOST_TEST(allowed("core", std::string(100, 'x')));
  BOOST_TEST(!allowed("core", std::string(101, 'x')));
  std::string dashes;
  for (int i = 0; i < 100; ++i)
    dashes += "\u2500"; // three bytes, one column
  BOOST_TEST(allowed("core", dashes));
  BOOST_TEST(!allowed("core", dashes + "x"));
}

BOOST_AUTO_TEST_CASE(a_violation_names_file_line_and_reason) {
  const auto found =
      violations({{"core/a.cpp", "#include <vector>\n#include \"actors/unit.hpp\"\n"}});
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found.front()
             == "core/a.cpp:2: actors/unit.hpp is no arrow: core may not include actors");
}

BOOST_AUTO_TEST_CASE(no_product_makes_its_network_bad) {
  for (const auto& [path, text] : read_project(holdfast::test::source_dir())) {
    const auto folder = folder_of(path);
    if (folder == "link" || folder == "tests" || folder == "bench")
      continue;
    for (const auto* word : {"fault_injector", ".faults"})
      BOOST_TEST(text.find(word) == std::string::npos, path << " has " << word);
  }
}

BOOST_AUTO_TEST_CASE(
    no_product_connects_but_by_sessions_that_set_what_they_rely_on) { // finding Q12
  const std::map<std::string, std::string> only_in{
      {"#include <pqxx/", "persistence/pqxx_session.hpp"},
      {"PQconnect", "persistence/connection.cpp"}};
  const auto files = read_project(holdfast::test::source_dir());
  for (const auto& [word, place] : only_in)
    BOOST_TEST((files.count(place) == 1U && files.at(place).find(word) != std::string::npos),
               place);
  for (const auto& [path, text] : files) {
    const auto folder = folder_of(path);
    if (folder == "examples" || folder == "tests" || folder == "bench")
      continue;
    for (const auto& [word, place] : only_in)
      BOOST_TEST((path == place || text.find(word) == std::string::npos), path << " has " << word);
  }
}

BOOST_AUTO_TEST_CASE(the_project_keeps_every_rule) {
  const auto files = read_project(holdfast::test::source_dir());
  BOOST_TEST_REQUIRE(files.count("tests/layers_test.cpp") == 1U);
  const auto found = violations(files);
  BOOST_TEST(found.empty(), joined(found));
}

BOOST_AUTO_TEST_SUITE_END()
