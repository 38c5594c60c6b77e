#include "documents/result_document.hpp"

#include "core/invariant.hpp"
#include "documents/parse.hpp"
#include "documents/raw_member.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace holdfast::documents {

core::standing_result read_result(std::string_view result) {
  const auto read = parse_json(result, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(read && read->is_object(), "core wrote the result");
  core::standing_result standing;
  standing.answer = read->at("answer").get<std::string>();
  standing.tied = read->at("tied").get<std::uint32_t>() > 1;
  if (const auto votes = read->find("votes"); votes != read->end()) {
    std::uint32_t sum = 0;
    for (const auto& count : *votes)
      sum += count.get<std::uint32_t>();
    standing.votes = sum;
  }
  // As it was written: it is compared with what core writes.
  standing.correction = std::string{raw_member(result, "correction")};
  standing.overridden = read->find("overridden") != read->end();
  return standing;
}

std::string before_override(std::string_view result) {
  return std::string{raw_member(raw_member(result, "overridden"), "was")};
}

} // namespace holdfast::documents
