#include "core/step_index.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace holdfast::core {

namespace {

using term_list = std::vector<std::string>;

/// What a step is filed under that requires no term.
const char* const no_term = "*";
const char* const channel = "channel:";
const char* const skill = "skill:";
const char* const certification = "certification:";
const char* const location = "location:";

void append(const char* kind, const term_list& terms, term_list& to) {
  for (const auto& term : terms)
    to.push_back(kind + term);
}

/// The requirements of terms, one by one: nobody meets one who has none of its terms.
std::vector<term_list> one_by_one(const requirements& asked) {
  std::vector<term_list> all;
  const auto any_of = [&](const char* kind, const term_list& terms) {
    if (!terms.empty())
      append(kind, terms, all.emplace_back());
  };
  const auto all_of = [&](const char* kind, const term_list& terms) {
    for (const auto& term : terms)
      all.push_back({kind + term});
  };
  any_of(channel, asked.channels);
  all_of(skill, asked.skills);
  all_of(certification, asked.certifications);
  any_of(location, asked.locations);
  return all;
}

/// All that a step may be filed under for this contributor.
term_list terms_of(const contributor_profile& profile) {
  term_list terms{no_term};
  append(channel, profile.channels, terms);
  append(skill, profile.skills, terms);
  append(certification, profile.certifications, terms);
  const auto& place = profile.location;
  if (place.empty())
    return terms;
  terms.push_back(location + place);
  for (auto end = place.find('-'); end != std::string::npos; end = place.find('-', end + 1))
    terms.push_back(location + place.substr(0, end));
  return terms;
}

} // namespace

void step_index::put(step_listing listing) {
  const auto [at, fresh] = entries_.try_emplace(listing.step);
  auto& kept = at->second;
  if (fresh) {
    kept.listing = std::move(listing);
    file(kept);
    return;
  }
  auto& known = kept.listing;
  const bool defines = listing.version >= known.version;
  const bool stands = listing.revision >= known.revision;
  if (!defines && !stands)
    return;
  unfile(kept);
  const auto& status_of = stands ? listing : known;
  const auto status = status_of.status;
  const auto revision = status_of.revision;
  if (defines)
    known = std::move(listing);
  known.status = status;
  known.revision = revision;
  file(kept);
}

void step_index::erase(const step_id& step) {
  const auto found = entries_.find(step);
  if (found == entries_.end())
    return;
  unfile(found->second);
  entries_.erase(found);
}

std::vector<step_listing> step_index::find(const contributor_profile& profile, double trust,
                                           const std::optional<step_rank>& after,
                                           std::size_t limit) const {
  struct cursor {
    filed_steps::const_iterator at;
    filed_steps::const_iterator end;
  };
  const auto later = [](const cursor& a, const cursor& b) { return *b.at < *a.at; };
  std::priority_queue<cursor, std::vector<cursor>, decltype(later)> open{later};
  for (const auto& term : terms_of(profile))
    if (const auto list = by_term_.find(term); list != by_term_.end()) {
      const auto& steps = list->second;
      const auto first = after ? steps.upper_bound(*after) : steps.begin();
      if (first != steps.end())
        open.push({first, steps.end()});
    }

  std::vector<step_listing> found;
  const step_rank* last = nullptr;
  while (!open.empty() && found.size() < limit) {
    auto next = open.top();
    open.pop();
    const auto& rank = *next.at;
    // A step that is filed under several terms comes once for each, one after the other.
    if (last == nullptr || *last < rank) {
      const auto& listing = entries_.at(rank.step).listing;
      if (meets(listing.asks, profile, trust))
        found.push_back(listing);
    }
    last = &rank;
    if (++next.at != next.end)
      open.push(next);
  }
  return found;
}

const step_listing* step_index::find(const step_id& step) const {
  const auto found = entries_.find(step);
  return found == entries_.end() ? nullptr : &found->second.listing;
}

std::vector<step_id> step_index::steps() const {
  std::vector<step_id> all;
  all.reserve(entries_.size());
  for (const auto& [step, kept] : entries_)
    all.push_back(step);
  return all;
}

std::size_t step_index::filed_under(const std::vector<std::string>& terms) const {
  std::size_t count = 0;
  for (const auto& term : terms)
    if (const auto list = by_term_.find(term); list != by_term_.end())
      count += list->second.size();
  return count;
}

void step_index::file(entry& kept) {
  const auto& listing = kept.listing;
  if (listing.status != step_status::open)
    return;
  std::size_t fewest = 0;
  for (auto& terms : one_by_one(listing.asks))
    if (const auto count = filed_under(terms); kept.under.empty() || count < fewest) {
      fewest = count;
      kept.under = std::move(terms);
    }
  if (kept.under.empty())
    kept.under = {no_term};
  for (const auto& term : kept.under)
    by_term_[term].insert({listing.priority, listing.step});
}

void step_index::unfile(entry& kept) {
  for (const auto& term : kept.under) {
    const auto list = by_term_.find(term);
    list->second.erase({kept.listing.priority, kept.listing.step});
    if (list->second.empty())
      by_term_.erase(list);
  }
  kept.under.clear();
}

} // namespace holdfast::core
