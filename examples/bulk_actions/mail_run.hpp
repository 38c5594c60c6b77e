#pragma once

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/bulk_run.hpp"

#include <memory>

namespace bulk {

/// What was sent cannot be rolled back. So each mail is written down before the next one: who dies
/// in between leaves one that is sent again, as the same mail.
class mail_run : public bulk_run {
public:
  mail_run(const tools& with, const client::task_context& task, send_mail what);

private:
  bool chunk() override;
  client::outcome ended() override;

  bool send_to(const person& who);
  delivery deliver(const person& who) const;
  bool note(const person& who, const delivery& how);

  const send_mail what_;
  const std::unique_ptr<mailer> mailer_;
};

} // namespace bulk
