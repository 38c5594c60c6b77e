#include "tests/link/sockets.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace holdfast::test {

namespace {

int new_socket() {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0)
    throw std::runtime_error("no socket");
  return made;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return where;
}

sockaddr* generic(sockaddr_in& where) { return reinterpret_cast<sockaddr*>(&where); }

bool ready(int descriptor, short what, std::chrono::milliseconds limit) {
  pollfd wanted{descriptor, what, 0};
  return ::poll(&wanted, 1, static_cast<int>(limit.count())) > 0;
}

} // namespace

stream::stream(stream&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      context_(std::move(other.context_)),
      tls_(std::move(other.tls_)) {}

stream::~stream() {
  tls_.reset();
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

stream stream::to(std::uint16_t port, const char* from) {
  ::signal(SIGPIPE, SIG_IGN); // OpenSSL writes to whoever has gone
  stream made{new_socket()};
  if (from != nullptr) {
    auto own = loopback(0);
    ::inet_pton(AF_INET, from, &own.sin_addr);
    if (::bind(made.descriptor_, generic(own), sizeof own) != 0)
      throw std::runtime_error(std::string{"cannot connect from "} + from);
  }
  auto where = loopback(port);
  if (::connect(made.descriptor_, generic(where), sizeof where) != 0)
    throw std::runtime_error("nobody listens on port " + std::to_string(port));
  const timeval limit{patience.count(), 0};
  ::setsockopt(made.descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(made.descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return made;
}

bool stream::secure(const tls_files& files) {
  context_.reset(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (files.version_max != 0)
    SSL_CTX_set_max_proto_version(context_.get(), files.version_max);
  if (!files.certificate.empty()
      && (SSL_CTX_use_certificate_chain_file(context_.get(), files.certificate.c_str()) != 1
          || SSL_CTX_use_PrivateKey_file(context_.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1))
    throw std::runtime_error("cannot use " + files.certificate);
  tls_.reset(SSL_new(context_.get()), SSL_free);
  SSL_set_fd(tls_.get(), descriptor_);
  return SSL_connect(tls_.get()) == 1;
}

std::string stream::server_name() const {
  std::array<char, 128> name{};
  const std::unique_ptr<X509, decltype(&X509_free)> shown{SSL_get1_peer_certificate(tls_.get()),
                                                          X509_free};
  X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

bool stream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::size_t stream::write_until_full(std::size_t most) {
  const std::string piece(4096, 'x');
  std::size_t written = 0;
  while (written < most && ready(descriptor_, POLLOUT, std::chrono::milliseconds{300})) {
    const auto count = ::send(descriptor_, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0)
      break;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

std::string stream::read_some(std::size_t most) {
  std::string bytes(most, '\0');
  if (tls_) {
    const auto count = SSL_read(tls_.get(), bytes.data(), static_cast<int>(most));
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  if (!ready(descriptor_, POLLIN, patience))
    throw std::runtime_error("nothing came");
  const auto count = ::recv(descriptor_, bytes.data(), most, 0);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

std::string stream::read(std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) {
    const auto some = read_some(bytes - all.size());
    if (some.empty())
      break;
    all += some;
  }
  return all;
}

std::uint16_t stream::other_port() const {
  sockaddr_in other{};
  socklen_t bytes = sizeof other;
  if (::getpeername(descriptor_, reinterpret_cast<sockaddr*>(&other), &bytes) != 0)
    throw std::runtime_error{"the other side has no address any more"};
  return ntohs(other.sin_port);
}

bool stream::empty() const { return !ready(descriptor_, POLLIN, std::chrono::milliseconds{0}); }

bool stream::ended() {
  while (!read_some(4096).empty()) {
  }
  return true;
}

void stream::finish() { ::shutdown(descriptor_, SHUT_WR); }

void stream::close() {
  const linger abort_it{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &abort_it, sizeof abort_it);
  tls_.reset();
  ::close(std::exchange(descriptor_, -1));
}

listener::listener() : descriptor_(new_socket()) {
  auto where = loopback(0);
  socklen_t size = sizeof where;
  if (::bind(descriptor_, generic(where), size) != 0 || ::listen(descriptor_, 256) != 0
      || ::getsockname(descriptor_, generic(where), &size) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(where.sin_port);
}

listener::~listener() { close(); }

void listener::close() {
  if (descriptor_ >= 0)
    ::close(std::exchange(descriptor_, -1));
}

stream listener::accept() {
  if (!ready(descriptor_, POLLIN, patience))
    throw std::runtime_error("nobody came");
  return stream{::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC)};
}

bool listener::empty() const { return !ready(descriptor_, POLLIN, std::chrono::milliseconds{0}); }

} // namespace holdfast::test
