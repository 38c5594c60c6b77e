#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace holdfast::test {

/// How long a test waits for bytes that must come.
inline constexpr std::chrono::seconds patience{10};

/// A blocking TCP connection on loopback, by turns under TLS; what must come comes within
/// `patience`, or an exception says so.
class stream {
public:
  explicit stream(int descriptor) : descriptor_(descriptor) {}
  stream(stream&& other) noexcept;
  stream& operator=(stream&&) = delete;
  ~stream();

  /// From this address of loopback; null: any.
  static stream to(std::uint16_t port, const char* from = nullptr);

  struct tls_files {
    std::string certificate; ///< Empty for none.
    std::string key;
    int version_max = 0; ///< Of OpenSSL; 0 for the newest.
  };
  /// TLS as a client that takes any server. False when the handshake fails.
  bool secure(const tls_files& files);
  /// Common name of the server's certificate.
  std::string server_name() const;

  /// Port of the other side.
  std::uint16_t other_port() const;

  /// False when the other side has hung up.
  bool write(std::string_view bytes);
  /// Writes until nothing is taken for a moment; how much was.
  std::size_t write_until_full(std::size_t most);
  /// Exactly so many bytes; fewer when the other side has hung up.
  std::string read(std::size_t bytes);
  /// Whether nothing has come.
  bool empty() const;
  /// Waits for the other side to hang up.
  bool ended();
  /// Says that nothing more will come.
  void finish();
  /// Hangs up with an RST, as a process that dies with unread bytes.
  void close();

private:
  /// Some bytes; empty at the end of the stream.
  std::string read_some(std::size_t most);

  int descriptor_;
  std::shared_ptr<ssl_ctx_st> context_;
  std::shared_ptr<ssl_st> tls_;
};

/// A listening socket on 127.0.0.1.
class listener {
public:
  listener();
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  std::uint16_t port() const { return port_; }
  stream accept();
  /// Whether nobody has come.
  bool empty() const;
  void close();

private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

} // namespace holdfast::test
