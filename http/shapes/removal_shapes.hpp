#pragma once

#include "core/removal.hpp"
#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/removal_messages.hpp"

/// JSON of removals of contributors.
namespace holdfast::http {

template <class Fields>
void describe(Fields& f, msg::put_removal& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.optional(
      "workflow_id", x.workflow,
      "The workflow that the removal is from. Left out together with `step_id`: everywhere.");
  f.optional("step_id", x.step, "The step that the removal is from, in place of a workflow.");
  f.optional("until", x.until,
             "When the removal ends by itself. Left out together with `seconds`: never.");
  f.optional("seconds", bounded{x.lasts, 0, 315'360'000},
             "After how many seconds the removal ends by itself, in place of `until`.");
  f.optional("keep_judgments", x.keep_judgments,
             "True: what the contributor said goes on counting. False, the default: it counts no "
             "more in units that are not finished, as long as the removal lasts.");
  f.optional("reason", x.reason,
             "Why, for requesters and auditors: up to 512 bytes. The contributor is not told.");
}

template <class Fields>
void describe(Fields& f, msg::reinstate_contributor& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.optional(
      "workflow_id", x.workflow,
      "The workflow that the removal is from. Left out together with `step_id`: everywhere.");
  f.optional("step_id", x.step, "The step that the removal is from, in place of a workflow.");
}

template <class Fields>
void describe(Fields& f, msg::removal_view& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.required("scope", x.scope, "`step`, `workflow` or `everywhere`.");
  f.optional("workflow_id", x.workflow, "The workflow that the removal is from.");
  f.optional("step_id", x.step, "The step that the removal is from.");
  f.required("state", x.state,
             "`active`; `over`: it has ended by itself; or `reinstated`: somebody ended it.");
  f.required("keeps_judgments", x.keeps_judgments,
             "Whether what the contributor said goes on counting meanwhile.");
  f.optional("reason", x.reason, "Why the contributor was removed.");
  f.optional("removed_by", x.by, "Who has removed them, where that is known.");
  f.required("removed_at", x.at, "When the contributor was removed.");
  f.optional("until", x.until, "When the removal ends, or has ended, by itself.");
  f.optional("reinstated_at", x.reinstated_at, "When somebody ended it.");
}

template <class Fields>
void describe(Fields& f, msg::list_removals& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.optional("limit", bounded{x.limit, 1, 1000}, "How many removals at most. Default: 100.");
}

template <class Fields>
void describe(Fields& f, msg::removal_page& x) {
  f.required("removals", x.removals,
             "The removals, over or not: of steps, of workflows, then from everywhere.");
  f.required("more", x.more, sentence::more);
}

} // namespace holdfast::http
