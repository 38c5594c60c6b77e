#include "core/quality/test_placement.hpp"

#include "core/quality/seeded.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

namespace {

/// The seed of one contributor. Source of the constants: G. Fowler, L. Noll, K. Vo, hash FNV-1a.
std::uint64_t seed_of(const test_subject& who) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const unsigned char byte : who.contributor)
    hash = (hash ^ byte) * 0x100000001b3U;
  return mixed(who.step_seed, hash);
}

} // namespace

bool is_test_due(const test_policy& policy, const test_subject& who, std::uint64_t number) {
  if (number < policy.quiz)
    return true;
  if (policy.every == 0)
    return false;
  const auto block = (number - policy.quiz) / policy.every;
  const auto place = (number - policy.quiz) % policy.every;
  return mixed(seed_of(who), block) % policy.every == place;
}

std::optional<std::uint64_t> next_test_question(const test_subject& who,
                                                const std::vector<std::uint64_t>& questions,
                                                const std::vector<std::uint64_t>& answered) {
  // Apart from the numbers that place the questions.
  const auto seed = ~seed_of(who);
  // A look at all answered ones for each question would take long enough to tell what comes.
  auto known = answered;
  std::sort(known.begin(), known.end());
  std::optional<std::uint64_t> next;
  for (const auto question : questions) {
    if (std::binary_search(known.begin(), known.end(), question))
      continue;
    if (!next || mixed(seed, question) < mixed(seed, *next))
      next = question;
  }
  return next;
}

quiz_state quiz_state_of(const test_policy& policy, const test_record& quiz) {
  // The share is a decimal fraction, which a double may hold a little too large.
  const auto needed = static_cast<std::uint32_t>(std::ceil(policy.quiz_pass * policy.quiz - 1e-9));
  if (quiz.right + (policy.quiz - std::min(policy.quiz, quiz.asked)) < needed)
    return quiz_state::failed;
  return quiz.asked < policy.quiz ? quiz_state::under_way : quiz_state::passed;
}

} // namespace holdfast::core::quality
