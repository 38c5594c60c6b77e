#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "messages/result_messages.hpp"

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

/// Writes results as they come, and holds none of them.
class result_writer {
public:
  virtual ~result_writer() = default;

  /// How often all results are told, from the first to the last.
  virtual unsigned passes() const { return 1; }
  /// Before the results of a pass, which are numbered from 1.
  virtual void begin(unsigned pass, std::string& to);
  /// Fails with `payload_invalid` where the form cannot hold the result, and says which and why.
  virtual core::failure append(msg::workflow_result& result, std::string& to) = 0;
  virtual void finish(std::string& to);
};

/// `now`: results that end later are left out where there are several passes, so that all tell of
/// the same.
std::unique_ptr<result_writer> make_result_writer(result_form form, core::instant now);

} // namespace holdfast::http
