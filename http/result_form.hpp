#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "http/result_writer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The forms in which the results of a workflow are taken away, for the HTTP API and the command
/// line alike.
namespace holdfast::http {

enum class result_form : std::uint8_t {
  page,  ///< JSON: one page. No file.
  jsonl, ///< A JSON object on each line, as the page has them.
  csv,   ///< A header line, and a record for each result.
  hf,   ///< JSON lines in which each column has one type, as `datasets` of Hugging Face reads them.
  coco, ///< Boxes on images, as the object detection of COCO has them: one JSON document.
  conll, ///< Tags on texts: a token and its tag on each line (BIO), a blank line between texts.
};

/// The names, in order: of all but `page`.
inline constexpr const char* result_form_names = "jsonl, csv, hf, coco or conll";
std::optional<result_form> result_form_named(std::string_view name);
std::string_view content_type_of(result_form form);

/// `now`: results that end later are left out where there are several passes, so that all tell of
/// the same.
std::unique_ptr<result_writer> make_result_writer(result_form form, core::instant now);

} // namespace holdfast::http
