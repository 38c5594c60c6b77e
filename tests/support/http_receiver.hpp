#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct ssl_ctx_st; ///< Of OpenSSL.

namespace holdfast::test {

struct http_request {
  std::string target;
  std::map<std::string, std::string> headers; ///< By name in small letters.
  std::string body;

  std::string header(const std::string& name) const;
};

struct http_reply {
  std::string bytes;    ///< With the head, as they go out.
  bool endless = false; ///< The last of them again and again, for as long as somebody reads.
  bool hangs = false;   ///< Says nothing more, and stays.
};

/// `HTTP/1.1 <status>` with further lines of the head, each ended by CRLF.
http_reply reply_with(int status, const std::string& head = {}, const std::string& body = {});

/// Files of a server, in PEM.
struct tls_files {
  std::string certificate;
  std::string key;
};

/// A receiver of webhooks on 127.0.0.1, on threads of its own: one request on each connection.
class http_receiver {
public:
  using answerer = std::function<http_reply(const http_request&)>;

  /// Speaks TLS when there are files for it.
  explicit http_receiver(answerer answer, const tls_files& tls = {});
  ~http_receiver();
  http_receiver(const http_receiver&) = delete;
  http_receiver& operator=(const http_receiver&) = delete;

  std::string url(const std::string& path = "/") const;
  std::uint16_t port() const { return port_; }

  /// Those that were answered, or are being answered.
  std::vector<http_request> requests() const;
  /// Waits until there are so many; false after a generous while.
  bool has_received(std::size_t requests) const;
  /// The same of all of them together.
  bool received(const std::function<bool(const std::vector<http_request>&)>& enough) const;
  std::size_t connections() const { return connections_; }

private:
  class channel;
  struct end_tls {
    void operator()(ssl_ctx_st* context) const;
  };

  void accept_all();
  void serve(int connection);

  answerer answer_;
  std::unique_ptr<ssl_ctx_st, end_tls> tls_; ///< Null: plain.
  int listener_ = -1;
  int ending_ = -1; ///< Readable when it is time to end.
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::vector<http_request> requests_;
  std::vector<std::thread> serving_; ///< Of the accepting thread alone until it has ended.
  std::thread accepting_;
};

} // namespace holdfast::test
