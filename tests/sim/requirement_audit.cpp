// The part of the auditor that is about what steps ask of people: who works in them, and who finds
// them.

#include "core/step_index.hpp"
#include "tests/sim/invariants.hpp"

#include <algorithm>

namespace holdfast::sim {

namespace {

/// How long the index of the open steps may be behind them when nothing goes wrong: nodes that have
/// ended must be missed, and their shards be taken over and read.
constexpr core::duration index_bound = std::chrono::seconds{60};

core::contributor_profile profile_in(const msg::put_profile& m) {
  return core::in_order({m.channels, m.skills, m.certifications, m.location, {}});
}

bool same(const core::contributor_profile& a, const core::contributor_profile& b) {
  return a.channels == b.channels && a.skills == b.skills && a.certifications == b.certifications
         && a.location == b.location && a.trust == b.trust;
}

bool shows(const msg::step_offers& answer, const std::vector<core::step_id>& open) {
  return answer.complete
         && std::equal(answer.steps.begin(), answer.steps.end(), open.begin(), open.end(),
                       [](const auto& offer, const auto& step) { return offer.step == step; });
}

} // namespace

// --- what is known of contributors ---

void auditor::sending(const msg::put_profile& said) {
  profiles_sent_.try_emplace(said.contributor, profile_in(said));
}

void auditor::check_profile(const core::contributor_id& contributor) {
  const auto sent = profiles_sent_.find(contributor);
  const auto row = t_.profiles.find(contributor);
  if (row != t_.profiles.end()
      && (sent == profiles_sent_.end() || !same(row->second.profile, sent->second)))
    blame("requirements", "a profile was stored that nobody has put: " + contributor);
}

void auditor::acknowledged(const msg::put_profile& asked, const msg::profile_view& answer) {
  const auto row = t_.profiles.find(asked.contributor);
  if (row == t_.profiles.end() || !same(row->second.profile, profile_in(asked)))
    return blame("I-12", "an acknowledged profile is not in the database: " + asked.contributor);
  const core::contributor_profile told{
      answer.channels, answer.skills, answer.certifications, answer.location, {}};
  if (answer.contributor != asked.contributor || answer.trust_given
      || !same(told, row->second.profile))
    blame("I-12", "a profile is told of otherwise than it was put: " + asked.contributor);
}

// --- who works ---

std::vector<core::requirements> auditor::asked_by(const core::step_id& step) const {
  std::vector<core::requirements> asked;
  const auto found = t_.steps.find(step);
  if (found == t_.steps.end())
    return asked;
  const auto& row = found->second.row;
  const auto& definitions = t_.workflows.at(row.workflow).definitions;
  // The first step goes by a version that it makes before that is stored.
  const auto last =
      std::min(static_cast<std::uint32_t>(definitions.size()) + 1, versions_of(drawn_));
  for (std::uint32_t version = 1; version <= last; ++version)
    if (has_step(drawn_, version, row.position))
      asked.push_back(asked_in(drawn_, version, row.position));
  return asked;
}

bool auditor::may_work(const core::step_id& step, const core::contributor_id& contributor) const {
  if (drawn_.asks.empty())
    return true;
  const auto sent = profiles_sent_.find(contributor);
  const auto& profile = sent == profiles_sent_.end() ? core::contributor_profile{} : sent->second;
  const auto asked = asked_by(step);
  return std::any_of(asked.begin(), asked.end(),
                     [&](const auto& one) { return core::meets(one, profile, 0); });
}

void auditor::refused(const msg::ask_assignment& asked, const std::string& detail, bool known) {
  std::vector<core::contributor_profile> profiles;
  if (!known)
    profiles.emplace_back();
  if (const auto sent = profiles_sent_.find(asked.contributor); sent != profiles_sent_.end())
    profiles.push_back(sent->second);
  for (const auto& one : asked_by(asked.step))
    for (const auto& profile : profiles)
      if (const auto lacks = core::lacking(one, profile, 0);
          !lacks.empty() && core::text_of_lacks(lacks) == detail)
        return;
  blame("requirements", asked.contributor + " is refused for what is not asked, or not lacking: "
                            + detail + dump(asked.step));
}

// --- who finds what ---

std::vector<core::step_id> auditor::open_to(const core::contributor_id& contributor) const {
  const auto put = t_.profiles.find(contributor);
  const auto& profile =
      put == t_.profiles.end() ? core::contributor_profile{} : put->second.profile;
  std::vector<core::step_id> open;
  for (const auto& [id, row] : t_.steps) { // none has a priority, so the oldest come first
    const auto position = row.row.position;
    const auto asked = asked_in(drawn_, workflow_of(id).versions.newest(position), position);
    // Also where tasks should do all the work: what they cannot do, people must find.
    if (row.row.status == core::step_status::open && core::meets(asked, profile, 0))
      open.push_back(id);
  }
  return open;
}

std::string auditor::compare(const msg::find_steps& asked, const msg::step_offers& answer,
                             const std::vector<core::step_id>& open) const {
  auto text = asked.contributor + " finds";
  for (const auto& offer : answer.steps)
    text += ' ' + offer.key;
  text += answer.complete ? ", all there is; open are" : ", not all there is; open are";
  for (const auto& step : open)
    text += ' ' + t_.steps.at(step).row.key;
  return text;
}

bool auditor::shows_all(const msg::find_steps& asked, const msg::step_offers& answer,
                        core::instant now) {
  const auto open = open_to(asked.contributor);
  if (shows(answer, open)) {
    missed_.erase(asked.contributor);
    return true;
  }
  auto& missed = missed_.try_emplace(asked.contributor, missed_steps{open, now}).first->second;
  if (missed.open != open)
    missed = {open, now};
  else if (now > missed.since + index_bound)
    blame("searches", "for a minute now " + compare(asked, answer, open));
  return false;
}

void auditor::check_found(const msg::find_steps& asked, const msg::step_offers& answer) {
  const auto open = open_to(asked.contributor);
  if (!shows(answer, open))
    blame("searches", "all is calm, and " + compare(asked, answer, open));
}

void auditor::acknowledged(const msg::rebuild_step_index&, const msg::step_index_rebuilt& answer) {
  if (answer.complete && answer.nodes == 0)
    blame("searches", "nobody has listed the steps anew, and that is said to be all");
}

void auditor::acknowledged(const msg::find_steps& asked, const msg::step_offers& answer) {
  if (answer.steps.size() > asked.limit)
    blame("searches", asked.contributor + " finds more steps than were asked for");
  core::step_rank last{asked.after_priority, asked.after};
  bool first = !asked.after;
  for (const auto& offer : answer.steps) {
    const auto found = t_.steps.find(offer.step);
    if (found == t_.steps.end() || found->second.row.workflow != offer.workflow
        || found->second.row.key != offer.key)
      return blame("searches", asked.contributor + " finds a step that there is not: " + offer.key);
    const core::step_rank rank{offer.priority, offer.step};
    if (!first && !(last < rank))
      blame("searches", asked.contributor + " finds a step twice, or too late: " + offer.key);
    if (!may_work(offer.step, asked.contributor))
      blame("searches",
            asked.contributor + " finds a step that asks for what they lack: " + offer.key);
    last = rank;
    first = false;
  }
}

} // namespace holdfast::sim
