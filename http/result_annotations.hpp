#pragma once

#include "core/time.hpp"
#include "http/result_writer.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The forms of results that hold annotations: boxes on images, tags on texts.
namespace holdfast::http {

std::unique_ptr<result_writer> make_coco_writer(core::instant now);
std::unique_ptr<result_writer> make_conll_writer();

/// An answer for people and tables: a string as it is, all else as its JSON.
std::string answer_as_text(std::string_view answer);
/// Texts as a list of JSON.
std::string json_list(const std::vector<std::string>& texts);

} // namespace holdfast::http
