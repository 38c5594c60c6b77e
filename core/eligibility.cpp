#include "core/eligibility.hpp"

#include "core/json_text.hpp"
#include "core/quality/trust.hpp"

#include <algorithm>
#include <set>

namespace holdfast::core {

namespace {

bool has(const std::vector<std::string>& terms, const std::string& wanted) {
  return std::find(terms.begin(), terms.end(), wanted) != terms.end();
}

bool has_all(const std::vector<std::string>& terms, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& one) { return has(terms, one); });
}

bool has_channel(const requirements& asked, const contributor_profile& profile) {
  return asked.channels.empty()
         || std::any_of(asked.channels.begin(), asked.channels.end(),
                        [&](const std::string& one) { return has(profile.channels, one); });
}

bool is_in_place(const requirements& asked, const contributor_profile& profile) {
  return asked.locations.empty()
         || std::any_of(asked.locations.begin(), asked.locations.end(),
                        [&](const std::string& one) { return is_within(profile.location, one); });
}

bool is_trusted(const requirements& asked, double trust) {
  return asked.trust <= 0 || trust >= asked.trust;
}

std::string quoted(const std::vector<std::string>& terms) {
  std::string list;
  for (const auto& term : terms)
    list += (list.empty() ? "'" : ", '") + term + '\'';
  return list;
}

// What is asked, in words for people.

std::string channel_of(const requirements& asked) {
  return (asked.channels.size() == 1 ? "the channel " : "one of the channels ")
         + quoted(asked.channels);
}

std::string skill_of(const std::string& skill) { return "skill '" + skill + '\''; }

std::string certification_of(const std::string& certification) {
  return "certification '" + certification + '\'';
}

std::string place_of(const requirements& asked) {
  return (asked.locations.size() == 1 ? "a place in " : "a place in one of ")
         + quoted(asked.locations);
}

std::string trust_of(const requirements& asked) { return "a trust of " + json_number(asked.trust); }

std::string in_a_row(const std::vector<std::string>& words) {
  std::string list;
  for (const auto& one : words)
    list += (list.empty() ? "" : ", ") + one;
  return list;
}

bool well_formed(const std::string& term) {
  return !term.empty() && term.size() <= term_bytes_max
         && std::all_of(term.begin(), term.end(), [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                     || c == '_' || c == '.' || c == ':' || c == '-';
            });
}

using problem_list = std::vector<definition_problem>;

void check_term(const std::string& term, const std::string& place, problem_list& problems) {
  if (!well_formed(term))
    problems.push_back({place, "must be 1 to " + std::to_string(term_bytes_max)
                                   + " characters of a-z, A-Z, 0-9, _, ., : and -"});
}

void check_terms(const std::vector<std::string>& terms, const std::string& place,
                 problem_list& problems) {
  if (terms.size() > terms_max)
    problems.push_back({place, "must be at most " + std::to_string(terms_max)});
  for (std::size_t i = 0; i < terms.size(); ++i)
    check_term(terms[i], place + '/' + std::to_string(i), problems);
}

/// Of a definition, where a term that is there twice is most likely a slip.
void check_asked(const std::vector<std::string>& terms, const std::string& place,
                 problem_list& problems) {
  check_terms(terms, place, problems);
  std::set<std::string> named;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (well_formed(terms[i]) && !named.insert(terms[i]).second)
      problems.push_back({place + '/' + std::to_string(i), "names '" + terms[i] + "' twice"});
}

void check_trust(double trust, problem_list& problems) {
  if (!(trust >= 0 && trust <= 1))
    problems.push_back({"/trust", "must be from 0 to 1"});
}

} // namespace

double trust_in(const contributor_profile& profile, const tested& tests) {
  if (profile.trust)
    return *profile.trust;
  if (tests.answered == 0)
    return 0;
  return quality::trust_after({}, {static_cast<std::uint32_t>(tests.right),
                                   static_cast<std::uint32_t>(tests.answered)})
      .mean();
}

bool meets(const requirements& asked, const contributor_profile& profile, double trust) {
  return is_trusted(asked, trust) && has_channel(asked, profile)
         && has_all(profile.skills, asked.skills)
         && has_all(profile.certifications, asked.certifications) && is_in_place(asked, profile);
}

std::vector<std::string> lacking(const requirements& asked, const contributor_profile& profile,
                                 double trust) {
  std::vector<std::string> missed;
  if (!has_channel(asked, profile))
    missed.push_back(channel_of(asked));
  for (const auto& skill : asked.skills)
    if (!has(profile.skills, skill))
      missed.push_back(skill_of(skill));
  for (const auto& certification : asked.certifications)
    if (!has(profile.certifications, certification))
      missed.push_back(certification_of(certification));
  if (!is_in_place(asked, profile))
    missed.push_back(place_of(asked));
  if (!is_trusted(asked, trust))
    missed.push_back(trust_of(asked)); // the figure is not for the contributor, who hears this
  return missed;
}

std::string text_of_lacks(const std::vector<std::string>& lacks) {
  return "they lack " + in_a_row(lacks);
}

std::string text_of(const requirements& asked) {
  std::vector<std::string> words;
  if (!asked.channels.empty())
    words.push_back(channel_of(asked));
  for (const auto& skill : asked.skills)
    words.push_back(skill_of(skill));
  for (const auto& certification : asked.certifications)
    words.push_back(certification_of(certification));
  if (!asked.locations.empty())
    words.push_back(place_of(asked));
  if (asked.trust > 0)
    words.push_back(trust_of(asked));
  return in_a_row(words);
}

contributor_profile in_order(contributor_profile profile) {
  for (auto* terms : {&profile.channels, &profile.skills, &profile.certifications}) {
    std::sort(terms->begin(), terms->end());
    terms->erase(std::unique(terms->begin(), terms->end()), terms->end());
  }
  return profile;
}

bool is_within(const std::string& location, const std::string& larger) {
  return location.compare(0, larger.size(), larger) == 0
         && (location.size() == larger.size() || location[larger.size()] == '-');
}

std::vector<definition_problem> problems_of(const requirements& asked) {
  problem_list problems;
  check_asked(asked.channels, "/channels", problems);
  check_asked(asked.skills, "/skills", problems);
  check_asked(asked.certifications, "/certifications", problems);
  check_asked(asked.locations, "/locations", problems);
  check_trust(asked.trust, problems);
  return problems;
}

std::vector<definition_problem> problems_of(const contributor_profile& profile) {
  problem_list problems;
  check_terms(profile.channels, "/channels", problems);
  check_terms(profile.skills, "/skills", problems);
  check_terms(profile.certifications, "/certifications", problems);
  if (!profile.location.empty())
    check_term(profile.location, "/location", problems);
  if (profile.trust)
    check_trust(*profile.trust, problems);
  return problems;
}

} // namespace holdfast::core
