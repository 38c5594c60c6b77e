#pragma once

#include "core/trace.hpp"
#include "http/answer_stream.hpp"
#include "http/request_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// One request and its answer, as the server hands them to the door and back. Neither knows of the
/// other's library.
namespace holdfast::http {

struct request {
  std::string method;             ///< As it came: `GET`.
  std::string target;             ///< Path and query as they came, percent-encoded.
  std::vector<parameter> headers; ///< Names in lower case, in their order.
  std::string body;
  std::string peer; ///< The address of the other side, for logs and bounds.
};

/// The value of a header; empty when there is none.
std::string_view header_of(const request& from, std::string_view name);

inline constexpr std::string_view json_type = "application/json; charset=utf-8";
inline constexpr std::string_view problem_type = "application/problem+json";

struct response {
  unsigned status = 200;
  std::string content_type{json_type};
  std::vector<parameter> headers; ///< Besides those of the content.
  std::string body;
};

/// A request that waits for its answer. Every request is answered once, also one whose client has
/// gone.
class call {
public:
  virtual ~call() = default;

  virtual const request& asked() const = 0;
  /// Unpacks the body where the request says that it is packed (`Content-Encoding`), within the
  /// bounds of bodies. The answer to give where it cannot be. Once, by the handler, before the
  /// call is shared: it costs time that only known callers should be given.
  virtual std::optional<response> unpack_body() = 0;
  /// On any thread.
  virtual void answer(response with) = 0;
  /// Answers with a body that is written piece by piece, on any thread. Where the call cannot be
  /// answered any more the stream has ended. Never null.
  virtual answer_stream_ptr begin_stream(stream_head head) = 0;
  /// Tells those who measure requests which route this one takes. The name must stay valid.
  virtual void on_route(std::string_view name) { static_cast<void>(name); }
  /// The span of the request, under which all that follows from it is to be told; null: it is not
  /// traced.
  virtual core::trace_ptr trace() const { return nullptr; }
  /// Has `then` run, on any thread, if the client closes its connection before the answer. At most
  /// one is kept, the last.
  virtual void on_abandoned(std::function<void()> then) = 0;
};
using call_ptr = std::shared_ptr<call>;

} // namespace holdfast::http
