#include "app/node_identity.hpp"

#include "client/id_source.hpp"
#include "core/uuid.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace holdfast::app {

namespace {

constexpr const char* life_file = "incarnation";
constexpr const char* suffix_file = "name-suffix";
constexpr std::size_t suffix_letters = 6;
constexpr std::size_t node_name_bytes_max = 128;

std::string first_line_of(const std::filesystem::path& path) {
  std::ifstream in{path};
  std::string line(64, '\0'); // all that is ever written there is shorter
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  return line.substr(0, line.find('\n'));
}

core::failure identity_problem(const std::filesystem::path& path, const std::string& why) {
  return {core::errc::invalid_argument, path.string() + ": " + why};
}

/// A reader sees the old text or the new one. Nobody else's link is followed.
core::outcome<bool> replace_line(const std::filesystem::path& path, const std::string& line) {
  auto draft = path;
  draft += ".new";
  ::unlink(draft.c_str());
  const int file =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return identity_problem(draft, std::strerror(errno));
  const auto text = line + '\n';
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size())
                     && ::fsync(file) == 0;
  const std::string why = whole ? "" : std::strerror(errno);
  ::close(file);
  if (!whole)
    return identity_problem(draft, why);
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  if (error)
    return identity_problem(path, error.message());
  return true;
}

bool is_suffix(const std::string& text) {
  return text.size() == suffix_letters
         && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

core::incarnation_id earlier_life_of(const std::filesystem::path& directory) {
  const auto id = core::parse_uuid(first_line_of(directory / life_file));
  return id ? core::incarnation_id{*id} : core::incarnation_id{};
}

core::outcome<bool> note_life(const std::filesystem::path& directory,
                              core::incarnation_id incarnation) {
  return replace_line(directory / life_file, core::to_string(incarnation));
}

core::outcome<std::string> node_name_of(const config::loaded& loaded) {
  const auto& settings = loaded.values;
  const auto origin = loaded.origins.find("node.name");
  const bool given =
      origin != loaded.origins.end() && origin->second.from != config::origin::kind::built_in;
  if (given || !settings.database.url)
    return settings.node.name;
  const auto path = std::filesystem::path{settings.node.data_dir} / suffix_file;
  auto suffix = first_line_of(path);
  if (!is_suffix(suffix)) {
    // The last digits are random.
    suffix = core::to_string(core::incarnation_id{client::id_source{}.next()});
    suffix = suffix.substr(suffix.size() - suffix_letters);
    if (const auto kept = replace_line(path, suffix); !kept)
      return kept.error();
  }
  return settings.node.name.substr(0, node_name_bytes_max - suffix_letters - 1) + '-' + suffix;
}

} // namespace holdfast::app
