#include "persistence/postgres_profile_batch.hpp"

#include <string>

namespace holdfast::persistence::batch {

namespace {

// Lists travel as texts, because unnest would take an array of arrays apart to its elements.
constexpr statement put_profiles{"put_profiles", R"sql(
  INSERT INTO holdfast.contributor_profiles (contributor_id, channels, skills, certifications,
                                             location, trust, changed_at)
  SELECT t.contributor_id, t.channels::text[], t.skills::text[], t.certifications::text[],
         t.location, t.trust, t.at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
                $6::double precision[], $7::timestamptz[])
      AS t(contributor_id, channels, skills, certifications, location, trust, at)
  ON CONFLICT (contributor_id) DO UPDATE
     SET channels = excluded.channels, skills = excluded.skills,
         certifications = excluded.certifications, location = excluded.location,
         trust = excluded.trust, changed_at = excluded.changed_at)sql"};

} // namespace

void profile_writes::append_to(std::vector<call>& calls) {
  columns<text, text, text, text, text, double, core::instant> profiles;
  auto& [contributor, channels, skills, certifications, location, trust, at] = profiles.arrays;
  for (const auto& [id, w] : profiles_) {
    contributor.add(id);
    channels.add(array_text(w->profile.channels));
    skills.add(array_text(w->profile.skills));
    certifications.add(array_text(w->profile.certifications));
    location.add(w->profile.location);
    if (w->profile.trust)
      trust.add(*w->profile.trust);
    else
      trust.add_null();
    at.add(w->at);
  }
  profiles.append_to(calls, put_profiles);
}

} // namespace holdfast::persistence::batch
