#pragma once

#include "core/change.hpp"
#include "core/unit.hpp"
#include "tests/core/describe.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace holdfast::test {

/// What a database would know of one unit if it applied the changes that decisions emit, and
/// nothing else. A unit that is started anew is loaded from this, so it must tell the same story as
/// the unit in memory.
///
/// Applying throws where the store would refuse.
class unit_mirror {
public:
  explicit unit_mirror(const core::unit& fresh, const core::lease_policy& policy)
      : loaded_(fresh), policy_(policy) {}

  void apply(const core::change& c) {
    for (const auto& w : c.writes)
      std::visit([this](const auto& op) { write(op); }, w);
  }

  /// The unit as a restart would find it at `now`: bars that are over are of no account.
  std::string describe_at(core::instant now) const {
    auto u = loaded_;
    std::sort(u.leases.active.begin(), u.leases.active.end(), by_owner<core::lease>);
    for (const auto& [token, kept] : surplus_)
      u.lapsed.push_back(kept);
    for (const auto& [token, ended] : ended_)
      note_ended(u, policy_, ended.first, token, ended.second);
    std::sort(u.lapsed.begin(), u.lapsed.end(), by_token);
    for (const auto& [who, until] : bars_)
      if (now < until)
        u.bars.push_back({who, until});
    return describe(u);
  }

  /// The unit in memory in the same form.
  static std::string describe_at(core::unit u, core::instant now) {
    std::sort(u.leases.active.begin(), u.leases.active.end(), by_owner<core::lease>);
    std::sort(u.lapsed.begin(), u.lapsed.end(), by_token);
    u.bars.erase(std::remove_if(u.bars.begin(), u.bars.end(),
                                [&](const core::bar& b) { return b.until <= now; }),
                 u.bars.end());
    std::sort(u.bars.begin(), u.bars.end(),
              [](const core::bar& a, const core::bar& b) { return a.contributor < b.contributor; });
    return describe(u);
  }

private:
  template <class Owned>
  static bool by_owner(const Owned& a, const Owned& b) {
    return a.owner < b.owner;
  }

  static bool by_token(const core::lapsed_lease& a, const core::lapsed_lease& b) {
    return a.token < b.token;
  }

  static void refuse_unless(bool accepted, const char* why) {
    if (!accepted)
      throw std::logic_error(std::string{"the store would refuse: "} + why);
  }

  /// The lease under exactly this token.
  core::lease& held(const core::contributor_id& owner, core::token token) {
    auto& active = loaded_.leases.active;
    const auto found = std::find_if(active.begin(), active.end(), [&](const core::lease& l) {
      return l.owner == owner && l.token == token;
    });
    refuse_unless(found != active.end(), "no lease of this owner under this token");
    return *found;
  }

  void drop(const core::lease& l) {
    auto& active = loaded_.leases.active;
    active.erase(active.begin() + (&l - active.data()));
  }

  void write(const core::insert_lease& w) {
    auto& leases = loaded_.leases;
    refuse_unless(w.unit == loaded_.id, "another unit");
    refuse_unless(std::none_of(leases.active.begin(), leases.active.end(),
                               [&](const core::lease& l) { return l.owner == w.lease.owner; }),
                  "I-2, a second lease of one contributor");
    refuse_unless(w.lease.token > leases.last_token, "I-3, tokens grow");
    leases.active.push_back(w.lease);
    leases.last_token = w.lease.token;
  }
  void write(const core::extend_lease_row& w) { held(w.owner, w.token).expires_at = w.expires_at; }
  void write(const core::end_lease_row& w) {
    drop(held(w.owner, w.token));
    ended_[w.token] = {w.owner, w.how};
    const auto until = core::barred_until(policy_, w.how, w.at);
    auto& bar = bars_.emplace(w.owner, until).first->second;
    bar = std::max(bar, until);
  }
  void write(const core::insert_judgment& w) {
    drop(held(w.owner, w.token));
    add(w);
  }
  void write(const core::insert_late_judgment& w) {
    refuse_unless(expired(w.judgment), "no expired lease of this owner under this token");
    ended_.erase(w.judgment.token);
    add(w.judgment);
    loaded_.judgments.back().late = true;
  }
  void write(const core::insert_surplus_judgment& w) {
    const auto& kept = w.judgment;
    refuse_unless(expired(kept), "no expired lease of this owner under this token");
    refuse_unless(
        surplus_.emplace(kept.token, core::lapsed_lease{kept.owner, kept.token, kept.id}).second,
        "a second surplus judgment under one lease");
  }
  void add(const core::insert_judgment& w) {
    for (const auto& j : loaded_.judgments)
      refuse_unless(j.contributor != w.owner && j.id != w.id, "a second judgment");
    loaded_.judgments.push_back({w.id, w.owner, w.token, w.answer, w.trust_snapshot, false,
                                 std::nullopt, w.submitted_at, w.judged_before, w.trust_questions});
  }
  bool expired(const core::insert_judgment& w) const {
    const auto ended = ended_.find(w.token);
    return ended != ended_.end() && ended->second.first == w.owner
           && ended->second.second == core::lease_end::expired;
  }
  void write(const core::taint_judgment& w) { mark(w.contributor, true); }
  void write(const core::restore_judgment& w) { mark(w.contributor, false); }
  void write(const core::set_judgment_trust& w) {
    for (auto& j : loaded_.judgments)
      if (j.contributor == w.contributor) {
        j.trust = w.trust.mean;
        j.trust_questions = w.trust.questions;
      }
  }
  void mark(const core::contributor_id& who, bool tainted) {
    const auto found =
        std::find_if(loaded_.judgments.begin(), loaded_.judgments.end(),
                     [&](const core::judgment_mark& j) { return j.contributor == who; });
    refuse_unless(found != loaded_.judgments.end() && found->tainted != tainted,
                  "no judgment that this would change");
    found->tainted = tainted;
  }
  void write(const core::set_unit_slots& w) { loaded_.slots = w.slots; }
  void write(const core::set_unit_input& w) {
    refuse_unless(is_open(loaded_.state), "the unit is not open");
    loaded_.input = w.input;
  }
  void write(const core::set_unit_state& w) { loaded_.state = w.state; }
  void write(const core::withdraw_unit& w) {
    refuse_unless(w.unit == loaded_.id, "another unit");
    refuse_unless(loaded_.state == core::unit_state::finalized, "the unit is not finalized");
    loaded_.state = core::unit_state::canceled;
  }
  void write(const core::finalize_unit&) {
    loaded_.state = core::unit_state::finalized;
    loaded_.overridden = false;
  }
  void write(const core::insert_inbox&) {}
  void write(const core::reopen_unit& w) {
    refuse_unless(loaded_.state == core::unit_state::finalized, "the unit is not finalized");
    loaded_.state = core::unit_state::judgable;
    loaded_.slots = w.slots;
    loaded_.overridden = false;
    ++loaded_.reopened;
  }
  void write(const core::restate_unit&) {
    refuse_unless(loaded_.state == core::unit_state::finalized, "the unit is not finalized");
  }
  void write(const core::override_unit& w) {
    refuse_unless((w.found == core::overridden_state::open) == core::is_open(loaded_.state)
                      && loaded_.state != core::unit_state::canceled,
                  "the unit is not as the override has found it");
    loaded_.state = core::unit_state::finalized;
    loaded_.overridden = true;
    loaded_.reopened += w.found == core::overridden_state::taken_back ? 1 : 0;
  }
  void write(const core::recount_unit& w) {
    refuse_unless(loaded_.state == core::unit_state::finalized, "the unit is not finalized");
    loaded_.slots = w.slots;
  }
  void write(const core::insert_correction& w) {
    refuse_unless(w.row.number == ++corrections_, "corrections are numbered without a gap");
  }
  void write(const core::set_taint_requested& w) {
    for (auto& j : loaded_.judgments)
      if (j.contributor == w.contributor) {
        refuse_unless(j.taint_requested != w.requested, "it is so already");
        j.taint_requested = w.requested;
      }
  }
  void write(const core::insert_judgment_correction& w) {
    for (auto& j : loaded_.judgments)
      if (j.id == w.judgment) {
        refuse_unless(j.corrected + 1U == w.number, "not the next correction");
        j.corrected = static_cast<std::uint8_t>(w.number);
        if (w.applied)
          j.answer = w.answer;
      }
  }
  template <class Other>
  void write(const Other&) {
    refuse_unless(false, "a unit's decision does not write this");
  }

  core::unit loaded_;
  const core::lease_policy policy_;
  std::map<core::contributor_id, core::instant> bars_;
  std::map<core::token, std::pair<core::contributor_id, core::lease_end>> ended_; ///< The history.
  std::map<core::token, core::lapsed_lease> surplus_;
  std::uint32_t corrections_ = 0;
};

} // namespace holdfast::test
