#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "examples/bulk_actions/people.hpp"

#include <string>
#include <vector>

/// Mails, and the port to whoever delivers them.
namespace bulk {

using namespace holdfast;

struct mail {
  std::string id; ///< Its Message-ID, with the angle brackets.
  std::string from;
  std::string to;
  std::string subject; ///< One line of UTF-8.
  std::string text;    ///< UTF-8.
  core::instant date;
  std::vector<std::string> cc{}; ///< Addresses that get it, too.
};

/// Follows from the task and the person alone: a mail that is sent again, because nobody wrote down
/// that it had been, is the same mail, and its receiver can drop it.
std::string message_id(const core::task_id& task, person_id to);

/// The mail as a message: RFC 5322 with MIME, in ASCII, with line ends as SMTP has them.
std::string message_of(const mail& what);

/// How a delivery went.
struct delivery {
  enum class result {
    sent,
    refused,     ///< For good: asking again gets the same answer.
    later,       ///< This recipient not now: the others may have theirs.
    unavailable, ///< Nobody now.
  };
  result how = result::sent;
  std::string detail{}; ///< For operators.
};

/// Delivers mails, one at a time. For one thread.
class mailer {
public:
  virtual ~mailer() = default;
  virtual delivery send(const mail& what) = 0;
};

} // namespace bulk
