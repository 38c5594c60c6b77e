#pragma once

#include "core/queue_action_row.hpp"
#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/queue_action_messages.hpp"

#include <cstdint>

/// JSON of bulk actions of queues.
namespace holdfast::http {

inline const word_list& queue_action_words() {
  using core::queue_action_kind;
  static const auto words =
      words_of_core({queue_action_kind::pause, queue_action_kind::resume, queue_action_kind::cancel,
                     queue_action_kind::retry, queue_action_kind::redrive});
  return words;
}

/// Of a dry run, which is no action, as well.
inline const word_list& queue_action_status_words() {
  using core::queue_action_status;
  static const auto words = [] {
    auto all = words_of_core({queue_action_status::running, queue_action_status::done,
                              queue_action_status::stopped, queue_action_status::failed});
    all.push_back({"dry_run", 0});
    return all;
  }();
  return words;
}

template <class Fields>
void describe(Fields& f, msg::queue_action_filter& x) {
  f.optional("type", x.type, "Only tasks of this type.");
  f.optional("key", x.key, "Only tasks with this key.");
  f.optional("status", x.status,
             "Only tasks with this status: QUEUED or EXECUTING; of a redrive FAILURE or ERROR.");
  f.optional("error_code", x.error_code, "Of a redrive: only tasks that ended with this error.");
  f.optional("created_from", x.created_from, "Only tasks made at this time or later.");
  f.optional("created_before", x.created_before, "Only tasks made before this time.");
}

template <class Fields>
void describe(Fields& f, msg::start_queue_action& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.made("id", x.action, "The id of the action; the same id repeats the request.");
  f.required("action", word{x.kind, queue_action_words()},
             "The change: pause, resume, cancel, retry (live tasks are due at once) or redrive "
             "(failed tasks and dead letters live again).");
  f.optional("filter", x.filter, "The tasks that are meant; all of the queue when left out.");
  f.optional("dry_run", x.dry_run, "Count the tasks that match now, and change nothing.");
}

template <class Fields>
void describe(Fields& f, msg::queue_action_refusal& x) {
  f.required("code", word{x.code, error_words()}, "The error that kept the tasks as they were.");
  f.required("tasks", x.tasks, "The number of these tasks.");
}

template <class Fields>
void describe(Fields& f, msg::queue_action_view& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("id", x.action, "The id of the action.");
  f.required("action", word{x.kind, queue_action_words()},
             "pause, resume, cancel, retry or redrive.");
  f.required("filter", x.filter, "The tasks that are meant.");
  f.required("status", word{x.status, queue_action_status_words()},
             "running, done, stopped or failed; dry_run: nothing was changed or stored.");
  f.required("matched", x.matched,
             "Tasks that the action has dealt with so far; of a dry run, tasks that match.");
  f.required("changed", x.changed, "Of these: tasks that were changed.");
  f.required("unchanged", x.unchanged, "Of these: tasks that were so already.");
  f.required("refusals", x.refusals, "Of these: tasks that could not be changed, by reason.");
  f.optional("asked_by", x.asked_by, "The principal who asked for the action.");
  f.optional("asked_at", x.asked_at,
             "The time of the request. Tasks that arrived later are not touched.");
  f.optional("updated_at", x.changed_at, "The time of the latest change of the action.");
  f.optional("problem", x.problem, "The reason why the action failed.");
  f.required("at_least", x.at_least,
             "Of a dry run: whether there may be more tasks than `matched`, as counting has a "
             "bound.");
  f.required("sample", x.sample, "Of a dry run: the first tasks that match, at most ten.");
}

template <class Fields>
void describe(Fields& f, msg::get_queue_action& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("id", x.action, "The id of the action.");
}

template <class Fields>
void describe(Fields& f, msg::stop_queue_action& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("id", x.action, "The id of the action.");
}

template <class Fields>
void describe(Fields& f, msg::list_queue_actions& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("after", x.after, "The id of the last action of the page before.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most actions of an answer.");
}

template <class Fields>
void describe(Fields& f, msg::queue_action_page& x) {
  f.required("actions", x.actions, "The actions; that which was asked for last comes first.");
  f.required("more", x.more, "Whether more follow: ask again after the last id.");
}

} // namespace holdfast::http
