#include "actors/step_state.hpp"

namespace holdfast::actors {

namespace {

/// For so long a step goes by what it has read of a contributor who may work in it, and of one who
/// may not: whoever has just got what they lacked should not have to wait for it.
constexpr core::duration age_max = std::chrono::seconds{60};
constexpr core::duration age_max_of_lacks = std::chrono::seconds{1};

/// Profiles in memory; whoever comes back after more others than that is read again.
constexpr std::size_t profiles_max = 10'000;

void forget_old(step_state& st, core::instant now) {
  for (auto at = st.profiles.begin(); at != st.profiles.end();)
    at = at->second.read_at + age_max <= now ? st.profiles.erase(at) : std::next(at);
  if (st.profiles.size() >= profiles_max)
    st.profiles.clear();
}

} // namespace

std::optional<std::vector<std::string>> known_lacks(step_ptr self,
                                                    const core::contributor_id& contributor) {
  const auto& st = self->state;
  const auto& asks = definition_of(st).asks;
  if (asks.ask_nothing())
    return std::vector<std::string>{};
  const auto found = st.profiles.find(contributor);
  if (found == st.profiles.end())
    return std::nullopt;
  const auto& [profile, trust, read_at] = found->second;
  auto lacks = core::lacking(asks, profile, trust);
  if (now(self, st.context) >= read_at + (lacks.empty() ? age_max : age_max_of_lacks))
    return std::nullopt;
  return lacks;
}

void with_lacks(
    step_ptr self, const core::contributor_id& contributor,
    const std::function<void(const core::failure&, const std::vector<std::string>&)>& go_on) {
  if (const auto known = known_lacks(self, contributor))
    return go_on({}, *known);
  const auto at = now(self, self->state.context); // it may change while it is read
  self->request(self->state.links.reader, internal_timeout, load_profile{contributor})
      .then(
          [=](profile_loaded& loaded) {
            auto& st = self->state;
            if (st.profiles.size() >= profiles_max)
              forget_old(st, at);
            const auto trust = core::trust_in(loaded.stored.profile, loaded.stored.tests);
            const auto lacks = core::lacking(definition_of(st).asks, loaded.stored.profile, trust);
            st.profiles[contributor] = {std::move(loaded.stored.profile), trust, at};
            go_on({}, lacks);
          },
          [=](const caf::error& error) { go_on(msg::failure_of(error), {}); });
}

} // namespace holdfast::actors
