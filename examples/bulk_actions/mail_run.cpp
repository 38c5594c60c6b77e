#include "examples/bulk_actions/mail_run.hpp"

#include "examples/bulk_actions/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace bulk {

namespace {

constexpr const char* sender = "registry@bulk.example";

} // namespace

mail_run::mail_run(const tools& with, const client::task_context& task, send_mail what)
    : bulk_run(with, task, send_mail::needs), what_(std::move(what)), mailer_(with.open_mailer()) {}

bool mail_run::chunk() {
  std::vector<person> people;
  bookmark behind;
  const bool held = transact([&](transaction& tx, const staff_member& run_as) {
    const auto before = at;
    people = take(tx, run_as, what_.who, with_.most.mails_per_chunk);
    behind = std::exchange(at, before);
    at.total = behind.total;
    tx.move_to(at);
  });
  if (!held || at.finished)
    return held;
  for (const auto& who : people)
    if (canceled() || !send_to(who))
      return false;
  if (!behind.finished)
    return true;
  return record([&](transaction& tx) {
    at.finished = true;
    tx.move_to(at);
  });
}

bool mail_run::send_to(const person& who) {
  const auto how = deliver(who);
  if (how.how == delivery::result::unavailable)
    throw trouble{error::mail_unavailable, how.detail};
  return note(who, how);
}

delivery mail_run::deliver(const person& who) const {
  if (!is_address(who.email))
    return {delivery::result::refused, "no mail address"};
  return mailer_->send(
      {message_id(job_.task, who.id), sender, who.email, what_.subject, what_.text, now()});
}

bool mail_run::note(const person& who, const delivery& how) {
  const bool refused = how.how == delivery::result::refused;
  return record([&](transaction& tx) {
    tx.note_mail(who, refused ? how.detail : "");
    at.refused += refused ? 1 : 0;
    at = after_chunk(at, 1, 1, who.id);
    tx.move_to(at);
  });
}

client::outcome mail_run::ended() {
  if (at.refused == 0)
    return client::done{nlohmann::json{{"sent", at.done}}.dump()};
  // The others have theirs. It is a failure all the same: nobody must believe that all were
  // reached.
  return client::failed{error::recipients_refused, std::to_string(at.refused) + " were refused",
                        core::failure_kind::permanent};
}

} // namespace bulk
