#pragma once

#include "bench/soak/history.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Commits that are interrupted on their way between a node and the server: what is done to which
/// of them, and what becomes of it. The bytes themselves pass through `commit_proxy`.
namespace holdfast::soak {

// ── messages of PostgreSQL ───────────────────────────────────────────────────────────────────────

/// Cuts what one side sends into its messages.
class postgres_messages {
public:
  void add(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole message; empty while it has not come. The first ones of a client have no type.
  std::string next(bool typed);

private:
  std::string bytes_;
  std::size_t taken_ = 0;
};

/// Whether a client asks for encryption before it begins: the answer is one byte.
bool asks_for_encryption(const std::string& first_message);
/// A parameter of the message with which a client begins; empty when it is not there.
std::string start_parameter(const std::string& first_message, const std::string& name);
/// Whether a message of a node binds the statement with which its batches end.
bool binds_commit(const std::string& message);
/// Whether the server says that it has committed.
bool says_committed(const std::string& message);
/// The state in a message of an error; empty for other messages.
std::string sqlstate_of(const std::string& message);
/// What the fence of a batch ends with when the batch is there already, or its epoch is over.
inline constexpr std::string_view fence_state = "22012";

// ── interruptions ────────────────────────────────────────────────────────────────────────────────

enum class commit_fate : std::uint8_t {
  passes,
  cut_before, ///< The session is cut in its place, so that the server rolls back.
  cut_after,  ///< The server gets it, and the session is cut when that has committed.
  silenced,   ///< The server gets it, and nothing that it says from then on is passed on.
};

/// What was interrupted, and what the node found out by trying again.
struct interrupted_commits {
  std::uint64_t cut_before = 0;
  std::uint64_t cut_after = 0;
  std::uint64_t silenced = 0;
  std::uint64_t found_absent = 0;      ///< The next try committed.
  std::uint64_t found_there = 0;       ///< The next try was stopped by its fence.
  std::vector<double> stall_seconds{}; ///< From each of those sent to its next try's end.

  std::uint64_t all() const { return cut_before + cut_after + silenced; }
};

/// Interrupts commits of one client, one after the other: the next one when it is known what became
/// of the one before. Safe to use from any thread.
///
///   passes ──begin──► waits for a commit ──► interrupted ──tried again──► waits for a commit ...
///
/// A session is told by its number: sessions that come later have higher ones. What comes on a
/// later session of the same client is the next try, since only who was interrupted opens one to
/// commit.
class commit_interruptions {
public:
  enum class manner : std::uint8_t { cuts, hangs };

  void begin(std::string client, manner how);
  /// No more of them. What was interrupted may still be resolved.
  void end();
  bool resolved() const;
  /// Since it began.
  interrupted_commits seen() const;

  /// A batch is about to be committed.
  commit_fate on_commit(std::uint64_t session, const std::string& client, clock::time_point now);
  /// The server has committed one; what becomes of its answer.
  commit_fate on_committed(std::uint64_t session, const std::string& client, clock::time_point now);
  /// The server has refused one.
  void on_refused(std::uint64_t session, const std::string& client, const std::string& sqlstate,
                  clock::time_point now);
  void on_closed(std::uint64_t session);

private:
  struct interruption {
    std::uint64_t session = 0;
    commit_fate fate = commit_fate::passes;
    clock::time_point sent;
    bool done = false; ///< Else it was passed on, and the server has not answered yet.
  };

  bool is_next_try(std::uint64_t session, const std::string& client) const;
  void resolve(std::uint64_t& found, clock::time_point now);

  mutable std::mutex mutex_;
  std::string client_;
  manner how_ = manner::cuts;
  bool active_ = false;
  bool cuts_after_ = false; ///< In turn, so that every few of them have both.
  std::optional<interruption> open_;
  interrupted_commits seen_;
};

} // namespace holdfast::soak
