#include "http/failure_places.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {

namespace {

/// Members that actors call otherwise than HTTP does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> other_names{
    {{"execution_state", "checkpoint"},
     {"error_code", "code"},
     {"most", "limit"},
     {"task", "id"},
     {"contributor", "contributor_id"},
     {"workflow", "id"}}};

bool is_about_input(core::errc code) {
  return code == core::errc::invalid_argument || code == core::errc::payload_invalid
         || code == core::errc::too_large;
}

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

/// `/retry/max: must be …` as a place behind `prefix`; none for another line. A pointer may hold
/// colons and blanks, but no colon before a blank.
std::optional<request_problem> at_pointer(const std::string& prefix, std::string_view line) {
  if (line.empty() || line.front() != '/')
    return std::nullopt;
  const auto end = line.find(": ");
  if (end == std::string_view::npos)
    return std::nullopt;
  return request_problem{prefix + std::string{line.substr(0, end)},
                         std::string{line.substr(end + 2)}};
}

/// The place of the member of this name; null for none.
const std::string* place_of_member(const known_places& known, std::string_view name) {
  const auto find = [&](std::string_view wanted) -> const std::string* {
    const auto& all = known.members;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == wanted; });
    return found == all.end() ? nullptr : &found->second;
  };
  if (const auto* place = find(name))
    return place;
  for (const auto& [told, asked] : other_names)
    if (told == name)
      return find(asked);
  return nullptr;
}

std::optional<request_problem> in_line(std::string_view line, const known_places& known) {
  if (!known.documents.empty() && line.substr(0, 1) == "/")
    return known.documents.size() == 1 ? at_pointer(known.documents.front(), line) : std::nullopt;
  const auto begin = line.substr(0, 3) == "in " ? line.substr(3) : line;
  const auto end = std::find_if_not(begin.begin(), begin.end(), is_name_char);
  const auto name = begin.substr(0, static_cast<std::size_t>(end - begin.begin()));
  auto rest = begin.substr(name.size());
  if (name.empty() || rest.empty() || (rest.front() != ':' && rest.front() != ' '))
    return std::nullopt;
  const auto* place = place_of_member(known, name);
  if (place == nullptr)
    return std::nullopt;
  rest = without_blanks(rest.substr(1));
  if (auto inside = at_pointer(*place, rest))
    return inside;
  return request_problem{*place, std::string{rest}};
}

} // namespace

std::vector<request_problem> places_in(const core::failure& why, const known_places& known) {
  std::vector<request_problem> found;
  if (!is_about_input(why.code))
    return found;
  for (std::string_view rest = why.detail; !rest.empty();) {
    const auto end = rest.find('\n');
    if (auto problem = in_line(rest.substr(0, end), known))
      found.push_back(*std::move(problem));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (found.empty() && why.code == core::errc::payload_invalid && known.documents.size() == 1)
    found.push_back({known.documents.front(), why.detail}); // the document as a whole
  return found;
}

} // namespace holdfast::http
