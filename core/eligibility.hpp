#pragma once

#include "core/definition_problem.hpp"
#include "core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Who may work in a step: what the step asks of people, and what is known of them.
namespace holdfast::core {

/// What a step asks of whoever works in it; nothing of everybody by default.
struct requirements {
  std::vector<std::string> channels;       ///< One of them; none: any, or none at all.
  std::vector<std::string> skills;         ///< All of them.
  std::vector<std::string> certifications; ///< All of them.
  /// In one of them; none: anywhere. `DE` holds what is in `DE-BY`, too.
  std::vector<std::string> locations;
  double trust = 0; ///< At least, from 0 to 1.

  bool ask_nothing() const {
    return channels.empty() && skills.empty() && certifications.empty() && locations.empty()
           && trust <= 0;
  }
};

/// What is known of a contributor, whatever the step. Of whom nothing is known all is empty.
struct contributor_profile {
  std::vector<std::string> channels;
  std::vector<std::string> skills;
  std::vector<std::string> certifications;
  std::string location;        ///< Empty: not known. Parts from the largest on, with `-` between.
  std::optional<double> trust; ///< From 0 to 1; none: as their test questions say.
};

/// The answers of a contributor to test questions, in all steps together.
struct tested {
  std::uint64_t right = 0;
  std::uint64_t answered = 0;
};

/// How far a contributor is trusted, from 0 to 1: as the profile says, else the mean that follows
/// from their test questions (core/quality/trust.hpp); 0 when neither says anything.
double trust_in(const contributor_profile& profile, const tested& tests);

/// Whether the contributor may work in a step that asks this.
bool meets(const requirements& asked, const contributor_profile& profile, double trust);

/// What the contributor lacks, in words for people, e.g. `skill 'ner'`, in the order of the
/// members; empty: they may work in the step. Trust is shown in hundredths, rounded down.
std::vector<std::string> lacking(const requirements& asked, const contributor_profile& profile,
                                 double trust);

/// The same as a clause: `they lack skill 'ner', a place in 'DE'`.
std::string text_of_lacks(const std::vector<std::string>& lacks);

/// What a step asks, in the same words and order, separated by commas; empty: nothing.
std::string text_of(const requirements& asked);

/// The same profile with its lists in order of bytes, each term once.
contributor_profile in_order(contributor_profile profile);

/// Whether a location is within another: the same, or a part of it.
bool is_within(const std::string& location, const std::string& larger);

inline constexpr std::size_t terms_max = 64;      ///< Of one list.
inline constexpr std::size_t term_bytes_max = 64; ///< Of one channel, skill and so on.

/// What is wrong with what a step asks, or with a profile, each with its place from there on. A
/// step names no term twice; in a profile that does no harm.
std::vector<definition_problem> problems_of(const requirements& asked);
std::vector<definition_problem> problems_of(const contributor_profile& profile);

} // namespace holdfast::core
