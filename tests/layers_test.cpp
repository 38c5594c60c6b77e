// Holds every #include to the arrows of docs/ARCHITECTURE.md, pairs of files to include each other
// in one direction, every line to 100 columns, and the ids in comments of tests to the rows of
// docs/REQUIREMENTS.md.
//
// Each checker is a function over a set of files in memory, so that the cases below can show each
// rule failing; the last case of a checker gives it the project itself.

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
    {"metrics", false, {"core"}, {}},
    {"actors",
     false,
     {"messages", "documents", "metrics", "core"},
     {"persistence/store.hpp", "objects/object_store.hpp", "connectors/webhook_sender.hpp"}},
    {"link", false, {"core", "files"}, {}},
    {"client", false, {"messages", "link", "core"}, {}},
    {"http", false, {"messages", "documents", "core"}, {}},
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
    {"CAF",
     {"caf/"},
     {"messages", "actors", "client", "http", "app", "examples", "tests", "bench"}},
    {"date", {"date/"}, {"calendar"}},
    {"toml++", {"toml++/", "toml.hpp"}, {"config"}},
    {"CLI11", {"CLI/"}, {"app", "examples", "bench"}},
    {"spdlog", {"spdlog/"}, {"app", "bench"}},
    {"Boost.Test", {"boost/test/"}, {"tests"}},
    {"Boost.Asio", {"boost/asio", "boost/system/"}, {"link", "http", "tests"}},
    {"Boost.Beast", {"boost/beast"}, {"http", "tests"}},
    {"OpenSSL", {"openssl/"}, {"link", "objects", "persistence", "connectors", "tests"}},
    {"prometheus-cpp", {"prometheus/"}, {"metrics"}},
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

/// The files `x.hpp` and `x.cpp` are one pair, `x`; so is one of them without the other.
std::string pair_of(std::string_view path) { return std::string{path.substr(0, path.rfind('.'))}; }

/// Pair -> the other pairs of the set that its files include.
std::map<std::string, std::set<std::string>> includes_of_pairs(const file_set& files) {
  std::map<std::string, std::set<std::string>> includes;
  for (const auto& [path, text] : files) {
    const auto from = pair_of(path);
    auto& targets = includes[from];
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
      const auto directive = include_of(line);
      if (directive && files.count(std::string{directive->target}) != 0
          && pair_of(directive->target) != from)
        targets.insert(pair_of(directive->target));
    }
  }
  return includes;
}

/// Cycles of pairs that include each other, each as `a -> b -> a`. Of cycles that share a pair it
/// names one; the others show when that one is broken.
std::vector<std::string> cycles_of_pairs(const file_set& files) {
  auto left = includes_of_pairs(files);
  const auto first_left = [&](const std::set<std::string>& targets) {
    return std::find_if(targets.begin(), targets.end(),
                        [&](const std::string& to) { return left.count(to) != 0; });
  };
  std::vector<std::string> found;
  while (true) {
    // A pair that includes none of those left is on no cycle.
    for (bool dropped = true; dropped;) {
      dropped = false;
      for (auto at = left.begin(); at != left.end();) {
        const bool leads_on = first_left(at->second) != at->second.end();
        dropped = dropped || !leads_on;
        at = leads_on ? std::next(at) : left.erase(at);
      }
    }
    if (left.empty())
      return found;
    // Each pair left includes another one left, so that this path comes back to itself.
    std::vector<std::string> path{left.begin()->first};
    do
      path.push_back(*first_left(left.at(path.back())));
    while (std::count(path.begin(), path.end(), path.back()) == 1);
    const auto begin = std::find(path.begin(), path.end(), path.back());
    std::string cycle = *begin;
    for (auto at = begin + 1; at != path.end(); ++at)
      cycle += " -> " + *at;
    found.push_back(cycle);
    for (auto at = begin; at != path.end(); ++at)
      left.erase(*at);
  }
}

const std::set<std::string_view> sources{".hpp", ".cpp"};
const std::set<std::string_view> sources_and_scenarios{".hpp", ".cpp", ".scn"};

/// Every file of the project with one of the extensions, whichever folder it is in: a new folder
/// must not escape the table.
file_set read_project(const std::filesystem::path& root,
                      const std::set<std::string_view>& extensions = sources) {
  file_set files;
  for (auto at = std::filesystem::recursive_directory_iterator{root};
       at != std::filesystem::recursive_directory_iterator{}; ++at) {
    const auto name = at->path().filename().string();
    if (at->is_directory() && (name == "build" || starts_with(name, "."))) {
      at.disable_recursion_pending();
      continue;
    }
    if (extensions.count(at->path().extension().string()) == 0)
      continue;
    std::ifstream in{at->path(), std::ios::binary};
    files[at->path().lexically_relative(root).generic_string()] = {
        std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  }
  return files;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// The comments of a file. Comments of lines that follow each other are one text, so that a list
/// may go on in the next line. A scenario's comment begins with `#`; two slashes behind a colon are
/// part of an address.
std::string comments_of(std::string_view path, std::string_view text) {
  constexpr std::string_view scenario = ".scn";
  const bool is_scenario =
      path.size() >= scenario.size() && path.substr(path.size() - scenario.size()) == scenario;
  const std::string_view mark = is_scenario ? "#" : "//";
  std::string comments;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto at = line.find(mark);
    while (at != std::string_view::npos && at > 0 && line[at - 1] == ':')
      at = line.find(mark, at + 1);
    const auto comment = at == std::string_view::npos ? std::string_view{} : line.substr(at);
    const auto said = comment.substr(std::min(comment.find_first_not_of("/#!<"), comment.size()));
    comments += comment.empty() ? "\n" : std::string{said} + ' ';
  }
  return comments;
}

/// A letter and a number, as in `A108` and `I-12`.
struct requirement_id {
  std::string letter; ///< With the hyphen, if there is one.
  int number;
};

/// The id that a word is. Only I and G have a hyphen, only F and S numbers that begin with a zero.
std::optional<requirement_id> requirement_id_of(std::string_view word) {
  constexpr std::size_t digits_max = 3;
  const auto letter = word.substr(0, 1);
  const bool has_hyphen = word.size() > 1 && word[1] == '-';
  const auto number = word.substr(std::min<std::size_t>(has_hyphen ? 2 : 1, word.size()));
  const bool known = letter.find_first_of("ABCDEFGIQRSZ") == 0;
  if (!known || has_hyphen != (letter == "I" || letter == "G") || !are_digits(number)
      || number.size() > digits_max || (number[0] == '0' && letter != "F" && letter != "S"))
    return {};
  return requirement_id{std::string{letter} + (has_hyphen ? "-" : ""),
                        std::stoi(std::string{number})};
}

/// The ids that a text names, as the rows of docs/REQUIREMENTS.md spell them; that page says how a
/// person reads them, this function is the same for the test. It goes from word to word:
/// * the word "finding" (or "findings", "scorecard") holds for the ids and numbers that follow it,
///   separated by commas, blanks or "and"; every other word ends that list;
/// * an id with a hyphen or "to" before it, and an id of the same letter before that, ends a range.
std::set<std::string> ids_in(std::string_view text) {
  std::set<std::string> ids;
  std::string list;                   ///< "finding " or "scorecard " while such a list goes on.
  std::optional<requirement_id> last; ///< The id before, if a range may begin there.
  bool to = false;                    ///< Behind `last` came "to".
  while (true) {
    const auto begin =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_of_word) - text.begin());
    if (begin == text.size())
      return ids;
    const auto gap = text.substr(0, begin);
    auto end = begin;
    while (end < text.size() && is_of_word(text[end]))
      ++end;
    if (end - begin == 1 && end + 1 < text.size() && text[end] == '-' && is_digit(text[end + 1])
        && (text[begin] == 'I' || text[begin] == 'G'))
      for (++end; end < text.size() && is_of_word(text[end]);)
        ++end;
    const auto word = text.substr(begin, end - begin);
    text.remove_prefix(end);

    if (gap.find_first_not_of(" ,-") != std::string_view::npos) {
      list.clear();
      last.reset();
      to = false;
    }
    if (word == "to" && last) {
      to = true;
      continue;
    }
    if (word == "and") {
      last.reset();
      to = false;
      continue;
    }
    const bool ends_range = last && (to || gap == "-");
    to = false;
    const bool part_of_a_name =
        !ends_range && !gap.empty() && std::string_view{"./-"}.find(gap.back()) != gap.npos;
    const auto id = part_of_a_name ? std::nullopt : requirement_id_of(word);
    if (id) {
      const bool is_fault = id->letter == "E" || id->letter == "Q" || id->letter == "R"
                            || (list == "finding " && id->letter.find_first_of("BCD") == 0);
      const std::string prefix = is_fault ? "finding " : "";
      ids.insert(prefix + std::string{word});
      if (ends_range && last->letter == id->letter)
        for (auto number = last->number + 1; number < id->number; ++number)
          ids.insert(prefix + id->letter + std::to_string(number));
      last = id;
      continue;
    }
    last.reset();
    if (word == "finding" || word == "findings" || word == "Finding" || word == "Findings")
      list = "finding ";
    else if (word == "scorecard" || word == "Scorecard")
      list = "scorecard ";
    else if (!list.empty() && !part_of_a_name && are_digits(word))
      ids.insert(list + std::string{word});
    else
      list.clear();
  }
}

/// One row of docs/REQUIREMENTS.md.
struct requirement_row {
  std::string id;
  std::vector<std::string> files; ///< From the root of the project.
};

/// The rows of the page: the lines of tables whose first cell is an id and nothing else. Files are
/// what stands in backticks in the third cell.
std::vector<requirement_row> requirement_rows(const std::string& page) {
  std::vector<requirement_row> rows;
  std::istringstream lines{page};
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts{line};
    for (std::string part; std::getline(parts, part, '|');)
      cells.push_back(part);
    if (cells.size() < 4 || !cells[0].empty())
      continue;
    const auto ids = ids_in(cells[1]);
    if (ids.size() != 1U || cells[1] != " " + *ids.begin() + " ")
      continue;
    requirement_row row{*ids.begin(), {}};
    std::istringstream names{cells[3]};
    bool quoted = false;
    for (std::string name; std::getline(names, name, '`'); quoted = !quoted)
      if (quoted)
        row.files.push_back("tests/" + name);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Where tests and page disagree, a line each.
std::vector<std::string> disagreements(const file_set& files, const std::string& page) {
  std::map<std::string, std::set<std::string>> named;
  for (const auto& [path, text] : files)
    if (folder_of(path) == "tests")
      named[path] = ids_in(comments_of(path, text));
  std::vector<std::string> found;
  std::set<std::string> known;
  for (const auto& row : requirement_rows(page)) {
    if (!known.insert(row.id).second)
      found.push_back(row.id + " has two rows");
    if (row.files.empty())
      found.push_back(row.id + " has no file");
    for (const auto& file : row.files)
      if (const auto at = named.find(file); at == named.end())
        found.push_back(row.id + " has a file that is not there: " + file);
      else if (at->second.count(row.id) == 0)
        found.push_back(row.id + " has a file that does not name it: " + file);
  }
  for (const auto& [path, ids] : named)
    for (const auto& id : ids)
      if (known.count(id) == 0)
        found.push_back(path + " names " + id + ", which has no row");
  return found;
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

/// A file with one line that is this comment.
std::string commented(const std::string& comment) { return "// " + comment + "\n"; }

/// The ids that a comment names, in the order of their text.
std::string named_by(const std::string& comment) {
  std::string text;
  for (const auto& id : ids_in(comments_of("x.cpp", commented(comment))))
    text += (text.empty() ? "" : ", ") + id;
  return text;
}

/// The faults of a page that consists of these rows, where `tests/a.cpp` names `A1` and `I-2`.
std::string found_in(const std::string& rows) {
  return joined(disagreements({{"tests/a.cpp", commented("A1, I-2")}}, rows));
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

BOOST_AUTO_TEST_CASE(pairs_that_include_each_other_in_one_direction_are_no_cycle) {
  BOOST_TEST(cycles_of_pairs({{"core/a.hpp", "#include <vector>\n"},
                              {"core/a.cpp", "#include \"core/a.hpp\"\n#include \"core/b.hpp\"\n"},
                              {"core/b.hpp", "#include \"core/c.hpp\"\n"},
                              {"core/b.cpp", "#include \"core/b.hpp\"\n#include \"core/c.hpp\"\n"},
                              {"core/c.hpp", "#include \"core/gone.hpp\"\n"}})
                 .empty());
}

BOOST_AUTO_TEST_CASE(a_cycle_of_pairs_is_named_also_where_their_headers_alone_have_none) {
  const auto found = cycles_of_pairs({{"core/a.hpp", "int a();\n"},
                                      {"core/a.cpp", "#include \"core/b.hpp\"\n"},
                                      {"core/b.hpp", "#include \"core/c.hpp\"\n"},
                                      {"core/c.hpp", "#include \"core/a.hpp\"\n"},
                                      {"core/user.cpp", "#include \"core/a.hpp\"\n"}});
  BOOST_TEST(joined(found) == "\n  core/a -> core/b -> core/c -> core/a");
}

BOOST_AUTO_TEST_CASE(a_cycle_behind_another_pair_begins_where_it_comes_back_to) {
  const auto found = cycles_of_pairs({{"core/a.hpp", "#include \"core/b.hpp\"\n"},
                                      {"core/b.hpp", "#include \"core/c.hpp\"\n"},
                                      {"core/c.hpp", "#include \"core/b.hpp\"\n"}});
  BOOST_TEST(joined(found) == "\n  core/b -> core/c -> core/b");
}

BOOST_AUTO_TEST_CASE(each_cycle_of_pairs_is_named_in_a_folder_and_between_folders) {
  const auto found = cycles_of_pairs({{"app/demo/a.hpp", "#include \"bench/b.hpp\"\n"},
                                      {"bench/b.hpp", "#include \"app/demo/a.hpp\"\n"},
                                      {"tests/sim/c.hpp", "#include \"tests/sim/d.hpp\"\n"},
                                      {"tests/sim/d.cpp", "#include \"tests/sim/c.hpp\"\n"},
                                      {"tests/sim/d.hpp", "int d();\n"}});
  BOOST_TEST(joined(found)
             == "\n  app/demo/a -> bench/b -> app/demo/a"
                "\n  tests/sim/c -> tests/sim/d -> tests/sim/c");
}

BOOST_AUTO_TEST_CASE(no_pairs_of_the_project_include_each_other_in_a_cycle) {
  const auto files = read_project(holdfast::test::source_dir());
  BOOST_TEST_REQUIRE(includes_of_pairs(files).at("actors/node").count("actors/gateway") == 1U);
  const auto found = cycles_of_pairs(files);
  BOOST_TEST(found.empty(), joined(found));
}

BOOST_AUTO_TEST_CASE(ids_are_read_from_comments) {
  BOOST_TEST(named_by("A108, I-1: in time (B52)") == "A108, B52, I-1");
  BOOST_TEST(named_by("A23 to A26, A28") == "A23, A24, A25, A26, A28");
  BOOST_TEST(named_by("C13-C15 and I-1 to I-3") == "C13, C14, C15, I-1, I-2, I-3");
  BOOST_TEST(named_by("F06, G-5, S20, Z4") == "F06, G-5, S20, Z4");
  BOOST_TEST(named_by("none: UTF-8, FNV-1a, C++17, 0.17.6, B2x, A0, H1, I, to, 7") == "");
  BOOST_TEST(named_by("none: docs/B12, a-B12, I-, I12, A-12, B1234") == "");
}

BOOST_AUTO_TEST_CASE(the_word_finding_holds_for_the_list_behind_it) {
  BOOST_TEST(named_by("finding B9") == "finding B9");
  BOOST_TEST(named_by("Findings C6 and D5, I-12; B9") == "B9, I-12, finding C6, finding D5");
  BOOST_TEST(named_by("finding B9: a lease, as D14 has it") == "D14, finding B9");
  BOOST_TEST(named_by("Q13, R4") == "finding Q13, finding R4");
  BOOST_TEST(named_by("Scorecard 24, 36; finding 10 of 12")
             == "finding 10, scorecard 24, scorecard 36");
}

BOOST_AUTO_TEST_CASE(comments_are_read_as_their_file_writes_them) {
  const std::string slashes = "//";
  BOOST_TEST(comments_of("a.cpp", "int a1; " + slashes + " A1,\n///< A3\nint b;\n")
             == " A1,  A3 \n");
  BOOST_TEST(comments_of("a.cpp", "link(\"https:" + slashes + "a\");\n") == "\n");
  BOOST_TEST(comments_of("a.scn", "# covers: A1\nat 0s\n") == " covers: A1 \n");
}

BOOST_AUTO_TEST_CASE(each_disagreement_between_tests_and_requirements_is_found) {
  const std::string first = "| A1 | One. | `a.cpp` |\n";
  const std::string second = "| I-2 | Two. | `a.cpp` |\n";
  BOOST_TEST(found_in("| id | means | in |\n|---|---|---|\n" + first + second) == "");
  BOOST_TEST(found_in(first) == "\n  tests/a.cpp names I-2, which has no row");
  BOOST_TEST(found_in(first + second + first) == "\n  A1 has two rows");
  BOOST_TEST(found_in(first + second + "| A3 | Three. | `a.cpp` |\n")
             == "\n  A3 has a file that does not name it: tests/a.cpp");
  BOOST_TEST(found_in(first + "| I-2 | Two. | `a.cpp`, `b.cpp` |\n")
             == "\n  I-2 has a file that is not there: tests/b.cpp");
  BOOST_TEST(found_in(first + "| I-2 | Two. | a.cpp |\n") == "\n  I-2 has no file");
}

BOOST_AUTO_TEST_CASE(every_id_in_a_comment_of_a_test_is_explained) {
  const std::filesystem::path root{holdfast::test::source_dir()};
  std::ifstream in{root / "docs/REQUIREMENTS.md", std::ios::binary};
  const std::string page{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  constexpr std::size_t rows_least = 300; // so many there were: else rows are not read as such
  BOOST_TEST(requirement_rows(page).size() > rows_least);
  const auto found = disagreements(read_project(root, sources_and_scenarios), page);
  BOOST_TEST(found.empty(), joined(found));
}

BOOST_AUTO_TEST_SUITE_END()
