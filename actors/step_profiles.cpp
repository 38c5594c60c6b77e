#include "actors/step_state.hpp"

namespace holdfast::actors {

std::optional<std::vector<std::string>> known_lacks(step_ptr self,
                                                    const core::contributor_id& contributor) {
  const auto& st = self->state;
  return st.profiles.lacks(definition_of(st).asks, contributor, now(self, st.context));
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
            auto& profile = loaded.stored.profile;
            const auto trust = core::trust_in(profile, loaded.stored.tests);
            const auto lacks = core::lacking(definition_of(st).asks, profile, trust);
            st.profiles.learn(contributor, std::move(profile), trust, at);
            go_on({}, lacks);
          },
          [=](const caf::error& error) { go_on(msg::failure_of(error), {}); });
}

} // namespace holdfast::actors
