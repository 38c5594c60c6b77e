#include "http/page_files.hpp"

#include "http/content_coding.hpp"
#include "http/entity_tag.hpp"
#include "http/problem.hpp"
#include "http/weighted_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace holdfast::http {

namespace {

/// Far above the size of any file of the pages.
constexpr std::size_t page_bytes_max = 16UL * 1024 * 1024;

constexpr std::string_view home = "/console";
constexpr std::string_view assets = "/assets/";
constexpr std::array<std::string_view, 3> pages_with_places{home, "/label", "/workbench"};

/// Nothing but files of this node is loaded or asked, and no other page may frame this one. Images,
/// audio and video, which run nothing, may be a part of a unit's input, and come from more places.
std::string content_policy(std::string_view media_origins) {
  std::string media = " 'self' data: blob:";
  if (!media_origins.empty())
    (media += ' ') += media_origins;
  return "default-src 'self'; img-src" + media + "; media-src" + media
         + "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
}

/// The file behind a path: places within a page are the page.
std::string_view file_path_of(std::string_view path) {
  for (const auto page : pages_with_places)
    if (path.substr(0, page.size()) == page && path.substr(page.size(), 1) == "/")
      return page;
  return path;
}

bool is_of_pages(std::string_view file) {
  return file == "/" || file.substr(0, assets.size()) == assets
         || std::find(pages_with_places.begin(), pages_with_places.end(), file)
                != pages_with_places.end();
}

bool takes_gzip(const request& from) {
  const auto names = weighted_names_of(from, "accept-encoding");
  const auto found = std::find_if(names.begin(), names.end(),
                                  [](const weighted_name& one) { return one.name == "gzip"; });
  return found != names.end() && found->weight > 0;
}

void add_rules(response& made, std::string_view media_origins) {
  made.headers.push_back({"Content-Security-Policy", content_policy(media_origins)});
  made.headers.push_back({"Referrer-Policy", "no-referrer"});
  made.headers.push_back({"Cross-Origin-Opener-Policy", "same-origin"});
  made.headers.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
}

response answer_with(const page_file& file, const request& from, std::string_view media_origins) {
  response made;
  made.content_type = file.content_type;
  add_rules(made, media_origins);
  made.headers.push_back({"ETag", std::string{file.tag}});
  // Kept, and asked about each time: after an upgrade of the node a page is the new one.
  made.headers.push_back({"Cache-Control", "no-cache"});
  made.headers.push_back({"Vary", "Accept-Encoding"});
  if (names_tag(header_of(from, "if-none-match"), file.tag)) {
    made.status = 304;
    return made;
  }
  if (takes_gzip(from)) {
    made.headers.push_back({"Content-Encoding", "gzip"});
    made.body = file.packed;
    return made;
  }
  auto plain =
      decoded(file.packed, content_coding::gzip, page_bytes_max, [](std::size_t) { return true; });
  if (!plain)
    return problem_of(plain.error());
  made.body = std::move(*plain);
  return made;
}

} // namespace

std::optional<response> page_answer(const std::vector<page_file>& pages, const request& from,
                                    std::string_view media_origins) {
  if (from.method != "GET")
    return std::nullopt;
  const std::string_view target = from.target;
  const auto wanted = file_path_of(target.substr(0, target.find('?')));
  if (!is_of_pages(wanted))
    return std::nullopt;
  if (pages.empty())
    return problem_of(refusal::route_unknown, "this program was built without its pages");
  if (wanted == "/") {
    response made;
    made.status = 302;
    made.content_type.clear();
    made.headers.push_back({"Location", std::string{home}});
    return made;
  }
  const auto found = std::find_if(pages.begin(), pages.end(),
                                  [&](const page_file& one) { return one.path == wanted; });
  if (found == pages.end())
    return std::nullopt;
  return answer_with(*found, from, media_origins);
}

} // namespace holdfast::http
