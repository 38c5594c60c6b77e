#pragma once

#include "http/call.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The pages for people, which the build compiles into the binary.
namespace holdfast::http {

/// A file of the pages.
struct page_file {
  std::string_view path;         ///< `/console`, or `/assets/console.js`.
  std::string_view content_type; ///< As HTTP spells it.
  std::string_view packed;       ///< The content, in gzip.
  std::string_view tag;          ///< Of the content, in quotation marks.
};

/// All files of the pages, in order of their paths; none where the build leaves them out. Made by
/// the build, of web/.
const std::vector<page_file>& embedded_pages();

/// The answer to a request for a page or a file of one; none for a request for anything else.
/// `/console/…` and `/label/…` are places within a page, and `/` leads to the console.
/// Images, audio and video of units may also come from `media_origins`, with blanks between.
std::optional<response> page_answer(const std::vector<page_file>& pages, const request& from,
                                    std::string_view media_origins);

} // namespace holdfast::http
