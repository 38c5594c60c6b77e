#pragma once

// For the files of the server alone: a source that includes it pays for all of Boost.Asio.

#include "http/exchange.hpp"
#include "http/request_parser.hpp"
#include "http/server_core.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// One connection, from its first byte to its last. Everything but `drain` and the delivery of
/// answers happens on its strand; the operations that are under way there keep it alive.
///
///   idle ──► header ──► body ──► serving ──► writing ──► idle
///              │         ▲ │        │           ▲ │
///              │  continuing        └── too late ┘ └──► lingering ──► closed
///              └─────────── refused ────────────┘
///
/// A streamed answer takes the place of `writing`: serving ──► streaming ──► idle or lingering.
class connection final : public served_connection, public std::enable_shared_from_this<connection> {
public:
  using executor = boost::asio::strand<boost::asio::io_context::executor_type>;
  using socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, executor>;

  /// `core` must outlive it.
  connection(server_core& core, socket of, std::string peer);
  ~connection() override;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// From any thread, once.
  void start();
  void drain() override;
  void end() override;

private:
  using clock = std::chrono::steady_clock;
  using timer = boost::asio::basic_waitable_timer<clock, boost::asio::wait_traits<clock>, executor>;
  using error_code = boost::system::error_code;

  enum class phase : std::uint8_t {
    idle,       ///< No byte of a request is there.
    header,     ///< A part of the header is.
    body,       ///< The header is there, and the body is missing or a part of it.
    continuing, ///< The same, and `100 Continue` is being written.
    serving,    ///< The handler has the request.
    writing,    ///< The answer is being written.
    streaming,  ///< The same of a streamed one, or its next piece is missing.
    lingering,  ///< The last answer is out; what the client still sends is dropped.
    closed,
  };

  /// Reads before the other connections of the thread have their turn.
  static constexpr int reads_per_turn = 16;
  /// Bytes of a body or of an answer that buy their connection one more deadline.
  static constexpr std::size_t progress_step = 512UL * 1024;

  /// The place of this thread that bytes are read to: a connection that waits needs no memory.
  static std::vector<char>& scratch();
  /// Whether an operation would have to wait for the client.
  static bool is_not_yet(const error_code& error);
  /// Empties `text` and frees its memory.
  static void release(std::string& text);

  // --- reading ---

  bool wants_input() const;
  void await_input();
  void on_input(const error_code& error);
  void read();
  std::size_t read_size() const;
  void on_input_end();
  void take(std::string_view bytes);
  void on_partial_request(bool began);
  void send_continue();
  void on_continue_sent(const error_code& error);

  // --- serving ---

  void serve();
  void look_for_hangup();
  void on_answer(std::uint64_t number, std::optional<outgoing> with);
  void refuse(server_refusal why, const std::string& detail);

  // --- writing ---

  void write(response with);
  void write_some();
  void on_written(const error_code& error, std::size_t bytes);
  void on_answer_sent();
  void next_request();

  // --- streaming ---

  void stream(outgoing with);
  void on_stream_woken(std::uint64_t number);
  void send_pieces();
  void on_pieces_sent();
  void on_stream_over();
  /// Closes so that the client sees that its answer is incomplete.
  void cut();

  // --- the end ---

  void arm(core::duration span);
  void on_deadline();
  void on_drain();
  void linger();
  void discard();
  void reset();
  void close();

  server_core& core_;
  socket socket_;
  timer deadline_;
  std::uint64_t deadline_number_ = 0; ///< Of the deadline that is in force.
  const std::string peer_;

  phase phase_ = phase::idle;
  bool is_awaiting_ = false; ///< `await_input` is under way.
  bool keep_alive_ = true;   ///< Of the present request.
  bool is_head_ = false;     ///< Of the present request.
  bool has_chunks_ = true;   ///< Of the present request: its client understands chunks.
  bool has_gone_ = false;    ///< The client has closed its side.

  std::string input_; ///< Bytes that have been read from the socket and not been parsed.
  std::optional<request_parser> parser_;
  std::shared_ptr<exchange> exchange_; ///< While the handler has the request and until it is out.
  std::uint64_t exchange_number_ = 0;
  std::chrono::steady_clock::time_point asked_at_; ///< When the handler got the request.
  std::string head_;
  std::string body_;
  std::size_t sent_ = 0;     ///< Bytes of head and body.
  std::size_t progress_ = 0; ///< Bytes of the present phase when its deadline was armed.

  std::shared_ptr<stream_pipe> pipe_; ///< While `streaming`.
  bool is_sending_ = false;           ///< A part of a streamed answer is being written.
  std::size_t in_flight_ = 0;         ///< Bytes of pieces in it.
  stream_pipe::state after_pieces_ = stream_pipe::state::open; ///< Of the pipe when it was taken.
};

} // namespace holdfast::http
