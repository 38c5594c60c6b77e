#include "actors/profiles.hpp"
#include "actors/step_state.hpp"

#include "core/trust_elsewhere.hpp"
#include "core/workflow.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

/// What a step reads of a contributor at once.
struct contributor_read {
  persistence::stored_profile known;
  core::tests_seen seen; ///< Only where the step goes by trust.
};

auto read_contributor(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  const bool by_trust = core::goes_by_trust(definition_of(st));
  return read(self, st.links.reader,
              [context = st.context, contributor, by_trust, step = st.identity.step()](
                  persistence::store& db) -> core::outcome<contributor_read> {
                auto known = load_profile(db, contributor, context->settings.find_profile);
                if (!known)
                  return known.error();
                contributor_read found{std::move(*known), {}};
                if (!by_trust)
                  return found;
                const auto seen = db.load_tests_in(contributor, step);
                if (!seen)
                  return seen.error();
                found.seen = *seen;
                return found;
              });
}

/// Remembers it from a look that began at `at`. Answers the trust in them whatever the step.
double learn_of(step_ptr self, const core::contributor_id& contributor, contributor_read& found,
                core::instant at) {
  auto& st = self->state;
  auto& profile = found.known.profile;
  const auto trust = core::trust_in(profile, found.known.tests);
  const auto by_others =
      core::trust_by_others(definition_of(st).trust_from, profile, found.seen, found.known.tests);
  st.profiles.learn(contributor, profile, trust, at, by_others);
  return trust;
}

} // namespace

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
  read_contributor(self, contributor)
      .then(
          [=](contributor_read& found) {
            const auto trust = learn_of(self, contributor, found, at);
            go_on({}, core::lacking(definition_of(self->state).asks, found.known.profile, trust));
          },
          [=](const core::failure& why) { go_on(why, {}); });
}

core::trust_mark trust_now(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  core::trust_elsewhere elsewhere{
      core::goes_by_trust(definition_of(st)), {}, !definition_of(st).trust_from.step};
  if (elsewhere.looked)
    elsewhere.mean =
        st.profiles.trust_by_others(contributor, now(self, st.context)).value_or(std::nullopt);
  return st.board->trust_in(contributor, elsewhere);
}

bool trust_is_known(step_ptr self, const core::contributor_id& contributor) {
  const auto& st = self->state;
  return !core::goes_by_trust(definition_of(st))
         || (definition_of(st).trust_from.step
             && st.board->trust_in(contributor).questions.value_or(0) > 0)
         || st.profiles.trust_by_others(contributor, now(self, st.context)).has_value();
}

void learn_trust(step_ptr self, const core::contributor_id& contributor,
                 const std::function<void(const core::failure&)>& go_on) {
  const auto at = now(self, self->state.context); // it may change while it is read
  read_contributor(self, contributor)
      .then(
          [=](contributor_read& found) {
            learn_of(self, contributor, found, at);
            go_on({});
          },
          go_on);
}

} // namespace holdfast::actors
