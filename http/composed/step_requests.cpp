#include "http/composed/step_requests.hpp"

#include "core/access.hpp"
#include "core/unit.hpp"
#include "http/event_hub.hpp"
#include "http/serve_operation.hpp"
#include "http/waiting_call.hpp"

#include <charconv>
#include <memory>
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
        through.send_for(
            from, std::move(change),
            [&through, from](auto& updated) { through.answer(from, updated); },
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

void answer_result(const door& through, const visit& from, msg::unit_view& view) {
  if (view.result.empty())
    return door::refuse(from, {core::errc::not_found, "there is no result: the unit is "
                                                          + std::string{to_string(view.state)}});
  result_of_unit found{view.unit, view.state, std::move(view.result), view.confidence};
  through.answer(from, found);
}

/// Whether there is no result, and one may still come.
bool may_get_result(const msg::unit_view& view) {
  return view.result.empty() && view.state != core::unit_state::canceled;
}

/// One request that waits for a result: it reads the unit again whenever the hub tells of an event
/// about it, one read at a time.
struct wait_for_result : std::enable_shared_from_this<wait_for_result> {
  wait_for_result(const door& by, waiting_call_ptr whose, msg::get_unit what)
      : through(by), call(std::move(whose)), request(std::move(what)) {}

  void look() {
    has_news = true;
    if (reads)
      return;
    has_news = false;
    reads = true;
    through.send(
        request, [self = shared_from_this()](msg::unit_view& view) { self->on_view(view); },
        [self = shared_from_this()](const core::failure& why) {
          self->reads = false;
          if (self->call->settle())
            door::refuse(self->call->from(), why);
        });
  }

  void on_view(msg::unit_view& view) {
    reads = false;
    if (!may_get_result(view)) {
      if (call->settle())
        answer_result(through, call->from(), view);
    } else if (has_news) {
      look();
    }
  }

  void end() const {
    if (call->settle())
      call->from().call->answer(no_content());
  }

  const door& through;
  const waiting_call_ptr call;
  const msg::get_unit request;
  bool reads = false;
  bool has_news = false; ///< Since the read that is under way began.
};

void await_result(const door& through, const visit& from, const msg::unit_view& view,
                  core::duration wait) {
  const auto call = waiting_call::begin(through, from, {});
  if (!call)
    return;
  const auto mine =
      std::make_shared<wait_for_result>(through, call, msg::get_unit{view.step, view.unit});
  call->arm();
  through.run(
      [weak = mine->weak_from_this()] {
        if (const auto still = weak.lock())
          still->end();
      },
      wait);
  through.run([mine] {
    mine->through.events()->watch_unit(mine->request.step, mine->request.unit,
                                       {[mine] { return mine->call->is_settled(); },
                                        [mine] {
                                          if (!mine->call->is_settled())
                                            mine->look();
                                        }});
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

std::vector<other_answer> unit_result_wanted::other_answers() {
  return {{204, "Of a request with `wait`: there was no result in that time.", false}};
}

void unit_result_wanted::run(const door& through, const visit& from,
                             const unit_result_wanted& asked) {
  ask_of_unit(through, from, msg::get_unit{asked.step, asked.unit},
              [&through, from, wait = asked.wait](msg::unit_view& view) {
                if (wait > core::duration::zero() && may_get_result(view))
                  await_result(through, from, view, wait);
                else
                  answer_result(through, from, view);
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
