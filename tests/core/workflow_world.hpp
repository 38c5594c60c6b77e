#pragma once

#include "core/exclusion.hpp"
#include "core/json_text.hpp"
#include "core/review.hpp"
#include "core/workflow_update.hpp"
#include "core/workflow_versions.hpp"
#include "tests/core/scenario_worlds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// One workflow: its versions, its steps, and the chains of units that go through them.
class workflow_world : public world {
public:
  explicit workflow_world(word_reader& words) { begin_version(words); }

  bool given(word_reader& words) override {
    if (words.take("version")) {
      if (words.number("a version") != drafts_.size() + 1)
        throw bad_line("versions are given one after the other, from 2");
      words.expect("of");
      begin_version(words);
      return true;
    }
    auto& step = step_named(words.word("a step"));
    if (words.take("leads to"))
      step.routes.push_back(read_route(words));
    else if (words.take("reviews"))
      step.aggregation.method = core::aggregation_method::review;
    else if (words.take("gathers"))
      step.gather = core::gather_policy{core::gather_by::count, count(words, "how many units")};
    else if (words.take("wants"))
      step.judgments_per_unit = count(words, "how many judgments");
    else if (words.take("counts the member"))
      step.answer_pointer = words.word("a JSON pointer");
    else
      return false;
    if (!words.done())
      words.expect(step.gather ? "units" : "judgments");
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    auto text = decided(words);
    for (const auto& s : steps_)
      if (describe(s.row) != describe(stored_.at(s.row.id)))
        throw broken_rule("a restart would find " + s.row.key + " " + describe(stored_.at(s.row.id))
                          + ", not " + describe(s.row));
    return text;
  }

private:
  std::string decided(word_reader& words) {
    if (words.take("the workflow is made"))
      return make();
    if (words.take("version")) {
      const auto version = words.number("a version");
      words.expect("is put");
      if (version == 0 || version > drafts_.size())
        throw bad_line("no such version is given");
      return put(drafts_[version - 1]);
    }
    if (steps_.empty())
      throw bad_line("the workflow is not made yet");
    const auto name = words.word("a step or a chain");
    if (words.take("arrives"))
      return arrive(name);
    if (words.take("finishes in"))
      return finish(name, words);
    const auto position = workflow_.position_of(name);
    if (!position)
      throw bad_line("no step is called " + name);
    if (words.take("has"))
      return describe(step(*position).row);
    words.expect("is");
    return steer(*position, words.word("what is done to the step"));
  }

  /// A unit of a chain that is not finished.
  struct open_unit {
    std::uint32_t version = 1;
    std::uint32_t loops = 0;
  };

  /// A unit of a chain that is finished, the latest first.
  struct past_unit {
    std::uint32_t position = 0;
    std::vector<core::contributor_id> judges;
  };

  static std::uint32_t count(word_reader& words, const char* what) {
    return static_cast<std::uint32_t>(words.number(what));
  }

  // --- definitions ---

  void begin_version(word_reader& words) {
    core::workflow_definition draft;
    draft.name = "w";
    while (!words.done()) {
      draft.steps.emplace_back();
      draft.steps.back().key = words.word("a step");
    }
    drafts_.push_back(std::move(draft));
  }

  core::step_definition& step_named(const std::string& key) {
    for (auto& step : drafts_.back().steps)
      if (step.key == key)
        return step;
    throw bad_line("the version has no step " + key);
  }

  static core::route read_route(word_reader& words) {
    core::route made;
    while (!words.done() && !words.next_is("when") && !words.next_is("at most")
           && !words.next_is("for everybody") && !words.next_is("for nobody"))
      made.to.push_back(words.word("a step"));
    if (words.take("when"))
      do
        read_condition(words, made.when);
      while (words.take("and"));
    if (words.take("at most")) {
      made.loops_max = count(words, "how often a chain is sent back");
      words.expect("times");
    }
    if (words.take("for everybody"))
      made.exclude_judges = false;
    else if (words.take("for nobody who judged the chain"))
      made.exclude_judges = true;
    return made;
  }

  static void read_condition(word_reader& words, core::route_condition& when) {
    if (words.take("the answer is")) {
      auto& answers = words.take("not") ? when.other_answers : when.answers;
      do
        answers.push_back(words.word("an answer"));
      while (words.take("or"));
    } else if (words.take("confidence is below")) {
      when.confidence_below = words.decimal("a confidence");
    } else if (words.take("agreement is below")) {
      when.agreement_below = words.decimal("an agreement");
    } else if (words.take("trust is below")) {
      when.trust_below = words.decimal("a trust");
    } else if (words.take("it is tied")) {
      when.tied = true;
    } else if (words.take("it is not tied")) {
      when.tied = false;
    } else if (words.take("it was sent back")) {
      when.sent_back = count(words, "how often");
      words.expect("times");
    } else if (words.take("a contributor had judged fewer than")) {
      when.judged_fewer = count(words, "how many units");
    } else if (words.take("the input")) {
      read_input_condition(words, when);
    } else {
      throw bad_line("no route can ask for that");
    }
  }

  static void read_input_condition(word_reader& words, core::route_condition& when) {
    core::input_condition asked;
    asked.pointer = words.word("a JSON pointer");
    words.expect("is");
    if (words.take("at least"))
      asked.at_least = words.decimal("a number");
    else if (words.take("below"))
      asked.below = words.decimal("a number");
    else
      do
        asked.values.push_back(core::json_quoted(words.word("a value")));
      while (words.take("or"));
    when.input.push_back(std::move(asked));
  }

  static std::string refused(const std::vector<core::definition_problem>& problems) {
    std::string text = "refused";
    for (const auto& p : problems)
      text += (text.size() > 7 ? "; " : " ") + p.place + ": " + p.what;
    return text;
  }

  std::string make() {
    const auto& draft = drafts_.front();
    if (const auto problems = problems_of(draft); !problems.empty())
      return refused(problems);
    workflow_ = core::versioned_workflow{{draft}};
    steps_.clear();
    for (std::uint32_t position = 0; position < workflow_.keys().size(); ++position) {
      core::step made;
      made.row.id = numbered<core::step_id>(position + 1);
      made.row.key = workflow_.keys()[position];
      made.row.position = position;
      stored_[made.row.id] = made.row;
      steps_.push_back(std::move(made));
    }
    return "version 1";
  }

  std::string put(const core::workflow_definition& draft) {
    auto problems = problems_of(draft);
    if (problems.empty())
      problems = problems_of_change(workflow_, draft);
    if (!problems.empty())
      return refused(problems);
    if (const auto why = core::obstacle_to_update(steps_.front().row); why.code != core::errc::none)
      return "refused " + std::string{to_string(why.code)};
    const auto before = stands();
    std::vector<core::step_row> rows;
    for (const auto& one : steps_)
      rows.push_back(one.row);
    store(
        core::add_version(workflow_, rows, draft, std::to_string(workflow_.latest()), ids_, now_));
    for (auto position = steps_.size(); position < rows.size(); ++position) {
      steps_.emplace_back();
      steps_.back().row = rows[position];
    }
    // Each step tells those behind it now whether it is complete.
    for (std::uint32_t from = 0; from < steps_.size(); ++from)
      tell(from);
    return "version " + std::to_string(workflow_.latest()) + changes_since(before);
  }

  // --- chains ---

  std::string arrive(const std::string& chain) {
    const auto before = stands();
    const auto version = workflow_.latest();
    if (auto refusal = take_in(0, chain, {version, 0}); !refusal.empty())
      return refusal;
    const auto wanted = core::first_slots(*workflow_.find(version, 0));
    return "in " + workflow_.keys().front() + " under version " + std::to_string(version) + " for "
           + std::to_string(wanted) + (wanted == 1 ? " judgment" : " judgments")
           + changes_since(before);
  }

  /// Why the chain cannot go on in the step; empty when it does.
  std::string take_in(std::uint32_t position, const std::string& chain, const open_unit& unit) {
    core::source_item item;
    item.key = chain + "~" + std::to_string(++units_);
    item.input = "{}";
    item.version = unit.version;
    item.loops = unit.loops;
    if (position > 0 || unit.loops > 0)
      item.parent = item.root = numbered<core::unit_id>(1);
    const auto d = add_units(step(position), {std::move(item)}, ids_, now_);
    if (d.refusal != core::errc::none)
      return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                               : throw broken_rule("a refusal writes something");
    store(d.changes);
    tell(position);
    open_[{chain, position}] = unit;
    return {};
  }

  std::string finish(const std::string& chain, word_reader& words) {
    const auto position = workflow_.position_of(words.word("a step"));
    const auto found = position ? open_.find({chain, *position}) : open_.end();
    if (found == open_.end())
      throw bad_line(chain + " has no unit there");
    const auto unit = found->second;
    past_unit now_past{*position, {}};
    const auto result = read_finding(words, unit, now_past.judges);
    auto& past = past_[chain];
    past.insert(past.begin(), now_past);
    open_.erase(found);
    const auto before = stands();

    const auto& ways = workflow_.ways(unit.version, *position);
    const auto choice = core::choose_route(ways, result);
    const auto* taken =
        choice.rule == core::no_route ? nullptr : &ways[static_cast<std::size_t>(choice.rule)];
    std::string text = taken == nullptr || taken->targets.empty() ? "ends" : "";
    if (taken != nullptr)
      for (const auto& target : taken->targets) {
        text += (text.empty() ? "goes to " : " and to ")
                + go_on(chain, unit, *position, *taken, target);
      }
    // The step counts it when its children are there, so that nothing behind it is sealed too soon.
    store(units_finished(step(*position), 1, now_).changes);
    tell(*position);
    return text + ": " + choice.because + changes_since(before);
  }

  std::string go_on(const std::string& chain, const open_unit& parent, std::uint32_t from,
                    const core::way& taken, const core::way_target& target) {
    const auto is_review = [&](std::uint32_t position) {
      const auto* definition = workflow_.find(parent.version, position);
      return definition != nullptr
             && definition->aggregation.method == core::aggregation_method::review;
    };
    auto text = workflow_.keys()[target.position] + (target.back ? " again" : "");
    const auto refusal =
        take_in(target.position, chain, {parent.version, parent.loops + (target.back ? 1 : 0)});
    if (!refusal.empty())
      return text + ", " + refusal;
    std::vector<core::judged_part> parts;
    for (const auto& link : past_[chain])
      parts.push_back({link.position == target.position, is_review(link.position), link.judges});
    std::string kept_from;
    for (const auto& judge :
         core::excluded(core::exclusion_by(taken.rule, is_review(from), target.back,
                                           is_review(target.position)),
                        parts))
      kept_from += (kept_from.empty() ? " not for " : " or ") + judge;
    return text + kept_from;
  }

  static core::finding read_finding(word_reader& words, const open_unit& unit,
                                    std::vector<core::contributor_id>& judges) {
    core::finding result;
    result.unit = numbered<core::unit_id>(1);
    result.loops = unit.loops;
    result.confidence = result.agreement = 1;
    words.expect("as");
    result.answer = words.word("an answer");
    while (!words.done()) {
      if (words.take("by one who had judged")) {
        result.judged_least = count(words, "how many units");
      } else if (words.take("by")) {
        do
          judges.push_back(words.word("a contributor"));
        while (words.take("and"));
      } else if (words.take("with confidence")) {
        result.confidence = words.decimal("a confidence");
      } else if (words.take("with agreement")) {
        result.agreement = words.decimal("an agreement");
      } else if (words.take("with trust")) {
        result.trust_least = words.decimal("a trust");
      } else if (words.take("tied")) {
        result.tied = true;
      } else {
        if (!words.take("with the input"))
          throw bad_line("a unit finishes 'by' somebody, 'with' some measure or input, or 'tied'");
        const auto pointer = words.word("a JSON pointer");
        const auto value = words.word("a value");
        const bool is_number = value.find_first_not_of("0123456789.") == std::string::npos;
        result.input[pointer] = is_number
                                    ? core::input_value{value, std::strtod(value.c_str(), nullptr)}
                                    : core::input_value{core::json_quoted(value), {}};
      }
    }
    return result;
  }

  // --- steps ---

  core::step& step(std::uint32_t position) { return steps_[position]; }

  void store(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* made = std::get_if<core::insert_step>(&write))
        stored_[made->row.id] = made->row;
      else if (const auto* row = std::get_if<core::update_step>(&write))
        stored_[row->row.id] = row->row;
  }

  std::string steer(std::uint32_t position, const std::string& verb) {
    const auto before = stands();
    auto& s = step(position);
    const auto d = verb == "sealed"     ? seal(s, now_)
                   : verb == "unsealed" ? unseal(s, now_)
                   : verb == "paused"   ? decide(s, core::unit_verb::pause, now_)
                   : verb == "resumed"  ? decide(s, core::unit_verb::resume, now_)
                   : verb == "canceled" ? decide(s, core::unit_verb::cancel, now_)
                                        : throw bad_line("no step can be '" + verb + "'");
    if (d.refusal != core::errc::none)
      return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                               : throw broken_rule("a refusal writes something");
    store(d.changes);
    tell(position);
    const auto changed = changes_since(before);
    return changed.empty() ? "as it was" : changed.substr(2);
  }

  /// Tells the steps that are behind it in some version whether it is complete, and so on.
  void tell(std::uint32_t from) {
    const bool complete = step(from).row.status == core::step_status::completed;
    for (std::uint32_t position = 0; position < steps_.size(); ++position) {
      const auto upstreams = workflow_.upstreams(position);
      if ((upstreams >> from & 1) == 0)
        continue;
      const auto before = standing(position);
      store(note_upstream(step(position), from, complete, upstreams, now_).changes);
      if (standing(position) != before)
        tell(position);
    }
  }

  std::string standing(std::uint32_t position) const {
    const auto& row = steps_[position].row;
    return std::string{to_string(row.status)} + (row.sealed ? " and sealed" : "");
  }

  std::vector<std::string> stands() const {
    std::vector<std::string> all;
    for (std::uint32_t position = 0; position < steps_.size(); ++position)
      all.push_back(standing(position));
    return all;
  }

  /// How steps stand that stood otherwise; new ones stand as those that are open.
  std::string changes_since(const std::vector<std::string>& before) const {
    std::string text;
    for (std::uint32_t position = 0; position < steps_.size(); ++position)
      if (standing(position) != (position < before.size() ? before[position] : "Open"))
        text += "; " + workflow_.keys()[position] + " " + standing(position);
    return text;
  }

  std::vector<core::workflow_definition> drafts_; ///< From version 1.
  core::versioned_workflow workflow_;
  std::vector<core::step> steps_; ///< By position.
  std::map<core::step_id, core::step_row> stored_;
  std::map<std::pair<std::string, std::uint32_t>, open_unit> open_;
  std::map<std::string, std::vector<past_unit>> past_; ///< By chain.
  std::uint64_t units_ = 0;
  core::uuid_source ids_{1};
  core::instant now_;
};

} // namespace holdfast::test
