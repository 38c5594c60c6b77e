#include "actors/profiles.hpp"
#include "actors/step_state.hpp"

#include "core/trust_elsewhere.hpp"
#include "core/workflow.hpp"

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
  read_profile(self, self->state.context, self->state.links.reader, contributor)
      .then(
          [=](persistence::stored_profile& stored) {
            auto& st = self->state;
            auto& profile = stored.profile;
            const auto trust = core::trust_in(profile, stored.tests);
            const auto by_others = core::trust_by_others(profile, stored.tests);
            const auto lacks = core::lacking(definition_of(st).asks, profile, trust);
            st.profiles.learn(contributor, std::move(profile), trust, at, by_others);
            go_on({}, lacks);
          },
          [=](const core::failure& why) { go_on(why, {}); });
}

core::trust_mark trust_now(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  core::trust_elsewhere elsewhere{core::goes_by_trust(definition_of(st)), {}};
  if (elsewhere.looked)
    elsewhere.mean =
        st.profiles.trust_by_others(contributor, now(self, st.context)).value_or(std::nullopt);
  return st.board->trust_in(contributor, elsewhere);
}

bool trust_is_known(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  return !core::goes_by_trust(definition_of(st))
         || st.board->trust_in(contributor).questions.value_or(0) > 0
         || st.profiles.trust_by_others(contributor, now(self, st.context)).has_value();
}

void learn_trust(step_ptr self, const core::contributor_id& contributor,
                 const std::function<void(const core::failure&)>& go_on) {
  const auto at = now(self, self->state.context); // it may change while it is read
  read_profile(self, self->state.context, self->state.links.reader, contributor)
      .then(
          [=](persistence::stored_profile& stored) {
            auto& profile = stored.profile;
            const auto trust = core::trust_in(profile, stored.tests);
            // Of whom has answered no question of this step, all of these are of others.
            const auto by_others = core::trust_by_others(profile, stored.tests);
            self->state.profiles.learn(contributor, std::move(profile), trust, at, by_others);
            go_on({});
          },
          go_on);
}

} // namespace holdfast::actors
