#include "app/node_identity.hpp"

#include "client/id_source.hpp"
#include "core/uuid.hpp"
#include "files/private_file.hpp"

namespace holdfast::app {

namespace {

constexpr const char* life_file = "incarnation";
constexpr const char* suffix_file = "name-suffix";
constexpr std::size_t suffix_letters = 6;
constexpr std::size_t node_name_bytes_max = 128;

/// Empty when there is no such file.
std::string first_line_of(const std::filesystem::path& path) {
  constexpr std::size_t bytes_max = 4096; // far more than is ever written there
  const auto text = files::read_plain(path.string(), bytes_max);
  return text ? text->substr(0, text->find('\n')) : std::string{};
}

core::outcome<bool> replace_line(const std::filesystem::path& path, const std::string& line) {
  constexpr mode_t for_owner = 0600;
  return files::write_whole(path.string(), line + '\n', for_owner, files::existing::replace);
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
