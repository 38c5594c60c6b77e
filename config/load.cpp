#include "config/load.hpp"

#include "config/option_table.hpp"
#include "config/value_text.hpp"

#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <variant>

namespace holdfast::config {

namespace {

constexpr std::string_view environment_prefix = "HOLDFAST_";

/// Configuration and secrets are small; a path mistaken for one of them (a device, a dump) must not
/// fill memory.
constexpr std::size_t file_bytes_max = 1024 * 1024;

/// A value as it was given, before anybody knows what its option takes.
struct raw_value {
  std::string key;
  std::string shown; ///< As the person wrote it, for messages.
  origin from;
  bool is_empty_table = false;
  bool typed = false; ///< TOML tells numbers from text; environment and flags do not.
  std::variant<std::monostate, std::int64_t, std::string>
      value; ///< Nothing: a type no option takes.
};

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const auto& row : option_table(settings{})) {
    keys.push_back(row.key);
    if (row.is_secret)
      keys.push_back(row.key + secret_file_suffix);
  }
  return keys;
}

/// Why a file must not say how the database is reached: whoever can change it sends a running node,
/// with its password, elsewhere. Nothing of a good one. A link may lead to it, and others may read
/// it, as is usual in Kubernetes.
std::optional<std::string> objection_to_secret(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return std::nullopt; // a pipe is whoever's who started this program
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
    return "belongs to another user, who can change it; it must be this user's or root's";
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write it; chmod 600 it";
  return std::nullopt;
}

/// The text of a file or the reason why there is none.
std::variant<std::string, problem> read_text(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& why) {
    return problem{{}, "cannot read " + path.string() + ": " + why};
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return fail(error ? error.message() : "no such file");
  if (std::filesystem::is_directory(status))
    return fail("it is a directory");
  // Not only regular files: secrets also come as pipes, from <(...) of a shell.
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return fail("permission denied or not readable");
  std::string text(file_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad())
    return fail("reading failed");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > file_bytes_max)
    return fail("longer than " + std::to_string(file_bytes_max) + " bytes");
  return text;
}

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string::npos ? std::string{}
                                    : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

constexpr std::size_t secret_bytes_max = 4096;

/// Flattens a TOML table into dotted keys. An empty table is kept as a key of its own, so that a
/// misspelt one is noticed.
void flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             std::vector<raw_value>& out) {
  for (const auto& [name, node] : table) {
    raw_value raw;
    raw.key = prefix + std::string{name.str()};
    raw.from = {origin::kind::file, file + ':' + std::to_string(name.source().begin.line)};
    raw.typed = true;
    if (const auto* inner = node.as_table()) {
      raw.is_empty_table = inner->empty();
      if (!raw.is_empty_table) {
        flatten(*inner, raw.key + '.', file, out);
        continue;
      }
    }
    if (const auto* number = node.as_integer()) {
      raw.value = number->get();
      raw.shown = std::to_string(number->get());
    } else if (const auto* text = node.as_string()) {
      raw.value = text->get();
      raw.shown = quote(text->get());
    } else {
      std::ostringstream type;
      type << "a TOML " << node.type();
      raw.shown = type.str();
    }
    out.push_back(std::move(raw));
  }
}

/// Gathers what was given, weakest origin first.
class gatherer {
public:
  explicit gatherer(std::vector<problem>& problems) : problems_(problems) {}

  void read_file(const std::filesystem::path& path) {
    auto text = read_text(path);
    if (auto* failed = std::get_if<problem>(&text)) {
      problems_.push_back(std::move(*failed));
      return;
    }
    try {
      flatten(toml::parse(std::get<std::string>(text)), {}, path.string(), values);
    } catch (const toml::parse_error& error) {
      std::ostringstream what;
      what << path.string() << ':' << error.source().begin.line << ':'
           << error.source().begin.column << ": " << error.description();
      problems_.push_back({{}, what.str()});
    }
    // The parser's table is sorted by key; a person fixes a file from top to bottom.
    std::stable_sort(values.begin(), values.end(), [](const raw_value& a, const raw_value& b) {
      return line_of(a) < line_of(b);
    });
  }

  void add(std::string key, origin from, const std::string& text) {
    values.push_back({std::move(key), quote(text), std::move(from), false, false, text});
  }

  std::vector<raw_value> values;

private:
  static long line_of(const raw_value& raw) {
    return std::stol(raw.from.where.substr(raw.from.where.rfind(':') + 1));
  }

  std::vector<problem>& problems_;
};

/// The known key that `key` is nearest to; empty when none is near.
std::string suggestion(const std::string& key, const std::vector<std::string>& known) {
  std::string best;
  // A third of the letters may be wrong; beyond that a suggestion is a guess.
  std::size_t best_distance = std::max<std::size_t>(key.size() / 3, 2) + 1;
  for (const auto& candidate : known) {
    auto distance = edit_distance(key, candidate);
    // The right name in a wrong group, or in none.
    const auto name = candidate.substr(candidate.rfind('.') + 1);
    if (key.substr(key.rfind('.') + 1) == name)
      distance = std::min<std::size_t>(distance, 2);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

/// The part of a message that names key, value and origin.
std::string named(const raw_value& raw, bool is_secret) {
  return raw.key + " = " + (is_secret ? "(hidden)" : raw.shown) + " (" + to_string(raw.from) + ')';
}

/// Checks and assigns: the visitor that turns raw values into settings.
class assigner {
public:
  assigner(const std::vector<raw_value>& raw_values, loaded& result)
      : raw_values_(raw_values), result_(result) {}

  void operator()(const char* key, std::string& member, const text_default&, std::size_t shortest,
                  std::size_t longest, const char*) {
    each(key, false,
         [&](const raw_value& raw) { return take_text(raw, shortest, longest, member); });
  }

  void operator()(const char* key, std::uint32_t& member, std::uint32_t, std::uint32_t least,
                  std::uint32_t greatest, const char*) {
    each(key, false, [&](const raw_value& raw) -> std::string {
      const auto number = as_number(raw);
      if (!number || *number < least || *number > greatest)
        return "must be a whole number between " + std::to_string(least) + " and "
               + std::to_string(greatest);
      member = static_cast<std::uint32_t>(*number);
      return {};
    });
  }

  void operator()(const char* key, core::duration& member, core::duration, core::duration least,
                  core::duration greatest, const char*) {
    each(key, false, [&](const raw_value& raw) -> std::string {
      const auto* text = std::get_if<std::string>(&raw.value);
      const auto span = text != nullptr ? parse_duration(*text) : std::nullopt;
      const auto bounds = "between " + to_text(least) + " and " + to_text(greatest);
      if (!span)
        return "must be a duration " + bounds
               + ", written like \"250ms\", \"5s\", \"15min\" or \"2h\"";
      // By `value_or`, because g++ 12 loses track of the optional when it optimises.
      const auto length = span.value_or(core::duration::zero());
      if (length < least || length > greatest)
        return "must be " + bounds;
      member = length;
      return {};
    });
  }

  template <class Word>
  void operator()(const char* key, Word& member, Word, const char*) {
    each(key, false, [&](const raw_value& raw) -> std::string {
      std::string choices;
      const auto* text = std::get_if<std::string>(&raw.value);
      for (const auto& [word, value] : words(Word{})) {
        if (text != nullptr && *text == word) {
          member = value;
          return {};
        }
        choices += (choices.empty() ? "" : ", ") + word;
      }
      return "must be one of " + choices;
    });
  }

  /// The value itself or the file that holds it. Both together are refused whatever their origins:
  /// which of two secrets is meant must not depend on an order somebody has to remember.
  void operator()(const char* key, secret& member, const char*) {
    constexpr std::size_t longest = secret_bytes_max;
    std::string path;
    const auto file_key = key + std::string{secret_file_suffix};
    const auto* in_file = each(
        file_key, false, [&](const raw_value& raw) { return take_text(raw, 1, longest, path); });
    const auto* direct = each(
        key, true, [&](const raw_value& raw) { return take_text(raw, 0, longest, member.value); });
    if (in_file != nullptr && direct != nullptr) {
      refuse(key, named(*direct, true) + " and " + named(*in_file, false)
                      + ": give one of them, not both");
    } else if (in_file != nullptr && !path.empty()) {
      read_secret(key, *in_file, path, longest, member);
    }
  }

  bool refused(const std::string& key) const { return refused_.count(key) != 0; }

private:
  /// Hands every value given for `key` to `take`, weakest first, and returns the one that holds.
  /// `take` says what is wrong with a value, or nothing. Overridden values are checked too: they
  /// are wrong all the same.
  template <class Take>
  const raw_value* each(const std::string& key, bool is_secret, Take take) {
    const raw_value* last = nullptr;
    auto& from = result_.origins[key];
    for (const auto& raw : raw_values_) {
      if (raw.key != key)
        continue;
      if (const std::string wrong = take(raw); !wrong.empty())
        refuse(key, named(raw, is_secret) + ": " + wrong);
      from = raw.from;
      last = &raw;
    }
    return last;
  }

  void refuse(const std::string& key, std::string text) {
    refused_.insert(key);
    result_.problems.push_back({key, std::move(text)});
  }

  static std::string take_text(const raw_value& raw, std::size_t shortest, std::size_t longest,
                               std::string& member) {
    const auto* text = std::get_if<std::string>(&raw.value);
    if (text == nullptr)
      return "must be text";
    if (text->size() < shortest || text->size() > longest)
      return "must have between " + std::to_string(shortest) + " and " + std::to_string(longest)
             + " bytes";
    if (has_control_character(*text))
      return "must not contain control characters";
    member = *text;
    return {};
  }

  static std::optional<std::int64_t> as_number(const raw_value& raw) {
    if (const auto* number = std::get_if<std::int64_t>(&raw.value))
      return *number;
    const auto* text = std::get_if<std::string>(&raw.value);
    if (raw.typed || text == nullptr)
      return {};
    std::int64_t number = 0;
    const auto* last = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), last, number);
    if (error != std::errc{} || end != last)
      return {};
    return number;
  }

  void read_secret(const std::string& key, const raw_value& given, const std::string& path,
                   std::size_t longest, secret& member) {
    if (const auto why = objection_to_secret(path))
      return refuse(given.key, named(given, false) + ": " + path + " " + *why);
    auto content = read_text(path);
    if (const auto* failed = std::get_if<problem>(&content))
      return refuse(given.key, named(given, false) + ": " + failed->text);
    auto text = trimmed(std::get<std::string>(content));
    if (text.empty())
      return refuse(given.key, named(given, false) + ": the file is empty");
    if (text.size() > longest || has_control_character(text))
      return refuse(given.key, named(given, false) + ": the file must hold one line of at most "
                                   + std::to_string(longest) + " bytes");
    member.value = std::move(text);
    member.file = path;
    result_.origins[key] = given.from;
  }

  const std::vector<raw_value>& raw_values_;
  loaded& result_;
  std::set<std::string> refused_;
};

void check_conflicts(const assigner& assigned, loaded& result) {
  std::map<std::string, std::string> printed;
  for (const auto& row : option_table(result.values))
    printed[row.key] = row.value;
  for (const auto& found : conflicts(result.values)) {
    // A refused value left its option at another one, about which the person said nothing.
    if (std::any_of(found.keys.begin(), found.keys.end(),
                    [&](const auto& key) { return assigned.refused(key); }))
      continue;
    std::string subject;
    for (const auto& key : found.keys)
      subject += (subject.empty() ? "" : " and ") + key + " = " + printed[key] + " ("
                 + to_string(result.origins[key]) + ')';
    result.problems.push_back({found.keys.front(), subject + ": " + found.rule});
  }
}

bool is_known(const raw_value& raw, const std::vector<std::string>& known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& key) {
    // A group whose options are all commented out is no mistake.
    return key == raw.key || (raw.is_empty_table && key.rfind(raw.key + '.', 0) == 0);
  });
}

problem unknown(const std::string& name, const origin& from, const std::string& nearest) {
  return {name, name + " (" + to_string(from) + "): there is no such option"
                    + (nearest.empty() ? "" : "; did you mean " + nearest + '?')};
}

std::optional<std::filesystem::path> file_of(const inputs& given) {
  if (given.file)
    return given.file;
  for (const auto& [name, value] : given.environment)
    if (name == file_variable)
      return value;
  return {};
}

/// Variables are compared as they are spelt, and suggested so.
void read_environment(const std::vector<std::pair<std::string, std::string>>& environment,
                      const std::vector<std::string>& known, gatherer& gathered,
                      std::vector<problem>& problems) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const auto& key : known)
    names.push_back(environment_name(key));
  for (const auto& [name, value] : environment) {
    if (name == file_variable)
      continue;
    const origin from{origin::kind::environment, name};
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end())
      gathered.add(known[static_cast<std::size_t>(found - names.begin())], from, value);
    else
      problems.push_back(unknown(name, from, suggestion(name, names)));
  }
}

} // namespace

std::string to_string(const origin& o) {
  switch (o.from) {
  case origin::kind::file:
    return o.where;
  case origin::kind::environment:
    return "environment " + o.where;
  case origin::kind::flag:
    return "flag --" + o.where;
  case origin::kind::built_in:
    break;
  }
  return "default";
}

std::string environment_name(std::string_view key) {
  std::string name{environment_prefix};
  for (const char c : key)
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const auto equals = text.find('=');
    if (equals != std::string_view::npos
        && text.substr(0, environment_prefix.size()) == environment_prefix)
      found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string current(const secret& one) {
  std::error_code error;
  if (one.file.empty() || !std::filesystem::is_regular_file(one.file, error)
      || objection_to_secret(one.file))
    return one.value;
  const auto content = read_text(one.file);
  if (!std::holds_alternative<std::string>(content))
    return one.value;
  auto text = trimmed(std::get<std::string>(content));
  const bool is_secret =
      !text.empty() && text.size() <= secret_bytes_max && !has_control_character(text);
  return is_secret ? text : one.value;
}

loaded load(const inputs& given) {
  loaded result;
  const auto known = known_keys();
  gatherer gathered{result.problems};
  if (const auto file = file_of(given))
    gathered.read_file(*file);
  read_environment(given.environment, known, gathered, result.problems);
  for (const auto& one : given.flags)
    gathered.add(one.key, {origin::kind::flag, one.typed.empty() ? one.key : one.typed}, one.value);

  for (const auto& raw : gathered.values)
    if (!is_known(raw, known))
      result.problems.push_back(unknown(raw.key, raw.from, suggestion(raw.key, known)));

  assigner assign{gathered.values, result};
  describe(assign, result.values);
  check_conflicts(assign, result);
  return result;
}

} // namespace holdfast::config
