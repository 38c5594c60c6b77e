#include "actors/workflow_results.hpp"

#include "actors/request_checks.hpp"
#include "actors/stored_items.hpp"
#include "core/item_chain.hpp"
#include "core/review.hpp"
#include "documents/item_answer.hpp"
#include "documents/parse.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::actors {

namespace {

using core::chain_end;
using core::chain_unit;
using core::result_state;

/// Items and units that one page looks at, also where few of them are ends.
constexpr std::uint32_t ordinals_looked_at = 1000;
constexpr std::uint32_t units_looked_at = 5000;
/// Of the documents of one page; it has one result at least.
constexpr std::uint64_t page_bytes = std::uint64_t{4} * 1024 * 1024;
/// What a judgment adds: the name of its contributor, who may be new in the page.
constexpr std::uint64_t judgment_bytes = 32;

/// What a unit passes on: its result, or what is left of the one that it reviewed.
struct passed_on {
  documents::item_answer answer;
  const chain_unit* from = nullptr; ///< Whose judgments gave the answer.
  std::string problem{};
};

/// Makes the rows of one page.
class result_maker {
public:
  result_maker(persistence::store& db, const persistence::stored_workflow& workflow,
               const core::versioned_workflow& versions, const msg::list_workflow_results& asked,
               const node_settings& settings)
      : db_(db),
        workflow_(workflow),
        asked_(asked),
        settings_(settings),
        states_(asked.states == 0 ? core::bit_of(result_state::final) : asked.states),
        chains_(versions, workflow.steps) {}

  core::outcome<msg::workflow_result_page> page() {
    msg::workflow_result_page made;
    made.last = asked_.after;
    if (workflow_.steps.empty())
      return made;
    auto looked = db_.list_chains(workflow_.steps.front().id, *core::result_place_of(asked_.after),
                                  ordinals_looked_at, units_looked_at);
    if (!looked)
      return looked.error();
    last_ = looked->last;
    more_ = looked->more;
    if (auto failed = gather(*looked))
      return *failed;
    choose();
    if (auto failed = read_texts())
      return *failed;
    for (const auto& end : ends_)
      if (!append_row(end, made))
        break;
    made.last = core::to_string(last_);
    made.more = more_;
    return made;
  }

private:
  struct end {
    const chain_unit* unit;
    chain_end how;
  };
  using problem = std::optional<core::failure>;

  bool wants(result_state state) const { return (states_ & core::bit_of(state)) != 0; }

  bool may_be_wanted(chain_end how) const {
    switch (how) {
    case chain_end::none:
      return false;
    case chain_end::result:
      return wants(result_state::final) || wants(result_state::rejected);
    case chain_end::if_childless:
      return wants(result_state::final) || wants(result_state::canceled);
    case chain_end::canceled:
      return wants(result_state::canceled);
    case chain_end::superseded:
      return wants(result_state::superseded);
    case chain_end::gathered:
      return wants(result_state::gathered);
    }
    return false;
  }

  /// Finds the ends among the units that were looked at, with the chains that lead to them.
  problem gather(const persistence::chain_page& looked) {
    for (const auto& unit : looked.units)
      chains_.add(unit);
    // Of an item that is divided among pages.
    for (auto missing = chains_.missing_parents(); !missing.empty();) {
      const auto parents = db_.load_chain_units(missing);
      if (!parents)
        return parents.error();
      for (const auto& parent : *parents)
        chains_.add(parent);
      const auto before = std::exchange(missing, chains_.missing_parents());
      if (before == missing) // the database has lost them
        break;
    }
    std::vector<core::unit_id> perhaps;
    for (const auto& unit : looked.units) {
      const auto how = chains_.end_at(unit);
      if (!may_be_wanted(how))
        continue;
      ends_.push_back({chains_.find(unit.id), how});
      if (how == chain_end::if_childless)
        perhaps.push_back(unit.id);
    }
    if (perhaps.empty())
      return std::nullopt;
    const auto parents = db_.find_parents_in(perhaps);
    if (!parents)
      return parents.error();
    ends_.erase(std::remove_if(ends_.begin(), ends_.end(),
                               [&](const end& one) {
                                 return one.how == chain_end::if_childless
                                        && parents->count(one.unit->id) > 0;
                               }),
                ends_.end());
    return std::nullopt;
  }

  /// The units whose results say what `unit` passes on.
  void need(const chain_unit& unit) {
    needed_.insert(unit.id);
    if (!chains_.is_review(unit))
      return;
    if (chains_.is_batch(unit))
      inputs_.insert(unit.id);
    else if (const auto* parent = chains_.parent_of(unit))
      need(*parent);
  }

  /// The last of the chain that was made from one item of a list; null: none was.
  const chain_unit* list_item_in(const std::vector<const chain_unit*>& path) const {
    const auto found = std::find_if(path.rbegin(), path.rend(), [&](const chain_unit* unit) {
      return chains_.is_list_item(*unit);
    });
    return found == path.rend() ? nullptr : *found;
  }

  void end_behind(const end& one) {
    last_ = {one.unit->ordinal, one.unit->id};
    more_ = true;
  }

  /// Bounds the page, and notes what is to be read for it.
  void choose() {
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    for (; count < ends_.size(); ++count) {
      const auto& unit = *ends_[count].unit;
      const auto* root = chains_.find(unit.root);
      if (!asked_.leave_inputs && root != nullptr)
        bytes += root->input_bytes;
      const auto path = chains_.path_to(unit);
      for (const auto* at : path)
        bytes += at->result_bytes + judgment_bytes * std::min<std::uint64_t>(at->slots, 1000);
      if (count > 0 && (count == asked_.limit || bytes > page_bytes))
        break;
      if (root != nullptr) {
        needed_.insert(root->id);
        if (!asked_.leave_inputs)
          inputs_.insert(root->id);
      }
      if (path.empty())
        continue;
      need(unit);
      if (const auto* item = list_item_in(path); item != nullptr)
        need(*chains_.parent_of(*item));
      for (const auto* at : path)
        judged_.insert(at->id);
    }
    if (count == ends_.size())
      return;
    ends_.resize(count);
    end_behind(ends_.back());
  }

  problem read_texts() {
    auto texts = db_.load_chain_texts({needed_.begin(), needed_.end()}, inputs_);
    if (!texts)
      return texts.error();
    texts_ = std::move(*texts);
    auto judges = db_.load_chain_judges({judged_.begin(), judged_.end()});
    if (!judges)
      return judges.error();
    judges_ = std::move(*judges);
    return std::nullopt;
  }

  const persistence::chain_texts& texts_of(const core::unit_id& unit) const {
    static const persistence::chain_texts none;
    const auto found = texts_.find(unit);
    return found == texts_.end() ? none : found->second;
  }

  static std::string unreadable(const chain_unit& unit, const std::string& why) {
    return "unit " + to_string(unit.id) + " in holdfast.units cannot be read: " + why;
  }

  const documents::answer_types& types_of(const chain_unit& unit) {
    const auto& key = chains_.key_of(unit);
    const auto known = types_.find({unit.version, key});
    if (known != types_.end())
      return known->second;
    auto types = documents::answer_types{};
    if (unit.version >= 1 && unit.version <= workflow_.definitions.size())
      if (const auto definition = documents::parse_json(
              workflow_.definitions[unit.version - 1],
              {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max()}))
        types = documents::answer_types{*definition, key};
    return types_.emplace(std::pair{unit.version, key}, std::move(types)).first->second;
  }

  /// What the unit was given to review.
  passed_on given_to(const chain_unit& unit) {
    if (chains_.is_batch(unit))
      return {{documents::result_shown_in(texts_of(unit.id).input), {}, {}}, &unit};
    const auto* parent = chains_.parent_of(unit);
    if (parent == nullptr)
      return {};
    if (!chains_.is_list_item(unit))
      return passed_on_by(*parent);
    passed_on item;
    const auto& whole = passed_on_by(*parent);
    item.from = whole.from;
    item.problem = whole.problem;
    item.answer.value = item_of(*parent, unit.part);
    return item;
  }

  /// The item in that place of the list that is the result of the unit.
  std::string item_of(const chain_unit& list, std::uint32_t part) {
    auto items = items_.find(list.id);
    if (items == items_.end())
      items = items_.emplace(list.id, documents::items_in(passed_on_by(list).answer.value)).first;
    return part < items->second.size() ? items->second[part] : std::string{};
  }

  const passed_on& passed_on_by(const chain_unit& unit) {
    if (const auto known = passed_.find(unit.id); known != passed_.end())
      return known->second;
    return passed_.insert_or_assign(unit.id, read_passed_on(unit)).first->second;
  }

  passed_on read_passed_on(const chain_unit& unit) {
    const auto& texts = texts_of(unit.id);
    if (!texts.unreadable.empty())
      return {{}, nullptr, unreadable(unit, texts.unreadable)};
    if (texts.result.empty())
      return {};
    if (!chains_.is_review(unit))
      return {documents::answer_in(texts.result, types_of(unit)), &unit};
    auto correction = documents::correction_in(texts.result);
    if (correction.empty())
      return given_to(unit);
    auto votes = documents::answer_in(texts.result, {}).votes;
    return {{std::move(correction), std::move(votes), {}}, &unit};
  }

  /// Whether the database has all units before this one.
  bool is_whole(const chain_unit& unit) const { return !chains_.path_to(unit).empty(); }

  /// What has become of the unit; none: it is no end, or nobody asks for such ones.
  std::optional<result_state> state_of(const end& one) {
    auto how = one.how;
    const auto& texts = texts_of(one.unit->id);
    if (how == chain_end::if_childless && is_whole(*one.unit)) {
      const auto& list = passed_on_by(*one.unit);
      const bool no_items = !list.answer.value.empty() && list.answer.value.front() == '['
                            && documents::items_in(list.answer.value).empty();
      how = chains_.childless_end(*one.unit, no_items);
    }
    std::optional<result_state> state;
    switch (how) {
    case chain_end::none:
    case chain_end::if_childless:
      break;
    case chain_end::result:
      // Taken back since the page was looked at: it is no end any more.
      if (texts.result.empty() && texts.unreadable.empty())
        break;
      state = chains_.is_review(*one.unit)
                      && documents::verdict_in(texts.result)
                             == core::to_string(core::review_verdict::reject)
                  ? result_state::rejected
                  : result_state::final;
      break;
    case chain_end::canceled:
      state = result_state::canceled;
      break;
    case chain_end::superseded:
      state = result_state::superseded;
      break;
    case chain_end::gathered:
      state = result_state::gathered;
      break;
    }
    return state && wants(*state) ? state : std::nullopt;
  }

  static void add_problem(msg::workflow_result& to, const std::string& problem) {
    if (!problem.empty() && to.problem.find(problem) == std::string::npos)
      to.problem += (to.problem.empty() ? "" : "; ") + problem;
  }

  void tell_answer(const chain_unit& unit, msg::workflow_result& row) {
    const auto& found = passed_on_by(unit);
    add_problem(row, found.problem);
    if (chains_.is_review(unit))
      row.verdict = documents::verdict_in(texts_of(unit.id).result);
    if (row.state == result_state::rejected || found.answer.value.empty())
      return;
    row.answer = found.answer.value;
    row.votes = found.answer.votes;
    row.fields = found.answer.fields;
    if (found.from != nullptr) {
      row.confidence = found.from->confidence;
      row.answered_in = chains_.key_of(*found.from);
    }
  }

  void tell_chain(const std::vector<const chain_unit*>& path, msg::workflow_result& row) {
    std::set<core::contributor_id> contributors;
    for (const auto* at : path) {
      row.path.push_back(chains_.key_of(*at));
      if (chains_.is_list_item(*at))
        row.parts.push_back(at->part);
      const auto judges = judges_.find(at->id);
      if (judges == judges_.end())
        continue;
      if (!judges->second.unreadable.empty())
        add_problem(row, "the judgments of unit " + to_string(at->id)
                             + " cannot be read: " + judges->second.unreadable);
      row.judgments += static_cast<std::uint32_t>(judges->second.contributors.size());
      contributors.insert(judges->second.contributors.begin(), judges->second.contributors.end());
    }
    for (const auto& name : contributors)
      row.contributors.push_back(asked_.pseudonyms ? pseudonym_of(name) : name);
    std::sort(row.contributors.begin(), row.contributors.end());
  }

  /// The same name for the same contributor in all results of the workflow, and in no other's. The
  /// definition is part of it, which the results do not show: who has only these cannot try names.
  const std::string& pseudonym_of(const core::contributor_id& name) {
    if (salt_.empty())
      salt_ = settings_.digest(to_string(workflow_.id) + workflow_.definitions.front());
    auto& known = pseudonyms_[name];
    if (known.empty())
      known = "p-" + settings_.digest(salt_ + name).substr(0, 20);
    return known;
  }

  /// False: the page is full before it.
  bool append_row(const end& one, msg::workflow_result_page& page) {
    const auto state = state_of(one);
    if (!state)
      return true;
    const auto& unit = *one.unit;
    const auto* root = chains_.find(unit.root);
    msg::workflow_result row;
    row.unit = unit.id;
    row.root = unit.root;
    row.ordinal = unit.ordinal;
    row.state = *state;
    row.step = chains_.key_of(unit);
    row.loops = unit.loops;
    row.version = unit.version;
    row.batch = unit.batch;
    row.ended_at = unit.changed_at.value_or(unit.created_at);
    if (root != nullptr) {
      const auto& texts = texts_of(root->id);
      row.source_key = texts.source_key;
      row.input = asked_.leave_inputs ? std::string{} : texts.input;
      row.created_at = root->created_at;
      if (!texts.unreadable.empty())
        add_problem(row, unreadable(*root, texts.unreadable));
    }
    bytes_ += core::payload_bytes(row.input);
    if (!page.results.empty() && bytes_ > page_bytes) {
      last_ = before_;
      more_ = true;
      return false;
    }
    before_ = {unit.ordinal, unit.id};
    const auto path = chains_.path_to(unit);
    if (path.empty()) {
      add_problem(row,
                  "a unit before unit " + to_string(unit.id) + " is missing in holdfast.units");
      page.results.push_back(std::move(row));
      return true;
    }
    tell_chain(path, row);
    if (const auto* item = list_item_in(path); item != nullptr)
      row.item = item_of(*chains_.parent_of(*item), item->part);
    if (*state != result_state::gathered)
      tell_answer(unit, row);
    page.results.push_back(std::move(row));
    return true;
  }

  persistence::store& db_;
  const persistence::stored_workflow& workflow_;
  const msg::list_workflow_results& asked_;
  const node_settings& settings_;
  const std::uint8_t states_;
  core::item_chains chains_;
  core::result_place last_;
  bool more_ = false;
  std::vector<end> ends_;
  std::set<core::unit_id> needed_;
  std::set<core::unit_id> inputs_;
  std::set<core::unit_id> judged_;
  std::map<core::unit_id, persistence::chain_texts> texts_;
  std::map<core::unit_id, persistence::chain_judges> judges_;
  std::map<std::pair<std::uint32_t, std::string>, documents::answer_types> types_;
  std::map<core::unit_id, passed_on> passed_;
  std::map<core::unit_id, std::vector<std::string>> items_;
  std::string salt_;
  std::unordered_map<std::string, std::string> pseudonyms_;
  std::uint64_t bytes_ = 0;
  core::result_place before_; ///< Of the last row of the page.
};

} // namespace

core::failure check(const msg::list_workflow_results& m) {
  if (auto why = first_of(
          {check_id(m.workflow, "workflow"), check_limit(m.limit, workflow_results_page_max)});
      why.code != core::errc::none)
    return why;
  if (!core::result_place_of(m.after))
    return invalid("after must be the last of an earlier answer");
  if ((m.states & ~core::all_result_states) != 0)
    return invalid("states must be bits of final, rejected, canceled, superseded and gathered");
  return {};
}

core::outcome<msg::workflow_result_page>
answer(const node_settings& settings, persistence::store& db, const msg::list_workflow_results& m) {
  if (m.pseudonyms && !settings.digest)
    return core::failure{core::errc::wrong_state,
                         "this node makes no pseudonyms; leave pseudonyms out"};
  const auto stored = db.load_workflow(m.workflow);
  if (!stored)
    return stored.error();
  const auto versions = parse_versions(stored->definitions);
  if (!versions)
    return versions.error();
  return result_maker{db, *stored, *versions, m, settings}.page();
}

} // namespace holdfast::actors
