#pragma once

#include "core/access.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/door.hpp"
#include "http/gateway_client.hpp"
#include "http/recent_map.hpp"
#include "messages/token_messages.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::http {

/// An identity is read anew from the database when it is older than this: so long may a token that
/// was revoked still pass.
inline constexpr std::chrono::steady_clock::duration token_fresh_for = std::chrono::seconds{5};
/// Good tokens that a node remembers; as many of those that are not good.
inline constexpr std::size_t tokens_remembered = 4096;
/// Tokens that are read from the database at a time. Requests that show the same one share a read.
inline constexpr std::size_t token_reads_max = 64;
/// An address from which so many other tokens came that are not good, within the window, is slowed:
/// for the rest of the window the node reads one token a second that it does not know.
inline constexpr unsigned token_guesses_max = 20;
inline constexpr std::chrono::steady_clock::duration token_guess_window = std::chrono::minutes{1};
inline constexpr std::chrono::steady_clock::duration token_guess_pause = std::chrono::seconds{1};
inline constexpr std::size_t guessing_addresses_remembered = 4096;
/// The use of a token is noted as often as this at most, by each node.
inline constexpr std::chrono::steady_clock::duration token_use_noted_every =
    std::chrono::minutes{1};

/// The answer about a token of another kind than API tokens.
struct other_token_answer {
  std::shared_ptr<const core::principal> who; ///< Null: there is none, for this reason.
  std::string why;
  bool is_guess = true;        ///< Counted against the address.
  bool is_unavailable = false; ///< The reason passes: the client may show the token again.
};

/// The things that the gate needs of the process around it.
struct token_gate_settings {
  /// The principal whose token the process knows by itself, such as the administrator's; else null.
  std::function<std::shared_ptr<const core::principal>(std::string_view token)> known;
  /// Whether a bearer token has the form of another kind. Empty: there is no other kind.
  std::function<bool(std::string_view token)> is_other_kind;
  /// Checks a token of that form, which `known` does not know. An address that is slowed has one
  /// checked a second, because a check costs time.
  std::function<other_token_answer(std::string_view token)> check_other_kind;
  /// SHA-256 in hexadecimal digits of lower case.
  std::function<std::string(std::string_view)> hash;
  /// The time of the cluster; none while it is not known.
  std::function<std::optional<core::instant>()> now;
  std::function<std::chrono::steady_clock::time_point()> steady_now =
      std::chrono::steady_clock::now;
  /// Told when an address begins to be slowed.
  std::function<void(const std::string& address)> on_slowed = [](const std::string&) {};
};

/// THE TOKEN GATE: gives the identities behind tokens. API tokens are asked for at the gateway, by
/// the hash of their secret, and remembered for a few seconds. Tokens that are not good are counted
/// by the address from which they come. For any thread.
///
/// Requests that wait for a read are bounded by the connections of the server.
class token_gate {
public:
  token_gate(token_gate_settings settings, gateway_client gateway);

  void identify(const shown_token& shown, identified then);

private:
  using time_point = std::chrono::steady_clock::time_point;

  struct good_token {
    std::shared_ptr<const core::principal> who;
    core::instant expires_at{}; ///< The epoch: never.
    time_point read_at{};
    time_point use_noted_at{};
  };
  struct bad_token {
    std::string why;
    time_point read_at{};
  };
  struct guesses {
    time_point since{};
    unsigned count = 0;
    time_point last_read{};
  };

  void refuse(const std::string& address, std::string why, const identified& then);
  void identify_other_kind(const shown_token& shown, const identified& then);
  void identify_api_token(core::api_token_id id, const std::string& hash,
                          const std::string& address, identified then);
  void take_answer(const std::string& key, core::api_token_id id, const std::string& address,
                   const msg::token_identity& answer);
  void answer_all(const std::string& key, const identity& with);
  bool is_fresh(time_point read_at) const;
  /// Whether a token that is not known may be read now for this address.
  bool may_read_for(const std::string& address);
  bool count_guess(const std::string& address);
  /// Notes the use of a token, if that is due.
  void note_use(const std::string& key, core::api_token_id id, good_token token);

  const token_gate_settings settings_;
  const gateway_client gateway_;
  /// By id and hash of the secret: a map tells nothing of a secret by the time that it takes.
  recent_map<std::string, good_token> good_{tokens_remembered};
  recent_map<std::string, bad_token> bad_{tokens_remembered};
  std::mutex mutex_;
  recent_map<std::string, guesses> guesses_{guessing_addresses_remembered}; ///< Under `mutex_`.
  std::map<std::string, std::vector<identified>> reads_;                    ///< The same.
};

} // namespace holdfast::http
