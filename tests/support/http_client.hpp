#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace holdfast::test {

struct http_answer {
  unsigned status = 0; ///< 0: the connection closed, or the time was over, before an answer.
  std::map<std::string, std::string> headers; ///< By name in small letters.
  std::string body;
};

/// A blocking client on one connection of loopback.
class http_client {
public:
  /// `token`: sent as `Authorization: Bearer` with each request; empty: none.
  explicit http_client(std::uint16_t port, std::string token = {});
  ~http_client();

  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// Sends a further header field with each request from now on; an empty value: no more.
  void set_header(const std::string& name, std::string value) { headers_[name] = std::move(value); }

  http_answer get(const std::string& target) { return send("GET", target, {}); }
  http_answer put(const std::string& target, const std::string& body) {
    return send("PUT", target, body);
  }
  http_answer post(const std::string& target, const std::string& body) {
    return send("POST", target, body);
  }
  http_answer remove(const std::string& target) { return send("DELETE", target, {}); }

  /// Sends a request, and waits for its answer.
  http_answer send(const std::string& method, const std::string& target, const std::string& body);

  /// Sends a request alone; `receive` waits for its answer.
  void begin(const std::string& method, const std::string& target, const std::string& body);
  http_answer receive(std::chrono::seconds limit = std::chrono::seconds{30});

  /// Closes the connection as a client that was killed does.
  void hang_up();

private:
  int socket_ = -1;
  std::string token_;
  std::map<std::string, std::string> headers_;
  std::string unread_;
};

} // namespace holdfast::test
