#include "core/fields/phrases.hpp"

#include "core/fields/edit_distance.hpp"
#include "core/fields/shares.hpp"
#include "core/fields/word_network.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <variant>

namespace holdfast::core::fields {

namespace {

const phrase& phrase_in(const value& v) {
  static const phrase nothing;
  const auto* found = std::get_if<phrase>(&v);
  return found == nullptr ? nothing : *found;
}

/// Those who gave the same text, once normalised.
struct same_texts {
  const phrase* written = nullptr; ///< As most of them wrote it.
  double weight = 0;
  std::uint32_t votes = 0;
  std::uint64_t lot = std::numeric_limits<std::uint64_t>::max();
  std::u32string points{};
  double likeness = 0; ///< Mean over the weight of all.
};

/// By their normalised texts.
std::vector<same_texts> different_texts(const std::vector<given_value>& given) {
  struct spelling {
    const phrase* written = nullptr;
    label_claim claim;
  };
  std::map<std::string_view, std::map<std::string_view, spelling>> texts;
  for (const auto who : in_order_of_lots(given)) {
    const auto& said = phrase_in(given[who].said);
    auto& spelled = texts[said.compared][said.written];
    spelled.written = &said;
    spelled.claim.weight += given[who].weight;
    ++spelled.claim.votes;
    spelled.claim.lot = std::min(spelled.claim.lot, given[who].lot);
  }
  std::vector<same_texts> found;
  for (const auto& [compared, spellings] : texts) {
    same_texts one;
    std::vector<label_claim> claims;
    std::vector<const phrase*> written;
    for (const auto& [spelled, how] : spellings) {
      claims.push_back(how.claim);
      written.push_back(how.written);
      one.weight += how.claim.weight;
      one.votes += how.claim.votes;
      one.lot = std::min(one.lot, how.claim.lot);
    }
    std::uint32_t tied = 0;
    one.written = written[leading_claim(claims, tied)];
    found.push_back(std::move(one));
  }
  return found;
}

double likeness_of_points(const std::u32string& a, const std::u32string& b) {
  const auto longer = std::max(a.size(), b.size());
  return longer == 0 ? 1
                     : 1 - static_cast<double>(edit_distance(a, b)) / static_cast<double>(longer);
}

/// Leaves those with most weight, and compares each of them with the others.
void compare_all(std::vector<same_texts>& texts) {
  std::stable_sort(texts.begin(), texts.end(), [](const same_texts& a, const same_texts& b) {
    return std::tie(b.weight, b.votes, a.lot) < std::tie(a.weight, a.votes, b.lot);
  });
  if (texts.size() > compared_phrases_max)
    texts.resize(compared_phrases_max);
  double all = 0;
  for (auto& one : texts) {
    one.points = code_points(one.written->compared);
    all += one.weight;
  }
  for (std::size_t a = 0; a < texts.size(); ++a) {
    texts[a].likeness += texts[a].weight / all;
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      const auto like = likeness_of_points(texts[a].points, texts[b].points);
      texts[a].likeness += like * texts[b].weight / all;
      texts[b].likeness += like * texts[a].weight / all;
    }
  }
}

/// Whether the one is to be told of two texts that are as much like all others.
bool goes_first(const same_texts& a, const same_texts& b) {
  if (a.likeness > b.likeness + share_grain || a.likeness < b.likeness - share_grain)
    return a.likeness > b.likeness;
  return std::tie(b.votes, a.lot) < std::tie(a.votes, b.lot);
}

found_value exact_text(const std::vector<same_texts>& texts) {
  std::vector<label_claim> claims;
  double all = 0;
  for (const auto& one : texts) {
    claims.push_back({{}, one.weight, one.votes, one.lot});
    all += one.weight;
  }
  found_value found;
  const auto leader = leading_claim(claims, found.tied);
  found.answer = *texts[leader].written;
  found.confidence = texts[leader].weight / all;
  for (const auto& one : texts)
    found.support.push_back({one.written->written, one.weight / all, one.votes});
  return found;
}

found_value nearest_text(std::vector<same_texts> texts) {
  compare_all(texts);
  const auto best = std::min_element(texts.begin(), texts.end(), goes_first);
  found_value found;
  found.answer = *best->written;
  found.confidence = best->likeness;
  found.tied = static_cast<std::uint32_t>(
      std::count_if(texts.begin(), texts.end(), [&](const same_texts& one) {
        return one.likeness >= best->likeness - share_grain;
      }));
  return found;
}

found_value voted_words(std::vector<same_texts> texts, const std::vector<given_value>& given) {
  compare_all(texts);
  std::sort(texts.begin(), texts.end(), goes_first);
  word_network network;
  const auto order = in_order_of_lots(given);
  for (const auto& text : texts)
    for (const auto who : order)
      if (const auto& said = phrase_in(given[who].said); said.compared == text.written->compared)
        network.add(said.words, given[who].weight, given[who].lot);
  auto chosen = network.vote();
  phrase answer;
  for (const auto& one : chosen.words) {
    answer.written += (answer.written.empty() ? "" : " ") + one.written;
    answer.compared += (answer.compared.empty() ? "" : " ") + one.compared;
  }
  answer.words = std::move(chosen.words);
  found_value found;
  found.answer = std::move(answer);
  found.confidence = chosen.mean_share;
  return found;
}

} // namespace

found_value combine_phrases(const field_rule& rule, const std::vector<given_value>& given) {
  auto texts = different_texts(given);
  auto found = rule.method == field_method::medoid  ? nearest_text(std::move(texts))
               : rule.method == field_method::rover ? voted_words(std::move(texts), given)
                                                    : exact_text(texts);
  found.votes = static_cast<std::uint32_t>(given.size());
  return found;
}

double likeness_of_phrases(const field_rule& /*rule*/, const value& a, const value& b) {
  return likeness_of_points(code_points(phrase_in(a).compared), code_points(phrase_in(b).compared));
}

bool phrases_agree(const field_rule& /*rule*/, const value& a, const value& b) {
  return phrase_in(a).compared == phrase_in(b).compared;
}

std::string degenerate_phrases(const field_rule& /*rule*/, const value& truth) {
  const auto* text = std::get_if<phrase>(&truth);
  if (text == nullptr)
    return "is not a text";
  if (text->compared.empty() && !text->written.empty())
    return "has nothing in it that is compared";
  return {};
}

} // namespace holdfast::core::fields
