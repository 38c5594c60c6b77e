#pragma once

#include "http/fields.hpp"
#include "messages/audit_messages.hpp"

/// JSON of the audit log.
namespace holdfast::http {

template <class Fields>
void describe(Fields& f, msg::list_audit& x) {
  f.optional("since", x.since, "Only entries of this time or later.");
  f.optional("who", x.who, "Only changes of this principal, such as `token:7f3a` or `admin`.");
  f.optional("operation", x.operation, "Only changes by this operation, such as `pause_queue`.");
  f.optional("item", x.item, "Only changes of this item, such as `queue mail`.");
  f.optional("before", x.before,
             "The `number` of the last entry of the page before; 0 for the newest entries.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most entries of one page, 100 by default.");
}

template <class Fields>
void describe(Fields& f, msg::audit_entry& x) {
  f.required("number", x.number, "The number of the entry. Numbers grow, with gaps.");
  f.required("at", x.at, "The time at which the node that decided took the request.");
  f.required("who", x.who, "The principal who sent the request.");
  f.required("operation", x.operation, "The name of the operation, such as `pause_queue`.");
  f.required("item", x.item, "The item that was changed, such as `queue mail`.");
  f.required("outcome", x.outcome, "The state of the item since, such as `paused`.");
}

template <class Fields>
void describe(Fields& f, msg::audit_page& x) {
  f.required("entries", x.entries, "The entries, the newest first.");
  f.required("more", x.more,
             "Whether there are more. Ask again with `before` set to the last `number`.");
}

} // namespace holdfast::http
