#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <list>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace holdfast::test {

/// A connection pooler in transaction mode, in a thread of its own: a client has a session of the
/// server from its first message to the end of its transaction, and then another client may get it.
class transaction_pooler {
public:
  /// How the next idle session is chosen. With `single_statements` it is a pooler in statement
  /// mode: it takes the last one, and ends clients that begin a transaction.
  enum class choice { last_used, in_turn, single_statements };

  /// Listens as `<directory>/.s.PGSQL.5432`; its sessions lead to the same name in
  /// `upstream_directory`, for `user` and `database`.
  transaction_pooler(const std::string& directory, const std::string& upstream_directory,
                     const std::string& user, const std::string& database, choice how)
      : path_(directory + "/.s.PGSQL.5432"),
        upstream_(upstream_directory + "/.s.PGSQL.5432"),
        how_(how) {
    const auto put = [this](const std::string& text) { startup_ += text + '\0'; };
    put("user");
    put(user);
    put("database");
    put(database);
    startup_ += '\0';
    startup_ = number(static_cast<std::uint32_t>(startup_.size() + 8)) + number(196608) + startup_;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto where = address(path_);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0
        || ::listen(listener_, 16) != 0)
      throw std::runtime_error("the pooler cannot listen");
    thread_ = std::thread{[this] { run(); }};
  }
  ~transaction_pooler() {
    stopping_ = true;
    thread_.join();
    ::close(listener_);
    ::unlink(path_.c_str());
    for (const auto& one : clients_)
      ::close(one.socket);
    for (const auto& one : sessions_)
      ::close(one.socket);
  }
  transaction_pooler(const transaction_pooler&) = delete;
  transaction_pooler& operator=(const transaction_pooler&) = delete;

private:
  struct session {
    int socket = -1;
    std::string input; ///< Received, and not a whole message yet.
    bool idle = true;
  };
  struct client {
    int socket = -1;
    std::string input;
    bool greeted = false;
    session* mine = nullptr;
    int answers_due = 0; ///< `ReadyForQuery` that the server still owes.
    bool gone = false;
  };

  static std::string number(std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
      text += static_cast<char>(value >> shift & 0xffU);
    return text;
  }
  static std::uint32_t number_at(const std::string& text, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8U | static_cast<unsigned char>(text[i]);
    return value;
  }
  static sockaddr_un address(const std::string& path) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, path.c_str(), sizeof where.sun_path - 1);
    return where;
  }
  static void send_all(int socket, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto now = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0)
        return;
      sent += static_cast<std::size_t>(now);
    }
  }
  /// False at the end.
  static bool receive(int socket, std::string& into) {
    char bytes[65536];
    const auto got = ::recv(socket, bytes, sizeof bytes, 0);
    if (got > 0)
      into.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }
  /// The first whole message of `input`, taken out of it; empty when there is none.
  static std::string take_message(std::string& input) {
    if (input.size() < 5 || input.size() < 1 + number_at(input, 1))
      return {};
    const std::size_t length = 1 + number_at(input, 1);
    auto message = input.substr(0, length);
    input.erase(0, length);
    return message;
  }

  /// Opens one more; what the server says of its parameters is for clients.
  session& add_session() {
    auto& made = sessions_.emplace_back();
    made.socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto where = address(upstream_);
    if (::connect(made.socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
      throw std::runtime_error("the pooler does not reach the server");
    send_all(made.socket, startup_);
    parameters_.clear();
    for (;;) {
      const auto message = take_message(made.input);
      if (message.empty()) {
        if (!receive(made.socket, made.input))
          throw std::runtime_error("the server turns the pooler away");
      } else if (message[0] == 'S') {
        parameters_ += message;
      } else if (message[0] == 'Z') {
        return made;
      }
    }
  }
  session& take_session() {
    session* found = nullptr;
    for (auto& one : sessions_)
      if (one.idle && found == nullptr)
        found = &one;
    if (found == nullptr)
      found = &add_session();
    found->idle = false;
    return *found;
  }

  void from_client(client& one) {
    if (!receive(one.socket, one.input)) {
      one.gone = true;
      return;
    }
    if (!one.greeted) {
      if (one.input.size() < 4 || one.input.size() < number_at(one.input, 0))
        return;
      one.input.erase(0, number_at(one.input, 0));
      one.greeted = true;
      auto& any = take_session();
      any.idle = true;
      send_all(one.socket, "R" + number(8) + number(0) + parameters_ + "K" + number(12)
                               + number(4'000'000) + number(1) + "Z" + number(5) + "I");
    }
    for (auto message = take_message(one.input); !message.empty();
         message = take_message(one.input)) {
      if (message[0] == 'X') {
        one.gone = true;
        return;
      }
      if (one.mine == nullptr)
        one.mine = &take_session();
      if (message[0] == 'Q' || message[0] == 'S')
        ++one.answers_due;
      send_all(one.mine->socket, message);
    }
  }
  void from_server(client& one) {
    if (!receive(one.mine->socket, one.mine->input)) {
      one.gone = true;
      return;
    }
    for (auto message = take_message(one.mine->input); !message.empty();
         message = take_message(one.mine->input)) {
      if (message[0] == 'Z' && message[5] != 'I' && how_ == choice::single_statements) {
        one.gone = true; // and its session stays taken
        return;
      }
      send_all(one.socket, message);
      if (message[0] == 'Z' && --one.answers_due == 0 && message[5] == 'I') {
        // The next client gets the first idle session of the list.
        for (auto at = sessions_.begin(); at != sessions_.end(); ++at)
          if (&*at == one.mine) {
            at->idle = true;
            sessions_.splice(how_ == choice::in_turn ? sessions_.end() : sessions_.begin(),
                             sessions_, at);
            break;
          }
        one.mine = nullptr;
        return;
      }
    }
  }

  void run() {
    while (!stopping_) {
      std::vector<pollfd> wanted{{listener_, POLLIN, 0}};
      for (const auto& one : clients_) {
        wanted.push_back({one.socket, POLLIN, 0});
        wanted.push_back({one.mine != nullptr ? one.mine->socket : -1, POLLIN, 0});
      }
      if (::poll(wanted.data(), wanted.size(), 20) <= 0)
        continue;
      std::size_t at = 1;
      for (auto& one : clients_) {
        if (wanted[at].revents != 0)
          from_client(one);
        else if (wanted[at + 1].revents != 0 && one.mine != nullptr)
          from_server(one);
        at += 2;
      }
      clients_.remove_if([](const client& one) {
        if (one.gone)
          ::close(one.socket);
        return one.gone;
      });
      if (wanted[0].revents != 0)
        if (const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); socket >= 0)
          clients_.emplace_back().socket = socket;
    }
  }

  std::string path_;
  std::string upstream_;
  std::string startup_;
  std::string parameters_;
  choice how_;
  int listener_ = -1;
  std::list<client> clients_;
  std::list<session> sessions_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

} // namespace holdfast::test
