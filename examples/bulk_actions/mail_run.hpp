#pragma once

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/bulk_run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace bulk {

/// What was sent cannot be rolled back. So each mail is written down before the next one: who dies
/// in between leaves one that is sent again, as the same mail. Those whose server says "later" are
/// tried again when all others have theirs.
class mail_run : public bulk_run {
public:
  mail_run(const tools& with, const client::task_context& task, send_mail what);

private:
  bool chunk() override;
  client::outcome ended() override;

  /// What is to be done in the transaction that notes a delivery.
  using moving = std::function<void(transaction&)>;

  bool send_next(const std::vector<person>& people);
  bool send_put_off();
  delivery deliver(const person& who) const;
  bool note(const person& who, const delivery& how, const moving& forward);
  bool put_off(const person& who);

  const send_mail what_;
  const std::unique_ptr<mailer> mailer_;
  // Of the mails that were put off, as far as this run has come.
  person_id put_off_tried_ = 0;
  std::int64_t put_off_again_ = 0;
};

} // namespace bulk
