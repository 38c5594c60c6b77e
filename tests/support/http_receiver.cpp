#include "tests/support/http_receiver.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

/// Longer than anything takes, unless it is broken.
constexpr std::chrono::seconds patience{60};

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
  const auto length = std::stoul(into.header("content-length"));
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

http_receiver::http_receiver(answerer answer) : answer_(std::move(answer)) {
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
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<http_request> http_receiver::requests() const {
  const std::lock_guard<std::mutex> lock{mutex_};
  return requests_;
}

bool http_receiver::has_received(std::size_t requests) const {
  std::unique_lock<std::mutex> lock{mutex_};
  return arrived_.wait_for(lock, patience, [&] { return requests_.size() >= requests; });
}

void http_receiver::accept_all() {
  while (wait_readable(listener_)) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
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
  std::string bytes;
  http_request request;
  while (!parse(bytes, request)) {
    char part[16 * 1024];
    if (!wait_readable(connection))
      return;
    const auto count = ::recv(connection, part, sizeof part, 0);
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
  bool open = write(connection, reply.bytes);
  const std::string more(64 * 1024, 'x');
  while (reply.endless && open)
    open = write(connection, more);
  if (reply.hangs)
    wait_readable(connection); // until the other side gives up
}

bool http_receiver::wait_readable(int connection) const {
  pollfd both[] = {{connection, POLLIN, 0}, {ending_, POLLIN, 0}};
  ::poll(both, 2, -1);
  return both[1].revents == 0;
}

bool http_receiver::write(int connection, const std::string& bytes) const {
  for (std::size_t sent = 0; sent < bytes.size();) {
    pollfd both[] = {{connection, POLLOUT, 0}, {ending_, POLLIN, 0}};
    ::poll(both, 2, -1);
    if (both[1].revents != 0)
      return false;
    const auto count =
        ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0)
      return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

} // namespace holdfast::test
