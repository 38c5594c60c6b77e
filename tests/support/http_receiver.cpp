#include "tests/support/http_receiver.hpp"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

/// Longer than anything takes, unless it is broken.
constexpr std::chrono::seconds arrival_patience{60};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The request in `bytes`, if all of it is there.
bool parse(const std::string& bytes, http_request& into) {
  const auto head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string::npos)
    return false;
  const auto target = bytes.find(' ') + 1;
  into.target = bytes.substr(target, bytes.find(' ', target) - target);
  for (auto line = bytes.find("\r\n") + 2; line < head_end;) {
    const auto end = bytes.find("\r\n", line);
    const auto colon = bytes.find(':', line);
    into.headers[lower(bytes.substr(line, colon - line))] =
        bytes.substr(colon + 2, end - colon - 2);
    line = end + 2;
  }
  const auto announced = into.header("content-length"); // a GET has none
  const auto length = announced.empty() ? 0 : std::stoul(announced);
  into.body = bytes.substr(head_end + 4);
  return into.body.size() >= length;
}

} // namespace

std::string http_request::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string{} : found->second;
}

http_reply reply_with(int status, const std::string& head, const std::string& body) {
  return {"HTTP/1.1 " + std::to_string(status) + " x\r\n" + head + "Content-Length: "
          + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body};
}

/// One connection, plain or not.
class http_receiver::channel {
public:
  /// `ending` is readable when it is time to end.
  channel(int socket, int ending, SSL_CTX* tls)
      : socket_(socket), ending_(ending), tls_(tls == nullptr ? nullptr : SSL_new(tls)) {
    if (tls_)
      SSL_set_fd(tls_.get(), socket_);
  }

  /// False when there is no agreement.
  bool open() {
    return !tls_ || step([this] { return SSL_accept(tls_.get()); }) > 0;
  }

  /// 0 or less at the end.
  int read(char* bytes, int most) {
    if (tls_)
      return step([&] { return SSL_read(tls_.get(), bytes, most); });
    return wait(POLLIN)
               ? static_cast<int>(::recv(socket_, bytes, static_cast<std::size_t>(most), 0))
               : 0;
  }

  bool write(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto count = write_some(bytes.data() + sent, bytes.size() - sent);
      if (count <= 0)
        return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  /// Until the other side says something or is gone.
  bool wait_readable() { return wait(POLLIN); }

private:
  struct end_session {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  /// False when the receiver ends.
  bool wait(short events) {
    pollfd both[] = {{socket_, events, 0}, {ending_, POLLIN, 0}};
    ::poll(both, 2, -1);
    return both[1].revents == 0;
  }

  /// Does `what` until it is done, waiting for the socket in between.
  template <class What>
  int step(What what) {
    while (true) {
      const int result = what();
      if (result > 0)
        return result;
      const int why = SSL_get_error(tls_.get(), result);
      const bool waits = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
      if (!waits || !wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT))
        return 0;
    }
  }

  long write_some(const char* bytes, std::size_t count) {
    if (tls_)
      return step([&] { return SSL_write(tls_.get(), bytes, static_cast<int>(count)); });
    return wait(POLLOUT) ? ::send(socket_, bytes, count, MSG_NOSIGNAL) : 0;
  }

  int socket_;
  int ending_;
  std::unique_ptr<SSL, end_session> tls_;
};

void http_receiver::end_tls::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

http_receiver::http_receiver(answerer answer, const tls_files& tls) : answer_(std::move(answer)) {
  // OpenSSL writes without MSG_NOSIGNAL, and a sender may have gone. Programs do the same.
  ::signal(SIGPIPE, SIG_IGN);
  if (!tls.certificate.empty()) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    if (SSL_CTX_use_certificate_chain_file(tls_.get(), tls.certificate.c_str()) != 1
        || SSL_CTX_use_PrivateKey_file(tls_.get(), tls.key.c_str(), SSL_FILETYPE_PEM) != 1)
      throw std::runtime_error{"the receiver has no certificate"};
  }
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ending_ = ::eventfd(0, EFD_CLOEXEC);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof any;
  auto* address = reinterpret_cast<sockaddr*>(&any);
  if (::bind(listener_, address, length) != 0 || ::listen(listener_, 64) != 0
      || ::getsockname(listener_, address, &length) != 0)
    throw std::runtime_error{"the receiver cannot listen"};
  port_ = ntohs(any.sin_port);
  accepting_ = std::thread{[this] { accept_all(); }};
}

http_receiver::~http_receiver() {
  ::eventfd_write(ending_, 1);
  accepting_.join();
  for (auto& one : serving_)
    one.join();
  ::close(listener_);
  ::close(ending_);
}

std::string http_receiver::url(const std::string& path) const {
  return (tls_ ? "https" : "http") + ("://127.0.0.1:" + std::to_string(port_)) + path;
}

std::vector<http_request> http_receiver::requests() const {
  const std::lock_guard<std::mutex> lock{mutex_};
  return requests_;
}

bool http_receiver::has_received(std::size_t requests) const {
  return received([=](const auto& all) { return all.size() >= requests; });
}

bool http_receiver::received(
    const std::function<bool(const std::vector<http_request>&)>& enough) const {
  std::unique_lock<std::mutex> lock{mutex_};
  return arrived_.wait_for(lock, arrival_patience, [&] { return enough(requests_); });
}

void http_receiver::accept_all() {
  while (true) {
    pollfd both[] = {{listener_, POLLIN, 0}, {ending_, POLLIN, 0}};
    ::poll(both, 2, -1);
    if (both[1].revents != 0)
      return;
    // Sockets never block, so that whoever waits sees the end too.
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0)
      continue;
    ++connections_;
    serving_.emplace_back([this, connection] {
      serve(connection);
      ::close(connection);
    });
  }
}

void http_receiver::serve(int connection) {
  channel other{connection, ending_, tls_.get()};
  if (!other.open())
    return;
  std::string bytes;
  http_request request;
  while (!parse(bytes, request)) {
    char part[16 * 1024];
    const int count = other.read(part, sizeof part);
    if (count <= 0)
      return;
    bytes.append(part, static_cast<std::size_t>(count));
  }
  const auto reply = answer_(request);
  {
    const std::lock_guard<std::mutex> lock{mutex_};
    requests_.push_back(std::move(request));
  }
  arrived_.notify_all();
  bool open = other.write(reply.bytes);
  const std::string more(64 * 1024, 'x');
  while (reply.endless && open)
    open = other.write(more);
  if (reply.hangs)
    other.wait_readable(); // until the other side gives up
}

} // namespace holdfast::test
