#include "tests/support/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace holdfast::test {

namespace {

void wait_at_most(int socket, std::chrono::seconds limit) {
  timeval span{};
  span.tv_sec = static_cast<time_t>(limit.count());
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

http_client::http_client(std::uint16_t port, std::string token)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), token_(std::move(token)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    hang_up();
}

http_client::~http_client() { hang_up(); }

void http_client::hang_up() {
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
}

http_answer http_client::send(const std::string& method, const std::string& target,
                              const std::string& body) {
  begin(method, target, body);
  return receive();
}

void http_client::begin(const std::string& method, const std::string& target,
                        const std::string& body) {
  std::string bytes = method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!token_.empty())
    bytes += "Authorization: Bearer " + token_ + "\r\n";
  for (const auto& [name, value] : headers_)
    if (!value.empty())
      bytes += name + ": " + value + "\r\n";
  if (!body.empty())
    bytes +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  else if (method != "GET" && method != "DELETE")
    bytes += "Content-Length: 0\r\n";
  bytes += "\r\n" + body;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const auto sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return hang_up();
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

http_answer http_client::receive(std::chrono::seconds limit) {
  wait_at_most(socket_, limit);
  const auto read_until = [this](const auto& enough) {
    while (!enough()) {
      char bytes[16384];
      const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0)
        return false;
      unread_.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  };
  http_answer answer;
  std::size_t head_end = 0;
  if (!read_until([&] { return (head_end = unread_.find("\r\n\r\n")) != std::string::npos; }))
    return {};
  const auto head = unread_.substr(0, head_end);
  unread_.erase(0, head_end + 4);
  for (auto at = head.find("\r\n"); at != std::string::npos;) {
    const auto end = head.find("\r\n", at + 2);
    const auto line = head.substr(at + 2, end == std::string::npos ? end : end - at - 2);
    const auto colon = line.find(':');
    answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    at = end;
  }
  const auto length = answer.headers.find("content-length");
  const auto size = length == answer.headers.end() ? 0 : std::stoul(length->second);
  if (!read_until([&] { return unread_.size() >= size; }))
    return {};
  answer.status = static_cast<unsigned>(std::stoul(head.substr(head.find(' ') + 1, 3)));
  answer.body = unread_.substr(0, size);
  unread_.erase(0, size);
  return answer;
}

} // namespace holdfast::test
