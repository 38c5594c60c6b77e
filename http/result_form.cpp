#include "http/result_form.hpp"

#include "core/invariant.hpp"
#include "core/time_text.hpp"
#include "http/answer_writer.hpp"
#include "http/list_form.hpp"
#include "http/result_annotations.hpp"
#include "http/shapes/result_shapes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::array<std::pair<std::string_view, result_form>, 5> form_names{{
    {"jsonl", result_form::jsonl},
    {"csv", result_form::csv},
    {"hf", result_form::hf},
    {"coco", result_form::coco},
    {"conll", result_form::conll},
}};

class json_lines_writer : public result_writer {
public:
  explicit json_lines_writer(core::instant now) : now_(now) {}

  core::failure append(msg::workflow_result& result, std::string& to) override {
    append_json_line(to, to_json(result, now_));
    return {};
  }

private:
  const core::instant now_;
};

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

template <class List, class Text>
std::string joined(const List& list, Text text_of) {
  std::string text;
  for (const auto& one : list) {
    if (!text.empty())
      text += ' ';
    text += text_of(one);
  }
  return text;
}

std::string position_of(const msg::workflow_result& one) {
  return core::to_string(core::result_place{one.ordinal, one.unit});
}

const std::string& as_it_is(const std::string& text) { return text; }

class csv_results_writer : public result_writer {
public:
  void begin(unsigned, std::string& to) override {
    to += "source_key,state,answer,confidence,step,path,parts,verdict,answered_in,judgments,"
          "contributors,votes,fields,item,loops,version,unit_id,root_id,batch_id,created_at,"
          "ended_at,input,position,problem\r\n";
  }

  core::failure append(msg::workflow_result& one, std::string& to) override {
    bool is_first = true;
    const auto field = [&](std::string_view text) {
      append_csv_field(to, text, std::exchange(is_first, false));
    };
    field(one.source_key);
    field(core::to_string(one.state));
    field(answer_as_text(one.answer));
    field(number_text(one.confidence));
    field(one.step);
    field(joined(one.path, as_it_is));
    field(joined(one.parts, [](std::uint32_t part) { return std::to_string(part); }));
    field(one.verdict);
    field(one.answered_in);
    field(std::to_string(one.judgments));
    // A name may have blanks: as the list that it is.
    field(json_list(one.contributors));
    field(one.votes);
    field(one.fields);
    field(one.item);
    field(std::to_string(one.loops));
    field(std::to_string(one.version));
    field(core::to_string(one.unit));
    field(core::to_string(one.root));
    field(one.batch ? core::to_string(one.batch) : std::string{});
    field(core::to_rfc3339(one.created_at));
    field(core::to_rfc3339(one.ended_at));
    field(one.input);
    field(position_of(one));
    field(one.problem);
    to += "\r\n";
    return {};
  }
};

/// Every column is in every line, and is of the same type in all of them: those that may hold any
/// JSON are texts of JSON.
class flat_lines_writer : public result_writer {
public:
  core::failure append(msg::workflow_result& one, std::string& to) override {
    to += "{\"id\":";
    append_string(to, one.source_key);
    text(to, "unit_id", core::to_string(one.unit));
    text(to, "root_id", core::to_string(one.root));
    text(to, "state", core::to_string(one.state));
    text(to, "input", one.input);
    text(to, "item", one.item);
    text(to, "answer", answer_as_text(one.answer));
    text(to, "answer_json", one.answer);
    raw(to, "confidence", with_point(number_text(one.confidence)));
    text(to, "votes", one.votes);
    text(to, "fields", one.fields);
    text(to, "step", one.step);
    text(to, "answered_in", one.answered_in);
    text(to, "verdict", one.verdict);
    raw(to, "path", json_list(one.path));
    raw(to, "contributors", json_list(one.contributors));
    raw(to, "judgments", std::to_string(one.judgments));
    raw(to, "loops", std::to_string(one.loops));
    raw(to, "version", std::to_string(one.version));
    raw(to, "ordinal", std::to_string(one.ordinal));
    text(to, "created_at", core::to_rfc3339(one.created_at));
    text(to, "ended_at", core::to_rfc3339(one.ended_at));
    text(to, "position", position_of(one));
    text(to, "problem", one.problem);
    to += "}\n";
    return {};
  }

private:
  static void raw(std::string& to, std::string_view name, std::string_view json) {
    to.append(",\"").append(name).append("\":").append(json);
  }
  static void text(std::string& to, std::string_view name, std::string_view value) {
    raw(to, name, "");
    append_string(to, value);
  }
  /// A reader of columns takes `1` for a whole number, and `0.5` in the next line for a fault.
  static std::string with_point(std::string number) {
    if (number.find_first_of(".e") == std::string::npos)
      number += ".0";
    return number;
  }
};

} // namespace

std::optional<result_form> result_form_named(std::string_view name) {
  const auto* const found = std::find_if(form_names.begin(), form_names.end(),
                                         [&](const auto& one) { return one.first == name; });
  return found == form_names.end() ? std::nullopt : std::optional{found->second};
}

std::string_view content_type_of(result_form form) {
  switch (form) {
  case result_form::page:
  case result_form::coco:
    return "application/json";
  case result_form::jsonl:
  case result_form::hf:
    return ndjson_type;
  case result_form::csv:
    return csv_type;
  case result_form::conll:
    return "text/plain; charset=utf-8";
  }
  core::break_invariant("result_form", "every form has a type", __FILE__, __LINE__);
}

std::unique_ptr<result_writer> make_result_writer(result_form form, core::instant now) {
  switch (form) {
  case result_form::page:
    break;
  case result_form::jsonl:
    return std::make_unique<json_lines_writer>(now);
  case result_form::csv:
    return std::make_unique<csv_results_writer>();
  case result_form::hf:
    return std::make_unique<flat_lines_writer>();
  case result_form::coco:
    return make_coco_writer(now);
  case result_form::conll:
    return make_conll_writer();
  }
  core::break_invariant("result_form", "a page is no file", __FILE__, __LINE__);
}

} // namespace holdfast::http
