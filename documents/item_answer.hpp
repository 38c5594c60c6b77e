#pragma once

#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Results as requesters take them away: the answer is the JSON value that people gave, not the
/// text that judgments are counted by.
namespace holdfast::documents {

/// Of which type the answers of a step are, as far as its definition says.
class answer_types {
public:
  /// Nothing is known.
  answer_types() = default;
  /// Of the step `key` in `definition`, the JSON of a workflow that was accepted once.
  answer_types(const nlohmann::json& definition, std::string_view key);

  /// The JSON value whose `answer_text` is `text`: the label where it is one; else the value that
  /// the schema of judgments allows in the place of the answer. Where both a string and another
  /// value may be meant, or nothing is known, a list or an object is one, and everything else is a
  /// string.
  std::string value_of(std::string_view text) const;

private:
  std::map<std::string, std::string, std::less<>> labels_; ///< By their texts, as JSON.
  std::optional<schema> judgment_;
  std::optional<json_pointer> answer_;
};

/// A result without its figures.
struct item_answer {
  std::string value;  ///< JSON; empty: there is none.
  std::string votes;  ///< JSON object; empty: none were counted.
  std::string fields; ///< JSON, of a step whose judgments have several fields; else empty.
};

/// What a stored result says. Its answer is given as it is where it is no text.
item_answer answer_in(std::string_view result, const answer_types& types);

/// The items of a list, as JSON; of anything else itself.
std::vector<std::string> items_in(std::string_view value);

/// The verdict of a stored result of a review.
std::string verdict_in(std::string_view result);
/// The answer that a review wants in place of what it was about, as JSON; empty: it wants none.
std::string correction_in(std::string_view result);
/// Of the stored input of a unit that continues a chain, the result that it was given. Empty where
/// the input is in the object store.
std::string result_shown_in(std::string_view input);

} // namespace holdfast::documents
