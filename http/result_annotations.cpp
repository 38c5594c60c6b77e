#include "http/result_annotations.hpp"

#include "core/json_text.hpp"
#include "documents/json_slices.hpp"
#include "http/answer_writer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace holdfast::http {

namespace {

using nlohmann::json;

/// Labels of one file, which are all in memory.
constexpr std::size_t categories_max = 10'000;

/// Of what the database has accepted as JSON. Never throws.
json value_of(std::string_view text) { return json::parse(text, nullptr, false); }

core::failure does_not_fit(const msg::workflow_result& result, std::string_view form,
                           const std::string& why) {
  return {core::errc::payload_invalid, "the result of " + core::json_quoted(result.source_key)
                                           + " (unit " + core::to_string(result.unit)
                                           + ") does not fit the form " + std::string{form} + ": "
                                           + why + "; take the results as jsonl, csv or hf"};
}

const json* member(const json& object, const char* name) {
  if (!object.is_object())
    return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// The first of the members that is of the type.
template <std::size_t N>
const json* first_text(const json& object, const std::array<const char*, N>& names) {
  for (const auto* name : names)
    if (const auto* found = member(object, name); found != nullptr && found->is_string())
      return found;
  return nullptr;
}

struct box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

std::optional<box> box_of(const json& object) {
  const auto* place = member(object, "box");
  const json& from = place == nullptr ? object : *place;
  box found;
  const std::array<std::pair<const char*, double*>, 4> corners{{{"left", &found.left},
                                                                {"top", &found.top},
                                                                {"right", &found.right},
                                                                {"bottom", &found.bottom}}};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto* corner = from.is_array() && from.size() == corners.size()
                             ? &from[i]
                             : member(from, corners[i].first);
    if (corner == nullptr || !corner->is_number())
      return std::nullopt;
    *corners[i].second = corner->get<double>();
  }
  if (found.right < found.left || found.bottom < found.top)
    return std::nullopt;
  return found;
}

/// Images in the first pass, what is on them in the second, and then the labels that were met.
class coco_writer : public result_writer {
public:
  explicit coco_writer(core::instant now) : now_(now) {}

  unsigned passes() const override { return 2; }

  void begin(unsigned pass, std::string& to) override {
    pass_ = pass;
    is_first_ = true;
    to += pass == 1 ? R"({"images":[)" : R"(],"annotations":[)";
  }

  core::failure append(msg::workflow_result& one, std::string& to) override {
    // Boxes that cannot be read are no image without boxes.
    if (one.state != core::result_state::final || one.ended_at > now_ || !one.problem.empty())
      return {};
    if (pass_ == 1)
      return append_image(one, to);
    return append_boxes(one, to);
  }

  void finish(std::string& to) override {
    to += R"(],"categories":[)";
    std::vector<const std::string*> names(categories_.size());
    for (const auto& [name, id] : categories_)
      names[id - 1] = &name;
    for (std::size_t i = 0; i < names.size(); ++i) {
      to.append(i == 0 ? "" : ",").append(R"({"id":)").append(std::to_string(i + 1));
      to += R"(,"name":)";
      append_string(to, *names[i]);
      to += R"(,"supercategory":""})";
    }
    to += "]}\n";
  }

private:
  core::failure append_image(const msg::workflow_result& one, std::string& to) {
    if (auto why = check(one); why.code != core::errc::none)
      return why;
    if (std::exchange(image_, one.ordinal) == one.ordinal)
      return {}; // another result of the same item
    begin_element(to);
    to.append(R"({"id":)").append(std::to_string(one.ordinal)).append(R"(,"file_name":)");
    const auto input = value_of(one.input);
    const auto* name =
        first_text(input, std::array{"file_name", "image", "image_url", "url", "file"});
    append_string(to, name == nullptr ? one.source_key : name->get<std::string>());
    for (const auto* side : {"width", "height"})
      if (const auto* pixels = member(input, side); pixels != nullptr && pixels->is_number())
        to.append(",\"").append(side).append("\":").append(pixels->dump());
    to += R"(,"source_key":)";
    append_string(to, one.source_key);
    to += '}';
    return {};
  }

  static core::failure check(const msg::workflow_result& one) {
    const auto answer = value_of(one.answer);
    if (!answer.is_array())
      return does_not_fit(one, "coco", "its answer is no list of objects with a box and a label");
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto place = "/" + std::to_string(i);
      if (!box_of(answer[i]))
        return does_not_fit(
            one, "coco", place + " has no box: [left, top, right, bottom], or the same as members");
      if (const auto* label = member(answer[i], "label"); label == nullptr || !label->is_string())
        return does_not_fit(one, "coco", place + "/label is no string");
    }
    return {};
  }

  core::failure append_boxes(const msg::workflow_result& one, std::string& to) {
    if (auto why = check(one); why.code != core::errc::none)
      return why;
    for (const auto& object : value_of(one.answer)) {
      const auto place = *box_of(object);
      const auto label = object.at("label").get<std::string>();
      const auto category = categories_.emplace(label, categories_.size() + 1).first->second;
      if (categories_.size() > categories_max)
        return does_not_fit(one, "coco",
                            "there are more than " + std::to_string(categories_max) + " labels");
      begin_element(to);
      to.append(R"({"id":)").append(std::to_string(++annotations_));
      to.append(R"(,"image_id":)").append(std::to_string(one.ordinal));
      to.append(R"(,"category_id":)").append(std::to_string(category)).append(R"(,"bbox":[)");
      const auto width = place.right - place.left;
      const auto height = place.bottom - place.top;
      append_number(to, place.left);
      for (const auto number : {place.top, width, height})
        append_number(to += ',', number);
      append_number(to += R"(],"area":)", width * height);
      append_number(to += R"(,"iscrowd":0,"score":)", score_of(object, one));
      to += '}';
    }
    return {};
  }

  static double score_of(const json& object, const msg::workflow_result& one) {
    const auto* own = member(object, "confidence");
    return own != nullptr && own->is_number() ? own->get<double>() : one.confidence;
  }

  void begin_element(std::string& to) {
    if (!std::exchange(is_first_, false))
      to += ',';
    to += '\n';
  }

  const core::instant now_;
  unsigned pass_ = 1;
  bool is_first_ = true;
  std::uint64_t image_ = 0;
  std::uint64_t annotations_ = 0;
  std::map<std::string, std::size_t> categories_; ///< In the order in which they were met, from 1.
};

/// A part of a text, in code points.
struct text_token {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string text;
};

struct tagged_span {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string label;
};

bool begins_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

bool is_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
         || static_cast<unsigned char>(c) >= 0x80U;
}

/// Words, and every other character but blanks. Cut where a tag begins or ends, so that no tag
/// covers a part of a token.
std::vector<text_token> tokens_of(std::string_view text, const std::vector<tagged_span>& spans) {
  std::set<std::size_t> borders;
  for (const auto& span : spans) {
    borders.insert(span.start);
    borders.insert(span.end);
  }
  std::vector<text_token> tokens;
  std::size_t point = 0;
  bool goes_on = false; // the word of the last token
  for (const char c : text) {
    if (begins_point(c)) {
      const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      const bool is_word = is_of_word(c);
      if (!is_blank && (!goes_on || !is_word || borders.count(point) > 0))
        tokens.push_back({point, point, {}});
      goes_on = is_word;
      ++point;
      if (is_blank)
        continue;
    }
    tokens.back().text += c;
    tokens.back().end = point;
  }
  return tokens;
}

class conll_writer : public result_writer {
public:
  core::failure append(msg::workflow_result& one, std::string& to) override {
    if (one.state != core::result_state::final || !one.problem.empty())
      return {};
    const auto refuse = [&](const std::string& why) { return does_not_fit(one, "conll", why); };
    const auto input = value_of(one.input);
    const auto* text = input.is_string()
                           ? &input
                           : first_text(input, std::array{"text", "content", "sentence", "body"});
    const auto* words = member(input, "tokens");
    const bool has_words = words != nullptr && words->is_array();
    if (text == nullptr && !has_words)
      return refuse("its input has no text: a member \"text\", or a list \"tokens\" of strings");
    const auto answer = value_of(one.answer);
    if (!answer.is_array())
      return refuse("its answer is no list of objects with start, end and label");
    std::vector<tagged_span> spans;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto* start = member(answer[i], "start");
      const auto* end = member(answer[i], "end");
      const auto* label = member(answer[i], "label");
      const auto place = "/" + std::to_string(i);
      if (start == nullptr || end == nullptr || !start->is_number_unsigned()
          || !end->is_number_unsigned() || label == nullptr || !label->is_string())
        return refuse(place + " is no object with start, end (whole numbers) and label");
      spans.push_back(
          {start->get<std::size_t>(), end->get<std::size_t>(), label->get<std::string>()});
      if (spans.back().end <= spans.back().start)
        return refuse(place + " covers nothing: its end is not behind its start");
      if (spans.back().label.find_first_of(" \t\r\n") != std::string::npos)
        return refuse(place + "/label has a blank");
    }
    std::sort(spans.begin(), spans.end(),
              [](const auto& a, const auto& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (spans[i].start < spans[i - 1].end)
        return refuse("two of its tags overlap, at " + std::to_string(spans[i].start));
    std::vector<text_token> tokens;
    if (has_words) {
      for (const auto& word : *words) {
        if (!word.is_string() || word.get_ref<const std::string&>().empty()
            || word.get_ref<const std::string&>().find_first_of(" \t\r\n") != std::string::npos)
          return refuse("one of the tokens of its input is no string without blanks");
        tokens.push_back({tokens.size(), tokens.size() + 1, word.get<std::string>()});
      }
    } else {
      tokens = tokens_of(text->get_ref<const std::string&>(), spans);
    }
    if (!spans.empty() && (tokens.empty() || spans.back().end > tokens.back().end))
      return refuse("a tag ends at " + std::to_string(spans.back().end) + ", behind the text");
    write(one, tokens, spans, to);
    return {};
  }

private:
  static void write(const msg::workflow_result& one, const std::vector<text_token>& tokens,
                    const std::vector<tagged_span>& spans, std::string& to) {
    to += "# source_key = ";
    // As JSON, which has no line ends.
    append_string(to, one.source_key);
    to += '\n';
    auto span = spans.begin();
    const tagged_span* within = nullptr;
    for (const auto& token : tokens) {
      while (span != spans.end() && span->end <= token.start)
        ++span;
      const bool is_tagged =
          span != spans.end() && span->start <= token.start && token.end <= span->end;
      to.append(token.text).append("\t");
      if (is_tagged)
        to.append(within == &*span ? "I-" : "B-").append(span->label);
      else
        to += 'O';
      within = is_tagged ? &*span : nullptr;
      to += '\n';
    }
    to += '\n';
  }
};

} // namespace

std::unique_ptr<result_writer> make_coco_writer(core::instant now) {
  return std::make_unique<coco_writer>(now);
}

std::unique_ptr<result_writer> make_conll_writer() { return std::make_unique<conll_writer>(); }

std::string answer_as_text(std::string_view answer) {
  return !answer.empty() && answer.front() == '"' ? documents::unquoted(answer)
                                                  : std::string{answer};
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) {
    if (list.size() > 1)
      list += ',';
    append_string(list, text);
  }
  return list + ']';
}

} // namespace holdfast::http
