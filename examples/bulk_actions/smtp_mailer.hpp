#pragma once

#include "examples/bulk_actions/mailer.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace bulk {

struct smtp_server {
  std::string host = "127.0.0.1";
  std::uint16_t port = 25;
};

/// Delivers to a mail server, over one connection as long as that holds. Plain: for a server on the
/// same machine, which passes mails on.
std::unique_ptr<mailer> open_smtp(const smtp_server& to);

/// What a failed delivery is, by the last reply of the server (0: none) and by whether it had come
/// to the mail at all, rather than only to the connection.
delivery::result result_of_reply(long reply, bool about_the_mail);

} // namespace bulk
