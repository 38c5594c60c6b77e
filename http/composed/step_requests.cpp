#include "http/composed/step_requests.hpp"

#include "core/access.hpp"
#include "core/unit.hpp"
#include "http/serve_operation.hpp"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::uint32_t steps_by_default = 100;

constexpr std::uint64_t number_of(core::unit_verb what) { return static_cast<std::uint64_t>(what); }

listed_steps listed(const msg::step_list& list) {
  listed_steps all;
  all.told = listed_step::as::view;
  for (const auto& one : list.steps) {
    auto& step = all.steps.emplace_back();
    step.told = all.told;
    step.view = one;
  }
  return all;
}

listed_steps listed(msg::step_offers& offers) {
  listed_steps all;
  all.told = listed_step::as::offer;
  all.complete = offers.complete;
  for (auto& one : offers.steps) {
    auto& step = all.steps.emplace_back();
    step.told = all.told;
    step.view.step = one.step;
    step.view.workflow = one.workflow;
    step.view.key = std::move(one.key);
    step.title = std::move(one.title);
    step.ui = std::move(one.ui);
    step.priority = one.priority;
  }
  return all;
}

/// The version in `If-Match`, which is the tag of a read (`"3-…"`) or the version alone (`"3"`);
/// none where it spells no version.
std::optional<std::uint32_t> version_of_tag(std::string_view tag) {
  constexpr char quote = '"';
  if (tag.size() >= 2 && tag.front() == quote && tag.back() == quote)
    tag = tag.substr(1, tag.size() - 2);
  tag = tag.substr(0, tag.find('-'));
  std::uint32_t version = 0;
  const auto* end = tag.data() + tag.size();
  const auto read = std::from_chars(tag.data(), end, version);
  if (read.ec != std::errc{} || read.ptr != end || version == 0)
    return std::nullopt;
  return version;
}

/// Why the version to be changed is not known; none when it has been set.
std::optional<response> set_version(const visit& from, std::uint32_t& version) {
  const auto tag = header_of(from.call->asked(), "if-match");
  if (tag.empty() && version == 0)
    return problem_of(refusal::precondition_required,
                      "give the latest version that you know, in the query as version=3 or as the "
                      "header If-Match: \"3\"");
  if (tag.empty())
    return std::nullopt;
  const auto matched = version_of_tag(tag);
  if (!matched)
    return problem_of({{"If-Match", "must be a version in double quotes, such as \"3\", or the "
                                    "ETag of a read"}});
  if (version != 0 && version != *matched)
    return problem_of({{"If-Match", "must be the version in the query, if both are given"}});
  version = *matched;
  return std::nullopt;
}

/// Tells why an update was refused. The first step compares the version; whether the refusal is
/// about that follows from the version that the workflow has now.
void refuse_update(const door& through, const visit& from, core::workflow_id workflow,
                   std::uint32_t version, const core::failure& why) {
  if (why.code != core::errc::wrong_state || header_of(from.call->asked(), "if-match").empty())
    return door::refuse(from, why);
  through.send(
      msg::get_workflow{workflow, 0},
      [from, version, why](const msg::workflow_view& found) {
        if (found.latest == version)
          return door::refuse(from, why);
        from.call->answer(problem_of(refusal::precondition_failed, why.detail));
      },
      [from, why](const core::failure&) { door::refuse(from, why); });
}

/// The first step of a workflow decides about its definition.
void change_definition(const door& through, const visit& from, workflow_change& asked,
                       bool dry_run) {
  if (auto why = set_version(from, asked.version))
    return from.call->answer(std::move(*why));
  msg::update_workflow change{{}, asked.version, std::move(asked.definition), dry_run};
  if (!through.admits(from, change))
    return;
  through.ask(
      from, msg::get_workflow{asked.workflow, 0},
      [&through, from, workflow = asked.workflow,
       change = std::move(change)](const msg::workflow_view& found) mutable {
        if (found.steps.empty())
          return from.call->answer(problem_of({core::errc::damaged, "the workflow has no steps"}));
        change.step = found.steps.front().step;
        const auto version = change.version;
        through.send(
            std::move(change), [&through, from](auto& updated) { through.answer(from, updated); },
            [&through, from, workflow, version](const core::failure& why) {
              refuse_update(through, from, workflow, version, why);
            });
      });
}

/// Asks about a unit, whose step is looked up where the request leaves it out.
template <class Request, class Then>
void ask_of_unit(const door& through, const visit& from, Request request, Then answered) {
  if (request.step)
    return through.ask(from, std::move(request), std::move(answered));
  // The look-up tells a caller no more than the request would.
  if (!through.admits(from, request))
    return;
  const auto unit = request.unit;
  through.look_up_step(from, unit,
                       [&through, from, request = std::move(request),
                        answered = std::move(answered)](core::step_id step) mutable {
                         request.step = step;
                         through.ask(from, std::move(request), std::move(answered));
                       });
}

} // namespace

const word_list& step_change_words() {
  static const auto words = [] {
    auto all = unit_change_words();
    all.push_back({"sealed", seal_verb});
    return all;
  }();
  return words;
}

const word_list& unit_change_words() {
  static const word_list words{{"paused", number_of(core::unit_verb::pause)},
                               {"running", number_of(core::unit_verb::resume)},
                               {"canceled", number_of(core::unit_verb::cancel)}};
  return words;
}

void step_change::run(const door& through, const visit& from, step_change asked) {
  const auto answered = [&through, from](auto& view) { through.answer(from, view); };
  if (asked.wanted == seal_verb)
    through.ask(from, msg::seal_step{asked.step}, answered);
  else
    through.ask(from, msg::change_step{asked.step, asked.wanted}, answered);
}

void steps_wanted::run(const door& through, const visit& from, const steps_wanted& asked) {
  const auto may_send = [&](std::string_view message) {
    return core::objection_to(*from.who, message, {}).empty();
  };
  const auto answered = [&through, from](auto& found) {
    auto steps = listed(found);
    through.answer(from, steps);
  };
  if (asked.contributor.empty() && may_send("list_steps"))
    return through.ask(
        from, msg::list_steps{asked.after, asked.limit == 0 ? steps_by_default : asked.limit},
        answered);
  if (asked.contributor.empty() && !may_send("find_steps"))
    return from.call->answer(
        problem_of(refusal::not_allowed, "no role of the token may list steps"));
  // The shape of the operation fills in the name of a caller who is bound to one.
  if (auto wanted = message_of<msg::find_steps>(from))
    through.ask(from, std::move(*wanted), answered);
}

void workflow_update::run(const door& through, const visit& from, workflow_update asked) {
  change_definition(through, from, asked, false);
}

void workflow_validation::run(const door& through, const visit& from, workflow_validation asked) {
  change_definition(through, from, asked, true);
}

void unit_wanted::run(const door& through, const visit& from, unit_wanted asked) {
  ask_of_unit(through, from, msg::get_unit{asked.step, asked.unit},
              [&through, from](auto& view) { through.answer(from, view); });
}

void unit_result_wanted::run(const door& through, const visit& from, unit_result_wanted asked) {
  ask_of_unit(
      through, from, msg::get_unit{asked.step, asked.unit}, [&through, from](msg::unit_view& view) {
        if (view.result.empty())
          return from.call->answer(
              problem_of({core::errc::not_found, "there is no result: the unit is "
                                                     + std::string{to_string(view.state)}}));
        result_of_unit found{view.unit, view.state, std::move(view.result), view.confidence};
        through.answer(from, found);
      });
}

void unit_change::run(const door& through, const visit& from, unit_change asked) {
  ask_of_unit(through, from, msg::change_unit{asked.step, asked.unit, asked.wanted},
              [&through, from](auto& changed) { through.answer(from, changed); });
}

void unit_explanation_wanted::run(const door& through, const visit& from,
                                  unit_explanation_wanted asked) {
  ask_of_unit(through, from,
              msg::explain_unit{asked.step, asked.unit, std::move(asked.contributor)},
              [&through, from](auto& explained) { through.answer(from, explained); });
}

} // namespace holdfast::http
