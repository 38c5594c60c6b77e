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
  return send_next(people) && (!behind.finished || send_put_off());
}

bool mail_run::send_next(const std::vector<person>& people) {
  for (const auto& who : people) {
    if (canceled())
      return false;
    const auto how = deliver(who);
    const bool noted =
        how.how == delivery::result::later ? put_off(who) : note(who, how, [&](transaction& tx) {
          at = after_chunk(at, 1, 1, who.id);
          tx.move_to(at);
        });
    if (!noted)
      return false;
  }
  return true;
}

/// Behind the last of the list. The task is finished when nobody is left who was put off.
bool mail_run::send_put_off() {
  const auto most = with_.most.mails_per_chunk;
  std::vector<person> people;
  const bool held = transact([&](transaction& tx, const staff_member& run_as) {
    people = tx.mails_put_off(run_as.campus, put_off_tried_, most);
  });
  if (!held)
    return false;
  for (const auto& who : people) {
    if (canceled())
      return false;
    const auto how = deliver(who);
    put_off_tried_ = who.id;
    if (how.how == delivery::result::later)
      ++put_off_again_;
    else if (!note(who, how, [&](transaction& tx) {
               ++at.done;
               tx.move_to(at);
             }))
      return false;
  }
  if (people.size() == most)
    return true;
  if (put_off_again_ > 0)
    throw trouble{error::recipients_put_off,
                  std::to_string(put_off_again_) + " were told to come later",
                  core::failure_kind::transient, with_.most.put_off_for};
  return record([&](transaction& tx) {
    at.finished = true;
    tx.move_to(at);
  });
}

/// Throws when nobody can have mails now.
delivery mail_run::deliver(const person& who) const {
  if (!is_address(who.email))
    return {delivery::result::refused, "no mail address"};
  auto how = mailer_->send({message_id(job_.task, who.id), sender, who.email, what_.subject,
                            what_.text, now(), what_.cc});
  if (how.how == delivery::result::unavailable)
    throw trouble{error::mail_unavailable, how.detail};
  return how;
}

bool mail_run::note(const person& who, const delivery& how, const moving& forward) {
  const bool refused = how.how == delivery::result::refused;
  return record([&](transaction& tx) {
    tx.note_mail(who, refused ? how.detail : "");
    at.refused += refused ? 1 : 0;
    forward(tx);
  });
}

bool mail_run::put_off(const person& who) {
  return record([&](transaction& tx) {
    tx.put_off_mail(who);
    at.position = who.id;
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
